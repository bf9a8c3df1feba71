//! Moves what the WAL holds into the database file (SQLite's checkpoints) while the writer goes on.
//!
//! A checkpoint writes thousands of pages to random places and waits for the disk. Within a commit it would hold up
//! whoever waits for it, so a thread of its own does it. The writer itself moves the rest, which is small by
//! then, only once the WAL has grown to its limit: that alone lets it begin anew at its start.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use verdict::{Clock as _, Repeats, SystemClock};

use crate::failure::ConnectionError;
use crate::files::BUSY_TIMEOUT;

/// Pages in the WAL that are worth a checkpoint beside the writer.
const WORTHWHILE: u64 = 500;
/// Pages at which the WAL must begin anew: 64 MiB.
const LIMIT: u64 = 16_384;

/// The longest that the writer waits for readers, or for the thread, so that the WAL can begin anew. A longer read, a backup say, lets it grow.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// The handle to the thread that moves pages.
pub(crate) struct WalCheckpointer {
    ask: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Held during a checkpoint: of two at once, SQLite fails one.
    moving: Arc<Mutex<()>>,
    limit: u64,
}

/// The extent of the WAL, in pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) written: u64,
    pub(crate) moved: u64,
}

impl WalCheckpointer {
    pub(crate) fn start(path: &Path) -> Result<Self, ConnectionError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
        connection.pragma_update(None, "cache_size", -64)?;
        let (ask, requests) = sync_channel(1);
        let moving = Arc::new(Mutex::new(()));
        let shared = Arc::clone(&moving);
        let thread = std::thread::Builder::new()
            .name("ledger-wal".to_owned())
            .spawn(move || run(&connection, &requests, &shared))
            .map_err(|error| crate::files::cannot_open(path, error))?;
        Ok(Self { ask: Some(ask), thread: Some(thread), moving, limit: LIMIT })
    }

    /// Moves pages after a commit if there are enough of them.
    ///
    /// # Errors
    /// The pages stay in the WAL, which grows. The commit is not affected.
    pub(crate) fn after_commit(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let Extent { written, moved } = checkpoint(connection, "NOOP")?;
        if written < LIMIT {
            self.limit = LIMIT;
        }
        if written >= self.limit {
            // Not again for the same pages.
            self.limit = written + LIMIT;
            let _alone = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
            connection.busy_timeout(PATIENCE)?;
            let restarted = checkpoint(connection, "RESTART");
            connection.busy_timeout(BUSY_TIMEOUT)?;
            restarted?;
        } else if written.saturating_sub(moved) >= WORTHWHILE {
            self.ask();
        }
        Ok(())
    }

    /// Moves all pages and empties the WAL, so that no earlier state of a page is left in it. Returns false where a reader or
    /// another connection was in the way for longer than `patience`, or so much is to be moved that the thread does it first.
    ///
    /// # Errors
    /// The pages stay in the WAL.
    pub(crate) fn empty(&self, connection: &Connection, patience: Duration) -> rusqlite::Result<bool> {
        let Extent { written, moved } = checkpoint(connection, "NOOP")?;
        if written.saturating_sub(moved) >= LIMIT {
            self.ask();
            return Ok(false);
        }
        let Some(_alone) = self.alone(patience) else { return Ok(false) };
        connection.busy_timeout(patience)?;
        let emptied = checkpoint(connection, "TRUNCATE");
        connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(emptied?.written == 0)
    }

    /// Has the thread move pages. One that is still at work, or was asked already, will do.
    fn ask(&self) {
        if let Some(ask) = &self.ask {
            let _asked_already = ask.try_send(()).is_err();
        }
    }

    /// Waits until the thread moves no pages; `None` where it still does after `patience`.
    fn alone(&self, patience: Duration) -> Option<MutexGuard<'_, ()>> {
        let began = Instant::now();
        loop {
            match self.moving.try_lock() {
                Ok(alone) => return Some(alone),
                Err(TryLockError::Poisoned(alone)) => return Some(alone.into_inner()),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

impl Drop for WalCheckpointer {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the ledger's WAL thread panicked");
        }
    }
}

fn run(connection: &Connection, requests: &Receiver<()>, moving: &Mutex<()>) {
    let (repeats, clock) = (Repeats::default(), SystemClock::start());
    while requests.recv().is_ok() {
        let _alone = moving.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = checkpoint(connection, "PASSIVE")
            && let Some(repeats) = repeats.due(&error.to_string(), clock.monotonic())
        {
            tracing::error!(%error, repeats, "the WAL cannot be moved into the database file");
        }
    }
}

/// `PRAGMA wal_checkpoint` in this mode; how far the WAL has got after it.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Extent> {
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    statement.query_row([], |row| {
        // SQLite says -1 where there is no WAL yet.
        let pages = |column| row.get::<_, i64>(column).map(|pages| u64::try_from(pages).unwrap_or(0));
        Ok(Extent { written: pages(1)?, moved: pages(2)? })
    })
}
