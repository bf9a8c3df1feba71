//! Reads documents: a small one at once, a large one on a thread of its own, so that no other request waits for it.
//!
//! The tree of a document can be many times its size, and long in building. So large ones keep off the runtime's
//! threads, only as many at a time as there are cores, and those that wait are counted too: each holds its
//! document.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tracing::Span;
use verdict::Unavailable;

/// The longest document that is read at once.
pub const SMALL_DOCUMENT_BYTES: usize = 64 << 10;
/// The most large documents that are being read or wait to be read; there is no answer for one more.
pub const MAX_LARGE_DOCUMENTS: usize = 32;

/// The readers of documents, with their permits.
#[derive(Clone, Debug)]
pub(crate) struct Readers {
    /// Large documents being read or waiting.
    in_hand: Arc<Semaphore>,
    /// Large documents being read.
    being_read: Arc<Semaphore>,
}

impl Readers {
    /// As many as there are cores.
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with(MAX_LARGE_DOCUMENTS, cores)
    }

    pub(crate) fn with(in_hand: usize, being_read: usize) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { in_hand: semaphore(in_hand), being_read: semaphore(being_read) }
    }

    /// Runs `read` on a document of `bytes` bytes and returns the result.
    ///
    /// # Errors
    /// Too many large documents are in hand.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unavailable> {
        if bytes <= SMALL_DOCUMENT_BYTES {
            return Ok(read());
        }
        let in_hand = Arc::clone(&self.in_hand).try_acquire_owned();
        let in_hand = in_hand.map_err(|_| unavailable("too many large documents are being read"))?;
        let being_read = Arc::clone(&self.being_read).acquire_owned().await.expect("it is never closed");
        let span = Span::current();
        let reading = tokio::task::spawn_blocking(move || {
            // The permits are kept with the tree: a caller that stops waiting for the tree does not free them.
            let _permits = (in_hand, being_read);
            span.in_scope(read)
        });
        // It fails where the process is about to end.
        reading.await.map_err(|_| unavailable("the document could not be read"))
    }
}

/// Nothing could be looked at; another try makes sense shortly.
pub(crate) fn unavailable(detail: impl Into<String>) -> Unavailable {
    Unavailable { module: "claim", retry_after_s: 1, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use futures_util::poll;
    use tokio::sync::oneshot;

    use super::*;

    const LARGE: usize = SMALL_DOCUMENT_BYTES + 1;

    #[tokio::test]
    async fn a_small_document_is_read_at_once_and_a_large_one_on_another_thread() {
        let readers = Readers::new();
        let here = thread::current().id();
        assert_eq!(readers.read(SMALL_DOCUMENT_BYTES, || thread::current().id()).await, Ok(here));
        assert_ne!(readers.read(LARGE, || thread::current().id()).await, Ok(here));
    }

    /// Makes a read that takes long: it tells that it has begun, and lasts until the sender is dropped.
    fn long() -> (impl FnOnce() + Send + 'static, oneshot::Receiver<()>, mpsc::Sender<()>) {
        let ((begin, begun), (end, ended)) = (oneshot::channel(), mpsc::channel());
        let read = move || {
            let _ = (begin.send(()), ended.recv());
        };
        (read, begun, end)
    }

    #[tokio::test]
    async fn large_documents_are_read_one_by_one_and_no_more_than_the_bound_wait() {
        let readers = Readers::with(2, 1);
        let (read, begun, end) = long();
        let mut first = Box::pin(readers.read(LARGE, read));
        assert!(poll!(first.as_mut()).is_pending());
        begun.await.unwrap();
        let mut second = Box::pin(readers.read(LARGE, || "second"));
        assert!(poll!(second.as_mut()).is_pending());
        assert!(readers.read(LARGE, || "third").await.is_err(), "at once");
        assert_eq!(readers.read(SMALL_DOCUMENT_BYTES, || "small").await, Ok("small"));
        drop(end);
        assert_eq!((first.await, second.await), (Ok(()), Ok("second")));
    }

    #[tokio::test]
    async fn a_caller_who_goes_away_leaves_no_room_until_the_document_is_read() {
        let readers = Readers::with(1, 1);
        let (read, begun, end) = long();
        let mut reading = Box::pin(readers.read(LARGE, read));
        assert!(poll!(reading.as_mut()).is_pending());
        begun.await.unwrap();
        drop(reading);
        assert!(readers.read(LARGE, || ()).await.is_err());
        drop(end);
        drop(readers.in_hand.acquire().await.unwrap());
        assert_eq!(readers.read(LARGE, || "next").await, Ok("next"));
    }
}
