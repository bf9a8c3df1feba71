//! From a store to an archive.

use std::ops::Range;
use std::path::Path;

use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{self, Json};
use receipt::sign::receipt_json;
use store_transfer::{Progress, Row, StoreReader, TransferError, Value};
use tlog::tile::{FULL_WIDTH, decode_bundle, encode_bundle, encode_hashes};
use tlog::{Checkpoint, RightEdge, TilePath, VerifierKey, leaf_hash};

use crate::error::{ExportError, Result};
use crate::layout::{About, CHUNK_LEAVES, FORMAT, Filter, Kept, KeptEvidence, Name, Price};
use crate::proofs::{Proofs, TilesOfArchive};
use crate::writer::ArchiveWriter;

/// The bytes of receipts from which on a chunk ends.
const CHUNK_BYTES: usize = 16 << 20;

/// The leaves that are read at once into the log's tiles.
const READ_LEAVES: u64 = 64 * 256;

/// The public documents that the store does not have.
pub struct Published {
    /// The key of the log.
    pub log_key: VerifierKey,
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
/// whole member: it stays that of the log as it was when it was begun.
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
    let size = about.size;
    if !writer.written.has_sums {
        let written = serde_json::to_vec(&about).map_err(ExportError::unsound)?;
        writer.member(&Name::About, &written)?;
        writer.member(&Name::Keys, &published.jwks)?;
        writer.member(&Name::Prices, &prices(store)?)?;
        if let Some(policy) = &published.policy {
            writer.member(&Name::Policy, policy)?;
        }
        let note = log(store, published, size, &mut writer, progress)?;
        let tiles = TilesOfArchive::new(writer.reader()?, writer.written.tiles.clone());
        let mut proofs = Proofs::new(tiles, size, note);
        progress.begin("leaves exported", size);
        (0..writer.written.done).for_each(|_| progress.receipt());
        while writer.written.done < size {
            chunk(store, filter, size, &mut proofs, &mut writer, progress)?;
        }
    }
    Ok(Exported { leaves: size, bytes: writer.end()? })
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
    if (About { size: now.size, ..begun.clone() }) != now {
        return Err(other("it is of another log or filter".to_owned()));
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

fn unfit(table: &str) -> TransferError {
    TransferError::Unsound(format!("a row of {table} has another number of columns"))
}

/// Writes the log, and the checkpoint that all of the archive is held against. Returns the checkpoint's note.
fn log(
    store: &mut StoreReader,
    published: &Published,
    size: u64,
    writer: &mut ArchiveWriter,
    progress: &mut dyn Progress,
) -> Result<String> {
    // That with which the archive was begun, or the store's.
    let note = writer.written.note.clone().unwrap_or_else(|| store.head().checkpoint.clone());
    let checkpoint = Checkpoint::open(&note, std::slice::from_ref(&published.log_key));
    let checkpoint = checkpoint.map_err(|error| ExportError::unsound(format!("its checkpoint: {error}")))?;
    writer.member(&Name::Checkpoint, note.as_bytes())?;
    progress.begin("leaves of the log written", size);
    let mut edge = RightEdge::new();
    let mut from = 0;
    while from < size {
        let until = (from + READ_LEAVES).min(size);
        let entries = entries(store, from..until)?;
        for bundle in entries.chunks(usize::from(FULL_WIDTH)) {
            let path = TilePath::entries(edge.size() / u64::from(FULL_WIDTH), width(bundle)?);
            let path = path.map_err(ExportError::unsound)?;
            writer.member(&Name::Tile(path), &encode_bundle(bundle).map_err(ExportError::unsound)?)?;
            for entry in bundle {
                for tile in edge.append(leaf_hash(entry)) {
                    writer.member(&Name::Tile(tile.path()), &encode_hashes(&tile.hashes))?;
                }
                progress.receipt();
            }
        }
        from = until;
    }
    for tile in edge.partial_tiles() {
        writer.member(&Name::Tile(tile.path()), &encode_hashes(&tile.hashes))?;
    }
    if (edge.size(), edge.root()) != (checkpoint.size(), checkpoint.root()) {
        return Err(ExportError::unsound("its leaves have another root than its checkpoint"));
    }
    Ok(note)
}

fn width<T>(bundle: &[T]) -> Result<u16> {
    u16::try_from(bundle.len()).map_err(ExportError::unsound)
}

/// The entries of these leaves, of which the first begins a bundle.
fn entries(store: &mut StoreReader, leaves: Range<u64>) -> Result<Vec<Vec<u8>>> {
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

/// Receipts of a range of leaves, and what is kept beside them.
struct Chunk {
    leaves: Range<u64>,
    lines: Vec<u8>,
    kept: Vec<Kept>,
}

/// Writes the receipts after those that are there, and what is kept beside them.
fn chunk(
    store: &mut StoreReader,
    filter: &Filter,
    size: u64,
    proofs: &mut Proofs,
    writer: &mut ArchiveWriter,
    progress: &mut dyn Progress,
) -> Result<()> {
    let first = writer.written.done;
    let there = writer.written.receipts.clone().filter(|leaves| leaves.start == first);
    let end = there.as_ref().map_or((first + CHUNK_LEAVES).min(size), |leaves| leaves.end);
    let limit = if there.is_some() { usize::MAX } else { CHUNK_BYTES };
    let mut chunk = receipts(store, filter, first..end, limit, proofs)?;
    if there.is_none() {
        writer.member(&Name::Receipts(chunk.leaves.clone()), &chunk.lines)?;
    }
    chunk.lines = Vec::new();
    requests(store, &mut chunk, writer)?;
    evidence(store, &mut chunk, writer)?;
    let mut lines = Vec::new();
    for kept in &chunk.kept {
        serde_json::to_writer(&mut lines, kept).map_err(ExportError::unsound)?;
        lines.push(b'\n');
    }
    chunk.leaves.clone().for_each(|_| progress.receipt());
    writer.member(&Name::Kept(chunk.leaves), &lines)
}

/// Reads the receipts of leaves that the filter has, until they have `limit` bytes.
fn receipts(
    store: &mut StoreReader,
    filter: &Filter,
    leaves: Range<u64>,
    limit: usize,
    proofs: &mut Proofs,
) -> Result<Chunk> {
    let mut chunk = Chunk { leaves: leaves.start..leaves.start, lines: Vec::new(), kept: Vec::new() };
    let mut failure = None;
    let end = leaves.end;
    store.rows_of_leaves("receipts", leaves, &mut |row: Row| {
        if chunk.lines.len() >= limit || failure.is_some() {
            return Ok(());
        }
        let [leaf, _, hash, signature, payload] = row.as_slice() else { return Err(unfit("receipts")) };
        let leaf = leaf.unsigned()?;
        if leaf != chunk.leaves.end {
            return Err(TransferError::Unsound(format!(
                "the receipt of leaf {} is missing",
                chunk.leaves.end
            )));
        }
        chunk.leaves.end += 1;
        let mut kept = Kept { leaf, is_erased: false, judged_at: None, request: None, evidence: Vec::new() };
        if *payload == Value::Null {
            kept.is_erased = true;
            chunk.kept.push(kept);
            return Ok(());
        }
        let payload = payload.bytes()?;
        if !filter.is_none() && !has(filter, payload)? {
            return Ok(());
        }
        chunk.kept.push(kept);
        let unsound = |what| TransferError::Unsound(format!("leaf {leaf}: its {what} has another length"));
        let hash = ReceiptHash(hash.bytes()?.try_into().map_err(|_| unsound("hash"))?);
        let signature = signature.bytes()?.try_into().map_err(|_| unsound("signature"))?;
        match proofs.proof(leaf) {
            Ok(proof) => {
                chunk.lines.extend(receipt_json(payload, &hash, &signature, Some(&proof)));
                chunk.lines.push(b'\n');
            }
            Err(error) => failure = Some(error),
        }
        Ok(())
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    if chunk.leaves.end != end && chunk.lines.len() < limit {
        return Err(ExportError::unsound(format!("the receipt of leaf {} is missing", chunk.leaves.end)));
    }
    Ok(chunk)
}

/// Returns true if the filter has the receipt with this payload.
fn has(filter: &Filter, payload: &[u8]) -> std::result::Result<bool, TransferError> {
    let document = json::parse(payload).map_err(|error| TransferError::Unsound(error.to_string()))?;
    let text = |name| document.get(name).and_then(Json::as_str).unwrap_or_default();
    let signed_at = text("signed_at").parse();
    let signed_at =
        signed_at.map_err(|_| TransferError::Unsound("a receipt's signed_at is no time".to_owned()))?;
    Ok(filter.has(text("class"), signed_at, text("agent")))
}

impl Chunk {
    /// The line of a leaf; `None` for one whose receipt is not in the archive.
    fn kept(&mut self, leaf: u64) -> Option<&mut Kept> {
        let at = self.kept.binary_search_by_key(&leaf, |kept| kept.leaf).ok()?;
        Some(&mut self.kept[at]).filter(|kept| !kept.is_erased)
    }
}

/// Writes the requests of a chunk, one at a time.
fn requests(store: &mut StoreReader, chunk: &mut Chunk, writer: &mut ArchiveWriter) -> Result<()> {
    let mut failure = None;
    store.rows_of_leaves("requests", chunk.leaves.clone(), &mut |row: Row| {
        let [leaf, body, judged_at] = row.as_slice() else { return Err(unfit("requests")) };
        let Some(kept) = chunk.kept(leaf.unsigned()?) else { return Ok(()) };
        let Value::Bytes(body) = body else { return Ok(()) };
        let address = sha256(body);
        kept.judged_at = Some(judged_at.int()?);
        kept.request = Some(hex::encode(address));
        if failure.is_none() && !writer.written.blobs.contains(&address) {
            failure = writer.member(&Name::Blob(address), body).err();
        }
        Ok(())
    })?;
    failure.map_or(Ok(()), Err)
}

/// Writes the evidence of a chunk, each piece that is not in the archive yet.
fn evidence(store: &mut StoreReader, chunk: &mut Chunk, writer: &mut ArchiveWriter) -> Result<()> {
    store.rows_of_leaves("evidence", chunk.leaves.clone(), &mut |row: Row| {
        let [leaf, _, role, address] = row.as_slice() else { return Err(unfit("evidence")) };
        if let Some(kept) = chunk.kept(leaf.unsigned()?) {
            let sha256 = hex::encode(address.bytes()?);
            kept.evidence.push(KeptEvidence { role: role.text()?.to_owned(), sha256, is_here: false });
        }
        Ok(())
    })?;
    for piece in chunk.kept.iter_mut().flat_map(|kept| &mut kept.evidence) {
        let mut address = [0; 32];
        hex::decode_to_slice(&piece.sha256, &mut address).map_err(ExportError::unsound)?;
        if !writer.written.blobs.contains(&address) {
            let Some(bytes) = store.blob(&address)? else { continue };
            writer.member(&Name::Blob(address), &bytes)?;
        }
        piece.is_here = true;
    }
    Ok(())
}
