//! Records: receipts to be appended to the log, and the stored form of receipts.

use std::sync::Arc;

use receipt::hash::ReceiptHash;
use receipt::sign::SignedPayload;
use receipt::time::Timestamp;
use tlog::Hash;
use tlog::tile::MAX_ENTRY_BYTES;
use verdict::{EvidenceBlob, MAX_MEMORY_BYTES};

use crate::{
    ClaimRef, CounterKey, DisputeEnd, Erases, KeyStep, LedgerError, NewMemory, QuotaReservation, WatchStep,
};

/// The most bytes of one record: payload, request, entry, evidence and memory together.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// The most bytes of a paid judgement. A larger one is refused before it is signed, so that a paid receipt can always
/// be delivered: its envelope and log entry fit in the rest of [`MAX_RECORD_BYTES`].
pub const MAX_JUDGEMENT_BYTES: usize = MAX_RECORD_BYTES - (128 << 10);
const _: () = assert!(MAX_ENTRY_BYTES <= 64 << 10, "half of the rest is for the envelope");

/// The most counters that a receipt adds to: those of its agent and its subject.
pub const MAX_COUNTERS: usize = 2;

/// A signed receipt to be appended, with all data for its transaction.
#[derive(Debug)]
pub struct LedgerRecord {
    /// SHA-256 of the payload.
    pub hash: ReceiptHash,
    /// The canonical payload (RFC 8785).
    pub payload: Vec<u8>,
    /// The Ed25519 signature over the detached JWS input.
    pub signature: [u8; 64],
    /// The log entry, at most 65,535 bytes.
    pub entry: Vec<u8>,
    /// The class of the route.
    pub class: &'static str,
    /// The receipt's `signed_at`.
    pub signed_at: Timestamp,
    /// The request in canonical form; its SHA-256 is the payload's `request_hash`.
    pub request: Vec<u8>,
    /// The evidence of the finding.
    pub evidence: Vec<EvidenceBlob>,
    /// The time of the judgement. A replay must use the same time.
    pub judged_at: Timestamp,
    /// The reservation of the free or granted call that the receipt uses up; `None` where the call was paid for.
    pub reservation: Option<QuotaReservation>,
    /// The settled claim that paid for the receipt, which becomes delivered; `None` where nothing was paid.
    pub claim: Option<ClaimRef>,
    /// The end of the dispute that the receipt decides; `None` for other receipts. It requires a [`claim`](Self::claim)
    /// that is a bond.
    pub dispute: Option<DisputeEnd>,
    /// The change of a watch; `None` where there is none.
    pub watch: Option<WatchStep>,
    /// The counters that the receipt adds one to; at most [`MAX_COUNTERS`].
    pub counters: Vec<CounterKey>,
    /// The memory of the question's subject that the receipt stores; `None` where there is none.
    pub memory: Option<NewMemory>,
    /// The receipt that is erased with this one; `None` where there is none.
    pub erases: Option<Erases>,
    /// The `kid` of the receipt key that signed it.
    pub kid: String,
    /// The change of a key that the receipt records; `None` for other receipts.
    pub key: Option<KeyStep>,
}

impl LedgerRecord {
    /// The record of a receipt that the key `kid` signed, judged when it was signed, without effects beyond the log. Evidence and
    /// effects are set by struct update: `LedgerRecord { evidence, ..LedgerRecord::new(...) }`.
    #[must_use]
    pub fn new(
        signed: SignedPayload,
        kid: impl Into<String>,
        class: &'static str,
        entry: Vec<u8>,
        signed_at: Timestamp,
        request: Vec<u8>,
    ) -> Self {
        Self {
            hash: signed.hash,
            payload: signed.payload,
            signature: signed.signature,
            entry,
            class,
            signed_at,
            request,
            evidence: Vec::new(),
            judged_at: signed_at,
            reservation: None,
            claim: None,
            dispute: None,
            watch: None,
            counters: Vec::new(),
            memory: None,
            erases: None,
            kid: kid.into(),
            key: None,
        }
    }

    /// The size of the record in bytes, as [`MAX_RECORD_BYTES`] counts it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let evidence: usize = self.evidence.iter().filter_map(EvidenceBlob::bytes).map(<[u8]>::len).sum();
        let memory = self.memory.as_ref().map_or(0, |memory| memory.text.len());
        self.payload.len() + self.request.len() + self.entry.len() + evidence + memory
    }

    /// Refuses a record that would make its whole batch fail.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Unfit`]: the record or its memory is too large, it adds to too many counters, or it ends a dispute
    /// without a claim.
    pub fn check(&self) -> Result<(), LedgerError> {
        let unfit = |what, got: usize, most: usize| {
            Err(LedgerError::Unfit(format!("{what} of {got} bytes, more than {most}")))
        };
        if self.entry.len() > MAX_ENTRY_BYTES {
            return unfit("a log entry", self.entry.len(), MAX_ENTRY_BYTES);
        }
        if self.bytes() > MAX_RECORD_BYTES {
            return unfit("a record", self.bytes(), MAX_RECORD_BYTES);
        }
        if let Some(memory) = self.memory.as_ref().filter(|memory| memory.text.len() > MAX_MEMORY_BYTES) {
            return unfit("a memory", memory.text.len(), MAX_MEMORY_BYTES);
        }
        if self.counters.len() > MAX_COUNTERS {
            let got = self.counters.len();
            return Err(LedgerError::Unfit(format!("a record for {got} counters, more than {MAX_COUNTERS}")));
        }
        if self.dispute.is_some() && self.claim.is_none() {
            return Err(LedgerError::Unfit("the end of a dispute that no bond was paid for".to_owned()));
        }
        Ok(())
    }
}

/// A durable record.
#[derive(Clone, Debug)]
pub struct AppendedRecord {
    /// The leaf index of the record, counted from 0.
    pub leaf: u64,
    /// The inclusion proof under the checkpoint of the same transaction.
    pub inclusion: Inclusion,
}

/// An inclusion path and the signed checkpoint with its root.
#[derive(Clone, Debug)]
pub struct Inclusion {
    /// The leaf index, counted from 0.
    pub leaf: u64,
    /// The hashes from the leaf's sibling up to the root's child (RFC 6962, section 2.1.1).
    pub path: Vec<Hash>,
    /// The text of the signed checkpoint.
    pub checkpoint: Arc<str>,
}

impl Inclusion {
    /// The C2SP tlog-proof.
    #[must_use]
    pub fn to_proof(&self) -> tlog::TlogProof {
        tlog::TlogProof {
            extra: None,
            index: self.leaf,
            path: self.path.clone(),
            checkpoint: self.checkpoint.to_string(),
        }
    }

    /// The text of the C2SP tlog-proof.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.to_proof().to_string()
    }
}

/// A stored receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredReceipt {
    /// The leaf index of the receipt, counted from 0.
    pub leaf: u64,
    /// The canonical payload (RFC 8785).
    pub payload: Vec<u8>,
    /// The Ed25519 signature over the detached JWS input.
    pub signature: [u8; 64],
}

/// The request that a receipt answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRequest {
    /// The request in canonical form (RFC 8785).
    pub body: Vec<u8>,
    /// The time of the judgement.
    pub judged_at: Timestamp,
}

/// A stored piece of evidence. Its bytes may have been deleted; its hash stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBlob {
    /// The role of the evidence for the judge, such as `body`.
    pub role: String,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The bytes; `None` where they were deleted or the judge keeps them.
    pub bytes: Option<Vec<u8>>,
}

/// The numbers of receipts of one class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassCount {
    /// The name of the class.
    pub class: String,
    /// The number of receipts that used up a free call, or of a route without a price.
    pub free: u64,
    /// The number of receipts that were paid for.
    pub paid: u64,
}

/// The receipts and the income of one class on one UTC day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DayCount {
    /// The day, in days since 1970-01-01 UTC.
    pub day: u32,
    /// The name of the class.
    pub class: String,
    /// The number of receipts that nobody paid for.
    pub free: u64,
    /// The number of receipts that were paid for.
    pub paid: u64,
    /// What was settled, in atomic units and without bonds, over all tokens. It is negative where more was given back that
    /// had been settled on an unknown day.
    pub income: i64,
}

/// The most stored requests for a trial. Beyond it new ones are refused with [`LedgerError::TrialLimit`].
pub const MAX_TRIALS: u32 = 10_000;

/// A request for a trial, stored for the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrialRequest {
    /// The id of the request, as its answer has it.
    pub request_id: String,
    /// The name of the agent.
    pub agent: String,
    /// The route of the trial; `None` where the request names none.
    pub endpoint: Option<String>,
    /// The contact data of the person; `None` where none was given.
    pub contact: Option<String>,
    /// The reason for the request; `None` where none was given.
    pub reason: Option<String>,
    /// The time of the request.
    pub at: Timestamp,
}

impl TrialRequest {
    /// The size of the texts in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let optional = [&self.endpoint, &self.contact, &self.reason];
        let optional: usize = optional.into_iter().flatten().map(String::len).sum();
        self.request_id.len() + self.agent.len() + optional
    }
}
