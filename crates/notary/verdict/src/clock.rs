//! Time as a value, so that a test can be the clock.

use std::time::{Duration, Instant, SystemTime};

use receipt::time::Timestamp;

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The time of day. It may jump in either direction.
    fn now(&self) -> Timestamp;

    /// The time since some fixed point. It never goes back.
    fn monotonic(&self) -> Duration;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// Starts counting.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock outside 1970 to 9999 reads as 1970: behind every receipt, so nothing is signed by it.
        Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::EPOCH)
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}
