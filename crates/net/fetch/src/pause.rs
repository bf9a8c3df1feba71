//! The pauses between the rounds of a download that is repeated.

use std::time::Duration;

/// The pause after the first failure; each further failure doubles it, up to the usual pause.
const FIRST_RETRY: Duration = Duration::from_secs(60);
/// By how many thousandths the longest pause is longer than the shortest.
const JITTER: u64 = 200;

/// Returns the pause before the next round, a tenth more or less at random. After `failures` failures in a row it is one minute, then
/// two, four and so on, and never longer than `every`.
#[must_use]
pub fn pause(every: Duration, failures: u32) -> Duration {
    jittered(after(every, failures), thousandths())
}

/// The pause after so many failures in a row.
fn after(every: Duration, failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => every,
        Some(doublings) => every.min(FIRST_RETRY.saturating_mul(1 << doublings.min(16))),
    }
}

/// The pause, a tenth more or less: by so many thousandths within [`JITTER`].
fn jittered(pause: Duration, thousandths: u64) -> Duration {
    let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(millis.saturating_mul(1000 - JITTER / 2 + thousandths) / 1000)
}

/// A random number within 0 and [`JITTER`]; the middle where there is no randomness.
fn thousandths() -> u64 {
    let mut bytes = [0; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from(u32::from_le_bytes(bytes)) % (JITTER + 1),
        Err(_) => JITTER / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn failures_are_tried_again_sooner_and_ever_more_seldom() {
        let minutes = |failures| after(DAY, failures).as_secs() / 60;
        assert_eq!([0, 1, 2, 3, 11, 12, 99].map(minutes), [1440, 1, 2, 4, 1024, 1440, 1440]);
        assert_eq!(after(Duration::from_secs(5), 1), Duration::from_secs(5));
    }

    #[test]
    fn a_pause_differs_by_a_tenth() {
        let hour = Duration::from_secs(3600);
        assert_eq!(jittered(hour, 0), hour * 9 / 10);
        assert_eq!(jittered(hour, JITTER), hour * 11 / 10);
        assert!(thousandths() <= JITTER);
    }
}
