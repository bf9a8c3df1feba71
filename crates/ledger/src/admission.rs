//! Rate limits: at most N visits in any 60 seconds, exactly.
//!
//! A sliding log of visit times, not a token bucket: a bucket of N refilled at N a minute lets up to 2N
//! through within one minute. The log of a key is at most N times long, and a key without a visit in the
//! last minute is forgotten, so memory is bounded by what was admitted in that minute.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use verdict::Clock;

/// The window that every published rate speaks of.
pub(crate) const WINDOW: Duration = Duration::from_secs(60);

/// The most addresses, and the most agents, that are remembered; past it, new ones are refused until others are
/// forgotten.
pub const MAX_KEYS: usize = 200_000;

/// A visit to be counted: whose it is, and how many they may make in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Whose it is. Names are free to make up, so they have a table of their own and displace no address.
    pub table: Table,
    /// The first half of SHA-256 over the names that are limited (address or agent, and route).
    pub key: [u8; 16],
    /// The most visits in any 60 seconds.
    pub limit: u32,
}

impl Visit {
    /// A visit by `who` (an address or an agent's name) to a route.
    #[must_use]
    pub fn new(kind: &str, who: &str, route: &str, limit: u32) -> Self {
        let table = if kind == "agent" { Table::Agents } else { Table::Addresses };
        Self { table, key: short_hash(&[kind, route, who]), limit }
    }
}

/// Which keys a visit is counted among.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Agents' names.
    Agents,
    /// Client addresses.
    Addresses,
}

/// Half of SHA-256 over length-prefixed parts: long enough that no two names are ever taken for one.
pub(crate) fn short_hash(parts: &[&str]) -> [u8; 16] {
    let mut text = Vec::new();
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_be_bytes());
        text.extend_from_slice(part.as_bytes());
    }
    let mut half = [0; 16];
    half.copy_from_slice(&receipt::hash::sha256(&text)[..16]);
    half
}

/// The answer to visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// All were counted.
    Admitted {
        /// Visits left in this window, for the tightest of the limits.
        remaining: u32,
        /// Seconds until the oldest visit of that key leaves the window.
        reset_s: u32,
    },
    /// None was counted: more keys than are remembered came within a minute. It is nobody's limit.
    Full,
    /// None was counted.
    Refused {
        /// The limit that is used up.
        limit: u32,
        /// Seconds until the next visit can be admitted, at least 1.
        retry_after_s: u32,
    },
}

/// The in-memory limiter of a single process.
pub struct Limiter {
    clock: Arc<dyn Clock>,
    state: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    agents: State,
    addresses: State,
}

impl Tables {
    fn of(&mut self, visit: &Visit) -> &mut State {
        match visit.table {
            Table::Agents => &mut self.agents,
            Table::Addresses => &mut self.addresses,
        }
    }

    fn sweep(&mut self, now: Duration) {
        self.agents.sweep(now);
        self.addresses.sweep(now);
    }
}

#[derive(Default)]
struct State {
    visits: HashMap<[u8; 16], VecDeque<Duration>>,
    swept_at: Duration,
}

impl Limiter {
    /// A limiter that has seen nobody.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// Counts all visits, or none where one of them is over its limit.
    #[must_use]
    pub fn admit(&self, visits: &[Visit]) -> Admission {
        let now = self.clock.monotonic();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweep(now);
        if visits.iter().any(|visit| state.of(visit).is_full_for(visit)) {
            return Admission::Full;
        }
        let refusal = visits.iter().filter_map(|visit| state.of(visit).refusal(visit, now)).max();
        if let Some((retry_after_s, limit)) = refusal {
            return Admission::Refused { limit, retry_after_s };
        }
        let mut tightest = (u32::MAX, 0);
        for visit in visits {
            let times = state.of(visit).visits.entry(visit.key).or_default();
            times.push_back(now);
            let remaining = visit.limit.saturating_sub(u32::try_from(times.len()).unwrap_or(u32::MAX));
            let oldest = times.front().copied().unwrap_or(now);
            tightest = tightest.min((remaining, whole_seconds(oldest + WINDOW - now)));
        }
        Admission::Admitted { remaining: tightest.0, reset_s: tightest.1 }
    }

    /// Counts a visit without asking; a key that is at its limit stays there.
    pub fn note(&self, visit: Visit) {
        let now = self.clock.monotonic();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweep(now);
        let state = state.of(&visit);
        if !state.is_full_for(&visit) && state.refusal(&visit, now).is_none() {
            state.visits.entry(visit.key).or_default().push_back(now);
        }
    }
}

impl State {
    fn is_full_for(&self, visit: &Visit) -> bool {
        self.visits.len() >= MAX_KEYS && !self.visits.contains_key(&visit.key)
    }

    /// Why a visit cannot be admitted: seconds to wait, and the limit.
    fn refusal(&mut self, visit: &Visit, now: Duration) -> Option<(u32, u32)> {
        let Some(times) = self.visits.get_mut(&visit.key) else {
            return (visit.limit == 0).then(|| (whole_seconds(WINDOW), visit.limit));
        };
        while times.front().is_some_and(|&at| now >= at + WINDOW) {
            times.pop_front();
        }
        if times.len() < visit.limit as usize {
            return None;
        }
        // The visit that must leave the window first, were the limit lower than what was counted. A limit of
        // none has no such visit.
        let blocking = times.len().checked_sub(visit.limit as usize).and_then(|position| times.get(position));
        let wait = blocking.map_or(WINDOW, |&at| at + WINDOW - now);
        Some((whole_seconds(wait), visit.limit))
    }

    /// Forgets keys without a visit in the window; at most once a window, so it costs nothing a visit.
    fn sweep(&mut self, now: Duration) {
        if now >= self.swept_at + WINDOW
            || self.visits.len() >= MAX_KEYS && now >= self.swept_at + WINDOW / 60
        {
            self.visits.retain(|_, times| times.back().is_some_and(|&at| now < at + WINDOW));
            self.visits.shrink_to(self.visits.len() * 2);
            self.swept_at = now;
        }
    }
}

/// Rounded up, at least 1: a caller that waits that long is not refused for having come early.
fn whole_seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn now(&self) -> verdict::Timestamp {
            verdict::Timestamp::EPOCH
        }
        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.0.load(Ordering::SeqCst))
        }
    }

    fn admitted(limiter: &Limiter, visits: &[Visit]) -> bool {
        matches!(limiter.admit(visits), Admission::Admitted { .. })
    }

    proptest! {
        #[test]
        fn no_window_of_sixty_seconds_ever_holds_more_than_the_limit(
            limit in 1u32..8, steps in prop::collection::vec(0u64..20_000, 1..200)
        ) {
            let hand = Arc::new(Hand::default());
            let limiter = Limiter::new(hand.clone());
            let visit = Visit::new("agent", "a", "/r", limit);
            let mut times = Vec::new();
            for step in steps {
                let now = hand.0.fetch_add(step, Ordering::SeqCst) + step;
                let recent = times.iter().filter(|&&at| now - at < 60_000).count();
                let expected = recent < limit as usize;
                prop_assert_eq!(admitted(&limiter, &[visit]), expected);
                if expected { times.push(now); }
            }
        }
    }

    #[test]
    fn a_refused_visit_counts_for_none_of_its_keys_and_names_the_wait() {
        let hand = Arc::new(Hand::default());
        let limiter = Limiter::new(hand.clone());
        let (narrow, wide) = (Visit::new("agent", "a", "/r", 1), Visit::new("address", "::1", "/r", 2));
        assert!(admitted(&limiter, &[narrow, wide]));
        hand.0.store(10_500, Ordering::SeqCst);
        assert_eq!(limiter.admit(&[narrow, wide]), Admission::Refused { limit: 1, retry_after_s: 50 });
        assert!(admitted(&limiter, &[wide]), "the refused visit was not counted against the address");
        hand.0.store(60_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[narrow]));
    }

    #[test]
    fn a_limit_of_none_admits_nobody_and_a_lowered_limit_counts_what_was_admitted_before() {
        let hand = Arc::new(Hand::default());
        let limiter = Limiter::new(hand.clone());
        let visit = |limit| Visit::new("agent", "a", "/r", limit);
        let refused = |limit, retry_after_s| Admission::Refused { limit, retry_after_s };
        assert_eq!(limiter.admit(&[visit(0)]), refused(0, 60));
        assert!(admitted(&limiter, &[visit(3)]));
        hand.0.store(10_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[visit(3)]));
        assert_eq!(limiter.admit(&[visit(1)]), refused(1, 60));
        hand.0.store(70_000, Ordering::SeqCst);
        assert_eq!(limiter.admit(&[visit(0)]), refused(0, 60), "no visit is left in the window");
        assert!(admitted(&limiter, &[visit(1)]));
    }

    #[test]
    fn a_noted_visit_counts_and_a_forgotten_key_leaves_no_memory() {
        let hand = Arc::new(Hand::default());
        let limiter = Limiter::new(hand.clone());
        let visit = Visit::new("agent", "a", "/r", 2);
        (0..5).for_each(|_| limiter.note(visit));
        assert!(!admitted(&limiter, &[visit]));
        hand.0.store(120_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[Visit::new("agent", "b", "/r", 2)]));
        assert_eq!(limiter.state.lock().unwrap().agents.visits.len(), 1);
    }
}
