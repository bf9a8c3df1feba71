//! Says if something keeps the clock of this machine synchronised, where that can be read.
//!
//! `systemd-timesyncd` touches a file at each synchronisation, about every half hour. The kernel itself (`adjtimex`) cannot be asked
//! without `unsafe`, but by crates that bring far more than this one call: see decision 0051. Other services, such as chrony,
//! leave nothing to read; with them, and in containers, the answer is "unknown".

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The file that `systemd-timesyncd` touches at each synchronisation.
const TOUCHED: &str = "/run/systemd/timesync/synchronized";
/// The age of the last synchronisation from which on the clock counts as left alone: `systemd-timesyncd` asks every 34 minutes
/// at the latest, so three attempts in a row have failed.
pub const STALE_AFTER: Duration = Duration::from_secs(2 * 3600);

/// The synchronisation of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockSync {
    /// Nothing says so: no service that tells, or none at all.
    Unknown,
    /// The clock was synchronised this long ago.
    Synchronised(Duration),
    /// The clock was synchronised once, this long ago, and not since.
    Stale(Duration),
}

impl ClockSync {
    /// Reads the state: the time of a file, in some microseconds.
    #[must_use]
    pub fn read() -> Self {
        Self::of(Path::new(TOUCHED), SystemTime::now())
    }

    fn of(touched: &Path, now: SystemTime) -> Self {
        let Ok(at) = fs::metadata(touched).and_then(|file| file.modified()) else { return Self::Unknown };
        // A clock that was set back has a last time ahead of it: that was just now.
        let age = now.duration_since(at).unwrap_or_default();
        if age > STALE_AFTER { Self::Stale(age) } else { Self::Synchronised(age) }
    }

    /// The state as `/health` has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Synchronised(_) => "synchronised",
            Self::Stale(_) => "unsynchronised",
        }
    }

    /// The time since the last synchronisation; `None` where it is not known.
    #[must_use]
    pub fn age(self) -> Option<Duration> {
        match self {
            Self::Unknown => None,
            Self::Synchronised(age) | Self::Stale(age) => Some(age),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_synchronisation_counts_for_two_hours_and_no_file_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("synchronized");
        let now = SystemTime::now();
        assert_eq!(ClockSync::of(&path, now), ClockSync::Unknown);
        let file = fs::File::create(&path).unwrap();
        file.set_modified(now - STALE_AFTER).unwrap();
        assert_eq!(ClockSync::of(&path, now), ClockSync::Synchronised(STALE_AFTER));
        let later = now + Duration::from_secs(1);
        assert_eq!(ClockSync::of(&path, later).word(), "unsynchronised");
        let before = now - STALE_AFTER * 2;
        assert_eq!(
            ClockSync::of(&path, before),
            ClockSync::Synchronised(Duration::ZERO),
            "the clock was set back"
        );
    }
}
