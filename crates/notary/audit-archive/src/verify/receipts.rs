//! The receipts of a chunk, and what is kept beside them.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use memchr::memmem;
use rayon::prelude::*;
use receipt::LogHead;
use receipt::envelope::REDACTED;
use receipt::json::{self, Json};
use receipt::verify::{VerificationOutcome, Verifier};
use tlog::TlogProof;

use super::ArchiveReport;
use super::log::LogTree;
use crate::layout::{Filter, Kept};

/// A receipt of the chunk, verified.
struct Receipt {
    leaf: u64,
    /// The SHA-256 of the request, in hexadecimal digits; `None` where the request is stored redacted.
    request: Option<String>,
    /// The line of the receipt, in which evidence is named.
    line: Vec<u8>,
}

/// What a line of receipts was found to be.
struct Checked {
    receipt: Option<Receipt>,
    outcome: VerificationOutcome,
    /// Why it is not valid, or cannot be said.
    why: Option<String>,
}

/// A chunk of receipts that is verified on all cores, while what comes after it in the archive is read and hashed.
pub(super) struct PendingChunk {
    leaves: Range<u64>,
    checked: Receiver<Vec<Checked>>,
}

impl PendingChunk {
    /// Begins to verify the lines of a chunk.
    pub(super) fn begin(
        lines: Vec<u8>,
        leaves: Range<u64>,
        verifier: Arc<Verifier>,
        head: LogHead,
        filter: Filter,
    ) -> Self {
        let (sender, checked) = channel();
        let of_chunk = leaves.clone();
        rayon::spawn(move || {
            let lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
            let check = |line: &&[u8]| checked_line(line, &of_chunk, &verifier, head, &filter);
            // Nobody waits where the archive turned out to be no archive.
            let _unread = sender.send(lines.par_iter().map(check).collect());
        });
        Self { leaves, checked }
    }

    /// The leaves of the chunk.
    pub(super) fn leaves(&self) -> &Range<u64> {
        &self.leaves
    }

    /// Waits until the chunk is verified, and tells what was found.
    pub(super) fn wait(self, report: &mut ArchiveReport) -> ChunkReceipts {
        let checked = self.checked.recv().unwrap_or_else(|_| {
            report.wrong(
                format!("receipts of leaves {}-{}", self.leaves.start, self.leaves.end),
                "they cannot be verified",
            );
            Vec::new()
        });
        ChunkReceipts::of(self.leaves, checked, report)
    }
}

/// The receipts of a chunk by their leaves.
pub(super) struct ChunkReceipts {
    leaves: Range<u64>,
    receipts: BTreeMap<u64, Receipt>,
    count: usize,
}

impl ChunkReceipts {
    fn of(leaves: Range<u64>, checked: Vec<Checked>, report: &mut ArchiveReport) -> Self {
        let mut found = Self { leaves: leaves.clone(), receipts: BTreeMap::new(), count: checked.len() };
        let mut last = None;
        for (number, Checked { receipt, outcome, why }) in (1..).zip(checked) {
            let place = receipt.as_ref().map_or_else(
                || format!("receipts of leaves {}-{}, line {number}", leaves.start, leaves.end),
                |receipt| format!("receipt of leaf {}", receipt.leaf),
            );
            match outcome {
                VerificationOutcome::Holds => report.valid += 1,
                VerificationOutcome::CannotSay => report.unsaid += 1,
                VerificationOutcome::Fails => {
                    report.invalid += 1;
                    report.wrong(&*place, why.unwrap_or_default());
                }
            }
            let Some(receipt) = receipt else { continue };
            if last.is_some_and(|last| receipt.leaf <= last) {
                report.wrong(place, "it comes after that of a later leaf, or twice");
            }
            last = Some(receipt.leaf);
            found.receipts.insert(receipt.leaf, receipt);
        }
        found
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Checks what is kept beside the receipts, and that no receipt is missing.
    pub(super) fn kept(
        mut self,
        place: &str,
        lines: &[u8],
        blobs: &HashSet<[u8; 32]>,
        log: &LogTree,
        report: &mut ArchiveReport,
    ) {
        let mut erased = HashSet::new();
        let mut last = None;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let Ok(kept) = serde_json::from_slice::<Kept>(line) else {
                report.wrong(place, "a line of it is not of the known form");
                continue;
            };
            if !self.leaves.contains(&kept.leaf) || last.is_some_and(|last| kept.leaf <= last) {
                report.wrong(place, format!("leaf {} is not in its place", kept.leaf));
                continue;
            }
            last = Some(kept.leaf);
            if kept.is_erased {
                if log.is_erased(kept.leaf) {
                    report.erased += 1;
                } else {
                    report.erased_unlogged += 1;
                }
                erased.insert(kept.leaf);
                continue;
            }
            match self.receipts.remove(&kept.leaf) {
                Some(receipt) => receipt.check(&kept, blobs, report),
                None => report.wrong(place, format!("there is no receipt of leaf {}", kept.leaf)),
            }
            // It is accounted for.
            erased.insert(kept.leaf);
        }
        for leaf in self.receipts.keys() {
            report.wrong(place, format!("it says nothing of leaf {leaf}"));
            erased.insert(*leaf);
        }
        for leaf in self.leaves.clone().filter(|leaf| !erased.contains(leaf)) {
            if log.must_have(leaf) {
                report.wrong(format!("receipt of leaf {leaf}"), "it is missing, though it was asked for");
            } else {
                report.filtered += 1;
            }
        }
    }
}

/// Verifies a line, and reads what the rest of the checks need.
fn checked_line(
    line: &[u8],
    leaves: &Range<u64>,
    verifier: &Verifier,
    head: LogHead,
    filter: &Filter,
) -> Checked {
    let wrong =
        |receipt, why: String| Checked { receipt, outcome: VerificationOutcome::Fails, why: Some(why) };
    let Some(line) = line.strip_suffix(b"\n") else {
        return wrong(None, "the line is cut short".to_owned());
    };
    let verified = match verifier.verify(line) {
        Ok(verified) => verified,
        Err(error) => return wrong(None, error.to_string()),
    };
    let Ok(document) = json::parse(line) else { return wrong(None, "it is not JSON".to_owned()) };
    let text = |name: &str| document.get(name).and_then(Json::as_str).unwrap_or_default();
    let Ok(TlogProof { index, .. }) = text("proof").parse() else {
        return wrong(None, "it has no proof".to_owned());
    };
    let request = (text("request_kept") != REDACTED).then(|| text("request_hash").to_owned());
    let receipt = Some(Receipt { leaf: index, request, line: line.to_vec() });
    if !leaves.contains(&index) {
        return wrong(None, format!("its leaf {index} is not one of these"));
    }
    let failed = || {
        let failed = verified.checks().filter(|(_, check)| !check.ok);
        failed.map(|(name, check)| format!("{name}: {}", check.detail)).collect::<Vec<_>>().join("; ")
    };
    match verified.outcome() {
        VerificationOutcome::Fails => return wrong(receipt, failed()),
        VerificationOutcome::CannotSay => {
            return Checked { receipt, outcome: VerificationOutcome::CannotSay, why: Some(failed()) };
        }
        VerificationOutcome::Holds => {}
    }
    if verified.checkpoint != Some(head) {
        return wrong(receipt, "its proof is under another checkpoint than the archive's".to_owned());
    }
    let Ok(signed_at) = text("signed_at").parse() else {
        return wrong(receipt, "its signed_at is no time".to_owned());
    };
    if !filter.has(text("class"), signed_at, text("agent")) {
        return wrong(receipt, "it is not one that was asked for".to_owned());
    }
    Checked { receipt, outcome: VerificationOutcome::Holds, why: None }
}

impl Receipt {
    /// Checks the request and the evidence of a receipt.
    fn check(&self, kept: &Kept, blobs: &HashSet<[u8; 32]>, report: &mut ArchiveReport) {
        let place = || format!("receipt of leaf {}", self.leaf);
        let is_there = |sha256: &str| {
            let mut address = [0; 32];
            hex::decode_to_slice(sha256, &mut address).is_ok() && blobs.contains(&address)
        };
        match &kept.request {
            None => report.without_request += 1,
            Some(sha256) if self.request.as_ref().is_some_and(|request| request != sha256) => {
                report.wrong(place(), "the request in the archive is another than request_hash");
            }
            Some(sha256) if !is_there(sha256) => report.wrong(place(), "its request is missing"),
            Some(_) => report.kept += 1,
        }
        for piece in &kept.evidence {
            if !piece.is_here {
                report.missing_evidence += 1;
                continue;
            }
            if !is_there(&piece.sha256) {
                report.wrong(place(), format!("its evidence {} is missing", piece.sha256));
                continue;
            }
            report.kept += 1;
            if memmem::find(&self.line, piece.sha256.as_bytes()).is_none() {
                report.unnamed_evidence += 1;
            }
        }
    }
}
