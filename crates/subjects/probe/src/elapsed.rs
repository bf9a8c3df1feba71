//! Time taken by a look, in whole milliseconds.

use std::time::Duration;

/// Converts a duration to whole milliseconds, at most [`u32::MAX`].
pub fn millis(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX)
}
