//! The notary's memory at its most, while an attack lasts.

use std::time::Duration;

use tokio::time::{Instant, interval, timeout_at};

use crate::usage;

/// The interval between two looks at the notary's memory.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The most memory that was in use, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peak {
    /// Of the notary.
    pub resident: u64,
    /// Of the kernel, for all TCP sockets: what was sent and not read is there, of either side.
    pub sockets: u64,
}

/// The most memory that is in use until this time.
pub async fn peak(process: u32, until: Instant) -> Peak {
    let mut most = Peak::default();
    let mut looks = interval(LOOK_EVERY);
    while timeout_at(until, looks.tick()).await.is_ok() && Instant::now() < until {
        most.resident = most.resident.max(usage::resident_bytes(process).unwrap_or_default());
        most.sockets = most.sockets.max(usage::socket_bytes().unwrap_or_default());
    }
    most
}
