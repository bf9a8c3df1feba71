//! Records: receipts on their way into the log, and what the ledger keeps of them.

use std::sync::Arc;

use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::Hash;
use tlog::tile::MAX_ENTRY_BYTES;
use verdict::EvidenceBlob;

use crate::{ClaimRef, DisputeEnd, LedgerError, QuotaReservation, WatchStep};

/// The most bytes of one record: payload, request, entry and evidence together.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// The most bytes of a judgement that was paid for, before it is signed, so that it can always be delivered: the receipt
/// adds an envelope and a log entry, which fit in the rest of [`MAX_RECORD_BYTES`].
pub const MAX_JUDGEMENT_BYTES: usize = MAX_RECORD_BYTES - (128 << 10);
const _: () = assert!(MAX_ENTRY_BYTES <= 64 << 10, "half of the rest is for the envelope");

/// A signed receipt on its way into the ledger, with all that one transaction must carry.
#[derive(Debug)]
pub struct LedgerRecord {
    /// SHA-256 of the payload.
    pub hash: ReceiptHash,
    /// P: the canonical payload.
    pub payload: Vec<u8>,
    /// Ed25519 over the detached JWS input.
    pub signature: [u8; 64],
    /// The log entry, at most 65,535 bytes.
    pub entry: Vec<u8>,
    /// The route's class.
    pub class: &'static str,
    /// The time that was signed.
    pub signed_at: Timestamp,
    /// The request in canonical form; its SHA-256 is the payload's `request_hash`.
    pub request: Vec<u8>,
    /// The evidence that the judge looked at.
    pub evidence: Vec<EvidenceBlob>,
    /// The time that the judge was given: a replay at another finds other times.
    pub judged_at: Timestamp,
    /// The reservation of the free or granted call that this receipt uses up.
    pub reservation: Option<QuotaReservation>,
    /// The settled claim that it is paid by, and that becomes delivered with it.
    pub claim: Option<ClaimRef>,
    /// The end of the dispute that this is the receipt of; only with a [`claim`](Self::claim) that is a bond.
    pub dispute: Option<DisputeEnd>,
    /// The change that it makes to a watch.
    pub watch: Option<WatchStep>,
}

impl LedgerRecord {
    /// The record's size in bytes, as [`MAX_RECORD_BYTES`] counts it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let evidence: usize = self.evidence.iter().filter_map(EvidenceBlob::bytes).map(<[u8]>::len).sum();
        self.payload.len() + self.request.len() + self.entry.len() + evidence
    }

    /// Refuses a record that would make the whole batch fail, so that one bad record never harms its neighbours.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the record is too large, or ends a dispute without a claim.
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
        if self.dispute.is_some() && self.claim.is_none() {
            return Err(LedgerError::Unfit("the end of a dispute that no bond was paid for".to_owned()));
        }
        Ok(())
    }
}

/// A record that has become durable.
#[derive(Clone, Debug)]
pub struct AppendedRecord {
    /// The leaf index.
    pub leaf: u64,
    /// The inclusion proof under the checkpoint of the same transaction.
    pub inclusion: Inclusion,
}

/// An inclusion path and the signed checkpoint that it leads to.
#[derive(Clone, Debug)]
pub struct Inclusion {
    /// The leaf index.
    pub leaf: u64,
    /// The hashes from the leaf's sibling up to the root's child (RFC 6962, section 2.1.1).
    pub path: Vec<Hash>,
    /// The signed note.
    pub checkpoint: Arc<str>,
}

impl Inclusion {
    /// The C2SP tlog-proof text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let proof = tlog::TlogProof {
            extra: None,
            index: self.leaf,
            path: self.path.clone(),
            checkpoint: self.checkpoint.to_string(),
        };
        proof.to_string()
    }
}

/// A receipt as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredReceipt {
    /// The leaf index.
    pub leaf: u64,
    /// P: the canonical payload.
    pub payload: Vec<u8>,
    /// Ed25519 over the detached JWS input.
    pub signature: [u8; 64],
}

/// The request that a receipt answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRequest {
    /// The request in canonical form.
    pub body: Vec<u8>,
    /// The time that the judge was given.
    pub judged_at: Timestamp,
}

/// Preserved evidence. Its bytes may have been removed since; its address stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBlob {
    /// The role that it had for the judge.
    pub role: String,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The bytes, where they are still kept.
    pub bytes: Option<Vec<u8>>,
}

/// Counts of a class's receipts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassCount {
    /// The class.
    pub class: String,
    /// Receipts that used up a free call, or were of a free route.
    pub free: u64,
    /// Receipts that were paid for.
    pub paid: u64,
}

/// The most requests for a trial that are kept. Past it new ones are refused with [`LedgerError::TrialLimit`].
pub const MAX_TRIALS: u32 = 10_000;

/// A request for a trial, kept for the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrialRequest {
    /// The answer's `request_id`.
    pub request_id: String,
    /// The name of the agent that asks.
    pub agent: String,
    /// The route, if named.
    pub endpoint: Option<String>,
    /// The way to reach the person who asks.
    pub contact: Option<String>,
    /// The reason.
    pub reason: Option<String>,
    /// The time of the request.
    pub at: Timestamp,
}

impl TrialRequest {
    /// The bytes of its texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let optional = [&self.endpoint, &self.contact, &self.reason];
        let optional: usize = optional.into_iter().flatten().map(String::len).sum();
        self.request_id.len() + self.agent.len() + optional
    }
}

/// The public identities that a store is bound to: the signer of receipts, and the signer of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The receipt key's `kid`.
    pub receipt_kid: String,
    /// The `kid`s of receipt keys that sign no more. A store that is bound to one of them is bound anew.
    pub retired_kids: Vec<String>,
    /// The log's verifier key (vkey).
    pub log_vkey: String,
}

/// The relation of a store to an [`Identity`] that may use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// The store is bound to this identity.
    Same,
    /// The store is bound to a receipt key that has been retired since, and is to be bound to the one that took its place.
    Retired,
}

impl Identity {
    /// Compares this identity with the receipt key's `kid` and the vkey that a store is bound to.
    ///
    /// # Errors
    /// [`LedgerError::OtherKeys`]: it is bound to others.
    pub fn binding(&self, receipt_kid: &str, log_vkey: &str) -> Result<Binding, LedgerError> {
        let differs = |what: &str, stored: &str, given: &str| {
            Err(LedgerError::OtherKeys(format!(
                "the store was made with another {what}: it has {stored}, the keys folder and base address give {given}"
            )))
        };
        let is_retired = self.retired_kids.iter().any(|kid| kid == receipt_kid);
        if receipt_kid != self.receipt_kid && !is_retired {
            return differs("receipt key or base address", receipt_kid, &self.receipt_kid);
        }
        if log_vkey != self.log_vkey {
            return differs("log key or log origin", log_vkey, &self.log_vkey);
        }
        Ok(if receipt_kid == self.receipt_kid { Binding::Same } else { Binding::Retired })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_used_with_its_own_keys_or_with_a_successor_of_its_receipt_key() {
        let identity = Identity {
            receipt_kid: "new".to_owned(),
            retired_kids: vec!["old".to_owned()],
            log_vkey: "log".to_owned(),
        };
        assert_eq!(identity.binding("new", "log").unwrap(), Binding::Same);
        assert_eq!(identity.binding("old", "log").unwrap(), Binding::Retired);
        for (kid, vkey, word) in
            [("other", "log", "receipt key"), ("new", "x", "log key"), ("old", "x", "log key")]
        {
            let refused = identity.binding(kid, vkey).unwrap_err();
            assert!(refused.to_string().contains(word), "{refused}");
        }
    }
}
