//! Age of a list: the time since it was last confirmed to be current.

use receipt::time::Timestamp;

/// The time since a list was last confirmed to be current: fetched, answered with 304, or imported. It is not the time
/// since its publication, since OFAC may publish nothing for weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// The built-in demo list, which is never current and never stale.
    Demo,
    /// Age in milliseconds.
    Millis(u64),
}

impl Age {
    /// Maximum age, in milliseconds, at which a list can answer "not listed": 24 hours.
    pub const STALE_AFTER_MILLIS: u64 = 24 * 60 * 60 * 1000;

    /// Returns the age from the last confirmation to `now`. A confirmation in the future counts with its absolute
    /// distance.
    pub fn between(confirmed_at: Timestamp, now: Timestamp) -> Self {
        Self::Millis(now.millis_since(confirmed_at).unsigned_abs())
    }

    /// Returns the age in whole seconds; `None` for the demo list.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Demo => None,
            Self::Millis(millis) => Some(millis / 1000),
        }
    }

    /// Returns true if the list is too old to answer "not listed".
    pub fn is_stale(self) -> bool {
        matches!(self, Self::Millis(millis) if millis > Self::STALE_AFTER_MILLIS)
    }
}

#[cfg(test)]
mod tests {
    use super::Age;
    use receipt::time::Timestamp;

    #[test]
    fn a_list_is_stale_past_24_hours_in_either_direction_and_the_demo_list_never() {
        let confirmed = Timestamp::EPOCH.saturating_add_millis(10 * 86_400_000);
        let stale = |millis| Age::between(confirmed, confirmed.saturating_add_millis(millis)).is_stale();
        assert!(!stale(0));
        assert!(!stale(86_400_000));
        assert!(stale(86_400_001));
        assert!(stale(-86_400_001));
        assert!(!Age::Demo.is_stale());
        assert_eq!(Age::between(confirmed, confirmed.saturating_add_millis(1999)).seconds(), Some(1));
    }
}
