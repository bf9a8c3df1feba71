//! Payers whose payments have failed on the chain wait before the next one is sent: each failure costs gas.
//!
//! A payer's first failure makes it wait for a minute, each further one for twice as long, up to a day; a day without a
//! failure after that, it is forgotten. Wallets that are contracts can be made anew for little, so their code waits as
//! well, which stands for all wallets of the same code. Since honest payers may share a popular wallet's code with an
//! attacker, that wait is shorter, and does not hold for payers that have paid before.
//!
//! The tables are of this process and bounded: the entry that was used longest ago makes room for a new one.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::time::Duration;

use alloy_primitives::{Address, B256};
use lru::LruCache;
use tokio::time::Instant;

/// The wait of a payer after its first failure. It doubles with each further failure.
pub const FIRST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait of a payer.
pub const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);
/// The longest wait of wallets with the same code.
pub const LONGEST_CODE_WAIT: Duration = Duration::from_secs(3600);
/// The time after the end of its wait at which a failure is forgotten.
pub const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 3600);
/// The most entries in each table.
pub const MAX_WAITING: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");

/// A wait, which may be over.
#[derive(Clone, Copy, Debug)]
struct Wait {
    until: Instant,
    length: Duration,
}

/// The payers that wait, and the payers that have paid.
#[derive(Debug)]
pub(crate) struct Waits {
    payers: LruCache<Address, Wait>,
    codes: LruCache<B256, Wait>,
    have_paid: LruCache<Address, ()>,
}

impl Default for Waits {
    fn default() -> Self {
        let (payers, codes) = (LruCache::new(MAX_WAITING), LruCache::new(MAX_WAITING));
        Self { payers, codes, have_paid: LruCache::new(MAX_WAITING) }
    }
}

impl Waits {
    /// The time that a payer still has to wait.
    pub(crate) fn of_payer(&mut self, payer: Address, now: Instant) -> Option<Duration> {
        left(&mut self.payers, &payer, now)
    }

    /// The time that a payer with this code, by its hash, still has to wait.
    pub(crate) fn of_code(&mut self, payer: Address, code: B256, now: Instant) -> Option<Duration> {
        if self.have_paid.contains(&payer) {
            return None;
        }
        left(&mut self.codes, &code, now)
    }

    /// Notes that a payer's payment has failed on the chain, with the payer's code where that may be the cause. A
    /// failure during a wait was sent before the wait began, and does not prolong it.
    pub(crate) fn failed(&mut self, payer: Address, code: Option<B256>, now: Instant) {
        prolong(&mut self.payers, payer, LONGEST_WAIT, now);
        if let Some(code) = code {
            prolong(&mut self.codes, code, LONGEST_CODE_WAIT, now);
        }
    }

    /// Notes that a payer has paid. Its own failures are not forgotten by that.
    pub(crate) fn paid(&mut self, payer: Address) {
        self.have_paid.put(payer, ());
    }
}

fn left<K: Hash + Eq>(table: &mut LruCache<K, Wait>, key: &K, now: Instant) -> Option<Duration> {
    let left = table.get(key)?.until.saturating_duration_since(now);
    (!left.is_zero()).then_some(left)
}

fn prolong<K: Hash + Eq>(table: &mut LruCache<K, Wait>, key: K, longest: Duration, now: Instant) {
    let length = match table.get(&key) {
        Some(wait) if now < wait.until => return,
        Some(wait) if now < wait.until + FORGOTTEN_AFTER => wait.length.saturating_mul(2).min(longest),
        _ => FIRST_WAIT,
    };
    table.put(key, Wait { until: now + length, length });
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYER: Address = Address::repeat_byte(1);
    const OTHER: Address = Address::repeat_byte(2);
    const CODE: B256 = B256::repeat_byte(3);
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_failure_doubles_a_payers_wait_up_to_a_day() {
        let (mut waits, mut now) = (Waits::default(), Instant::now());
        assert_eq!(waits.of_payer(PAYER, now), None);
        let mut lengths = Vec::new();
        for _ in 0..13 {
            waits.failed(PAYER, None, now);
            let left = waits.of_payer(PAYER, now).unwrap();
            lengths.push(left.as_secs() / 60);
            assert_eq!(waits.of_payer(PAYER, now + left - SECOND), Some(SECOND));
            now += left;
            assert_eq!(waits.of_payer(PAYER, now), None);
        }
        assert_eq!(lengths, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440]);
        assert_eq!(waits.of_payer(OTHER, now), None);
    }

    #[test]
    fn a_quiet_day_forgets_failures() {
        let (mut waits, now) = (Waits::default(), Instant::now());
        waits.failed(PAYER, None, now);
        let late = now + FIRST_WAIT + FORGOTTEN_AFTER - SECOND;
        waits.failed(PAYER, None, late);
        assert_eq!(waits.of_payer(PAYER, late), Some(2 * FIRST_WAIT));
        let later = late + 2 * FIRST_WAIT + FORGOTTEN_AFTER;
        waits.failed(PAYER, None, later);
        assert_eq!(waits.of_payer(PAYER, later), Some(FIRST_WAIT));
    }

    #[test]
    fn what_fails_while_a_wait_lasts_does_not_prolong_it() {
        let (mut waits, now) = (Waits::default(), Instant::now());
        for _ in 0..10 {
            waits.failed(PAYER, Some(CODE), now + SECOND);
        }
        assert_eq!(waits.of_payer(PAYER, now + SECOND), Some(FIRST_WAIT));
        assert_eq!(waits.of_code(OTHER, CODE, now + SECOND), Some(FIRST_WAIT));
    }

    #[test]
    fn a_code_waits_for_all_that_have_it_but_those_that_have_paid() {
        let (mut waits, mut now) = (Waits::default(), Instant::now());
        waits.paid(OTHER);
        for _ in 0..20 {
            waits.failed(PAYER, Some(CODE), now);
            assert!(waits.of_code(Address::repeat_byte(4), CODE, now).unwrap() <= LONGEST_CODE_WAIT);
            assert_eq!((waits.of_code(OTHER, CODE, now), waits.of_payer(OTHER, now)), (None, None));
            now += LONGEST_CODE_WAIT;
        }
        waits.failed(OTHER, None, now);
        waits.paid(OTHER);
        assert_eq!(waits.of_payer(OTHER, now), Some(FIRST_WAIT), "to have paid before excuses no failure");
    }

    #[test]
    fn the_tables_do_not_grow() {
        let (mut waits, now) = (Waits::default(), Instant::now());
        for number in 0..10_000_u32 {
            let payer = Address::left_padding_from(&number.to_be_bytes());
            waits.failed(payer, Some(B256::left_padding_from(&number.to_be_bytes())), now);
            waits.paid(payer);
        }
        let most = MAX_WAITING.get();
        assert_eq!((waits.payers.len(), waits.codes.len(), waits.have_paid.len()), (most, most, most));
    }
}
