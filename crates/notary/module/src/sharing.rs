//! What a process has in common with the others of its store, as modules see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The interval at which a download that is another process's looks whether it is this one's by now.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Says whether this process has its lists and feeds in common with others, and whether it is the one that downloads
/// them from their publishers. A clone shares the same state.
///
/// ```
/// use module::Sharing;
///
/// let sharing = Sharing::alone();
/// assert!(!sharing.is_shared() && sharing.downloads_here());
/// let sharing = Sharing::with_others();
/// assert!(sharing.is_shared() && !sharing.downloads_here());
/// sharing.clone().set_downloads_here(true);
/// assert!(sharing.downloads_here());
/// ```
#[derive(Clone, Debug)]
pub struct Sharing {
    is_shared: bool,
    downloads_here: Arc<AtomicBool>,
}

impl Sharing {
    /// The only process: it downloads all that it needs.
    #[must_use]
    pub fn alone() -> Self {
        Self { is_shared: false, downloads_here: Arc::new(AtomicBool::new(true)) }
    }

    /// One of several processes, which downloads nothing until it is told to.
    #[must_use]
    pub fn with_others() -> Self {
        Self { is_shared: true, downloads_here: Arc::new(AtomicBool::new(false)) }
    }

    /// Returns true if lists and feeds are those that the processes of the store have in common.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns true if this process downloads from publishers.
    #[must_use]
    pub fn downloads_here(&self) -> bool {
        self.downloads_here.load(Ordering::Relaxed)
    }

    /// Sets whether this process downloads from publishers. A download that has begun is not stopped.
    pub fn set_downloads_here(&self, here: bool) {
        self.downloads_here.store(here, Ordering::Relaxed);
    }

    /// Waits until this process downloads from publishers.
    pub async fn turn_to_download(&self) {
        while !self.downloads_here() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
