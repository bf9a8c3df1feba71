//! A bounded pool of blocking readers of the snapshot store.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tracing::Span;
use verdict::Objection;

use super::busy;
use crate::live::Lists;

/// A pool of blocking readers: a fixed number at once, [`MOST_WAITING`] waiting for each. A clone is the same pool.
#[derive(Clone, Debug)]
pub(super) struct ReadPool {
    lists: Lists,
    /// Permits of all reads, running or waiting. A read without one is refused.
    admitted: Arc<Semaphore>,
    /// Permits of running reads.
    running: Arc<Semaphore>,
}

/// The most reads that wait for each reader.
pub(super) const MOST_WAITING: usize = 16;

impl ReadPool {
    pub(super) fn new(lists: Lists, readers: usize) -> Self {
        let admitted = Arc::new(Semaphore::new(readers * (1 + MOST_WAITING)));
        Self { lists, admitted, running: Arc::new(Semaphore::new(readers)) }
    }

    /// Runs a read on a blocking thread and waits for it. It runs to its end, and holds its permits until then, where the
    /// caller has gone away too.
    ///
    /// # Errors
    /// [`Objection::Unavailable`] where the pool is full, and what the read gives.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lists) -> Result<T, Objection> + Send + 'static,
    ) -> Result<T, Objection> {
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| busy())?;
        let running = Arc::clone(&self.running).acquire_owned().await.map_err(|_| busy())?;
        let lists = self.lists.clone();
        let span = Span::current();
        let reading = tokio::task::spawn_blocking(move || {
            let _permits = (admitted, running);
            span.in_scope(|| work(&lists))
        });
        reading.await.unwrap_or_else(|_| Err(busy()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_read_beyond_the_waiting_ones_is_refused_and_permits_come_back() {
        let pool = ReadPool::new(Lists::none(), 1);
        let (open, gate) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let pool = pool.clone();
            async move { pool.read(move |_| Ok(gate.recv().is_ok())).await }
        });
        let waiting: Vec<_> = (0..MOST_WAITING)
            .map(|_| {
                tokio::spawn({
                    let pool = pool.clone();
                    async move { pool.read(|_| Ok(())).await }
                })
            })
            .collect();
        while pool.admitted.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(matches!(pool.read(|_| Ok(())).await, Err(Objection::Unavailable(_))));
        open.send(()).unwrap();
        assert_eq!(first.await.unwrap(), Ok(true));
        for waited in waiting {
            assert_eq!(waited.await.unwrap(), Ok(()));
        }
        assert_eq!(pool.read(|_| Ok(7)).await, Ok(7));
    }
}
