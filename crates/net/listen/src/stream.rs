//! The bytes of a connection, with limits on the time that a client may take to read an answer.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutStream;

use super::activity::Activity;

/// The longest time for which a client may read nothing of an answer.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time that a client may take to read the rest of an answer, once the client is slower than the server.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);

/// The most bytes that are read at once. The server doubles its buffer when a read has filled it, and keeps it while the
/// connection is idle: this is one less than its first one.
const READ_BYTES: u64 = 8191;

/// A client's stream. Writing fails where the client reads nothing for [`WRITE_TIMEOUT`], or reads for [`ANSWER_TIMEOUT`]
/// and has not come to the end.
pub(super) struct ClientStream {
    inner: Pin<Box<TimeoutStream<TcpStream>>>,
    activity: Arc<Activity>,
    /// Since when something waits to be written.
    waiting_since: Option<Instant>,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIMEOUT));
        Self { inner: Box::pin(stream), activity, waiting_since: None }
    }

    /// Passes on the outcome of a write, unless the answer has been waiting for too long.
    fn written(&mut self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if outcome.is_pending() {
            let since = *self.waiting_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= ANSWER_TIMEOUT {
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
        }
        outcome
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut part = (&mut self.inner).take(READ_BYTES);
        Pin::new(&mut part).poll_read(context, buffer)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.inner.as_mut().poll_write(context, bytes);
        self.written(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.inner.as_mut().poll_write_vectored(context, parts);
        self.written(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    /// The server flushes when nothing is left to write.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.inner.as_mut().poll_flush(context))?;
        self.waiting_since = None;
        self.activity.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.as_mut().poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_answer_that_is_read_too_slowly_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let activity = Arc::new(Activity::new(Instant::now()));
        let mut stream = ClientStream::new(listener.accept().await.unwrap().0, activity);
        stream.write_all(b"small").await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(stream.waiting_since, None);
        // More than the system takes: it waits for the client.
        let large = vec![0; 1 << 20];
        let filled = async { while stream.write(&large).await.is_ok() {} };
        assert!(tokio::time::timeout(Duration::from_millis(300), filled).await.is_err());
        let since = stream.waiting_since.expect("the client reads nothing");
        stream.waiting_since = since.checked_sub(ANSWER_TIMEOUT);
        assert_eq!(stream.write(&large).await.unwrap_err().kind(), ErrorKind::TimedOut);
        drop(client);
    }
}
