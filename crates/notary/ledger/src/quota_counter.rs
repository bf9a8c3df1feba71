//! The counts of quotas in the memory of a single process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::quotas::{QuotaId, granted_id};
use crate::{GrantId, Period, QuotaKey, QuotaPart, QuotaRequest, QuotaReservation};

/// The most days, and the most months, that are remembered. One would do were the clock always right: the others are
/// for a clock that jumps ahead and back, after which the calls used up before the jump still count.
const MAX_PERIODS: usize = 4;

/// The in-memory counts of a single process: the used amounts of the last days and months, and the reserved amounts.
///
/// # Example
/// A reservation that is dropped is given back.
///
/// ```
/// use ledger::{QuotaCounter, QuotaKey, QuotaRequest};
///
/// let quotas = QuotaCounter::default();
/// let key = QuotaKey::Network { network: "192.0.2.1/32".parse()?, class: "screen-entity", day: 20_000 };
/// let one = || vec![QuotaRequest::one(key.clone(), 1)];
/// let reservation = quotas.reserve(one()).expect("one call a day");
/// assert_eq!(quotas.reserve(one()).unwrap_err(), 0, "the first quota is used up");
/// drop(reservation);
/// assert!(quotas.reserve(one()).is_ok());
/// # Ok::<_, ipnet::AddrParseError>(())
/// ```
#[derive(Clone, Default)]
pub struct QuotaCounter(Arc<Mutex<Tallies>>);

#[derive(Default)]
struct Tallies {
    days: Tally,
    months: Tally,
}

impl Tallies {
    fn of(&mut self, period: Period) -> &mut Tally {
        match period {
            Period::Day => &mut self.days,
            Period::Month => &mut self.months,
        }
    }
}

/// The used and reserved amounts of each quota, by the first day of a period.
#[derive(Default)]
struct Tally(BTreeMap<u32, HashMap<QuotaId, Count>>);

impl Tally {
    /// The period that starts on this day. The earliest is forgotten where there are too many.
    fn starting(&mut self, start: u32) -> &mut HashMap<QuotaId, Count> {
        while self.0.len() >= MAX_PERIODS && !self.0.contains_key(&start) {
            self.0.pop_first();
        }
        self.0.entry(start).or_default()
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    used: u64,
    reserved: u64,
}

impl QuotaCounter {
    /// Restores the used amount of a daily quota from the store.
    pub fn restore(&self, day: u32, id: QuotaId, used: u64) {
        self.restored(Period::Day, day, id, used);
    }

    /// Restores the used calls of a grant from the store.
    pub fn restore_granted(&self, grant: GrantId, period: Period, start: u32, used: u64) {
        self.restored(period, start, granted_id(grant), used);
    }

    fn restored(&self, period: Period, start: u32, id: QuotaId, used: u64) {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.of(period).starting(start).entry(id).or_default().used = used;
    }

    /// Reserves all requested parts, or none if one would exceed its allowance.
    ///
    /// # Errors
    /// The index, counted from 0, of the first request whose quota has not enough left.
    pub fn reserve(&self, requests: Vec<QuotaRequest>) -> Result<QuotaReservation, usize> {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, QuotaRequest { of, units, allowance }) in requests.iter().enumerate() {
            let (period, start) = of.period();
            let counts = tallies.of(period).starting(start);
            let Count { used, reserved } = counts.get(&of.id()).copied().unwrap_or_default();
            let sum = used.checked_add(reserved).and_then(|sum| sum.checked_add(*units));
            if sum.is_none_or(|sum| sum > *allowance) {
                return Err(at);
            }
        }
        for QuotaRequest { of, units, .. } in &requests {
            let (period, start) = of.period();
            tallies.of(period).starting(start).entry(of.id()).or_default().reserved += units;
        }
        drop(tallies);
        let quotas = self.clone();
        Ok(QuotaReservation::of_parts(requests, [0; 16], move |parts, used| quotas.settle(parts, used)))
    }

    /// The amount of each quota that is used up or reserved, in the order of the keys.
    #[must_use]
    pub fn taken(&self, keys: &[QuotaKey]) -> Vec<u64> {
        let tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = keys.iter().map(|key| {
            let (period, start) = key.period();
            let tally = match period {
                Period::Day => &tallies.days,
                Period::Month => &tallies.months,
            };
            let count = tally.0.get(&start).and_then(|counts| counts.get(&key.id()));
            count.map_or(0, |count| count.used.saturating_add(count.reserved))
        });
        taken.collect()
    }

    fn settle(&self, parts: &[QuotaPart], was_used: bool) {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for QuotaPart { of, reserved, units } in parts {
            let (period, start) = of.period();
            let id = of.id();
            let Some(counts) = tallies.of(period).0.get_mut(&start) else { continue };
            let Some(count) = counts.get_mut(&id) else { continue };
            count.reserved = count.reserved.saturating_sub(*reserved);
            if was_used {
                count.used = count.used.saturating_add(*units);
            }
            if count.used == 0 && count.reserved == 0 {
                counts.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ipnet::IpNet;

    use super::*;
    use crate::FreeCallKey;

    fn key(day: u32) -> FreeCallKey {
        let network = "192.0.2.1/32".parse().unwrap();
        FreeCallKey { agent: "scout".to_owned(), network, class: "claim-verdict", day }
    }

    /// A reservation of one quota.
    fn take(quotas: &QuotaCounter, of: QuotaKey, units: u64, allowance: u64) -> Option<QuotaReservation> {
        quotas.reserve(vec![QuotaRequest { of, units, allowance }]).ok()
    }

    fn free(day: u32) -> QuotaKey {
        QuotaKey::Free(key(day))
    }

    fn granted(grant: u64, period: Period, start: u32) -> QuotaKey {
        QuotaKey::Granted { grant: GrantId(grant), period, start }
    }

    #[test]
    fn a_dropped_reservation_is_given_back_and_a_used_one_is_not() {
        for of in [free(1), granted(1, Period::Month, 1)] {
            let quotas = QuotaCounter::default();
            let first = take(&quotas, of.clone(), 1, 2).unwrap();
            let second = take(&quotas, of.clone(), 1, 2).unwrap();
            assert!(take(&quotas, of.clone(), 1, 2).is_none());
            drop(second);
            let third = take(&quotas, of.clone(), 1, 2).unwrap();
            first.use_up();
            third.use_up();
            assert!(take(&quotas, of, 1, 2).is_none());
        }
    }

    #[test]
    fn each_day_and_each_agent_has_quotas_of_its_own() {
        let quotas = QuotaCounter::default();
        take(&quotas, free(1), 1, 1).unwrap().use_up();
        assert!(take(&quotas, free(1), 1, 1).is_none());
        assert!(take(&quotas, free(2), 1, 1).is_some());
        let other = FreeCallKey { agent: "other".to_owned(), ..key(1) };
        assert!(take(&quotas, QuotaKey::Free(other), 1, 1).is_some());
    }

    #[test]
    fn each_grant_has_quotas_of_its_own_by_the_day_and_by_the_month() {
        let quotas = QuotaCounter::default();
        for of in [
            free(31),
            granted(1, Period::Day, 31),
            granted(1, Period::Month, 31),
            granted(2, Period::Day, 31),
            granted(1, Period::Day, 32),
        ] {
            take(&quotas, of.clone(), 1, 1).unwrap().use_up();
            assert!(take(&quotas, of, 1, 1).is_none());
        }
    }

    #[test]
    fn a_clock_that_jumps_ahead_and_back_gives_no_call_twice() {
        let quotas = QuotaCounter::default();
        take(&quotas, free(10), 1, 1).unwrap().use_up();
        assert!(take(&quotas, free(400), 1, 1).is_some());
        assert!(take(&quotas, free(10), 1, 1).is_none());
    }

    #[test]
    fn only_the_last_days_and_months_are_remembered() {
        let quotas = QuotaCounter::default();
        take(&quotas, granted(1, Period::Month, 0), 1, 1).unwrap().use_up();
        (0..100).for_each(|day| take(&quotas, free(day), 1, 1).unwrap().use_up());
        assert_eq!(quotas.0.lock().unwrap().days.0.len(), MAX_PERIODS);
        assert!(take(&quotas, free(99), 1, 1).is_none());
        assert!(take(&quotas, granted(1, Period::Month, 0), 1, 1).is_none(), "days displace no month");
        (1..100).for_each(|start| take(&quotas, granted(1, Period::Month, start), 1, 1).unwrap().use_up());
        assert_eq!(quotas.0.lock().unwrap().months.0.len(), MAX_PERIODS);
    }

    #[test]
    fn of_many_tasks_at_once_exactly_as_many_get_a_reservation_as_there_are() {
        let quotas = QuotaCounter::default();
        let won = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| (0..200).filter_map(|_| take(&quotas, free(1), 1, 7)).collect::<Vec<_>>())
                })
                .collect();
            tasks.into_iter().flat_map(|task| task.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(won.len(), 7);
    }

    #[test]
    fn many_units_are_taken_and_given_back_all_or_none() {
        let quotas = QuotaCounter::default();
        let of = || granted(1, Period::Month, 1);
        assert!(take(&quotas, of(), 11, 10).is_none());
        let seven = take(&quotas, of(), 7, 10).unwrap();
        assert!(take(&quotas, of(), 4, 10).is_none(), "what was refused took nothing");
        let three = take(&quotas, of(), 3, 10).unwrap();
        drop(seven);
        three.use_up();
        assert!(take(&quotas, of(), 8, 10).is_none());
        assert!(take(&quotas, of(), u64::MAX, u64::MAX).is_none(), "no sum is past its end");
        take(&quotas, of(), 7, 10).unwrap().use_up();
        assert!(take(&quotas, of(), 1, 10).is_none());
    }

    #[test]
    fn what_the_store_has_seen_counts_after_a_restart() {
        let quotas = QuotaCounter::default();
        quotas.restore(1, free(1).id(), 3);
        quotas.restore_granted(GrantId(1), Period::Month, 1, 3);
        for of in [free(1), granted(1, Period::Month, 1)] {
            assert!(take(&quotas, of.clone(), 1, 3).is_none());
            assert!(take(&quotas, of, 1, 4).is_some());
        }
    }

    #[test]
    fn a_reservation_of_several_budgets_is_taken_given_back_and_used_up_as_a_whole() {
        let quotas = QuotaCounter::default();
        let network: IpNet = "192.0.2.1/32".parse().unwrap();
        let bytes = QuotaKey::Bytes { network, day: 1 };
        let requests = |calls, of_bytes| {
            let calls = QuotaRequest { of: free(1), units: 1, allowance: calls };
            vec![calls, QuotaRequest { of: bytes.clone(), units: 100, allowance: of_bytes }]
        };
        assert_eq!(quotas.reserve(requests(0, 1000)).unwrap_err(), 0);
        assert_eq!(quotas.reserve(requests(1, 99)).unwrap_err(), 1, "the second budget is too small");
        let mut reservation = quotas.reserve(requests(1, 100)).unwrap();
        assert!(take(&quotas, bytes.clone(), 1, 100).is_none());
        reservation.store(300);
        drop(reservation);
        let mut reservation = quotas.reserve(requests(1, 100)).unwrap();
        reservation.store(300);
        reservation.use_up();
        assert!(
            take(&quotas, bytes.clone(), 1, 300).is_none(),
            "what was stored counts, not what was reserved"
        );
        assert!(take(&quotas, bytes, 1, 301).is_some());
    }

    #[test]
    fn one_name_from_two_networks_is_two_agents() {
        let quotas = QuotaCounter::default();
        take(&quotas, free(1), 1, 1).unwrap().use_up();
        let elsewhere = FreeCallKey { network: "192.0.2.2/32".parse().unwrap(), ..key(1) };
        assert!(take(&quotas, QuotaKey::Free(elsewhere), 1, 1).is_some());
    }
}
