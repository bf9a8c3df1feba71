//! The clock as a value, so that tests can supply their own.

use std::time::{Duration, Instant, SystemTime};

use receipt::time::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// The time of day. It may jump in either direction.
    fn now(&self) -> Timestamp;

    /// The time since a fixed point in the past. It never decreases.
    fn monotonic(&self) -> Duration;
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// Makes a clock whose monotonic time starts now.
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
