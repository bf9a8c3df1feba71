//! The receipts of a range of leaves, and what is kept beside them.

use std::ops::Range;

use memchr::memmem::Finder;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{self, Json, Object};
use receipt::sign::receipt_json;
use store_transfer::{Progress, Row, StoreReader, TransferError};

use crate::error::{ExportError, Result};
use crate::export::unfit;
use crate::layout::{CHUNK_LEAVES, Filter, KEY_CLASS, Kept, KeptEvidence, Name, SECRET_ROLE};
use crate::leaf_set::LeafSet;
use crate::output::Output;
use crate::proofs::Proofs;

/// The bytes of receipts from which on a chunk ends.
const CHUNK_BYTES: usize = 16 << 20;

/// Writes the chunks of an archive, one after another.
pub(crate) struct Chunks<'f> {
    filter: &'f Filter,
    size: u64,
    /// The leaves whose receipts the filter may have, as far as the log says.
    wanted: LeafSet,
    proofs: Proofs,
    /// Texts of which the payload of a receipt has one, if the filter has it; none where that is not known.
    hints: Vec<Finder<'static>>,
}

/// Receipts of a range of leaves, and what is kept beside them.
struct Chunk {
    leaves: Range<u64>,
    lines: Vec<u8>,
    kept: Vec<Kept>,
}

impl<'f> Chunks<'f> {
    pub(crate) fn new(filter: &'f Filter, size: u64, wanted: LeafSet, proofs: Proofs) -> Self {
        // Payloads are canonical, so an agent has one spelling. Most receipts are another's: they are not even parsed.
        let hint = |name: &str, value: &str| {
            let mut members = Object::new();
            members.insert(name, value);
            let text = Json::Object(members).canonical();
            Finder::new(&text[1..text.len() - 1]).into_owned()
        };
        let hints = filter.agent.iter().flat_map(|agent| [hint("agent", agent), hint("class", KEY_CLASS)]);
        Self { filter, size, wanted, proofs, hints: hints.collect() }
    }

    /// Writes the receipts after those that are there, and what is kept beside them.
    pub(crate) fn next(
        &mut self,
        store: &mut StoreReader,
        out: &mut dyn Output,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let first = out.done();
        let mut chunk = self.receipts(store, first..(first + CHUNK_LEAVES).min(self.size))?;
        out.member(&Name::Receipts(chunk.leaves.clone()), &chunk.lines)?;
        chunk.lines = Vec::new();
        chunk.requests(store, out)?;
        chunk.evidence(store, out)?;
        let mut lines = Vec::new();
        for kept in &chunk.kept {
            serde_json::to_writer(&mut lines, kept).map_err(ExportError::unsound)?;
            lines.push(b'\n');
        }
        chunk.leaves.clone().for_each(|_| progress.receipt());
        out.member(&Name::Kept(chunk.leaves), &lines)
    }

    /// Reads the receipts of leaves that the filter has, until they have [`CHUNK_BYTES`].
    fn receipts(&mut self, store: &mut StoreReader, leaves: Range<u64>) -> Result<Chunk> {
        let mut chunk = Chunk { leaves: leaves.clone(), lines: Vec::new(), kept: Vec::new() };
        let Some(wanted) = self.wanted.span(leaves.clone()) else { return Ok(chunk) };
        self.proofs.load(store, wanted.clone())?;
        let mut next = wanted.start;
        let mut failure = None;
        store.rows_of_leaves("receipts", wanted.clone(), &mut |row: Row| {
            if chunk.lines.len() >= CHUNK_BYTES || failure.is_some() {
                return Ok(());
            }
            let leaf = row.first().ok_or_else(|| unfit("receipts"))?.unsigned()?;
            if leaf != next {
                return Err(TransferError::Unsound(format!("the receipt of leaf {next} is missing")));
            }
            next += 1;
            if self.wanted.contains(leaf) {
                failure = self.receipt(leaf, &row, &mut chunk)?.err();
            }
            Ok(())
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        if next != wanted.end {
            if chunk.lines.len() < CHUNK_BYTES {
                return Err(ExportError::unsound(format!("the receipt of leaf {next} is missing")));
            }
            chunk.leaves.end = next;
        }
        Ok(chunk)
    }

    /// Adds a row to the chunk, if the filter has it.
    fn receipt(
        &mut self,
        leaf: u64,
        row: &Row,
        chunk: &mut Chunk,
    ) -> std::result::Result<Result<()>, TransferError> {
        let [_, _, hash, signature, payload] = row.as_slice() else { return Err(unfit("receipts")) };
        let mut kept = Kept { leaf, is_erased: false, judged_at: None, request: None, evidence: Vec::new() };
        let signature = signature.bytes()?;
        // Of an erased receipt only the log entry is left, in place of the payload: nobody can say any more whose it was.
        if signature.is_empty() {
            kept.is_erased = true;
            chunk.kept.push(kept);
            return Ok(Ok(()));
        }
        let payload = payload.bytes()?;
        let is_hinted = self.hints.is_empty() || self.hints.iter().any(|hint| hint.find(payload).is_some());
        if !is_hinted || (!self.filter.is_none() && !has(self.filter, payload)?) {
            return Ok(Ok(()));
        }
        chunk.kept.push(kept);
        let unsound = |what| TransferError::Unsound(format!("leaf {leaf}: its {what} has another length"));
        let hash = ReceiptHash(hash.bytes()?.try_into().map_err(|_| unsound("hash"))?);
        let signature = signature.try_into().map_err(|_| unsound("signature"))?;
        Ok(self.proofs.proof(leaf).map(|proof| {
            chunk.lines.extend(receipt_json(payload, &hash, &signature, Some(&proof)));
            chunk.lines.push(b'\n');
        }))
    }
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
    fn line(&mut self, leaf: u64) -> Option<&mut Kept> {
        let at = self.kept.binary_search_by_key(&leaf, |kept| kept.leaf).ok()?;
        Some(&mut self.kept[at]).filter(|kept| !kept.is_erased)
    }

    /// Writes the requests.
    fn requests(&mut self, store: &mut StoreReader, out: &mut dyn Output) -> Result<()> {
        let leaves: Vec<u64> =
            self.kept.iter().filter(|kept| !kept.is_erased).map(|kept| kept.leaf).collect();
        store.requests(&leaves, |leaf, body, judged_at| {
            let Some(kept) = self.line(leaf) else { return Ok(()) };
            let address = sha256(&body);
            kept.judged_at = Some(judged_at);
            kept.request = Some(hex::encode(address));
            if out.has_blob(&address) { Ok(()) } else { out.member(&Name::Blob(address), &body) }
        })
    }

    /// Writes the evidence, each piece that is not in the archive yet.
    fn evidence(&mut self, store: &mut StoreReader, out: &mut dyn Output) -> Result<()> {
        let (Some(first), Some(last)) = (self.kept.first(), self.kept.last()) else { return Ok(()) };
        let leaves = first.leaf..last.leaf + 1;
        let mut missing = Vec::new();
        store.rows_of_leaves("evidence", leaves, &mut |row: Row| {
            let [leaf, _, role, address] = row.as_slice() else { return Err(unfit("evidence")) };
            if let Some(kept) = self.line(leaf.unsigned()?) {
                let unsound = |_| TransferError::Unsound("an address is no hash".to_owned());
                let address: [u8; 32] = address.bytes()?.try_into().map_err(unsound)?;
                let sha256 = hex::encode(address);
                kept.evidence.push(KeptEvidence { role: role.text()?.to_owned(), sha256, is_here: false });
                if role.text()? != SECRET_ROLE && !out.has_blob(&address) {
                    missing.push(address);
                }
            }
            Ok(())
        })?;
        missing.sort_unstable();
        missing.dedup();
        store.blobs(&missing, |address, bytes| out.member(&Name::Blob(address), &bytes))?;
        for piece in self.kept.iter_mut().flat_map(|kept| &mut kept.evidence) {
            let mut address = [0; 32];
            hex::decode_to_slice(&piece.sha256, &mut address).map_err(ExportError::unsound)?;
            piece.is_here = piece.role != SECRET_ROLE && out.has_blob(&address);
        }
        Ok(())
    }
}
