//! Rate limits: at most N hits in any 60 seconds, counted exactly.
//!
//! A sliding log of hit times, not a token bucket: a bucket of N refilled at N a minute lets up to 2N
//! through within one minute. The log of a key is at most N times long, and a key without a hit in the
//! last minute is forgotten, so memory is bounded by what was admitted in that minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use verdict::Clock;

use crate::rules::limits::{HitLog, HitTimes, WINDOW_MS, admit};

/// The window that every published rate speaks of.
pub(crate) const WINDOW: Duration = Duration::from_millis(WINDOW_MS as u64);

/// The most networks, and the most agents and payers, that are stored. At the limit, an entry of the wide network with
/// the most agents is removed for a new agent, and new networks are refused until others are removed.
pub const MAX_KEYS: usize = 200_000;

/// A hit to be counted: its key, and the most hits of the key in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimitHit {
    /// The table of the key. Anybody can make up names and payers, so these have a table of their own and displace no
    /// network.
    pub table: RateLimitTable,
    /// The group of the key, by which entries are removed from a full table: the first 8 bytes of SHA-256 over the wide
    /// network.
    pub group: u64,
    /// The key: the first 16 bytes of SHA-256 over the limited names, such as the address or agent, and the route.
    pub key: [u8; 16],
    /// The most hits in any 60 seconds.
    pub limit: u32,
}

impl RateLimitHit {
    /// A hit of a network, narrow or wide, to a route. `kind` distinguishes several limits of one route.
    #[must_use]
    pub fn of_network(kind: &str, network: IpNet, route: &str, limit: u32) -> Self {
        let key = short_hash(&[kind, route, &network.to_string()]);
        Self { table: RateLimitTable::Addresses, group: 0, key, limit }
    }

    /// A hit of an agent to a route. The key has the agent's name and its narrow network; `wide` is the wide network.
    #[must_use]
    pub fn of_agent(agent: &str, network: IpNet, wide: IpNet, route: &str, limit: u32) -> Self {
        let key = short_hash(&["agent", route, &network.to_string(), agent]);
        Self { table: RateLimitTable::Agents, group: group(wide), key, limit }
    }

    /// A hit of a payer to a route. The key does not depend on the network; `wide` is the wide network.
    #[must_use]
    pub fn of_payer(payer: &str, wide: IpNet, route: &str, limit: u32) -> Self {
        Self {
            table: RateLimitTable::Agents,
            group: group(wide),
            key: short_hash(&["payer", route, payer]),
            limit,
        }
    }
}

fn group(wide: IpNet) -> u64 {
    let hash = short_hash(&[&wide.to_string()]);
    u64::from_be_bytes(*hash.first_chunk().expect("it has 16 bytes"))
}

/// The tables in which hits are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateLimitTable {
    /// The table of agents' names and of payers.
    Agents,
    /// The table of client networks.
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

/// The result of counting hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// All hits were counted.
    Admitted {
        /// The hits that are left in this window, for the limit with the fewest left.
        remaining: u32,
        /// The number of seconds until the oldest hit of that key leaves the window.
        reset_s: u32,
    },
    /// No hit was counted, because more than [`MAX_KEYS`] keys occurred within a minute. The caller has used up no
    /// limit.
    Full,
    /// No hit was counted, because a limit is used up.
    Refused {
        /// The limit that is used up.
        limit: u32,
        /// The number of seconds until the next hit can be admitted, at least 1.
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
    agents: HitTable,
    addresses: HitTable,
}

impl Tables {
    fn of(&mut self, hit: &RateLimitHit) -> &mut HitTable {
        match hit.table {
            RateLimitTable::Agents => &mut self.agents,
            RateLimitTable::Addresses => &mut self.addresses,
        }
    }

    fn sweep(&mut self, now: Duration) {
        self.agents.sweep(now);
        self.addresses.sweep(now);
    }
}

#[derive(Default)]
struct HitTable {
    hits: HashMap<[u8; 16], Hits>,
    /// The number of keys of each group.
    groups: HashMap<u64, usize>,
    swept_at: Duration,
}

/// The hits of one key within the window.
#[derive(Default)]
struct Hits {
    group: u64,
    times: HitTimes,
}

impl Limiter {
    /// Makes a limiter without any hits.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// Counts all hits, or none if one of them would exceed its limit.
    #[must_use]
    pub fn admit(&self, hits: &[RateLimitHit]) -> Admission {
        let now = self.clock.monotonic();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweep(now);
        if hits.iter().any(|hit| state.of(hit).is_full_for(hit)) {
            return Admission::Full;
        }
        admit(hits, millis(now), &mut *state)
    }

    /// Counts a hit without checking its limit. A key at its limit does not change.
    pub fn note(&self, hit: RateLimitHit) {
        let now = self.clock.monotonic();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweep(now);
        if !state.of(&hit).is_full_for(&hit) {
            // At its limit it is refused, and not counted.
            let _ = admit(&[hit], millis(now), &mut *state);
        }
    }
}

impl HitTable {
    /// Returns true if a new key finds no room. If the table is full, the group that has most keys makes room for all
    /// others, so it is the group that is refused.
    fn is_full_for(&mut self, hit: &RateLimitHit) -> bool {
        if self.hits.len() < MAX_KEYS || self.hits.contains_key(&hit.key) {
            return false;
        }
        let most = self.groups.iter().max_by_key(|(group, keys)| (**keys, **group)).map(|(group, _)| *group);
        if hit.table == RateLimitTable::Addresses || most == Some(hit.group) {
            return true;
        }
        // The group loses only the count of its agents' last minute; the count of its networks is in the other table.
        self.hits.retain(|_, hits| Some(hits.group) != most);
        self.groups.retain(|group, _| Some(*group) != most);
        false
    }

    /// The times of a key that there is room for.
    fn times_of(&mut self, hit: &RateLimitHit) -> &mut HitTimes {
        let hits = self.hits.entry(hit.key).or_insert_with(|| {
            *self.groups.entry(hit.group).or_default() += 1;
            Hits { group: hit.group, times: HitTimes::default() }
        });
        &mut hits.times
    }

    /// Forgets keys without a hit in the window; at most once a window, so it costs nothing a hit.
    fn sweep(&mut self, now: Duration) {
        if now >= self.swept_at + WINDOW || self.hits.len() >= MAX_KEYS && now >= self.swept_at + WINDOW / 60
        {
            let now_ms = millis(now);
            self.hits.retain(|_, hits| hits.times.newest().is_some_and(|at| now_ms < at + WINDOW_MS));
            self.hits.shrink_to(self.hits.len() * 2);
            self.groups.clear();
            self.hits.values().for_each(|hits| *self.groups.entry(hits.group).or_default() += 1);
            self.swept_at = now;
        }
    }
}

impl HitLog for Tables {
    fn times(&self, hit: &RateLimitHit) -> Option<&HitTimes> {
        let table = match hit.table {
            RateLimitTable::Agents => &self.agents,
            RateLimitTable::Addresses => &self.addresses,
        };
        table.hits.get(&hit.key).map(|hits| &hits.times)
    }

    fn times_mut(&mut self, hit: &RateLimitHit) -> &mut HitTimes {
        self.of(hit).times_of(hit)
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct ManualClock(AtomicU64);

    impl Clock for ManualClock {
        fn now(&self) -> verdict::Timestamp {
            verdict::Timestamp::EPOCH
        }
        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.0.load(Ordering::SeqCst))
        }
    }

    fn net(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    fn agent(name: &str, limit: u32) -> RateLimitHit {
        RateLimitHit::of_agent(name, net("192.0.2.1/32"), net("192.0.2.0/24"), "/r", limit)
    }

    fn admitted(limiter: &Limiter, hits: &[RateLimitHit]) -> bool {
        matches!(limiter.admit(hits), Admission::Admitted { .. })
    }

    proptest! {
        #[test]
        fn no_window_of_sixty_seconds_ever_holds_more_than_the_limit(
            limit in 1u32..8, steps in prop::collection::vec(0u64..20_000, 1..200)
        ) {
            let hand = Arc::new(ManualClock::default());
            let limiter = Limiter::new(hand.clone());
            let hit = agent("a", limit);
            let mut times = Vec::new();
            for step in steps {
                let now = hand.0.fetch_add(step, Ordering::SeqCst) + step;
                let recent = times.iter().filter(|&&at| now - at < 60_000).count();
                let expected = recent < limit as usize;
                prop_assert_eq!(admitted(&limiter, &[hit]), expected);
                if expected { times.push(now); }
            }
        }
    }

    #[test]
    fn a_refused_visit_counts_for_none_of_its_keys_and_names_the_wait() {
        let hand = Arc::new(ManualClock::default());
        let limiter = Limiter::new(hand.clone());
        let (narrow, wide) = (agent("a", 1), RateLimitHit::of_network("address", net("::1/64"), "/r", 2));
        assert!(admitted(&limiter, &[narrow, wide]));
        hand.0.store(10_500, Ordering::SeqCst);
        assert_eq!(limiter.admit(&[narrow, wide]), Admission::Refused { limit: 1, retry_after_s: 50 });
        assert!(admitted(&limiter, &[wide]), "the refused hit was not counted against the address");
        hand.0.store(60_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[narrow]));
    }

    #[test]
    fn a_limit_of_none_admits_nobody_and_a_lowered_limit_counts_what_was_admitted_before() {
        let hand = Arc::new(ManualClock::default());
        let limiter = Limiter::new(hand.clone());
        let hit = |limit| agent("a", limit);
        let refused = |limit, retry_after_s| Admission::Refused { limit, retry_after_s };
        assert_eq!(limiter.admit(&[hit(0)]), refused(0, 60));
        assert!(admitted(&limiter, &[hit(3)]));
        hand.0.store(10_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[hit(3)]));
        assert_eq!(limiter.admit(&[hit(1)]), refused(1, 60));
        hand.0.store(70_000, Ordering::SeqCst);
        assert_eq!(limiter.admit(&[hit(0)]), refused(0, 60), "no hit is left in the window");
        assert!(admitted(&limiter, &[hit(1)]));
    }

    #[test]
    fn a_noted_visit_counts_and_a_forgotten_key_leaves_no_memory() {
        let hand = Arc::new(ManualClock::default());
        let limiter = Limiter::new(hand.clone());
        let hit = agent("a", 2);
        (0..5).for_each(|_| limiter.note(hit));
        assert!(!admitted(&limiter, &[hit]));
        hand.0.store(120_000, Ordering::SeqCst);
        assert!(admitted(&limiter, &[agent("b", 2)]));
        assert_eq!(limiter.state.lock().unwrap().agents.hits.len(), 1);
    }

    #[test]
    fn one_name_from_two_networks_is_two_agents_and_one_payer_is_one_from_anywhere() {
        let limiter = Limiter::new(Arc::new(ManualClock::default()));
        let elsewhere = RateLimitHit::of_agent("a", net("203.0.113.1/32"), net("203.0.113.0/24"), "/r", 1);
        assert!(admitted(&limiter, &[agent("a", 1)]) && !admitted(&limiter, &[agent("a", 1)]));
        assert!(admitted(&limiter, &[elsewhere]));
        let payer = |wide: &str| RateLimitHit::of_payer("0x01", net(wide), "/r", 1);
        assert!(admitted(&limiter, &[payer("192.0.2.0/24")]));
        assert!(!admitted(&limiter, &[payer("203.0.113.0/24")]));
    }

    #[test]
    fn where_one_network_fills_the_table_with_names_it_makes_room_for_others() {
        let limiter = Limiter::new(Arc::new(ManualClock::default()));
        let greedy = |number: usize| agent(&number.to_string(), 1);
        let modest = RateLimitHit::of_agent("a", net("203.0.113.1/32"), net("203.0.113.0/24"), "/r", 1);
        assert!(admitted(&limiter, &[modest]));
        for number in 0..MAX_KEYS - 1 {
            assert!(admitted(&limiter, &[greedy(number)]));
        }
        assert_eq!(limiter.admit(&[greedy(MAX_KEYS)]), Admission::Full);
        assert!(!admitted(&limiter, &[modest]), "who was there is still counted");
        let other = RateLimitHit::of_agent("b", net("203.0.113.1/32"), net("203.0.113.0/24"), "/r", 1);
        assert!(admitted(&limiter, &[other]));
        assert!(!admitted(&limiter, &[modest]), "the modest lose nothing");
        assert_eq!(limiter.state.lock().unwrap().agents.hits.len(), 2);
    }
}
