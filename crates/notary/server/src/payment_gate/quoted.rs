//! Remembers the requests that were answered 402 lately: the paid retry of one is not counted towards its rate again.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lru::LruCache;

/// The time for which a quote is remembered.
const REMEMBERED: Duration = Duration::from_secs(300);
/// The most quotes that are remembered; past it the oldest is forgotten, and its retry counted.
const MOST: NonZeroUsize = NonZeroUsize::new(65_536).expect("65536 is not zero");

/// The fingerprints of requests that were answered 402.
pub(super) struct Quoted(Mutex<LruCache<[u8; 32], Duration>>);

impl Quoted {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::unbounded()))
    }

    /// Remembers that this request was answered 402 at a monotonic time.
    pub(super) fn remember(&self, fingerprint: [u8; 32], now: Duration) {
        let mut quoted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if quoted.len() >= MOST.get() {
            quoted.pop_lru();
        }
        quoted.put(fingerprint, now);
    }

    /// Returns true if this request was answered 402, and forgets it: each quote excuses one retry.
    pub(super) fn take(&self, fingerprint: &[u8; 32], now: Duration) -> bool {
        let mut quoted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        quoted.pop(fingerprint).is_some_and(|at| now.saturating_sub(at) < REMEMBERED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_excuses_one_retry_and_only_for_a_while() {
        let quoted = Quoted::new();
        let at = Duration::from_secs(1000);
        quoted.remember([1; 32], at);
        quoted.remember([2; 32], at);
        assert!(quoted.take(&[1; 32], at) && !quoted.take(&[1; 32], at));
        assert!(!quoted.take(&[2; 32], at + REMEMBERED));
        assert!(!quoted.take(&[3; 32], at));
    }

    #[test]
    fn memory_is_bounded() {
        let quoted = Quoted::new();
        for number in 0..70_000_u64 {
            let mut fingerprint = [0; 32];
            fingerprint[..8].copy_from_slice(&number.to_be_bytes());
            quoted.remember(fingerprint, Duration::ZERO);
        }
        assert_eq!(quoted.0.lock().unwrap().len(), MOST.get());
    }
}
