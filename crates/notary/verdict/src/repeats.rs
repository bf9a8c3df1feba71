//! Limits the log lines of a failure that repeats.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The shortest time between two log lines about the same failure.
const BETWEEN_LINES: Duration = Duration::from_secs(60);
/// The most failures that are told apart. Further ones share one line a minute.
const MAX_FAILURES: usize = 32;
/// The name that further failures share.
const OTHERS: &str = "";

/// Limits the log lines of failures that repeat: one line a minute of each, with the number of those left out.
///
/// A full disk fails thousands of commits a second, and each is the same news.
///
/// ```
/// use std::time::Duration;
///
/// let repeats = verdict::Repeats::default();
/// assert_eq!(repeats.due("disk full", Duration::from_secs(0)), Some(0));
/// assert_eq!(repeats.due("disk full", Duration::from_secs(1)), None);
/// assert_eq!(repeats.due("disk full", Duration::from_secs(60)), Some(1));
/// ```
#[derive(Debug, Default)]
pub struct Repeats(Mutex<HashMap<String, Failure>>);

#[derive(Debug)]
struct Failure {
    told_at: Duration,
    left_out: u64,
}

impl Repeats {
    /// Counts a failure at `now`, a monotonic time. Returns the number of its repeats since its last line if a line is
    /// due, and `None` if this one is left out of the log.
    pub fn due(&self, failure: &str, now: Duration) -> Option<u64> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_FAILURES && !failures.contains_key(failure) {
            // Those that ended are forgotten once their last line is old.
            failures.retain(|_, known| now.saturating_sub(known.told_at) < BETWEEN_LINES);
        }
        let is_told_apart = failures.len() < MAX_FAILURES || failures.contains_key(failure);
        let name = if is_told_apart { failure } else { OTHERS };
        let Some(known) = failures.get_mut(name) else {
            failures.insert(name.to_owned(), Failure { told_at: now, left_out: 0 });
            return Some(0);
        };
        if now.saturating_sub(known.told_at) < BETWEEN_LINES {
            known.left_out += 1;
            return None;
        }
        known.told_at = now;
        Some(std::mem::take(&mut known.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times, in seconds, at which one failure is told, with the number left out before each.
    fn told(repeats: &Repeats, failure: &str, times: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
        times.filter_map(|at| Some((at, repeats.due(failure, Duration::from_secs(at))?))).collect()
    }

    #[test]
    fn a_failure_is_told_once_a_minute_with_the_number_left_out() {
        let told = told(&Repeats::default(), "disk full", (0..=180).chain([1000]));
        assert_eq!(told, [(0, 0), (60, 59), (120, 59), (180, 59), (1000, 0)]);
    }

    #[test]
    fn one_failure_hides_no_other() {
        let repeats = Repeats::default();
        assert_eq!(told(&repeats, "disk full", 0..10), [(0, 0)]);
        assert_eq!(told(&repeats, "disk gone", 5..10), [(5, 0)]);
    }

    #[test]
    fn beyond_the_bound_failures_share_a_line_until_the_earlier_ones_are_old() {
        let repeats = Repeats::default();
        let due = |number: usize, at| repeats.due(&number.to_string(), Duration::from_secs(at));
        let first = (0..100).filter(|number| due(*number, 0) == Some(0)).count();
        assert_eq!(first, MAX_FAILURES + 1);
        assert!(repeats.0.lock().unwrap().len() <= MAX_FAILURES + 1);
        assert_eq!(due(1000, 60), Some(0));
        assert!(repeats.0.lock().unwrap().len() <= MAX_FAILURES);
    }
}
