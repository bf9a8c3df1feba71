//! The snapshots of one data folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use receipt::time::Timestamp;

use super::Snapshot;
use super::content;
use super::durable::{
    beside, io_error, json, read_bounded, read_json, replace, sweep, sync_folder, write_new,
};
use super::error::StoreError;
use super::id::SnapshotId;
use super::previous::PreviousSnapshot;
use super::record::{ListCounts, Live, SnapshotRecord};
use super::standing::{SnapshotStatus, StoredSnapshot};
use crate::lists::{Doubt, ParsedList};
use crate::model::{List, ListName, PublicationBounds};

/// File of the live snapshots.
pub const LIVE: &str = "live.json";
/// The file of lists that were taken out.
pub(super) const RETIRED: &str = "retired.json";
/// The file of a snapshot's content, in its folder.
const CONTENT: &str = "content.jsonl.gz";

/// A store of snapshots in a folder. Several processes may use it: changes of the live file are made under a lock.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) folder: PathBuf,
}

impl Store {
    /// Opens the folder, which is created if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the folder cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        let snapshots = folder.join("snapshots");
        fs::create_dir_all(&snapshots).map_err(io_error(&snapshots))?;
        Ok(Self { folder })
    }

    /// Refers to a folder that need not exist yet, to read snapshots that another process stores in it.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the folder of the store.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores a list, and makes it live unless it is doubtful, older than the live one, or retired.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read or written.
    pub fn admit(
        &self,
        parsed: &ParsedList,
        source: &str,
        at: Timestamp,
    ) -> Result<StoredSnapshot, StoreError> {
        let _lock = self.lock()?;
        let mut live = self.live()?;
        let id = content::id(&parsed.list);
        let before = live.get(&parsed.list.name).map(|live| live.snapshot);
        if before == Some(id) {
            self.keep(parsed, id, &parsed.doubts, source, at)?;
            // An operator has accepted it with the doubts that were noted of it, and with no others: the same content in a
            // file that was cut short says nothing of the rest.
            let accepted = self.record(&id)?.doubts;
            let is_new = |doubt: &&Doubt| !accepted.contains(doubt);
            let doubts: Vec<Doubt> = parsed.doubts.iter().filter(is_new).cloned().collect();
            if !doubts.is_empty() {
                return Ok(StoredSnapshot { id, standing: SnapshotStatus::Held(doubts) });
            }
            self.make_live(&mut live, &parsed.list.name, id, at)?;
            return Ok(StoredSnapshot { id, standing: SnapshotStatus::Confirmed });
        }
        let before = before.map(|before| self.previous(&before)).transpose()?;
        let is_older = before.as_ref().is_some_and(|before| before.is_newer_than(&parsed.list));
        let mut doubts = parsed.doubts.clone();
        if let (Some(before), false) = (&before, is_older) {
            doubts.extend(before.losses(&parsed.list));
        }
        self.keep(parsed, id, &doubts, source, at)?;
        let standing = if self.is_retired(&live, &parsed.list.name)? {
            SnapshotStatus::Retired
        } else if is_older {
            SnapshotStatus::Older
        } else if doubts.is_empty() {
            self.make_live(&mut live, &parsed.list.name, id, at)?;
            SnapshotStatus::Live
        } else {
            SnapshotStatus::Held(doubts)
        };
        Ok(StoredSnapshot { id, standing })
    }

    /// Loads the live snapshot by its content, or by its record alone where the content is damaged or gone: otherwise no
    /// later publication could go live.
    fn previous(&self, id: &SnapshotId) -> Result<PreviousSnapshot, StoreError> {
        match self.load(id) {
            Ok(snapshot) => Ok(PreviousSnapshot::of(snapshot.list)),
            Err(error @ (StoreError::Damaged { .. } | StoreError::Unknown(_))) => {
                tracing::warn!("the live snapshot {id} is compared by its record alone: {error}");
                self.record(id).map(PreviousSnapshot::of_record)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes a stored snapshot live by an operator's decision, whatever its doubts or age. A retired list becomes live
    /// again.
    ///
    /// # Errors
    /// [`StoreError`] if the snapshot is unknown or damaged, or the store cannot be written.
    pub fn accept(&self, id: &SnapshotId, at: Timestamp) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let snapshot = self.load(id)?;
        self.make_live(&mut self.live()?, &snapshot.list.name, *id, at)
    }

    /// Records that the publisher confirmed the live snapshot of a list as current at `at`.
    ///
    /// # Errors
    /// [`StoreError::NotLive`] if the snapshot is not live.
    pub fn confirm(&self, list: &ListName, id: &SnapshotId, at: Timestamp) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut live = self.live()?;
        let known = live.get_mut(list).filter(|live| live.snapshot == *id);
        let known = known.ok_or_else(|| StoreError::NotLive(list.clone()))?;
        known.confirmed_at = at;
        replace(&self.live_file(), &live)
    }

    /// Returns the live snapshots, by list.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn live(&self) -> Result<BTreeMap<ListName, Live>, StoreError> {
        Ok(read_json(&self.live_file())?.unwrap_or_default())
    }

    /// Returns the live snapshots, by list, and the SHA-256 of the file that says so, in hex; `None` for it where there is
    /// no such file.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn live_with_hash(&self) -> Result<(BTreeMap<ListName, Live>, Option<String>), StoreError> {
        let path = self.live_file();
        let Some(bytes) = read_bounded(&path)? else { return Ok((BTreeMap::new(), None)) };
        let live = serde_json::from_slice(&bytes).map_err(|error| damaged(path, error))?;
        Ok((live, Some(hex::encode(receipt::hash::sha256(&bytes)))))
    }

    /// Reads a snapshot, live or not.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], and [`StoreError::Damaged`] if it does not hash to its id.
    pub fn load(&self, id: &SnapshotId) -> Result<Snapshot, StoreError> {
        let (path, unpacked) = self.unpack(id)?;
        let read =
            content::read(BufReader::with_capacity(256 << 10, unpacked), &PublicationBounds::default());
        match read {
            Ok((list, hash)) if hash == *id => Ok(Snapshot { id: *id, list }),
            Ok(_) => Err(damaged(path, "it does not hash to its id")),
            Err(error) => Err(damaged(path, error)),
        }
    }

    /// Reads a snapshot's content as it is stored.
    ///
    /// # Errors
    /// [`StoreError::Unknown`], and [`StoreError::Damaged`] if it does not hash to its id.
    pub fn content(&self, id: &SnapshotId) -> Result<Vec<u8>, StoreError> {
        let (path, mut unpacked) = self.unpack(id)?;
        let mut content = Vec::new();
        if let Err(error) = unpacked.read_to_end(&mut content) {
            return Err(damaged(path, error));
        }
        let hash = content::hash(&*content).map(SnapshotId::new).map_err(io_error(&path))?;
        if hash == *id { Ok(content) } else { Err(damaged(path, "it does not hash to its id")) }
    }

    /// Returns true if a content is stored under an id. It is not hashed; [`content`](Self::content) verifies the hash.
    pub fn has_content(&self, id: &SnapshotId) -> bool {
        self.snapshot_folder(id).join(CONTENT).is_file()
    }

    fn unpack(&self, id: &SnapshotId) -> Result<(PathBuf, impl Read), StoreError> {
        let path = self.snapshot_folder(id).join(CONTENT);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(StoreError::Unknown(*id)),
            opened => opened.map_err(io_error(&path))?,
        };
        Ok((path, GzDecoder::new(BufReader::new(file)).take(PublicationBounds::default().unpacked_bytes)))
    }

    /// Reads the record of a snapshot.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is none.
    pub fn record(&self, id: &SnapshotId) -> Result<SnapshotRecord, StoreError> {
        let path = self.snapshot_folder(id).join("record.json");
        read_json(&path)?.ok_or(StoreError::Unknown(*id))
    }

    /// Reads the records of all snapshots, by list and then newest publication first. A record that cannot be read is
    /// skipped with a warning.
    ///
    /// # Errors
    /// [`StoreError`] if the folder cannot be read.
    pub fn records(&self) -> Result<Vec<SnapshotRecord>, StoreError> {
        let folder = self.folder.join("snapshots");
        let mut records = Vec::new();
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            entries => entries.map_err(io_error(&folder))?,
        };
        for entry in entries {
            let name = entry.map_err(io_error(&folder))?.file_name();
            if let Some(id) = name.to_str().and_then(|name| name.parse().ok()) {
                match self.record(&id) {
                    Ok(record) => records.push(record),
                    Err(error) => tracing::warn!("the record of the snapshot {id} is passed over: {error}"),
                }
            }
        }
        records.sort_by(|one, other| {
            let key = |record: &SnapshotRecord| (record.published.clone(), record.fetched_at, record.id);
            one.list.cmp(&other.list).then_with(|| key(other).cmp(&key(one)))
        });
        Ok(records)
    }

    /// Returns the SHA-256, in hex, of the compressed content file, which shows any change without decompression.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the file cannot be read.
    pub fn seal(&self, id: &SnapshotId) -> Result<String, StoreError> {
        let path = self.snapshot_folder(id).join(CONTENT);
        let sealed = File::open(&path).and_then(content::hash);
        sealed.map(hex::encode).map_err(io_error(&path))
    }

    /// Returns the folder of a snapshot, in which derived files may be stored too.
    pub fn snapshot_folder(&self, id: &SnapshotId) -> PathBuf {
        self.folder.join("snapshots").join(id.to_string())
    }

    pub(super) fn live_file(&self) -> PathBuf {
        self.folder.join(LIVE)
    }

    /// Takes the lock, and deletes temporary files of killed processes.
    pub(super) fn lock(&self) -> Result<File, StoreError> {
        let path = self.folder.join("lock");
        let file = File::options().create(true).append(true).open(&path).map_err(io_error(&path))?;
        file.lock().map_err(io_error(&path))?;
        sweep(&self.folder, LIVE);
        sweep(&self.folder, RETIRED);
        sweep(&self.folder.join("snapshots"), "");
        Ok(file)
    }

    fn make_live(
        &self,
        live: &mut BTreeMap<ListName, Live>,
        list: &ListName,
        snapshot: SnapshotId,
        confirmed_at: Timestamp,
    ) -> Result<(), StoreError> {
        live.insert(list.clone(), Live { snapshot, confirmed_at });
        replace(&self.live_file(), live)
    }

    /// Writes a snapshot's folder beside, and renames it into its place, unless it is there and whole.
    fn keep(
        &self,
        parsed: &ParsedList,
        id: SnapshotId,
        doubts: &[Doubt],
        source: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let target = self.snapshot_folder(&id);
        if self.load(&id).is_ok() && self.record(&id).is_ok() {
            return Ok(());
        }
        let list = &parsed.list;
        let record = SnapshotRecord {
            id,
            list: list.name.clone(),
            published: list.published.map(|date| date.to_string()),
            coverage: list.coverage,
            source: source.to_owned(),
            fetched_at: at,
            files: parsed.files.clone(),
            counts: ListCounts::of(list),
            declared: parsed.declared,
            doubts: doubts.to_vec(),
        };
        let snapshots = self.folder.join("snapshots");
        let made = tempfile::Builder::new().prefix(&beside("")).tempdir_in(&snapshots);
        let made = made.map_err(io_error(&snapshots))?;
        write_new(&made.path().join(CONTENT), |file| pack(list, file))?;
        write_new(&made.path().join("record.json"), |file| file.write_all(&json(&record)?))?;
        sync_folder(made.path())?;
        if target.exists() {
            // It is damaged, or the check above would have found it.
            fs::remove_dir_all(&target).map_err(io_error(&target))?;
        }
        fs::rename(made.path(), &target).map_err(io_error(&target))?;
        sync_folder(&snapshots)
    }
}

fn damaged(path: PathBuf, why: impl ToString) -> StoreError {
    StoreError::Damaged { path, why: why.to_string() }
}

fn pack(list: &List, file: &mut File) -> io::Result<()> {
    let mut packed = BufWriter::with_capacity(256 << 10, GzEncoder::new(file, Compression::default()));
    content::write(list, &mut packed)?;
    packed.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(drop)
}
