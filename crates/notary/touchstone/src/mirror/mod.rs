//! The folders that all processes of one store have in common: the sanctions lists and the fetched feeds.
//!
//! Each process has a copy of each folder on its own disk, from which it reads as though it were alone. One process holds
//! the lease to download from publishers. It writes into its own copy; a loop in each process puts what has changed in its
//! copy into the store, and takes over what others have put there. So an operator may import a list on any machine.
//!
//! | module | purpose |
//! |---|---|
//! | `kind` | which files of a folder are in common, and how each kind changes |
//! | `folder` | a round: what others have changed, then what has changed here |
//! | `lease` | the lease to download, and its release |
//! | `transfer` | contents of files, to the store and from it, in chunks that are verified |
//!
//! # Invariants
//!
//! - A file appears completely or not at all, and with the SHA-256 that the store has for it.
//! - Changes appear in the order of their versions: what a file names is there before the file.
//! - Of two changes of one file, that which was in the store first holds.
//!
//! With an embedded store, whose process is the only one, there is no mirror and no copy in the store.

mod folder;
mod kind;
mod lease;
mod transfer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ledger::{Ledger, LedgerError, Owner};
use module::Sharing;
use thiserror::Error;
use verdict::Clock;

use folder::SharedFolder;
pub use lease::DownloadLease;

/// The interval at which folders are compared with the store.
const EVERY: Duration = Duration::from_secs(2);
/// The longest time for which a start waits for the files of the others.
const FIRST_ROUND: Duration = Duration::from_secs(120);

/// The reason why a round ended early.
#[derive(Debug, Error)]
enum MirrorError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error("{0} is not whole in the store")]
    NotWhole(String),
    #[error("{0} is larger than a shared file may be")]
    TooLarge(String),
    #[error("the round was broken off")]
    BrokenOff,
}

/// Keeps this process's copies of the shared folders like the store's, and the lease to download.
pub struct Mirror {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    sharing: Sharing,
    folders: Vec<SharedFolder>,
    lease: Arc<DownloadLease>,
    /// The last failure that was logged, of a folder or the lease.
    said: Option<String>,
}

impl Mirror {
    /// Builds the mirror of the folders in a data folder; `None` where this process is the only one of the store.
    pub fn of(
        ledger: &Arc<dyn Ledger>,
        clock: &Arc<dyn Clock>,
        data_dir: &Path,
        owner: Owner,
    ) -> Option<Self> {
        ledger.is_shared().then(|| Self {
            ledger: Arc::clone(ledger),
            clock: Arc::clone(clock),
            sharing: Sharing::with_others(),
            folders: vec![SharedFolder::lists(data_dir), SharedFolder::feeds(data_dir)],
            lease: Arc::new(DownloadLease::new(Arc::clone(ledger), Arc::clone(clock), owner)),
            said: None,
        })
    }

    /// What the modules are told.
    pub fn sharing(&self) -> Sharing {
        self.sharing.clone()
    }

    /// The lease to download, to be given up when the process stops.
    pub fn lease(&self) -> Arc<DownloadLease> {
        Arc::clone(&self.lease)
    }

    /// Takes over what the others have, before anything is read. A failure is logged: the loop goes on with it.
    pub async fn begin(&mut self) {
        if tokio::time::timeout(FIRST_ROUND, self.round()).await.is_err() {
            tracing::warn!("the lists and feeds of the other replicas are not all here yet");
        }
    }

    /// Keeps the copies like the store's, for as long as it is polled.
    pub async fn keep(&mut self) {
        loop {
            self.round().await;
            tokio::time::sleep(EVERY).await;
        }
    }

    async fn round(&mut self) {
        let synced = self.synced().await;
        let leased = self.lease.keep().await;
        // Who downloads has first all that the others had.
        self.sharing.set_downloads_here(synced.is_ok() && self.lease.is_held().await);
        self.say(synced.and(leased.map_err(MirrorError::from)));
    }

    async fn synced(&mut self) -> Result<(), MirrorError> {
        let mut synced = Ok(());
        for folder in &mut self.folders {
            synced = synced.and(folder.round(&*self.ledger, &*self.clock).await);
        }
        synced
    }

    /// Logs a failure that differs from the last one.
    fn say(&mut self, ended: Result<(), MirrorError>) {
        let failure = ended.err().map(|error| error.to_string());
        if failure != self.said {
            match &failure {
                Some(error) => tracing::warn!(error, "the shared lists and feeds are not up to date"),
                None => tracing::info!("the shared lists and feeds are up to date again"),
            }
        }
        self.said = failure;
    }
}
