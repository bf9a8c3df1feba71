//! A stream that may be read up to a bound.
//!
//! The bounds on a response's header fields and body do not count interim responses (1xx) and chunk sizes. This bound
//! counts every byte.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The cause of the `io::Error` that a read past the bound gives.
#[derive(Debug, thiserror::Error)]
#[error("more bytes than may be read from one connection")]
pub(crate) struct Overrun;

/// `inner`, of which `left` more bytes may be read.
pub(crate) struct Metered<S> {
    inner: S,
    left: usize,
}

impl<S> Metered<S> {
    pub(crate) fn new(inner: S, limit: usize) -> Self {
        Self { inner, left: limit }
    }

    /// The number of bytes that may still be read.
    pub(crate) fn left(&self) -> usize {
        self.left
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left == 0 {
            return Poll::Ready(Err(io::Error::other(Overrun)));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.left = self.left.saturating_sub(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
