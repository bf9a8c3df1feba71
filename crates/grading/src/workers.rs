//! Threads for grading, where nobody waits for anything else.

use std::sync::Arc;

use tokio::sync::Semaphore;
use verdict::Unavailable;

/// How many records are graded or wait for it; there is no answer for one more.
pub(crate) const MOST_IN_HAND: usize = 256;

/// Grading is reckoning only: as many records at a time as there are cores.
#[derive(Clone, Debug)]
pub struct Workers {
    in_hand: Arc<Semaphore>,
    at_work: Arc<Semaphore>,
}

impl Default for Workers {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { in_hand: semaphore(MOST_IN_HAND), at_work: semaphore(cores) }
    }
}

impl Workers {
    /// What `work` gives.
    ///
    /// # Errors
    /// Too many others wait, or the process is about to end.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unavailable> {
        let unavailable =
            |detail: &str| Unavailable { module: "grading", retry_after_s: 1, detail: detail.to_owned() };
        let in_hand = Arc::clone(&self.in_hand).try_acquire_owned();
        let in_hand = in_hand.map_err(|_| unavailable("too many records are being graded"))?;
        let at_work = Arc::clone(&self.at_work).acquire_owned().await.expect("it is never closed");
        let working = tokio::task::spawn_blocking(move || {
            // They go along: whoever stops waiting does not make room by that.
            let _permits = (in_hand, at_work);
            work()
        });
        working.await.map_err(|_| unavailable("the record could not be graded"))
    }
}

/// Lets this thread reckon alone, for a process that may start no other. A second call changes nothing.
pub fn reckon_on_this_thread() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    // It fails where there are threads already: then none need be started.
    let _ = alone.build_global();
}
