//! Free calls: a place is reserved before judging, used up in the receipt's transaction, given back otherwise.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use receipt::time::Timestamp;

use crate::admission::short_hash;

/// Whose free call it is: one agent, one route, one UTC day.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// Who is told the end of a place: whose it was, and whether it was used up.
type Back = Box<dyn FnOnce(&PlaceKey, bool) + Send + Sync>;

/// A reserved free call. Dropping it gives it back.
pub struct Place {
    key: PlaceKey,
    back: Option<Back>,
}

impl Place {
    /// A place that tells `back` its end once: with `true` where it was used up.
    #[must_use]
    pub fn new(key: PlaceKey, back: impl FnOnce(&PlaceKey, bool) + Send + Sync + 'static) -> Self {
        Self { key, back: Some(Box::new(back)) }
    }

    /// Whose it is.
    #[must_use]
    pub fn key(&self) -> &PlaceKey {
        &self.key
    }

    /// Its transaction is durable.
    pub(crate) fn use_up(mut self) {
        if let Some(back) = self.back.take() {
            back(&self.key, true);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(back) = self.back.take() {
            back(&self.key, false);
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.key).finish()
    }
}

/// The most days that are remembered. One would do were the clock always right: the others are for a clock that
/// jumps ahead and back, after which the calls used up before the jump still count.
const MAX_DAYS: usize = 4;

/// The in-memory count of a single process: what the store has of the last days, and what is in flight.
#[derive(Clone, Default)]
pub struct Places {
    days: Arc<Mutex<BTreeMap<u32, Day>>>,
}

type Day = HashMap<[u8; 16], Count>;

#[derive(Clone, Copy, Default)]
struct Count {
    used: u32,
    reserved: u32,
}

impl Places {
    /// Restores what the store says was used.
    pub(crate) fn restore(&self, agent: &str, class: &str, day: u32, used: u32) {
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        days.entry(day).or_default().entry(short_hash(&[class, agent])).or_default().used = used;
    }

    /// Takes a place where fewer than `allowance` are used or reserved.
    #[must_use]
    pub fn reserve(&self, key: PlaceKey, allowance: u32) -> Option<Place> {
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        while days.len() >= MAX_DAYS && !days.contains_key(&key.day) {
            days.pop_first();
        }
        let day = days.entry(key.day).or_default();
        let id = short_hash(&[key.class, &key.agent]);
        let count = day.get(&id).copied().unwrap_or_default();
        if count.used.saturating_add(count.reserved) >= allowance {
            return None;
        }
        day.insert(id, Count { reserved: count.reserved + 1, ..count });
        let places = self.clone();
        Some(Place::new(key, move |key, used| places.settle(key, used)))
    }

    fn settle(&self, key: &PlaceKey, used: bool) {
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(day) = days.get_mut(&key.day) else { return };
        let id = short_hash(&[key.class, &key.agent]);
        let Some(count) = day.get_mut(&id) else { return };
        count.reserved = count.reserved.saturating_sub(1);
        count.used += u32::from(used);
        if count.used == 0 && count.reserved == 0 {
            day.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(day: u32) -> PlaceKey {
        PlaceKey { agent: "scout".to_owned(), class: "claim-verdict", day }
    }

    #[test]
    fn a_dropped_place_is_given_back_and_a_used_one_is_not() {
        let places = Places::default();
        let first = places.reserve(key(1), 2).unwrap();
        let second = places.reserve(key(1), 2).unwrap();
        assert!(places.reserve(key(1), 2).is_none());
        drop(second);
        let third = places.reserve(key(1), 2).unwrap();
        first.use_up();
        third.use_up();
        assert!(places.reserve(key(1), 2).is_none());
    }

    #[test]
    fn each_day_and_each_agent_has_places_of_its_own() {
        let places = Places::default();
        places.reserve(key(1), 1).unwrap().use_up();
        assert!(places.reserve(key(1), 1).is_none());
        assert!(places.reserve(key(2), 1).is_some());
        let other = PlaceKey { agent: "other".to_owned(), ..key(1) };
        assert!(places.reserve(other, 1).is_some());
    }

    #[test]
    fn a_clock_that_jumps_ahead_and_back_gives_no_call_twice() {
        let places = Places::default();
        places.reserve(key(10), 1).unwrap().use_up();
        assert!(places.reserve(key(400), 1).is_some());
        assert!(places.reserve(key(10), 1).is_none());
    }

    #[test]
    fn only_the_last_days_are_remembered() {
        let places = Places::default();
        (0..100).for_each(|day| places.reserve(key(day), 1).unwrap().use_up());
        assert_eq!(places.days.lock().unwrap().len(), MAX_DAYS);
        assert!(places.reserve(key(99), 1).is_none());
    }

    #[test]
    fn of_many_tasks_at_once_exactly_as_many_get_a_place_as_there_are() {
        let places = Places::default();
        let won = std::thread::scope(|scope| {
            let tasks: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| (0..200).filter_map(|_| places.reserve(key(1), 7)).collect::<Vec<_>>())
                })
                .collect();
            tasks.into_iter().flat_map(|task| task.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(won.len(), 7);
    }

    #[test]
    fn what_the_store_has_seen_counts_after_a_restart() {
        let places = Places::default();
        places.restore("scout", "claim-verdict", 1, 3);
        assert!(places.reserve(key(1), 3).is_none());
        assert!(places.reserve(key(1), 4).is_some());
    }
}
