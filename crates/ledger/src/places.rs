//! Calls that need no payment, free and granted: a place is reserved before judging, used up in the receipt's
//! transaction, given back otherwise.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use receipt::time::Timestamp;

use crate::admission::short_hash;
use crate::{GrantId, Period};

/// Whose free call it is: one agent, one route, one UTC day.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlaceKey {
    /// The agent's name.
    pub agent: String,
    /// The route's class.
    pub class: &'static str,
    /// Days since 1970-01-01 UTC.
    pub day: u32,
}

impl PlaceKey {
    /// The free calls of an agent on a route, on the UTC day of `at`.
    #[must_use]
    pub fn new(agent: &str, class: &'static str, at: Timestamp) -> Self {
        Self { agent: agent.to_owned(), class, day: at.unix_days() }
    }
}

/// What a place is one of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PlaceOf {
    /// The free calls of an agent on a route.
    Free(PlaceKey),
    /// The calls of a grant.
    Granted {
        /// The grant.
        grant: GrantId,
        /// What they are counted over.
        period: Period,
        /// The period's first day, as days since 1970-01-01 UTC.
        start: u32,
    },
}

impl PlaceOf {
    fn period(&self) -> (Period, u32) {
        match self {
            Self::Free(key) => (Period::Day, key.day),
            Self::Granted { period, start, .. } => (*period, *start),
        }
    }

    /// Long enough that no two are ever taken for one; free calls have two parts and granted ones three.
    fn id(&self) -> [u8; 16] {
        match self {
            Self::Free(key) => free_id(&key.agent, key.class),
            Self::Granted { grant, .. } => granted_id(*grant),
        }
    }
}

fn free_id(agent: &str, class: &str) -> [u8; 16] {
    short_hash(&[class, agent])
}

fn granted_id(grant: GrantId) -> [u8; 16] {
    short_hash(&["", "grant", &grant.0.to_string()])
}

/// Who is told the end of a place: what it was one of, and whether it was used up.
type Back = Box<dyn FnOnce(&PlaceOf, bool) + Send + Sync>;

/// A reserved call. Dropping it gives it back.
pub struct Place {
    of: PlaceOf,
    units: u32,
    back: Option<Back>,
}

impl Place {
    /// A place of so many units that tells `back` its end once: with `true` where it was used up.
    #[must_use]
    pub fn new(of: PlaceOf, units: u32, back: impl FnOnce(&PlaceOf, bool) + Send + Sync + 'static) -> Self {
        Self { of, units, back: Some(Box::new(back)) }
    }

    /// What it is one of.
    #[must_use]
    pub fn of(&self) -> &PlaceOf {
        &self.of
    }

    /// How many of them it takes: one a call, and of a batch one an entity.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Its transaction is durable.
    pub(crate) fn use_up(mut self) {
        if let Some(back) = self.back.take() {
            back(&self.of, true);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(back) = self.back.take() {
            back(&self.of, false);
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("of", &self.of).field("units", &self.units).finish()
    }
}

/// The most days, and the most months, that are remembered. One would do were the clock always right: the others are
/// for a clock that jumps ahead and back, after which the calls used up before the jump still count.
const MAX_PERIODS: usize = 4;

/// The in-memory count of a single process: what the store has of the last days and months, and what is in flight.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<Tallies>>);

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

/// By the first day of a period: what was taken of each budget.
#[derive(Default)]
struct Tally(BTreeMap<u32, HashMap<[u8; 16], Count>>);

impl Tally {
    /// The period that starts on this day. The earliest is forgotten where there are too many.
    fn starting(&mut self, start: u32) -> &mut HashMap<[u8; 16], Count> {
        while self.0.len() >= MAX_PERIODS && !self.0.contains_key(&start) {
            self.0.pop_first();
        }
        self.0.entry(start).or_default()
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    used: u32,
    reserved: u32,
}

impl Places {
    /// Restores the free calls that the store says were used.
    pub(crate) fn restore(&self, agent: &str, class: &str, day: u32, used: u32) {
        self.restored(Period::Day, day, free_id(agent, class), used);
    }

    /// Restores the calls of a grant that the store says were used.
    pub(crate) fn restore_granted(&self, grant: GrantId, period: Period, start: u32, used: u32) {
        self.restored(period, start, granted_id(grant), used);
    }

    fn restored(&self, period: Period, start: u32, id: [u8; 16], used: u32) {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.of(period).starting(start).entry(id).or_default().used = used;
    }

    /// Takes a place of so many units where, with them, no more than `allowance` are used or reserved: all or none.
    #[must_use]
    pub fn reserve(&self, of: PlaceOf, units: u32, allowance: u32) -> Option<Place> {
        let (period, start) = of.period();
        let id = of.id();
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = tallies.of(period).starting(start);
        let count = counts.get(&id).copied().unwrap_or_default();
        let reserved = count.reserved.checked_add(units)?;
        if count.used.checked_add(reserved)? > allowance {
            return None;
        }
        counts.insert(id, Count { reserved, ..count });
        let places = self.clone();
        Some(Place::new(of, units, move |of, used| places.settle(of, units, used)))
    }

    fn settle(&self, of: &PlaceOf, units: u32, used: bool) {
        let (period, start) = of.period();
        let id = of.id();
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(counts) = tallies.of(period).0.get_mut(&start) else { return };
        let Some(count) = counts.get_mut(&id) else { return };
        count.reserved = count.reserved.saturating_sub(units);
        if used {
            count.used = count.used.saturating_add(units);
        }
        if count.used == 0 && count.reserved == 0 {
            counts.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(day: u32) -> PlaceKey {
        PlaceKey { agent: "scout".to_owned(), class: "claim-verdict", day }
    }

    fn free(day: u32) -> PlaceOf {
        PlaceOf::Free(key(day))
    }

    fn granted(grant: u64, period: Period, start: u32) -> PlaceOf {
        PlaceOf::Granted { grant: GrantId(grant), period, start }
    }

    #[test]
    fn a_dropped_place_is_given_back_and_a_used_one_is_not() {
        for of in [free(1), granted(1, Period::Month, 1)] {
            let places = Places::default();
            let first = places.reserve(of.clone(), 1, 2).unwrap();
            let second = places.reserve(of.clone(), 1, 2).unwrap();
            assert!(places.reserve(of.clone(), 1, 2).is_none());
            drop(second);
            let third = places.reserve(of.clone(), 1, 2).unwrap();
            first.use_up();
            third.use_up();
            assert!(places.reserve(of, 1, 2).is_none());
        }
    }

    #[test]
    fn each_day_and_each_agent_has_places_of_its_own() {
        let places = Places::default();
        places.reserve(free(1), 1, 1).unwrap().use_up();
        assert!(places.reserve(free(1), 1, 1).is_none());
        assert!(places.reserve(free(2), 1, 1).is_some());
        let other = PlaceKey { agent: "other".to_owned(), ..key(1) };
        assert!(places.reserve(PlaceOf::Free(other), 1, 1).is_some());
    }

    #[test]
    fn each_grant_has_places_of_its_own_by_the_day_and_by_the_month() {
        let places = Places::default();
        for of in [
            free(31),
            granted(1, Period::Day, 31),
            granted(1, Period::Month, 31),
            granted(2, Period::Day, 31),
            granted(1, Period::Day, 32),
        ] {
            places.reserve(of.clone(), 1, 1).unwrap().use_up();
            assert!(places.reserve(of, 1, 1).is_none());
        }
    }

    #[test]
    fn a_clock_that_jumps_ahead_and_back_gives_no_call_twice() {
        let places = Places::default();
        places.reserve(free(10), 1, 1).unwrap().use_up();
        assert!(places.reserve(free(400), 1, 1).is_some());
        assert!(places.reserve(free(10), 1, 1).is_none());
    }

    #[test]
    fn only_the_last_days_and_months_are_remembered() {
        let places = Places::default();
        places.reserve(granted(1, Period::Month, 0), 1, 1).unwrap().use_up();
        (0..100).for_each(|day| places.reserve(free(day), 1, 1).unwrap().use_up());
        assert_eq!(places.0.lock().unwrap().days.0.len(), MAX_PERIODS);
        assert!(places.reserve(free(99), 1, 1).is_none());
        assert!(places.reserve(granted(1, Period::Month, 0), 1, 1).is_none(), "days displace no month");
        (1..100).for_each(|start| places.reserve(granted(1, Period::Month, start), 1, 1).unwrap().use_up());
        assert_eq!(places.0.lock().unwrap().months.0.len(), MAX_PERIODS);
    }

    #[test]
    fn of_many_tasks_at_once_exactly_as_many_get_a_place_as_there_are() {
        let places = Places::default();
        let won = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| (0..200).filter_map(|_| places.reserve(free(1), 1, 7)).collect::<Vec<_>>())
                })
                .collect();
            tasks.into_iter().flat_map(|task| task.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(won.len(), 7);
    }

    #[test]
    fn many_units_are_taken_and_given_back_all_or_none() {
        let places = Places::default();
        let of = || granted(1, Period::Month, 1);
        assert!(places.reserve(of(), 11, 10).is_none());
        let seven = places.reserve(of(), 7, 10).unwrap();
        assert!(places.reserve(of(), 4, 10).is_none(), "what was refused took nothing");
        let three = places.reserve(of(), 3, 10).unwrap();
        drop(seven);
        three.use_up();
        assert!(places.reserve(of(), 8, 10).is_none());
        assert!(places.reserve(of(), u32::MAX, u32::MAX).is_none(), "no sum is past its end");
        places.reserve(of(), 7, 10).unwrap().use_up();
        assert!(places.reserve(of(), 1, 10).is_none());
    }

    #[test]
    fn what_the_store_has_seen_counts_after_a_restart() {
        let places = Places::default();
        places.restore("scout", "claim-verdict", 1, 3);
        places.restore_granted(GrantId(1), Period::Month, 1, 3);
        for of in [free(1), granted(1, Period::Month, 1)] {
            assert!(places.reserve(of.clone(), 1, 3).is_none());
            assert!(places.reserve(of, 1, 4).is_some());
        }
    }
}
