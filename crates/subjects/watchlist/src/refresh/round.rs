//! One round of a refresh: the download of one list from its publisher.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fetch::{Source, Validators};
use receipt::time::Timestamp;
use tempfile::TempDir;

use super::changes::{LatestPublication, PublicationMark};
use super::error::RefreshError;
use super::fetch_state::{FetchState, FetchedFile, FetchedList};
use super::published::PublishedList;
use crate::lists::{FileFormat, ParsedList, Publication};
use crate::model::{ListName, PublicationBounds};
use crate::snapshot::durable::sweep;
use crate::snapshot::{SnapshotId, SnapshotStatus, Store, StoreError, StoredSnapshot};

/// The status of a file that is the version which is known.
const NOT_MODIFIED: u16 = 304;
const OK: u16 = 200;

/// Downloads one publication into a store.
#[derive(Clone, Debug)]
pub struct Round {
    store: Store,
    folder: PathBuf,
    source: Source,
    /// Folder of the publisher's changes, where the publisher has one.
    changes: Option<Source>,
    published: PublishedList,
}

/// The result of a round for one list of the publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// The list.
    pub list: ListName,
    /// Snapshot of the current publication.
    pub id: SnapshotId,
    /// Status of the snapshot: confirmed, live since this round, held, older than the live one, or of a retired list.
    pub standing: SnapshotStatus,
    /// Number of entries, if the list was fetched and read; `None` if it was only confirmed.
    pub entries: Option<u64>,
}

/// The lock of a round, which is given up as such: a process that is being started meanwhile has a copy of the file, and would
/// hold the lock until it runs its own program.
struct FetchLock(File);

impl Drop for FetchLock {
    fn drop(&mut self) {
        // A lock that cannot be given up goes with the file.
        let _ = self.0.unlock();
    }
}

/// State at the start of a round.
struct RoundStart {
    /// Held until the round ends.
    _lock: FetchLock,
    state: Option<FetchState>,
    /// Temporary folder for the downloads.
    folder: TempDir,
}

/// A file that was asked for.
enum Download {
    /// The source answered 304 (RFC 9110, 15.4.5): the file is the version that was read last.
    Known,
    /// The file was downloaded into the round's folder.
    File(Validators),
}

impl Round {
    /// Builds a round that fetches `published` from the source into the store in a folder, which is created if it does
    /// not exist. `changes` is the publisher's folder of changes, if it is known.
    pub fn new(
        folder: impl Into<PathBuf>,
        source: Source,
        changes: Option<Source>,
        published: PublishedList,
    ) -> Self {
        let folder = folder.into();
        Self { store: Store::at(&folder), folder, source, changes, published }
    }

    /// The published list that the round fetches.
    pub fn published(&self) -> PublishedList {
        self.published
    }

    /// Runs the round: downloads, reads and stores the publication, or confirms the live snapshot as current at `at`.
    ///
    /// # Errors
    /// [`RefreshError`]; a failed round changes nothing.
    pub async fn look(&self, at: Timestamp) -> Result<Vec<RoundEnd>, RefreshError> {
        let RoundStart { _lock, state, folder } = self.blocking(Self::start).await?;
        let latest = self.latest(state.as_ref()).await;
        if let (Some(state), Some(latest)) = (&state, &latest)
            && state.changes.as_ref().is_some_and(|then| then.is_unchanged(latest, state.published(), at))
        {
            let state = state.clone();
            return self.blocking(move |round| round.confirm(&state, at)).await;
        }
        let mut files = BTreeMap::new();
        let mut known = Vec::new();
        for &(file, _) in self.published.files() {
            let conditions = state.as_ref().map(|state| state.validators(file)).unwrap_or_default();
            match self.get(file, &conditions, folder.path()).await? {
                Download::Known => known.push(file),
                Download::File(of_it) => drop(files.insert(file.to_owned(), of_it.into())),
            }
        }
        if let (Some(state), true) = (&state, files.is_empty()) {
            let state = state.clone();
            return self
                .blocking(move |round| {
                    round.conditions_honoured(state).and_then(|state| round.confirm(&state, at))
                })
                .await;
        }
        // The forms of one publication are read together: what was known of it is needed again.
        for file in known {
            match self.get(file, &Validators::default(), folder.path()).await? {
                Download::Known => return Err(RefreshError::Status { file, status: NOT_MODIFIED }),
                Download::File(of_it) => drop(files.insert(file.to_owned(), of_it.into())),
            }
        }
        let ends = self.read(folder, at).await?;
        let changes = latest.map(|latest| {
            PublicationMark::next(state.as_ref().and_then(|state| state.changes.as_ref()), latest, at)
        });
        let is_known = |state: FetchState| {
            state.lists.iter().map(|list| list.snapshot).eq(ends.iter().map(|end| end.id))
        };
        let unheeded = state.is_some_and(is_known) || !FetchState::has_validators(&files);
        let outcome = ends.clone();
        self.blocking(move |round| round.remember(outcome, files, unheeded, changes)).await?;
        Ok(ends)
    }

    /// Notes that the source honoured the conditions of the requests.
    fn conditions_honoured(&self, state: FetchState) -> Result<FetchState, RefreshError> {
        if !state.unheeded {
            return Ok(state);
        }
        let state = FetchState { unheeded: false, changes: None, ..state };
        state.write(&self.note())?;
        Ok(state)
    }

    /// Fetches the publisher's last publication, where the exports ignore conditions.
    async fn latest(&self, state: Option<&FetchState>) -> Option<LatestPublication> {
        let changes = self.changes.as_ref().filter(|_| state.is_some_and(|state| state.unheeded))?;
        LatestPublication::ask(changes).await
    }

    fn remember(
        &self,
        ends: Vec<RoundEnd>,
        files: BTreeMap<String, FetchedFile>,
        unheeded: bool,
        changes: Option<PublicationMark>,
    ) -> Result<(), RefreshError> {
        let live = self.store.live()?;
        let mut lists = Vec::with_capacity(ends.len());
        for RoundEnd { list: name, id: snapshot, standing, .. } in ends {
            let doubts = if let SnapshotStatus::Held(doubts) = standing { doubts } else { Vec::new() };
            if !doubts.is_empty() && live.get(&name).is_some_and(|live| live.snapshot == snapshot) {
                // What is live was published again in a doubtful file: nothing may be confirmed for that file's not being
                // newer.
                return Ok(());
            }
            let (seal, published) = (self.store.seal(&snapshot)?, self.store.record(&snapshot)?.published);
            lists.push(FetchedList { name, snapshot, seal, published, doubts });
        }
        let state = FetchState { source: self.source.origin(), lists, unheeded, changes, files };
        Ok(state.write(&self.note())?)
    }

    /// Runs blocking work (locks, disk) on a thread for such work.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, RefreshError> + Send + 'static,
    ) -> Result<T, RefreshError> {
        let round = self.clone();
        tokio::task::spawn_blocking(move || work(&round)).await.unwrap_or(Err(RefreshError::BrokenOff))
    }

    fn start(&self) -> Result<RoundStart, RefreshError> {
        Store::open(&self.folder)?;
        let lock = self.fetch_lock()?;
        sweep(&self.folder, &self.note_name());
        Ok(RoundStart { _lock: lock, state: self.state(), folder: self.download_folder()? })
    }

    /// Confirms the live snapshots as current; reports the stored status where another snapshot is live.
    fn confirm(&self, state: &FetchState, at: Timestamp) -> Result<Vec<RoundEnd>, RefreshError> {
        let confirmed = state.lists.iter().map(|FetchedList { name, snapshot, doubts, .. }| {
            let standing = match self.store.confirm(name, snapshot, at) {
                Ok(()) => SnapshotStatus::Confirmed,
                Err(StoreError::NotLive(_)) => self.store.standing(snapshot, doubts)?,
                Err(error) => return Err(error.into()),
            };
            Ok(RoundEnd { list: name.clone(), id: *snapshot, standing, entries: None })
        });
        confirmed.collect()
    }

    async fn get(
        &self,
        file: &'static str,
        known: &Validators,
        folder: &Path,
    ) -> Result<Download, RefreshError> {
        let mut sink = tokio::fs::File::create_new(folder.join(file)).await?;
        let fetched = self.source.download(file, known, &mut sink).await;
        let fetched = fetched.map_err(|source| RefreshError::Fetch { file, source })?;
        match fetched.status {
            OK => Ok(Download::File(fetched.validators)),
            NOT_MODIFIED if *known != Validators::default() => {
                tokio::fs::remove_file(folder.join(file)).await?;
                Ok(Download::Known)
            }
            status => Err(RefreshError::Status { file, status }),
        }
    }

    /// Reads what was fetched, and lets the store decide: seconds of one core, on a thread of its own.
    async fn read(&self, folder: TempDir, at: Timestamp) -> Result<Vec<RoundEnd>, RefreshError> {
        self.blocking(move |round| {
            let parsed = round.parsed(folder.path())?;
            let admitted = parsed.iter().map(|parsed| {
                let StoredSnapshot { id, standing } =
                    round.store.admit(parsed, &round.source.origin(), at)?;
                let entries = Some(parsed.list.entries.len() as u64);
                Ok(RoundEnd { list: parsed.list.name.clone(), id, standing, entries })
            });
            admitted.collect()
        })
        .await
    }

    fn parsed(&self, folder: &Path) -> Result<Vec<ParsedList>, RefreshError> {
        let files = self.published.files();
        let paths: Vec<PathBuf> = files.iter().map(|(file, _)| folder.join(file)).collect();
        let mut lists = Publication::open(&paths, PublicationBounds::default())?.read(None)?.lists;
        let mut forms: Vec<FileFormat> = files.iter().map(|(_, form)| *form).collect();
        forms.sort_unstable();
        let is_expected = |parsed: &ParsedList| {
            self.published.is_of(&parsed.list.name)
                && parsed.files.iter().map(|file| file.form).eq(forms.iter().copied())
        };
        if lists.is_empty() || !lists.iter().all(is_expected) {
            return Err(RefreshError::AnotherList(self.published.key()));
        }
        lists.sort_by(|one, other| one.list.name.cmp(&other.list.name));
        Ok(lists)
    }

    /// Loads the state of the last fetch, where it is of this source and its snapshot is intact. A damaged snapshot is
    /// fetched again.
    fn state(&self) -> Option<FetchState> {
        let state = FetchState::read(&self.note())?;
        (state.source == self.source.origin() && self.is_kept(&state)).then_some(state)
    }

    fn note(&self) -> PathBuf {
        self.folder.join(self.note_name())
    }

    fn note_name(&self) -> String {
        format!("fetched-{}.json", self.published.key())
    }

    fn is_kept(&self, FetchState { lists, .. }: &FetchState) -> bool {
        lists.iter().all(|FetchedList { snapshot, seal, .. }| {
            self.store.record(snapshot).is_ok() && self.store.seal(snapshot).is_ok_and(|now| now == *seal)
        })
    }

    /// Held for as long as the round, by one process at a time.
    fn fetch_lock(&self) -> Result<FetchLock, RefreshError> {
        let path = self.folder.join(format!("fetch-{}.lock", self.published.key()));
        let file = File::options().create(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(FetchLock(file)),
            Err(fs::TryLockError::WouldBlock) => Err(RefreshError::UnderWay),
            Err(fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// A folder for the files. What a round that was killed has left is taken away first.
    fn download_folder(&self) -> io::Result<TempDir> {
        let prefix = format!(".fetch-{}-", self.published.key());
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.folder)
    }
}
