//! Measures the free disk space, and refuses calls that would use up its reserve.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use verdict::Unavailable;

/// The time for which a measurement is reused.
const FRESH: Duration = Duration::from_secs(1);
/// The divisor of the default reserve: 1/20 of the disk is kept free, and at least [`LEAST_RESERVE`].
const RESERVE_SHARE: u64 = 20;
/// The smallest default reserve, in bytes; see [`RESERVE_SHARE`].
const LEAST_RESERVE: u64 = 2 << 30;
/// Seconds until another try makes sense: an operator has to free disk space.
const RETRY_AFTER_S: u32 = 300;

/// The file system that holds the store.
#[derive(Debug)]
pub struct Storage {
    folder: PathBuf,
    /// The configured reserve, in bytes.
    reserve: Option<u64>,
    last: Mutex<Option<(Duration, Space)>>,
}

/// The free space of a file system, and its reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// The free bytes for an unprivileged process.
    pub free: u64,
    /// The bytes that unpaid calls must leave free. Paid calls must leave half of them free.
    pub reserve: u64,
}

impl Space {
    /// Returns true if unpaid calls are accepted.
    #[must_use]
    pub fn takes_free(self) -> bool {
        self.free >= self.reserve
    }

    /// Returns true if paid and granted calls are accepted.
    #[must_use]
    pub fn takes_paid(self) -> bool {
        self.free >= self.reserve / 2
    }
}

impl Storage {
    /// The file system of a folder, with `reserve` bytes kept free: by default a twentieth, and at least 2 GiB.
    #[must_use]
    pub fn of(folder: &Path, reserve: Option<u64>) -> Self {
        Self { folder: folder.to_owned(), reserve, last: Mutex::default() }
    }

    /// The free space and its reserve, from a measurement that is at most a second old; `None` where the system call
    /// failed.
    #[must_use]
    pub fn space(&self, now: Duration) -> Option<Space> {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((at, space)) = *last
            && now.saturating_sub(at) < FRESH
        {
            return Some(space);
        }
        let stat = rustix::fs::statvfs(&self.folder);
        let stat = stat.inspect_err(|error| tracing::warn!(%error, "the free space cannot be read")).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
        let reserve = (bytes(stat.f_blocks) / RESERVE_SHARE).max(LEAST_RESERVE);
        let space = Space { free: bytes(stat.f_bavail), reserve: self.reserve.unwrap_or(reserve) };
        *last = Some((now, space));
        Some(space)
    }

    /// Refuses a call if the reserve for its kind is not free. `is_paid` is true for a call that is paid for or
    /// granted.
    ///
    /// # Errors
    /// 503 `storage`.
    pub fn admit(&self, now: Duration, is_paid: bool) -> Result<(), Unavailable> {
        // A disk that is full is the ledger's to report; where the system does not say, the ledger alone does.
        let Some(space) = self.space(now) else { return Ok(()) };
        let is_taken = if is_paid { space.takes_paid() } else { space.takes_free() };
        if is_taken {
            return Ok(());
        }
        let detail = if is_paid {
            "too little disk space is left; nothing was charged"
        } else {
            "too little disk space is left for calls that nobody pays for; paid calls are taken"
        };
        Err(Unavailable { module: "storage", retry_after_s: RETRY_AFTER_S, detail: detail.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_calls_leave_the_reserve_and_paid_ones_half_of_it() {
        let space = |free| Space { free, reserve: 100 };
        assert!(space(100).takes_free() && !space(99).takes_free());
        assert!(space(50).takes_paid() && !space(49).takes_paid());
        let folder = tempfile::tempdir().unwrap();
        let whole = Storage::of(folder.path(), None).space(Duration::ZERO).unwrap();
        assert!(whole.reserve >= LEAST_RESERVE && whole.free > 0);
        let storage = Storage::of(folder.path(), Some(whole.free + whole.free / 2));
        assert!(storage.admit(Duration::ZERO, false).is_err());
        assert!(storage.admit(Duration::ZERO, true).is_ok());
        assert!(Storage::of(folder.path(), Some(u64::MAX)).admit(Duration::ZERO, true).is_err());
        assert!(Storage::of(Path::new("/nowhere/at/all"), None).admit(Duration::ZERO, false).is_ok());
    }
}
