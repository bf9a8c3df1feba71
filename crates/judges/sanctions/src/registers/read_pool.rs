//! A bounded pool of blocking readers of the snapshot store.

use module::BlockingPool;
use verdict::Objection;

use super::busy;
use crate::live::Lists;

/// A pool of blocking readers: a fixed number at once, [`MOST_WAITING`] waiting for each. A clone is the same pool.
#[derive(Clone, Debug)]
pub(super) struct ReadPool {
    lists: Lists,
    readers: BlockingPool,
}

/// The most reads that wait for each reader.
pub(super) const MOST_WAITING: usize = 16;

impl ReadPool {
    pub(super) fn new(lists: Lists, readers: usize) -> Self {
        Self { lists, readers: BlockingPool::new(readers, readers * (1 + MOST_WAITING)) }
    }

    /// Runs a read on a blocking thread and waits for it.
    ///
    /// # Errors
    /// [`Objection::Unavailable`] where the pool is full, and what the read gives.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lists) -> Result<T, Objection> + Send + 'static,
    ) -> Result<T, Objection> {
        let lists = self.lists.clone();
        self.readers.run(move || work(&lists)).await.unwrap_or_else(|_| Err(busy()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_read_beyond_the_waiting_ones_is_refused_as_busy() {
        let pool = ReadPool::new(Lists::none(), 1);
        let (open, gate) = mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let read = || {
            let (pool, gate) = (pool.clone(), Arc::clone(&gate));
            tokio::spawn(async move { pool.read(move |_| Ok(gate.lock().unwrap().recv().is_ok())).await })
        };
        let mut reads: Vec<_> = (0..=MOST_WAITING + 1).map(|_| read()).collect();
        let refused = loop {
            if let Some(at) = reads.iter().position(tokio::task::JoinHandle::is_finished) {
                break reads.remove(at).await.unwrap();
            }
            tokio::task::yield_now().await;
        };
        assert!(matches!(refused, Err(Objection::Unavailable(_))));
        (0..reads.len()).for_each(|_| open.send(()).unwrap());
        for read in reads {
            assert_eq!(read.await.unwrap(), Ok(true));
        }
        assert_eq!(pool.read(|_| Ok(7)).await, Ok(7));
    }
}
