//! Reads documents: a small one at once, a large one on a thread of its own, so that no other request waits for it.
//!
//! The tree of a document can be many times its size, and long in building. So large ones keep off the runtime's
//! threads, only as many at a time as there are cores, and those that wait are counted too: each holds its
//! document.

use module::{BlockingPool, PoolError};
use verdict::Unavailable;

/// Maximum size of a document that is parsed immediately, in bytes. A larger one waits for a worker.
pub const SMALL_DOCUMENT_BYTES: usize = 64 << 10;
/// Maximum number of large documents that are being parsed or wait; a further one gets no answer.
pub const MAX_LARGE_DOCUMENTS: usize = 32;

/// Makes the pool that reads large documents, as many at once as there are cores.
pub(crate) fn readers() -> BlockingPool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    BlockingPool::new(cores, MAX_LARGE_DOCUMENTS)
}

/// Runs `read` on a document of `bytes` bytes and returns the result.
///
/// # Errors
/// Too many large documents are in hand.
pub(crate) async fn read<T: Send + 'static>(
    readers: &BlockingPool,
    bytes: usize,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unavailable> {
    if bytes <= SMALL_DOCUMENT_BYTES {
        return Ok(read());
    }
    readers.run(read).await.map_err(|error| match error {
        PoolError::Full => unavailable("too many large documents are being read"),
        PoolError::Failed => unavailable("the document could not be read"),
    })
}

/// Nothing could be looked at; another try makes sense shortly.
pub(crate) fn unavailable(detail: impl Into<String>) -> Unavailable {
    Unavailable { module: "claim", retry_after_s: 1, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn a_small_document_is_read_at_once_and_a_large_one_on_another_thread() {
        let (readers, here) = (readers(), thread::current().id());
        assert_eq!(read(&readers, SMALL_DOCUMENT_BYTES, || thread::current().id()).await, Ok(here));
        assert_ne!(read(&readers, SMALL_DOCUMENT_BYTES + 1, || thread::current().id()).await, Ok(here));
    }
}
