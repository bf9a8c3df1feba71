//! A connection that was guarded as a fetch's is, handed over before anything was said.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::metered::Metered;
use crate::slots::{ConnectionPlace, HostPlace};

/// A TCP connection to a cleared address. It holds its places until it is dropped, so whoever reads from it bounds the
/// time; the bytes that can be read are bounded here.
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

    /// The address that took the connection.
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
