//! The store's folder and files: made for their owner alone, and locked for one process.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use ledger::LedgerError;

/// The longest that a connection waits for a lock. Only a backup, an operator's shell or a
/// [`SqliteOperatorStore`](super::SqliteOperatorStore) can hold one.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest wait for a process that is closing the store, as where a supervisor restarts it. Between fork and exec a child
/// of that process has the lock too.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// The pause between two tries.
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// Makes the store's folder and file where they are not there, readable by their owner alone, and locks the store
/// for this process: the writer's state in memory is true only while nobody else writes what it is of (an
/// [`SqliteOperatorStore`](super::SqliteOperatorStore) does not).
pub(crate) fn lock(path: &Path) -> Result<File, LedgerError> {
    let failed = |error: std::io::Error| cannot_open(path, error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private_folder().create(folder).map_err(failed)?;
    }
    let file = private_file().open(lock_path(path)).map_err(failed)?;
    let deadline = Instant::now() + LOCK_TIMEOUT;
    while let Err(error) = file.try_lock() {
        match error {
            TryLockError::WouldBlock if Instant::now() < deadline => std::thread::sleep(LOCK_RETRY),
            TryLockError::WouldBlock => return Err(cannot_open(path, "another process has it open")),
            TryLockError::Error(error) => return Err(failed(error)),
        }
    }
    // SQLite gives its other files the mode of this one.
    private_file().open(path).map_err(failed)?;
    Ok(file)
}

/// Returns true if a process has the store locked. It makes no file.
pub(crate) fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(lock_path(path)) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

fn lock_path(path: &Path) -> OsString {
    let mut lock_path = OsString::from(path);
    lock_path.push(".lock");
    lock_path
}

fn private_folder() -> DirBuilder {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder
}

fn private_file() -> OpenOptions {
    let mut file = OpenOptions::new();
    file.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    file
}

pub(crate) fn cannot_open(path: &Path, why: impl std::fmt::Display) -> LedgerError {
    LedgerError::Open { path: path.display().to_string(), why: why.to_string() }
}
