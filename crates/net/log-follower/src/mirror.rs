//! A complete copy of a log on the disk, laid out as C2SP tlog-tiles serves it: any server of static files can serve it, and it
//! gives proofs when the log itself is gone.
//!
//! A checkpoint is written last, after all that it covers is on the disk, so that a reader of the folder sees a whole log at any
//! time. What lies beyond the checkpoint is not verified, and nobody who follows the checkpoint reads it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use receipt::{LogEntry, ReceiptHash};
use serde_json::Value;
use tlog::note::MAX_NOTE_BYTES;
use tlog::tile::{FULL_WIDTH, TileError, TileKind, decode_bundle, decode_hashes, encode_hashes, tile_width};
use tlog::{
    Checkpoint, CheckpointError, FullTile, Hash, Note, ReadError, RightEdge, TilePath, TileReader, TlogProof,
    VerifierKey, inclusion_path,
};

use crate::files;
use crate::observer::{Observer, ObserverError};
use crate::source::MAX_BUNDLE_BYTES;

const CHECKPOINT: &str = "checkpoint";

/// The reason why a mirror cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// There is no checkpoint: it is no mirror, or the first step is not done yet.
    #[error("{} has no checkpoint yet: it is not a mirror of a log", .0.display())]
    NoCheckpoint(PathBuf),
    /// The checkpoint is malformed, or the key is not the log's.
    #[error("the checkpoint of the mirror: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// A tile of the tree is not there.
    #[error("{0} is missing")]
    Missing(TilePath),
    /// A tile is malformed.
    #[error("{path}: {error}")]
    Tile {
        /// The path of the tile.
        path: TilePath,
        /// The error.
        error: TileError,
    },
    /// The log has no such leaf.
    #[error("the mirror has no leaf {index}: its log has {size}")]
    NoLeaf {
        /// The index that was asked for.
        index: u64,
        /// The leaves of the log.
        size: u64,
    },
    /// No entry is that of this receipt.
    #[error("no entry of the mirror is that of the receipt {0}")]
    NoReceipt(ReceiptHash),
    /// Tiles, entries and checkpoint do not fit together.
    #[error("the mirror is damaged: {0}")]
    Damaged(String),
}

/// The folder of a mirror.
#[derive(Clone, Debug)]
pub struct MirrorFolder(PathBuf);

impl MirrorFolder {
    /// The mirror in this folder, which need not be there.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn file(&self, path: TilePath) -> PathBuf {
        self.0.join(path.to_string())
    }

    /// The checkpoint's note.
    ///
    /// # Errors
    /// [`MirrorError::NoCheckpoint`], or the folder cannot be read.
    pub fn checkpoint(&self) -> Result<String, MirrorError> {
        let path = self.0.join(CHECKPOINT);
        let read = files::read_bounded(&path, MAX_NOTE_BYTES as u64);
        let bytes = read.map_err(|error| MirrorError::File { path: path.clone(), error })?;
        let bytes = bytes.ok_or_else(|| MirrorError::NoCheckpoint(self.0.clone()))?;
        String::from_utf8(bytes).map_err(|_| MirrorError::Damaged("its checkpoint is no text".to_owned()))
    }

    /// The bytes of a tile or bundle; `None` where the mirror does not have it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, MirrorError> {
        let file = self.file(path);
        let read = files::read_bounded(&file, MAX_BUNDLE_BYTES as u64);
        read.map_err(|error| MirrorError::File { path: file, error })
    }

    /// The bytes of a tile in the tree of `size` leaves, which may be there at its full width.
    fn tile_of(&self, kind: TileKind, index: u64, width: u16) -> Result<(TilePath, Vec<u8>), MirrorError> {
        let at = |width| match kind {
            TileKind::Hashes(level) => TilePath::hashes(level, index, width),
            TileKind::Entries => TilePath::entries(index, width),
        };
        let unfit = |error| MirrorError::Damaged(format!("{error}"));
        let (path, full) = (at(width).map_err(unfit)?, at(FULL_WIDTH).map_err(unfit)?);
        for path in [path, full] {
            if let Some(bytes) = self.tile(path)? {
                return Ok((path, bytes));
            }
        }
        Err(MirrorError::Missing(path))
    }

    /// The entry of a leaf in the tree of `size` leaves.
    fn entry(&self, index: u64, size: u64) -> Result<Vec<u8>, MirrorError> {
        let (bundle, position) = (index / WIDTH, index % WIDTH);
        let (path, bytes) = self.tile_of(TileKind::Entries, bundle, tile_width(size, 0, bundle))?;
        let entries = decode_bundle(&bytes).map_err(|error| MirrorError::Tile { path, error })?;
        let entry = usize::try_from(position).ok().and_then(|position| entries.get(position));
        entry
            .map(|entry| entry.to_vec())
            .ok_or(MirrorError::Tile { path, error: TileError::Width(entries.len()) })
    }

    /// Makes the proof of a leaf, and verifies it with the log's keys, of which one is enough; without any, the checkpoint is not
    /// verified.
    ///
    /// # Errors
    /// [`MirrorError`]
    pub fn proof(&self, index: u64, log_keys: &[VerifierKey]) -> Result<TlogProof, MirrorError> {
        let note = self.checkpoint()?;
        let checkpoint = read_checkpoint(&note, log_keys)?;
        let size = checkpoint.size();
        if index >= size {
            return Err(MirrorError::NoLeaf { index, size });
        }
        let path = inclusion_path(size, index, &Tiles(self)).map_err(|error| match error {
            ReadError::Reader(error) => error,
            other => MirrorError::Damaged(other.to_string()),
        })?;
        let proof = TlogProof { extra: None, index, path, checkpoint: note };
        let verified = proof.verify_against(&self.entry(index, size)?, &checkpoint);
        verified.map_err(|error| MirrorError::Damaged(error.to_string()))?;
        Ok(proof)
    }

    /// Finds the leaf of a receipt among the entries of a notary's log. It reads them all, in their order.
    ///
    /// # Errors
    /// [`MirrorError::NoReceipt`], or the mirror cannot be read.
    pub fn find(&self, receipt: &ReceiptHash) -> Result<u64, MirrorError> {
        let size = read_checkpoint(&self.checkpoint()?, &[])?.size();
        let id = receipt.log_id();
        let digits = hex::encode(id);
        let finder = memmem::Finder::new(digits.as_bytes());
        for bundle in 0..size.div_ceil(WIDTH) {
            let (path, bytes) = self.tile_of(TileKind::Entries, bundle, tile_width(size, 0, bundle))?;
            if finder.find(&bytes).is_none() {
                continue;
            }
            let entries = decode_bundle(&bytes).map_err(|error| MirrorError::Tile { path, error })?;
            let is_it = |entry: &&[u8]| LogEntry::read(entry).is_ok_and(|entry| entry.log_id == id);
            // Another receipt may name this one: then it is found in `ref`.
            if let Some(position) = entries.iter().position(is_it) {
                return Ok(bundle * WIDTH + position as u64);
            }
        }
        Err(MirrorError::NoReceipt(*receipt))
    }
}

const WIDTH: u64 = FULL_WIDTH as u64;

fn read_checkpoint(note: &str, log_keys: &[VerifierKey]) -> Result<Checkpoint, MirrorError> {
    Ok(match log_keys {
        [_, ..] => Checkpoint::open(note, log_keys)?,
        [] => note.parse::<Note>().map_err(CheckpointError::from)?.text().parse()?,
    })
}

struct Tiles<'f>(&'f MirrorFolder);

impl TileReader for Tiles<'_> {
    type Error = MirrorError;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, MirrorError> {
        let (path, bytes) = self.0.tile_of(TileKind::Hashes(level), index, width)?;
        Ok(decode_hashes(&bytes).map_err(|error| MirrorError::Tile { path, error })?.into())
    }
}

/// Keeps a copy of a log.
#[derive(Debug)]
pub struct Mirror {
    folder: MirrorFolder,
    /// Files that may not have reached the disk yet.
    unsynced: Vec<PathBuf>,
    /// Folders of partial tiles that the next checkpoint makes superfluous.
    superfluous: BTreeSet<PathBuf>,
}

impl Mirror {
    /// Makes the copy in this folder.
    #[must_use]
    pub fn new(folder: MirrorFolder) -> Self {
        Self { folder, unsynced: Vec::new(), superfluous: BTreeSet::new() }
    }

    fn write(&mut self, path: TilePath, bytes: &[u8]) -> Result<(), ObserverError> {
        let file = self.folder.file(path);
        let parent = file.parent().unwrap_or(Path::new(".")).to_owned();
        let written = fs::create_dir_all(&parent).and_then(|()| files::write_whole(&file, bytes, false));
        written.map_err(|error| MirrorError::File { path: file.clone(), error })?;
        if path.is_partial() {
            self.superfluous.insert(parent);
        } else {
            let mut partial = file.as_os_str().to_owned();
            partial.push(".p");
            self.superfluous.insert(partial.into());
        }
        self.unsynced.push(file);
        Ok(())
    }

    /// Removes the partial tiles of trees before the one of `size`.
    fn remove_superfluous(&mut self, kept: &BTreeSet<PathBuf>) -> io::Result<()> {
        for folder in std::mem::take(&mut self.superfluous) {
            let files = match fs::read_dir(&folder) {
                Ok(files) => files,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for file in files {
                let file = file?.path();
                if !kept.contains(&file) {
                    fs::remove_file(&file)?;
                }
            }
            // It goes once the last one in it has gone.
            let _still_used = fs::remove_dir(&folder);
        }
        Ok(())
    }
}

impl Observer for Mirror {
    fn bundle(&mut self, index: u64, bytes: &[u8], entries: &[&[u8]], _: usize) -> Result<(), ObserverError> {
        let width = u16::try_from(entries.len())?;
        self.write(TilePath::entries(index, width)?, bytes)
    }

    fn full_tile(&mut self, tile: &FullTile) -> Result<(), ObserverError> {
        self.write(tile.path(), &encode_hashes(&tile.hashes))
    }

    fn sync(&mut self) -> Result<(), ObserverError> {
        let mut folders = BTreeSet::new();
        for path in std::mem::take(&mut self.unsynced) {
            // A partial tile may have gone again.
            match File::open(&path).and_then(|file| file.sync_all()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(MirrorError::File { path, error }.into());
                }
                _ => folders.extend(path.ancestors().skip(1).take(6).map(Path::to_owned)),
            }
        }
        for folder in folders.into_iter().filter(|folder| folder.starts_with(&self.folder.0)) {
            let synced = files::sync_folder(&folder);
            synced.map_err(|error| MirrorError::File { path: folder, error })?;
        }
        Ok(())
    }

    fn verified(&mut self, note: &str, edge: &RightEdge) -> Result<(), ObserverError> {
        let mut kept = BTreeSet::new();
        for tile in edge.partial_tiles() {
            self.write(tile.path(), &encode_hashes(&tile.hashes))?;
            kept.insert(self.folder.file(tile.path()));
            if tile.level == 0 {
                let width = u16::try_from(tile.hashes.len())?;
                kept.insert(self.folder.file(TilePath::entries(tile.index, width)?));
            }
        }
        self.sync()?;
        let path = self.folder.0.join(CHECKPOINT);
        let written = fs::create_dir_all(&self.folder.0)
            .and_then(|()| files::write_whole(&path, note.as_bytes(), true))
            .and_then(|()| files::sync_folder(&self.folder.0));
        written.map_err(|error| MirrorError::File { path: path.clone(), error })?;
        self.remove_superfluous(&kept).map_err(|error| MirrorError::File { path, error })?;
        Ok(())
    }

    fn state(&self) -> Value {
        Value::Null
    }

    fn restore(&mut self, _: &Value) -> Result<(), ObserverError> {
        self.superfluous.clear();
        Ok(())
    }
}
