//! A snapshot, ready to be screened against.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use name_match::{Index, Query, Scratch, ScreenResult};
use watchlist::snapshot::{Snapshot, SnapshotId};
use watchlist::{Coverage, List};

/// A snapshot with its search indexes.
pub struct Indexed {
    id: SnapshotId,
    list: Arc<List>,
    /// Index of names; `None` where the list covers no names.
    index: Option<Index>,
    has_wallets: bool,
    /// Buffers of screens that are over, for the next ones: as many as there were at once.
    scratches: Mutex<Vec<Scratch>>,
}

impl Indexed {
    /// Builds the indexes of a snapshot.
    pub fn new(snapshot: Snapshot) -> Self {
        let Snapshot { id, list } = snapshot;
        let index = (list.coverage == Coverage::Names).then(|| Index::build(&list));
        let has_wallets = list.has_wallets();
        Self { id, list: Arc::new(list), index, has_wallets, scratches: Mutex::default() }
    }

    /// Returns the snapshot's id.
    pub fn id(&self) -> &SnapshotId {
        &self.id
    }

    /// Returns the list of the snapshot.
    pub fn list(&self) -> &Arc<List> {
        &self.list
    }

    /// Returns true if the list covers names, so that a name that is not found in it is not listed.
    pub fn answers_names(&self) -> bool {
        self.index.is_some()
    }

    /// Returns true if the list covers wallets, so that a wallet that is not found in it is not listed.
    pub fn answers_wallets(&self) -> bool {
        self.has_wallets
    }

    /// Screens a name and returns at most `limit` matches; `None` if the list [covers no names](Self::answers_names).
    pub fn screen(&self, query: &Query<'_>, limit: usize) -> Option<ScreenResult> {
        let index = self.index.as_ref()?;
        let kept = self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = kept.unwrap_or_default();
        let screened = index.screen(&self.list, query, limit, &mut scratch);
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Some(screened)
    }
}

impl fmt::Debug for Indexed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, {} entries", self.list.name, self.id, self.list.entries.len())
    }
}
