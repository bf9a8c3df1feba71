//! The notary signs findings, appends the receipts to the log, and returns each receipt with its proof.
//!
//! - [`Notary`]: the keys, the ledger and the clock; [`Notary::notarize`] signs and logs.
//! - [`KeyRing`]: the keys, which change while the notary works; [`Notary::log_key`] logs such a change.
//! - [`ReceiptDraft`]: the content of a receipt before it is signed and logged.
//! - [`Consequence`]: the change of the ledger that is made in the transaction which logs a receipt.
//! - [`Notarized`]: a receipt that is in the log, with its proof.
//!
//! # Invariants
//!
//! - A receipt is durable in the log before it is given out.
//!
//! - The time of a receipt is never before that of the newest receipt in the log.
//! - A receipt is signed by the receipt key that is in use at its leaf: one that the ledger refuses for that is signed again.

mod consequence;
mod error;
mod judge_context;
mod key_changes;
mod key_ring;

use std::sync::Arc;

use ledger::{
    AppendedRecord, ClaimRef, Delivery, Ledger, LedgerError, LedgerRecord, MAX_CLOCK_OFFSET_MS, MemoryKey,
    NewMemory, QuotaReservation, WatchStep,
};
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};
use receipt::sign::{SignedPayload, Signer, log_entry};
use receipt::time::Timestamp;
use serde::Serialize;
use verdict::{AgentName, Clock, EvidenceBlob, KeptRequest, Unavailable};

pub use consequence::{Caller, Consequence, EndedDispute};
pub use error::NotaryError;
pub use judge_context::memory;
pub use key_changes::OWN_AGENT;
pub use key_ring::{KeyRing, KeyRingError, KeySet, NextKey};

/// The most milliseconds that the clock may be behind the newest receipt. Beyond it, nothing is signed.
const MAX_BEHIND_MS: i64 = 5_000;

/// The notary: its keys, its ledger and its clock.
pub struct Notary {
    /// The public base address, without a trailing slash.
    pub iss: String,
    /// The keys.
    pub keys: Arc<KeyRing>,
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// The clock that gives the time of day.
    pub clock: Arc<dyn Clock>,
    /// A sentence before every scope, such as the warning of the development profile; `None` where there is none.
    pub scope_prefix: Option<&'static str>,
}

/// The content of a receipt before it is signed and logged.
pub struct ReceiptDraft {
    /// The class of the route.
    pub class: &'static str,
    /// The name of the caller's agent.
    pub agent: AgentName,
    /// The request, as it is stored.
    pub request: KeptRequest,
    /// The finding, including its verdict.
    pub finding: Object,
    /// The evidence of the finding.
    pub evidence: Vec<EvidenceBlob>,
    /// The time of the judgement.
    pub judged_at: Timestamp,
    /// The reserved free or granted call that the receipt uses up; `None` where the call was paid for.
    pub place: Option<QuotaReservation>,
    /// The payment and its claim, which is delivered with the receipt; `None` where nothing was paid.
    pub paid: Option<(Payment, ClaimRef)>,
    /// The change of the ledger that is made with the receipt.
    pub consequence: Consequence,
}

/// A receipt that is in the log.
#[derive(Clone, Debug)]
pub struct Notarized {
    signed: SignedPayload,
    leaf: u64,
    proof: String,
}

impl Notarized {
    /// The JSON text of the receipt, including its proof.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.signed.to_json(Some(&self.proof))
    }

    /// The position of the receipt in the log, as the claim of its payment stores it.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        Delivery { hash: self.signed.hash, leaf: self.leaf, proof: self.proof.clone() }
    }
}

/// The payment of a receipt, as the receipt itself states it.
#[derive(Serialize)]
pub struct Payment {
    /// The short name of the network, such as `base`.
    pub network: String,
    /// The symbol of the token, such as `USDC`.
    pub asset: String,
    /// The amount in the token's unit, as a decimal text.
    pub amount: String,
    /// The address of the account that paid.
    pub payer: String,
    /// The hash of the transaction that moved the money.
    pub transaction: String,
    /// The way of settlement: `chain`, `facilitator` or `local`.
    pub settlement: String,
}

impl Notary {
    /// The time of day, if receipts can be signed with it.
    ///
    /// # Errors
    /// 503: the clock is more than 5 s behind the newest receipt, or more than 2 s off that of the store.
    pub fn now(&self) -> Result<Timestamp, Unavailable> {
        let now = self.clock.now();
        let behind = self.ledger.head().latest.millis_since(now);
        if behind > MAX_BEHIND_MS {
            tracing::error!(behind_ms = behind, "the clock is behind the log; nothing is signed");
            return Err(unavailable("clock", 5, "the notary's clock is behind its log"));
        }
        let offset = self.ledger.clock_offset_ms().unwrap_or_default();
        if offset.unsigned_abs() > MAX_CLOCK_OFFSET_MS {
            tracing::error!(offset_ms = offset, "the clock is not that of the store; nothing is signed");
            return Err(unavailable("clock", 5, "the clock of this replica is off"));
        }
        Ok(now)
    }

    /// Signs a receipt and appends it to the log.
    ///
    /// # Errors
    /// [`NotaryError`]. The log does not have the receipt, and the reserved call is given back.
    pub async fn notarize(&self, draft: ReceiptDraft) -> Result<Notarized, NotaryError> {
        let ReceiptDraft {
            class,
            agent,
            request,
            mut finding,
            evidence,
            judged_at,
            place,
            paid,
            consequence,
        } = draft;
        let (mut dispute, mut watch, mut counters, mut memory) = (None, None, Vec::new(), None);
        let mut erases = None;
        match consequence {
            Consequence::None => {}
            Consequence::Watch(step) => watch = Some(step),
            Consequence::Dispute(ended) => dispute = Some(ended),
            Consequence::Erase(erased) => erases = Some(erased),
            Consequence::Count(subject) => {
                counters = judge_context::counters(class, &agent, subject.as_ref());
            }
            Consequence::Remember { subject, memory: text } => {
                memory = Some(NewMemory { key: MemoryKey::new(class, &subject), text });
            }
        }
        let (payment, claim) = paid.unzip();
        let tier = tier(claim.is_some(), place.as_ref(), watch.as_ref());
        let verdict = take_verdict(&mut finding)?;
        self.mark_scope(&mut finding);
        let (request, request_hash) = hashed(request).await?;
        let is_request_redacted = request.is_redacted();
        let reference = dispute
            .as_ref()
            .map(|ended| ended.disputed)
            .or_else(|| erases.as_ref().map(|erased| erased.hash));
        let contents = ReceiptContents {
            class,
            agent: agent.as_str(),
            request_hash,
            is_request_redacted,
            verdict: &verdict,
            payment: payment.as_ref(),
            reference: reference.as_ref(),
            finding: &Json::Object(finding),
        };
        let signer = self.keys.signer();
        let SignedReceipt { signed, entry, signed_at } = self.sign(&signer, &contents)?;
        let kid = signer.kid().as_str();
        let mut record = LedgerRecord {
            evidence,
            judged_at,
            reservation: place,
            claim,
            dispute: dispute.as_ref().map(|ended| ended.end),
            watch,
            counters,
            memory,
            erases,
            ..LedgerRecord::new(signed.clone(), kid, class, entry, signed_at, request.into_body())
        };
        let bytes = record.bytes() as u64;
        record.reservation.iter_mut().for_each(|place| place.store(bytes));
        let (signed, appended) = self.append(record, signed, &contents).await?;
        let AppendedRecord { leaf, inclusion } = appended;
        metrics::counter!("touchstone_receipts_total", "class" => class, "tier" => tier, "verdict" => verdict)
            .increment(1);
        Ok(Notarized { signed, leaf, proof: inclusion.to_text() })
    }

    /// Signs a receipt over the newest durable head.
    fn sign(&self, signer: &Signer, contents: &ReceiptContents<'_>) -> Result<SignedReceipt, Unavailable> {
        let ReceiptContents { class, reference, .. } = *contents;
        let head = self.ledger.head();
        let signed_at = self.now()?.max(head.latest);
        let kid = signer.kid().as_str();
        let envelope = Envelope {
            class,
            iss: &self.iss,
            kid,
            agent: contents.agent,
            request_hash: contents.request_hash,
            is_request_redacted: contents.is_request_redacted,
            verdict: contents.verdict,
            payment: contents.payment,
            reference,
            salt: salt()?,
            log_head: LogHead { size: head.size, root: head.root },
            signed_at,
        };
        let payload = envelope.payload(contents.finding).map_err(|error| {
            tracing::error!(%error, class, "a finding cannot be signed");
            unavailable("notary", 60, "the finding cannot be signed")
        })?;
        let signed = signer.sign(payload);
        let entry = log_entry(class, &signed.hash, kid, signed_at, reference);
        Ok(SignedReceipt { signed, entry, signed_at })
    }

    /// Appends a record. Where another receipt key has come into use since it was signed, it is signed again.
    async fn append(
        &self,
        mut record: LedgerRecord,
        mut signed: SignedPayload,
        contents: &ReceiptContents<'_>,
    ) -> Result<(SignedPayload, AppendedRecord), NotaryError> {
        for _ in 0..MAX_SIGNATURES {
            let (current, refused) = match self.ledger.append(record).await {
                Err(LedgerError::FormerKey { current, record: Some(refused) }) => (current, refused),
                appended => return Ok((signed, appended?)),
            };
            let signer = self.keys.successor(&*self.ledger, &current).await?;
            let again = self.sign(&signer, contents)?;
            signed = again.signed;
            record = LedgerRecord {
                hash: signed.hash,
                payload: signed.payload.clone(),
                signature: signed.signature,
                entry: again.entry,
                signed_at: again.signed_at,
                kid: signer.kid().as_str().to_owned(),
                ..*refused
            };
        }
        tracing::error!("the receipt key changed each time that a receipt was signed");
        Err(unavailable("notary", 1, "the receipt key is being changed").into())
    }

    fn mark_scope(&self, finding: &mut Object) {
        if let Some(prefix) = self.scope_prefix
            && let Some(scope) = finding.get("scope").and_then(Json::as_str)
        {
            let marked = format!("{prefix} {scope}");
            finding.insert("scope", marked);
        }
    }
}

/// The most times that a receipt is signed, because the receipt key has changed since.
const MAX_SIGNATURES: u32 = 3;

/// The content of a receipt, by all but its key and its time.
struct ReceiptContents<'a> {
    class: &'static str,
    agent: &'a str,
    request_hash: [u8; 32],
    is_request_redacted: bool,
    verdict: &'a str,
    payment: Option<&'a Payment>,
    reference: Option<&'a ReceiptHash>,
    finding: &'a Json,
}

/// A signed receipt that is to be logged.
struct SignedReceipt {
    signed: SignedPayload,
    entry: Vec<u8>,
    signed_at: Timestamp,
}

/// Returns who bears the cost of a receipt, as the metrics have it.
fn tier(is_paid: bool, place: Option<&QuotaReservation>, watch: Option<&WatchStep>) -> &'static str {
    match (is_paid, place, watch) {
        (true, _, _) => "paid",
        (_, Some(place), _) if place.is_granted() => "granted",
        (_, _, Some(WatchStep::Changed(_))) => "watch",
        _ => "free",
    }
}

/// The most bytes that are hashed where a request is served: they take half a millisecond at most.
const HASHED_HERE: usize = 256 << 10;

/// A request with the SHA-256 of what was sent.
async fn hashed(request: KeptRequest) -> Result<(KeptRequest, [u8; 32]), Unavailable> {
    let hash = |request: KeptRequest| {
        let hash = request.sent_sha256();
        (request, hash)
    };
    if request.body().len() <= HASHED_HERE {
        return Ok(hash(request));
    }
    tokio::task::spawn_blocking(move || hash(request))
        .await
        .map_err(|_| unavailable("notary", 1, "the request could not be hashed"))
}

/// Removes the verdict from a finding and returns it, because a receipt has it in its envelope.
///
/// # Errors
///
/// 503: the finding has no verdict.
pub fn take_verdict(finding: &mut Object) -> Result<String, Unavailable> {
    match finding.remove("verdict") {
        Some(Json::String(verdict)) => Ok(verdict),
        other => {
            tracing::error!(?other, "a finding without a verdict");
            Err(unavailable("notary", 60, "the finding cannot be signed"))
        }
    }
}

fn salt() -> Result<[u8; 16], Unavailable> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|error| {
        tracing::error!(%error, "no randomness");
        unavailable("notary", 5, "the notary has no randomness at the moment")
    })?;
    Ok(salt)
}

fn unavailable(module: &'static str, retry_after_s: u32, detail: &str) -> Unavailable {
    Unavailable { module, retry_after_s, detail: detail.to_owned() }
}
