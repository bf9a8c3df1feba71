//! A bounded pool of blocking work.

use std::sync::Arc;

use thiserror::Error;
use tokio::sync::Semaphore;
use tracing::Span;

/// Runs blocking work on the runtime's blocking threads, within two bounds: the number of pieces that run at once, and
/// the number of all pieces, running or waiting. A clone is the same pool.
///
/// Work begins in the order in which it was accepted, on a thread of ordinary priority. Work that has begun runs to its
/// end and holds its places until then, even if its caller goes away: a caller makes no room by giving up. A caller
/// that goes away while its work still waits gives its place back, and the work never runs.
#[derive(Clone, Debug)]
pub struct BlockingPool {
    /// Permits of all work, running or waiting. Work without one is refused.
    accepted: Arc<Semaphore>,
    /// Permits of running work.
    running: Arc<Semaphore>,
}

/// The reason why work has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PoolError {
    /// As much work runs or waits as the pool accepts. Another try makes sense shortly.
    #[error("too much work runs or waits")]
    Full,
    /// The work panicked, or the runtime is shutting down.
    #[error("the work did not end")]
    Failed,
}

impl BlockingPool {
    /// Makes a pool that runs `running` pieces of work at once, and accepts `accepted` in all.
    #[must_use]
    pub fn new(running: usize, accepted: usize) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { accepted: semaphore(accepted), running: semaphore(running) }
    }

    /// Runs work in its turn, within the caller's tracing span, and returns its result.
    ///
    /// # Errors
    /// [`PoolError::Full`] at once, without waiting; [`PoolError::Failed`] after the work panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let accepted = Arc::clone(&self.accepted).try_acquire_owned().map_err(|_| PoolError::Full)?;
        let running = Arc::clone(&self.running).acquire_owned().await.expect("it is never closed");
        let span = Span::current();
        let task = tokio::task::spawn_blocking(move || {
            // The permits go along with the work, which does not end when its caller stops waiting.
            let _permits = (accepted, running);
            span.in_scope(work)
        });
        task.await.map_err(|_| PoolError::Failed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use tokio::sync::oneshot;
    use tokio::task::{JoinHandle, yield_now};

    use super::*;

    /// Starts work that takes long: it has begun on return, and lasts until the sender is dropped.
    async fn start_long(pool: &BlockingPool) -> (JoinHandle<Result<(), PoolError>>, mpsc::Sender<()>) {
        let ((begin, begun), (end, ended)) = (oneshot::channel(), mpsc::channel());
        let pool = pool.clone();
        let work = move || {
            let _ = (begin.send(()), ended.recv());
        };
        let task = tokio::spawn(async move { pool.run(work).await });
        begun.await.unwrap();
        (task, end)
    }

    /// Starts work that has to wait; it is accepted on return.
    async fn start_waiting(pool: &BlockingPool, name: u8) -> JoinHandle<Result<u8, PoolError>> {
        let free = pool.accepted.available_permits();
        let task = tokio::spawn({
            let pool = pool.clone();
            async move { pool.run(move || name).await }
        });
        while pool.accepted.available_permits() == free {
            yield_now().await;
        }
        task
    }

    #[tokio::test]
    async fn work_runs_on_another_thread() {
        let here = thread::current().id();
        assert_ne!(BlockingPool::new(1, 1).run(|| thread::current().id()).await, Ok(here));
    }

    #[tokio::test]
    async fn work_past_the_bound_is_refused_at_once_and_the_rest_waits_for_its_turn() {
        let pool = BlockingPool::new(1, 3);
        let (first, end) = start_long(&pool).await;
        let (second, third) = (start_waiting(&pool, 2).await, start_waiting(&pool, 3).await);
        assert_eq!(pool.run(|| 4).await, Err(PoolError::Full));
        drop(end);
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!((second.await.unwrap(), third.await.unwrap()), (Ok(2), Ok(3)));
        assert_eq!(pool.run(|| 5).await, Ok(5));
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_makes_no_room_until_its_work_has_ended() {
        let pool = BlockingPool::new(1, 1);
        let (task, end) = start_long(&pool).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(pool.run(|| ()).await, Err(PoolError::Full));
        drop(end);
        drop(pool.accepted.acquire().await.unwrap());
        assert_eq!(pool.run(|| "next").await, Ok("next"));
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_while_it_waits_gives_its_place_back() {
        let pool = BlockingPool::new(1, 2);
        let (first, end) = start_long(&pool).await;
        let waiting = start_waiting(&pool, 2).await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert_eq!(pool.accepted.available_permits(), 1);
        drop(end);
        assert_eq!(first.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_places_back() {
        let pool = BlockingPool::new(1, 1);
        assert_eq!(pool.run(|| panic!("on purpose")).await, Err::<(), _>(PoolError::Failed));
        assert_eq!(pool.run(|| 1).await, Ok(1));
    }
}
