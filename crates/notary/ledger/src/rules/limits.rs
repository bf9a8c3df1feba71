//! Rate limits: at most so many hits of a key in any 60 seconds.

use std::collections::VecDeque;

use crate::{Admission, RateLimitHit};

/// The window of every rate limit, in milliseconds.
pub const WINDOW_MS: i64 = 60_000;

/// The times of a key's hits within the window, the oldest first, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct HitTimes(VecDeque<i64>);

impl HitTimes {
    /// The time of the newest hit; `None` where there is none.
    #[must_use]
    pub fn newest(&self) -> Option<i64> {
        self.0.back().copied()
    }

    /// The times as bytes: 8 for each, big-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|time| time.to_be_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has made; `None` where it is of another form.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (times, rest) = bytes.as_chunks::<8>();
        rest.is_empty().then(|| Self(times.iter().map(|time| i64::from_be_bytes(*time)).collect()))
    }

    /// Moves the hits that are later than `now` to now: they were counted by a clock that was set back since.
    pub fn end_at(&mut self, now: i64) {
        self.0.iter_mut().for_each(|at| *at = now.min(*at));
    }

    /// Forgets the hits that have left the window.
    pub fn expire(&mut self, now: i64) {
        while self.0.front().is_some_and(|at| now >= at + WINDOW_MS) {
            self.0.pop_front();
        }
    }

    /// The seconds after which a hit can be admitted; `None` where it can be now.
    fn wait(&self, limit: u32, now: i64) -> Option<u32> {
        let expired = self.0.iter().take_while(|at| now >= *at + WINDOW_MS).count();
        let counted = self.0.len() - expired;
        // The hit that must leave the window first, were the limit lower than what was counted. A limit of none has no
        // such hit.
        let before = counted.checked_sub(limit as usize)?;
        let blocking = self.0.get(expired + before);
        Some(whole_seconds(blocking.map_or(WINDOW_MS, |at| at + WINDOW_MS - now)))
    }
}

/// The hits that were counted.
pub trait HitLog {
    /// The times of a key; `None` where it has no hit.
    fn times(&self, hit: &RateLimitHit) -> Option<&HitTimes>;

    /// The times of a key, which is added where it is not there.
    fn times_mut(&mut self, hit: &RateLimitHit) -> &mut HitTimes;
}

/// Counts all hits at `now` (in milliseconds), or none if one of them would exceed its limit.
pub fn admit(hits: &[RateLimitHit], now: i64, log: &mut impl HitLog) -> Admission {
    let none = HitTimes::default();
    let wait = |hit: &RateLimitHit| {
        let wait = log.times(hit).unwrap_or(&none).wait(hit.limit, now);
        wait.map(|retry_after_s| (retry_after_s, hit.limit))
    };
    if let Some((retry_after_s, limit)) = hits.iter().filter_map(wait).max() {
        return Admission::Refused { limit, retry_after_s };
    }
    let mut tightest = (u32::MAX, 0);
    for hit in hits {
        let times = log.times_mut(hit);
        times.expire(now);
        times.0.push_back(now);
        let remaining = hit.limit.saturating_sub(u32::try_from(times.0.len()).unwrap_or(u32::MAX));
        let oldest = times.0.front().copied().unwrap_or(now);
        tightest = tightest.min((remaining, whole_seconds(oldest + WINDOW_MS - now)));
    }
    Admission::Admitted { remaining: tightest.0, reset_s: tightest.1 }
}

/// Rounds a wait up to whole seconds, at least 1: a caller that waits that long is not refused for having come early.
fn whole_seconds(wait: i64) -> u32 {
    u32::try_from(wait.max(0).unsigned_abs().div_ceil(1000)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_a_clock_that_was_set_back_count_as_now() {
        let mut times = HitTimes([5, 70, 90].into());
        times.end_at(60);
        assert_eq!(times.0, [5, 60, 60]);
        assert_eq!(times.wait(3, 60), Some(60), "and leave the window with it");
    }

    #[test]
    fn times_are_read_as_they_were_written() {
        let times = HitTimes([5, 60_004, i64::MAX].into());
        assert_eq!(HitTimes::from_bytes(&times.to_bytes()).unwrap().0, times.0);
        assert!(HitTimes::from_bytes(&[0; 9]).is_none());
    }
}
