//! The handle on the live lists.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

use module::{FileMarks, FileVersion};
use watchlist::demo;
use watchlist::snapshot::{LIVE, Live, Snapshot, SnapshotId, SnapshotRecord, Store, StoreError, content_of};
use watchlist::{List, ListName};

use super::indexed::Indexed;
use super::set::{LiveList, LiveLists};

/// The name of the lists' folder, in the data folder and among those that processes have in common.
pub const FOLDER: &str = "lists";

/// A handle on the live lists, which answer questions now. A clone shares the same lists.
///
/// ```
/// use sanctions::live::Lists;
///
/// let lists = Lists::demo();
/// assert!(lists.now().names().iter().all(|list| list.indexed.list().demo));
/// ```
#[derive(Clone, Debug)]
pub struct Lists {
    shared: Arc<Shared>,
    heeds_age: bool,
}

/// The lists that answer now.
#[derive(Debug)]
struct Now {
    lists: Arc<LiveLists>,
    /// The version of the live file that names them, where all processes of the notary's store have it.
    version: Option<u64>,
}

#[derive(Debug)]
struct Shared {
    store: Option<Store>,
    /// Lists that answer until the store has a live one.
    until_then: Arc<LiveLists>,
    now: RwLock<Now>,
    /// True if a live file is heeded only where it is the one that all processes of the notary's store have.
    is_in_common: AtomicBool,
    /// Set where the store could be read at the last reload.
    readable: AtomicBool,
    /// Live snapshots of the store when the present lists were built. The lock is held while new lists are built.
    seen: Mutex<BTreeMap<ListName, Live>>,
    /// The last snapshot that a replay asked for and is not live.
    replayed: Mutex<Option<Arc<Indexed>>>,
}

impl Lists {
    fn new(store: Option<Store>, until_then: LiveLists) -> Self {
        let until_then = Arc::new(until_then);
        let shared = Shared {
            store,
            now: RwLock::new(Now { lists: Arc::clone(&until_then), version: None }),
            is_in_common: AtomicBool::new(false),
            until_then,
            readable: AtomicBool::new(true),
            seen: Mutex::default(),
            replayed: Mutex::default(),
        };
        Self { shared: Arc::new(shared), heeds_age: true }
    }

    /// Builds a handle without lists and without a store, for replays of contents that are handed in.
    pub fn none() -> Self {
        Self::new(None, LiveLists::new(Vec::new()))
    }

    /// Builds a handle on the demo list alone.
    pub fn demo() -> Self {
        Self::new(None, demo_alone())
    }

    /// Builds a handle on the live snapshots of a store. No list answers before the first [`reload`](Self::reload).
    pub fn of(store: Store) -> Self {
        Self::new(Some(store), LiveLists::new(Vec::new()))
    }

    /// Builds a handle on the live snapshots of a store. The demo list answers until the store has a live one.
    pub fn or_demo(store: Store) -> Self {
        Self::new(Some(store), demo_alone())
    }

    /// Opens the store in a folder and loads its live snapshots.
    ///
    /// # Errors
    /// [`StoreError`] if a live snapshot cannot be read.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let lists = Self::of(Store::at(folder));
        lists.reload()?;
        Ok(lists)
    }

    /// Disables the check of ages: findings still state them, and no list counts as stale.
    #[must_use]
    pub fn at_any_age(self) -> Self {
        Self { heeds_age: false, ..self }
    }

    /// Heeds a live file only where it is the one that all processes of the notary's store have, as the marks in the
    /// folder say. So no process answers by lists that the others cannot have yet.
    #[must_use]
    pub fn in_common(self) -> Self {
        self.shared.is_in_common.store(true, Ordering::Relaxed);
        self
    }

    /// Returns true if a stale list may not answer "not listed".
    pub fn heeds_age(&self) -> bool {
        self.heeds_age
    }

    /// Returns the current live lists.
    pub fn now(&self) -> Arc<LiveLists> {
        Arc::clone(&self.shared.now.read().unwrap_or_else(PoisonError::into_inner).lists)
    }

    /// Returns the current live lists, and the version of the file that names them, where all processes of the notary's
    /// store have it.
    pub fn now_with_version(&self) -> (Arc<LiveLists>, Option<FileVersion>) {
        let now = self.shared.now.read().unwrap_or_else(PoisonError::into_inner);
        let version = now.version.map(|version| FileVersion { folder: FOLDER, path: LIVE, version });
        (Arc::clone(&now.lists), version)
    }

    /// Loads the snapshots that became live in the store since the last call, and returns true if there were any. It
    /// may take seconds, during which the old lists answer.
    ///
    /// # Errors
    /// [`StoreError`] if a live snapshot cannot be read. The old lists then stay in use.
    pub fn reload(&self) -> Result<bool, StoreError> {
        let taken_over = self.take_over();
        self.shared.readable.store(taken_over.is_ok(), Ordering::Relaxed);
        taken_over
    }

    /// Returns true if the last reload could read the live snapshots.
    pub fn is_readable(&self) -> bool {
        self.shared.readable.load(Ordering::Relaxed)
    }

    fn take_over(&self) -> Result<bool, StoreError> {
        let Some(store) = &self.shared.store else { return Ok(false) };
        let mut seen = locked(&self.shared.seen);
        let (live, hash) = store.live_with_hash()?;
        let mut version = None;
        if self.shared.is_in_common.load(Ordering::Relaxed) {
            version = version_in_common(store, hash.as_deref());
            if version.is_none() {
                // It is on its way to the others, or one of theirs on its way to here.
                return Ok(false);
            }
        }
        if live == *seen {
            self.write().version = version;
            return Ok(false);
        }
        let before = self.now();
        let known = |id: &SnapshotId| before.all().iter().find(|list| list.indexed.id() == id);
        let mut lists = Vec::with_capacity(live.len());
        for Live { snapshot, confirmed_at } in live.values() {
            let indexed = match known(snapshot) {
                Some(list) => Arc::clone(&list.indexed),
                None => Arc::new(Indexed::new(store.load(snapshot)?)),
            };
            lists.push(LiveList { indexed, confirmed_at: Some(*confirmed_at) });
        }
        let now = if lists.is_empty() {
            Arc::clone(&self.shared.until_then)
        } else {
            Arc::new(LiveLists::new(lists))
        };
        *self.write() = Now { lists: now, version };
        *seen = live;
        Ok(true)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Now> {
        self.shared.now.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the records of all stored snapshots; the demo list has none.
    ///
    /// # Errors
    /// [`StoreError`] if a record cannot be read.
    pub fn records(&self) -> Result<Vec<SnapshotRecord>, StoreError> {
        self.shared.store.as_ref().map_or(Ok(Vec::new()), Store::records)
    }

    /// Reads the record of a snapshot; the demo list has none.
    ///
    /// # Errors
    /// [`StoreError`] if the snapshot is unknown or its record cannot be read.
    pub fn record(&self, id: &SnapshotId) -> Result<SnapshotRecord, StoreError> {
        self.shared.store.as_ref().ok_or(StoreError::Unknown(*id))?.record(id)
    }

    /// Checks that a snapshot, live or not, is stored, without reading its content.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if it is not stored.
    pub fn knows(&self, id: &SnapshotId) -> Result<(), StoreError> {
        let is_live = self.now().all().iter().any(|list| list.indexed.id() == id);
        if is_live || demo().id == *id { Ok(()) } else { self.record(id).map(drop) }
    }

    /// Reads the list of a stored snapshot, live or not.
    ///
    /// # Errors
    /// [`StoreError`] if the snapshot is unknown or its content cannot be read.
    pub fn list(&self, id: &SnapshotId) -> Result<Arc<List>, StoreError> {
        if let Some(list) = self.now().all().iter().find(|list| list.indexed.id() == id) {
            return Ok(Arc::clone(list.indexed.list()));
        }
        let demo = demo();
        if demo.id == *id {
            return Ok(Arc::new(demo.list));
        }
        let store = self.shared.store.as_ref().ok_or(StoreError::Unknown(*id))?;
        store.load(id).map(|snapshot| Arc::new(snapshot.list))
    }

    /// Returns the content of a snapshot, live or not: the stored bytes, or if these cannot be read, the content
    /// rebuilt from the list. `None` if the snapshot is unknown.
    pub fn content(&self, id: &SnapshotId) -> Option<Vec<u8>> {
        let stored = self.shared.store.as_ref().and_then(|store| store.content(id).ok());
        stored.or_else(|| self.list(id).ok().map(|list| content_of(&list)))
    }

    /// Returns true if the snapshot is live, or its content is stored. It is not read, so damage is not detected.
    pub fn has_content(&self, id: &SnapshotId) -> bool {
        let is_live = self.now().all().iter().any(|list| list.indexed.id() == id);
        is_live || demo().id == *id || self.shared.store.as_ref().is_some_and(|store| store.has_content(id))
    }

    /// Loads a snapshot for a replay: from `content` where it is given, else from the store. `None` where it is
    /// in neither place.
    pub fn replayed(&self, id: &SnapshotId, content: Option<&[u8]>) -> Option<Arc<Indexed>> {
        if let Some(list) = self.now().all().iter().find(|list| list.indexed.id() == id) {
            return Some(Arc::clone(&list.indexed));
        }
        let mut last = locked(&self.shared.replayed);
        if let Some(indexed) = last.as_ref().filter(|indexed| indexed.id() == id) {
            return Some(Arc::clone(indexed));
        }
        let kept = if content.is_none() { self.content(id) } else { None };
        let snapshot =
            Snapshot::read(content.or(kept.as_deref())?).ok().filter(|snapshot| snapshot.id == *id)?;
        let indexed = Arc::new(Indexed::new(snapshot));
        *last = Some(Arc::clone(&indexed));
        Some(indexed)
    }
}

/// The version of the live file with this SHA-256, where all processes of the notary's store have it; 0 where there is none
/// yet, here and there.
fn version_in_common(store: &Store, hash: Option<&str>) -> Option<u64> {
    let marks = FileMarks::read(store.folder());
    match hash {
        Some(hash) => marks.version_of(LIVE, hash),
        None => marks.get(LIVE).is_none().then_some(0),
    }
}

fn demo() -> Snapshot {
    Snapshot::of(demo::list())
}

fn demo_alone() -> LiveLists {
    let indexed = Arc::new(Indexed::new(demo()));
    LiveLists::new(vec![LiveList { indexed, confirmed_at: None }])
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
