//! The state of a connection, as one atomic: requests never wait for each other, nor for a connection that begins.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A request is being handled.
const BUSY: u64 = u64::MAX;
/// The answer was made and has not been written whole.
const WRITING: u64 = u64::MAX - 1;
/// The connection is being closed to make room, and takes no request any more.
const CLOSED: u64 = u64::MAX - 2;

/// The state of one connection. It is idle from its beginning to the end of its first request's head, and from the last byte
/// of an answer to the end of the next head.
#[derive(Debug)]
pub(super) struct Activity {
    epoch: Instant,
    opened: Instant,
    /// One of the above, or the time since which the connection is idle, in microseconds since `epoch`.
    state: AtomicU64,
    requests: AtomicU32,
}

impl Activity {
    /// A connection that begins now. Times of connections with the same `epoch` can be compared.
    pub(super) fn new(epoch: Instant) -> Self {
        let activity =
            Self { epoch, opened: Instant::now(), state: AtomicU64::new(0), requests: AtomicU32::new(0) };
        activity.state.store(activity.now(), Ordering::Relaxed);
        activity
    }

    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_micros()).unwrap_or(0).min(CLOSED - 1)
    }

    /// The time since which the connection is idle; `None` where it is not, or is being closed.
    pub(super) fn idle_since(&self) -> Option<u64> {
        Some(self.state.load(Ordering::Relaxed)).filter(|state| *state < CLOSED)
    }

    /// Takes the connection out of use if it is still idle since then.
    pub(super) fn close(&self, idle_since: u64) -> bool {
        self.state.compare_exchange(idle_since, CLOSED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// A request begins. `false` where the connection is being closed: the request must not be handled then.
    pub(super) fn begin(&self) -> bool {
        let busy = |state| (state != CLOSED).then_some(BUSY);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, busy).is_ok()
    }

    /// The answer was made.
    pub(super) fn answered(&self) {
        // Nobody closes a busy connection.
        self.state.store(WRITING, Ordering::Release);
    }

    /// The whole answer was written.
    pub(super) fn flushed(&self) {
        // Most calls come while there is nothing to write.
        if self.state.load(Ordering::Relaxed) == WRITING {
            let _ = self.state.compare_exchange(WRITING, self.now(), Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// HTTP has ended on the connection; it may be closed at any time.
    pub(super) fn ended(&self) {
        let idle = |state| (state != CLOSED).then(|| self.now());
        let _ = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, idle);
    }

    /// Counts a request. `true` where it is the last: there were so many, or the connection is that old.
    pub(super) fn is_last_request(&self, requests: u32, lifetime: Duration) -> bool {
        let before = self.requests.fetch_add(1, Ordering::Relaxed);
        before.saturating_add(1) >= requests || self.opened.elapsed() >= lifetime
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_idle_but_from_a_request_to_the_last_byte_of_its_answer() {
        let connection = Activity::new(Instant::now());
        assert!(connection.idle_since().is_some(), "before its first request");
        assert!(connection.begin());
        assert_eq!(connection.idle_since(), None, "while a request is handled");
        connection.flushed();
        assert_eq!(connection.idle_since(), None, "a flush of something else");
        connection.answered();
        assert_eq!(connection.idle_since(), None, "while the answer is written");
        connection.flushed();
        assert!(connection.idle_since().is_some());
    }

    #[test]
    fn only_a_connection_that_stayed_idle_is_closed_and_then_it_takes_no_request() {
        let connection = Activity::new(Instant::now());
        let since = connection.idle_since().unwrap();
        assert!(connection.begin());
        assert!(!connection.close(since), "a request came first");
        connection.answered();
        connection.flushed();
        assert!(connection.close(connection.idle_since().unwrap()));
        assert!(!connection.begin());
        connection.ended();
        assert_eq!(connection.idle_since(), None, "it is closed once");
    }

    #[test]
    fn the_last_request_is_told_by_number_and_by_age() {
        let connection = Activity::new(Instant::now());
        let last = |lifetime| connection.is_last_request(3, lifetime);
        let hour = Duration::from_secs(3600);
        assert_eq!([last(hour), last(hour), last(hour)], [false, false, true]);
        assert!(Activity::new(Instant::now()).is_last_request(3, Duration::ZERO));
    }
}
