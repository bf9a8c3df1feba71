//! A guarded connection that is handed over before any byte was sent.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::metered::Metered;
use crate::slots::{ConnectionPlace, HostPlace};

/// A TCP connection to a permitted address. It occupies its concurrency slots until it is dropped, so its user must
/// bound the time; the number of bytes that can be read is bounded by
/// [`Limits::wire_bytes`](crate::Limits::wire_bytes).
pub struct Channel {
    stream: Metered<TcpStream>,
    peer: SocketAddr,
    limit: usize,
    _places: (HostPlace, ConnectionPlace),
}

impl Channel {
    pub(crate) fn new(
        stream: TcpStream,
        peer: SocketAddr,
        limit: usize,
        places: (HostPlace, ConnectionPlace),
    ) -> Self {
        Self { stream: Metered::new(stream, limit), peer, limit, _places: places }
    }

    /// The remote address of the connection.
    #[must_use]
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// The number of bytes read so far.
    #[must_use]
    pub fn bytes_read(&self) -> usize {
        self.limit - self.stream.left()
    }
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Channel").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl AsyncRead for Channel {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Channel {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
