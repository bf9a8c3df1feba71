//! Work of some milliseconds, apart from the threads that calls are answered on.

use module::{BlockingPool, PoolError};
use verdict::Unavailable;

use crate::MODULE;

/// Most pieces of work that run or wait.
pub const MOST_WAITING: usize = 64;

/// A pool as wide as the machine.
pub fn pool() -> BlockingPool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    BlockingPool::new(cores, MOST_WAITING)
}

/// The result of work, in its turn.
pub async fn run<T: Send + 'static>(
    pool: &BlockingPool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unavailable> {
    pool.run(work).await.map_err(|error| match error {
        PoolError::Full => unavailable("too much work waits"),
        PoolError::Failed => unavailable("the work did not end"),
    })
}

/// The module cannot judge at the moment, for this reason.
pub fn unavailable(detail: &str) -> Unavailable {
    Unavailable { module: MODULE, retry_after_s: 5, detail: detail.to_owned() }
}
