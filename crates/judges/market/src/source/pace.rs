//! The rate at which a source may be asked.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Longest wait for a turn.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Longest pause that a source can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// The turns of a source: so many requests a second, evenly spaced after the first ones, and none while it asks for a pause.
#[derive(Debug)]
pub struct Pace {
    per_second: u32,
    /// The time from which the turns are counted: each takes its share of a second from here on.
    counted: Mutex<Option<Instant>>,
}

impl Pace {
    /// So many requests in any second, at least one.
    #[must_use]
    pub fn per_second(per_second: u32) -> Self {
        Self { per_second: per_second.max(1), counted: Mutex::new(None) }
    }

    /// Takes a turn, and waits for it. The error is the time after which there is one, where that is too far off.
    ///
    /// # Errors
    /// The time after which to ask again.
    pub async fn turn(&self) -> Result<(), Duration> {
        let wait = self.take(Instant::now())?;
        tokio::time::sleep(wait).await;
        Ok(())
    }

    fn take(&self, now: Instant) -> Result<Duration, Duration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // A second's turns can be taken at once.
        let second = Duration::from_secs(1);
        let earliest = now.checked_sub(second).unwrap_or(now);
        let next = counted.map_or(earliest, |at| at.max(earliest)) + second / self.per_second;
        let wait = next.saturating_duration_since(now);
        if wait > LONGEST_WAIT {
            return Err(wait);
        }
        *counted = Some(next);
        Ok(wait)
    }

    /// Takes no turn before this time has passed.
    pub fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause.min(LONGEST_PAUSE);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = Some(counted.map_or(until, |at| at.max(until)));
    }

    /// The number of requests that can be sent now without a wait.
    #[must_use]
    pub fn left(&self) -> u32 {
        let now = Instant::now();
        let counted = *self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(counted) = counted else { return self.per_second };
        let second = Duration::from_secs(1);
        let Some(room) = (now + Duration::from_nanos(1)).checked_duration_since(counted) else { return 0 };
        let turns = room.min(second).as_secs_f64() * f64::from(self.per_second);
        turns as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_second_has_no_more_turns_than_its_rate_and_then_they_are_spaced() {
        let pace = Pace::per_second(5);
        assert_eq!(pace.left(), 5);
        let started = Instant::now();
        for _ in 0..5 {
            pace.turn().await.unwrap();
        }
        assert_eq!((started.elapsed(), pace.left()), (Duration::ZERO, 0));
        for number in 1..=10 {
            pace.turn().await.unwrap();
            let elapsed = started.elapsed();
            assert!(elapsed >= Duration::from_millis(200 * number), "{number}: {elapsed:?}");
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(pace.left(), 5, "turns are not saved up");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_would_wait_too_long_is_told_when_to_come_back() {
        let pace = Pace::per_second(2);
        let now = Instant::now();
        let waits: Vec<_> = (0..6).map(|_| pace.take(now)).collect();
        let millis = |wait: u64| Duration::from_millis(wait);
        assert_eq!(waits[..4], [Ok(millis(0)), Ok(millis(0)), Ok(millis(500)), Ok(millis(1000))]);
        assert_eq!(waits[4..], [Err(millis(1500)), Err(millis(1500))]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_the_source_asks_for_is_kept_and_bounded() {
        let pace = Pace::per_second(10);
        pace.pause(Duration::from_secs(30));
        assert_eq!(pace.left(), 0);
        assert!(pace.turn().await.unwrap_err() > Duration::from_secs(29));
        pace.pause(Duration::from_secs(1_000_000));
        tokio::time::sleep(LONGEST_PAUSE + Duration::from_secs(2)).await;
        assert!(pace.turn().await.is_ok());
    }
}
