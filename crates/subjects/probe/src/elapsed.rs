//! How long a look took, as it is put down.

use std::time::Duration;

/// Whole milliseconds.
pub fn millis(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX)
}
