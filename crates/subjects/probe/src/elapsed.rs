//! Time taken by a look, in whole milliseconds.

use std::time::Duration;

/// Whole milliseconds of a duration; [`u32::MAX`] where there are more.
pub fn millis(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX)
}
