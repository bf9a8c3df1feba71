//! From a store to an archive.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::LogEntry;
use receipt::key::LogKey;
use store_transfer::{Progress, Row, StoreReader, TransferError};
use tlog::tile::{FULL_WIDTH, decode_bundle, encode_bundle, encode_hashes};
use tlog::{Checkpoint, RightEdge, TilePath, VerifierKey, leaf_hash};

use crate::chunk::Chunks;
use crate::error::{ExportError, Result};
use crate::layout::{About, FORMAT, Filter, Name, Price, StampedLine};
use crate::leaf_set::LeafSet;
use crate::output::Output;
use crate::proofs::{LogTiles, Proofs};
use crate::stream::ArchiveStream;
use crate::writer::ArchiveWriter;

/// The leaves that are read at once into the log's tiles.
const READ_LEAVES: u64 = 64 * 256;

/// The public documents that the store does not have.
pub struct Published {
    /// The key of the log.
    pub log_key: VerifierKey,
    /// All keys of the log with their ranges, former ones too, by which an archive is continued that was begun before one of them
    /// took the place of another.
    pub log_keys: Vec<LogKey>,
    /// The keys of receipts and reruns, former ones too, as a JWKS.
    pub jwks: Vec<u8>,
    /// The policy of witnesses, where there is one.
    pub policy: Option<Vec<u8>>,
}

/// What was exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The leaves of the log.
    pub leaves: u64,
    /// The bytes of the archive.
    pub bytes: u64,
}

/// Writes an archive of a store, beside the running service. With `resume`, one that was interrupted is continued after its last
/// whole chunk: it stays that of the log as it was when it was begun.
///
/// # Errors
/// [`ExportError`]. There is no file of that name then, and there may be one that ends in `.part`, to go on with.
pub fn export(
    store: &mut StoreReader,
    published: &Published,
    filter: &Filter,
    to: &Path,
    resume: bool,
    progress: &mut dyn Progress,
) -> Result<Exported> {
    let mut writer = ArchiveWriter::begin(to, resume)?;
    let about = about(store, published, filter, &writer, to)?;
    if !writer.written.has_sums {
        // That with which the archive was begun, or the store's.
        let note = writer.written.note.clone().unwrap_or_else(|| store.head().checkpoint.clone());
        members(store, published, &about, note, &mut writer, progress)?;
    }
    Ok(Exported { leaves: about.size, bytes: writer.end()? })
}

/// A head that the archive of a running service is made under: one that it has published.
#[derive(Clone, Debug)]
pub struct PublishedHead {
    /// The number of leaves.
    pub size: u64,
    /// The signed checkpoint.
    pub checkpoint: String,
}

/// Writes an archive to whoever reads it, which may be slow: the store is [released](StoreReader::release), read by the chunk, and
/// not read while `to` takes bytes. Memory is bounded by [`MAX_STREAMED_BLOBS`](crate::MAX_STREAMED_BLOBS) too.
///
/// # Errors
/// [`ExportError`]. The sums are missing then, so what was written is no whole archive.
pub fn export_to(
    store: &mut StoreReader,
    published: &Published,
    filter: &Filter,
    head: &PublishedHead,
    to: &mut dyn Write,
) -> Result<Exported> {
    if store.head().size < head.size {
        return Err(ExportError::unsound("it has fewer leaves than the checkpoint"));
    }
    store.release()?;
    let mut stream = ArchiveStream::new(to);
    let about = About {
        format: FORMAT.to_owned(),
        log_key: published.log_key.to_string(),
        size: head.size,
        filter: filter.clone(),
    };
    members(store, published, &about, head.checkpoint.clone(), &mut stream, &mut ())?;
    Ok(Exported { leaves: head.size, bytes: stream.end()? })
}

/// Writes all members but the sums.
fn members(
    store: &mut StoreReader,
    published: &Published,
    about: &About,
    note: String,
    out: &mut dyn Output,
    progress: &mut dyn Progress,
) -> Result<()> {
    let written = serde_json::to_vec(about).map_err(ExportError::unsound)?;
    out.member(&Name::About, &written)?;
    out.member(&Name::Keys, &published.jwks)?;
    out.member(&Name::Prices, &prices(store)?)?;
    if let Some(policy) = &published.policy {
        out.member(&Name::Policy, policy)?;
    }
    let Log { tiles, wanted } = log(store, about, &note, out, progress)?;
    progress.begin("leaves exported", about.size);
    (0..out.done()).for_each(|_| progress.receipt());
    let proofs = Proofs::new(tiles, about.size, note);
    let mut chunks = Chunks::new(&about.filter, about.size, wanted, proofs);
    while out.done() < about.size {
        chunks.next(store, out, progress)?;
    }
    Ok(())
}

/// What the archive is about: as it was begun, or the store as it is now.
fn about(
    store: &StoreReader,
    published: &Published,
    filter: &Filter,
    writer: &ArchiveWriter,
    to: &Path,
) -> Result<About> {
    let now = About {
        format: FORMAT.to_owned(),
        log_key: published.log_key.to_string(),
        size: store.head().size,
        filter: filter.clone(),
    };
    let Some(begun) = &writer.written.about else { return Ok(now) };
    let other = |why: String| ExportError::OtherArchive { path: to.to_owned(), why };
    let begun: About = serde_json::from_slice(begun).map_err(|error| other(error.to_string()))?;
    if begun.size > now.size {
        return Err(other(format!("it is of {} leaves, and the store has {}", begun.size, now.size)));
    }
    if (About { size: now.size, log_key: now.log_key.clone(), ..begun.clone() }) != now {
        return Err(other("it is of another format or filter".to_owned()));
    }
    if begun.log_key != now.log_key {
        // The archive stays one of the key with which it was begun. That the log goes on from its tree shows when the log is written.
        let key = published.log_keys.iter().find(|key| key.key.to_string() == begun.log_key);
        let key =
            key.ok_or_else(|| other(format!("it is of another log, whose key is {}", begun.log_key)))?;
        key.check_tree(begun.size).map_err(|error| other(error.to_string()))?;
    }
    Ok(begun)
}

fn prices(store: &mut StoreReader) -> Result<Vec<u8>> {
    let mut prices = Vec::new();
    store.rows("prices", &mut |row: Row| {
        let [class, since, amount] = row.as_slice() else { return Err(unfit("prices")) };
        prices.push(Price { class: class.text()?.to_owned(), since: since.int()?, amount: amount.int()? });
        Ok(())
    })?;
    serde_json::to_vec(&prices).map_err(ExportError::unsound)
}

/// The stamped checkpoints of a log of this size.
fn timestamps(store: &mut StoreReader, most: u64) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    store.rows("stamped", &mut |row: Row| {
        let [size, _, note, answer, _] = row.as_slice() else { return Err(unfit("stamped")) };
        let (size, checkpoint) = (size.unsigned()?, note.text()?.to_owned());
        if size <= most {
            let line = StampedLine { size, checkpoint, answer: STANDARD.encode(answer.bytes()?) };
            let line = serde_json::to_vec(&line);
            lines.extend(line.map_err(|error| TransferError::Unsound(error.to_string()))?);
            lines.push(b'\n');
        }
        Ok(())
    })?;
    Ok(lines)
}

pub(crate) fn unfit(table: &str) -> TransferError {
    TransferError::Unsound(format!("a row of {table} has another number of columns"))
}

/// What was seen of the log while it was written.
struct Log {
    tiles: LogTiles,
    /// The leaves whose receipts the filter may have.
    wanted: LeafSet,
}

/// Writes the log, and the checkpoint that all of the archive is held against.
fn log(
    store: &mut StoreReader,
    about: &About,
    note: &str,
    out: &mut dyn Output,
    progress: &mut dyn Progress,
) -> Result<Log> {
    let log_key: VerifierKey = about.log_key.parse().map_err(ExportError::unsound)?;
    let checkpoint = Checkpoint::open(note, std::slice::from_ref(&log_key));
    let checkpoint = checkpoint.map_err(|error| ExportError::unsound(format!("its checkpoint: {error}")))?;
    out.member(&Name::Checkpoint, note.as_bytes())?;
    out.member(&Name::Timestamps, &timestamps(store, about.size)?)?;
    progress.begin("leaves of the log written", about.size);
    let (mut edge, mut tiles, mut wanted) = (RightEdge::new(), LogTiles::default(), LeafSet::default());
    while edge.size() < about.size {
        let from = edge.size();
        let entries = entries(store, from..(from + READ_LEAVES).min(about.size))?;
        for bundle in entries.chunks(usize::from(FULL_WIDTH)) {
            let path = TilePath::entries(edge.size() / u64::from(FULL_WIDTH), width(bundle)?);
            let path = path.map_err(ExportError::unsound)?;
            out.member(&Name::Tile(path), &encode_bundle(bundle).map_err(ExportError::unsound)?)?;
            for entry in bundle {
                if is_wanted(&about.filter, entry) {
                    wanted.insert(edge.size());
                }
                for tile in edge.append(leaf_hash(entry)) {
                    out.member(&Name::Tile(tile.path()), &encode_hashes(&tile.hashes))?;
                    tiles.add_full(tile.level, tile.index, &tile.hashes);
                }
                progress.receipt();
            }
        }
    }
    for tile in edge.partial_tiles() {
        out.member(&Name::Tile(tile.path()), &encode_hashes(&tile.hashes))?;
        tiles.add_partial(tile.level, tile.index, &tile.hashes);
    }
    if (edge.size(), edge.root()) != (checkpoint.size(), checkpoint.root()) {
        return Err(ExportError::unsound("its leaves have another root than its checkpoint"));
    }
    Ok(Log { tiles, wanted })
}

/// Returns true if the filter may have the receipt of this entry.
fn is_wanted(filter: &Filter, entry: &[u8]) -> bool {
    filter.is_none()
        || LogEntry::read(entry).map_or(true, |entry| filter.may_have(&entry.class, entry.signed_at))
}

fn width<T>(bundle: &[T]) -> Result<u16> {
    u16::try_from(bundle.len()).map_err(ExportError::unsound)
}

/// The entries of these leaves, of which the first begins a bundle.
pub(crate) fn entries(store: &mut StoreReader, leaves: Range<u64>) -> Result<Vec<Vec<u8>>> {
    let mut entries = Vec::new();
    let (first, end) = (leaves.start, leaves.end);
    store.rows_of_leaves("leaves", leaves, &mut |row: Row| {
        let [leaf, _, run] = row.as_slice() else { return Err(unfit("leaves")) };
        if leaf.unsigned()? != first + entries.len() as u64 {
            return Err(TransferError::Unsound(format!("leaf {} is missing", first + entries.len() as u64)));
        }
        let run = decode_bundle(run.bytes()?);
        let run = run.map_err(|error| TransferError::Unsound(format!("the entries of a run: {error}")))?;
        entries.extend(run.iter().map(|entry| entry.to_vec()));
        Ok(())
    })?;
    let expected = usize::try_from(end - first).map_err(ExportError::unsound)?;
    if entries.len() < expected {
        return Err(ExportError::unsound(format!("leaf {} is missing", first + entries.len() as u64)));
    }
    // Of a store that has grown since the archive was begun, the last run may be longer.
    entries.truncate(expected);
    Ok(entries)
}
