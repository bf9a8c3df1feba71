//! Offline verification of a receipt with the notary's keys.
//!
//! Each check has its own result:
//!
//! | check | rule |
//! |---|---|
//! | `hash` | `receipt_hash` is the SHA-256 of the canonical payload |
//! | `signature` | the Ed25519 signature is the key's, over the JWS signing input (RFC 7515) |
//! | `key` | `kid` is a known key, its DID is that of `iss`, and the leaf lies in the key's range where that is known |
//! | `inclusion` | the log entry rebuilt from the payload is in a tree whose checkpoint a key of the log signed that may sign trees of that size |
//! | `timestamp` | `signed_at` is a time that is not in the future; `log_head` is not larger than the leaf's index |
//! | `rerun` | only for the receipt of a dispute: its verdict follows from the finding that a key of reruns signed |
//!
//! Only the log itself can confirm that it had that head and the tree of the checkpoint: [`Report::compare_head`],
//! [`Report::compare_checkpoint`].
//!
//! A check that cannot be made fails. A text that is not a receipt gives a [`VerifyError`] instead.

mod fields;
mod keys;
mod report;
mod rerun;
mod timestamp;

pub use fields::{VerifyError, VerifyErrorKind};
pub use keys::{Keys, KeysError, UnsignedCheckpoint};
pub use report::{CheckResult, Report, VerificationOutcome};
pub use rerun::{REASONS_WITHOUT_REPLAY, RERUN_JWS_TYPE};

use crate::envelope::LogHead;
use crate::hash::ReceiptHash;
use crate::json;
use crate::key::{did_from_base_url, log_origin_from_base_url};
use crate::sign::log_entry;
use crate::time::Timestamp;
use fields::ReceiptFields;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tlog::{Checkpoint, TlogProof, leaf_hash, verify_inclusion};

/// The most checkpoints that are remembered as verified. Past it all are forgotten.
const MAX_CHECKPOINTS: usize = 4096;

/// A longer note is not remembered: anybody may add signature lines to a checkpoint, and so fill the memory. A
/// checkpoint with the cosignatures of a dozen witnesses is under 2 KB.
const MAX_REMEMBERED_BYTES: usize = 4096;

/// Verifies receipts with a set of keys. It caches the checkpoints that it has verified, so that the signature of a
/// checkpoint is verified once for many receipts. Threads may share it.
///
/// ```
/// use receipt::key::{KeyId, PublishedKey, SigningKey};
/// use receipt::verify::{Keys, Verifier};
///
/// let key = SigningKey::from_seed(&[7; 32]).public_key();
/// let published = PublishedKey::active(KeyId::new("https://notary.example", &key)?, key);
/// let verifier = Verifier::new(Keys::new(vec![published], Vec::new())?);
///
/// let error = verifier.verify(br#"{"v":1}"#).unwrap_err();
/// assert_eq!((error.field.as_str(), error.code()), ("class", "missing"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Verifier {
    keys: Keys,
    checkpoints: RwLock<HashMap<String, Arc<Checkpoint>>>,
    now: Option<Timestamp>,
}

impl Verifier {
    /// A verifier with these keys and without a clock: it does not refuse a receipt that was signed in the future.
    pub fn new(keys: Keys) -> Self {
        Self { keys, checkpoints: RwLock::default(), now: None }
    }

    /// Sets the verifier's clock to this time: a receipt signed more than 5 s later fails its `timestamp` check.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// The keys of the verifier.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Verifies the JSON text of a receipt, as the notary answered it.
    ///
    /// # Errors
    /// [`VerifyError`] where the text is not a receipt: it is not I-JSON, or a member is missing or has another type. A
    /// member whose value is wrong fails its check instead.
    pub fn verify(&self, receipt: &[u8]) -> Result<Report, VerifyError> {
        self.verify_at(receipt, self.now)
    }

    /// Verifies as [`verify`](Self::verify) does, with this time in place of the verifier's clock. With `None`, a
    /// receipt signed in the future passes.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_at(&self, receipt: &[u8], now: Option<Timestamp>) -> Result<Report, VerifyError> {
        let document = json::parse(receipt)?;
        let fields = ReceiptFields::of(&document)?;
        let payload = fields.payload();
        let hash = ReceiptHash::of_payload(&payload);
        let proof = fields.proof.map(str::parse::<TlogProof>);
        let index = proof.as_ref().and_then(|proof| proof.as_ref().ok()).map(|proof| proof.index);
        let (timestamp, log_head) = match timestamp::check(&fields, index, now) {
            Ok((check, head)) => (check, Some(head)),
            Err(check) => (check, None),
        };
        let included = match proof {
            None => Err(CheckResult::unmade("the receipt has no proof")),
            Some(Err(error)) => Err(CheckResult::failed(format!("the proof is malformed: {error}"))),
            Some(Ok(_)) if self.keys.log_keys().is_empty() => {
                Err(CheckResult::unmade("no key of the log is known, so the checkpoint cannot be checked"))
            }
            Some(Ok(proof)) => self.check_inclusion(&fields, &hash, &proof).map_err(CheckResult::failed),
        };
        let (inclusion, checkpoint) = match included {
            Ok((check, checkpoint)) => (check, Some(checkpoint)),
            Err(check) => (check, None),
        };
        Ok(Report {
            receipt_hash: hash,
            log_head,
            checkpoint,
            hash: check_hash(&fields, &hash),
            signature: self.check_signature(&fields, &payload),
            key: self.check_key(&fields, index),
            inclusion,
            timestamp,
            rerun: rerun::check(&fields, &self.keys, index),
        })
    }

    fn check_signature(&self, fields: &ReceiptFields<'_>, payload: &[u8]) -> CheckResult {
        let Some(key) = self.keys.receipt_key(fields.kid) else {
            return self.without_key(fields, "the key is not known, so the signature cannot be checked");
        };
        match key.verify(payload, fields.signature) {
            Ok(()) => CheckResult::passed("the key's Ed25519 signature over the payload verifies"),
            Err(why) => CheckResult::failed(format!("the Ed25519 signature {why}")),
        }
    }

    /// The result of a check that needs the receipt's key, which is not known. It fails where the other keys of that issuer
    /// are known, since then the issuer does not publish this one; the keys of another notary say nothing.
    fn without_key(&self, fields: &ReceiptFields<'_>, why: &str) -> CheckResult {
        let issuer = did_from_base_url(fields.iss);
        let is_of_issuer = issuer.as_deref() == Ok(fields.kid.split('#').next().unwrap_or_default());
        if !is_of_issuer || issuer.is_ok_and(|issuer| self.keys.are_of(&issuer)) {
            return CheckResult::failed(why);
        }
        CheckResult::unmade(format!("{why}: the keys at hand are not those of {}", fields.iss))
    }

    fn check_key(&self, fields: &ReceiptFields<'_>, leaf: Option<u64>) -> CheckResult {
        let Some(key) = self.keys.receipt_key(fields.kid) else {
            return self.without_key(fields, "kid is not one of the known keys");
        };
        match did_from_base_url(fields.iss) {
            Ok(did) if did == key.kid.did() => {}
            Ok(did) => {
                return CheckResult::failed(format!("kid is a key of {}, and iss is {did}", key.kid.did()));
            }
            Err(_) => return CheckResult::failed("iss is not a base address"),
        }
        let known = if key.retired { "a known key of iss, now retired" } else { "a known key of iss" };
        let Some(range) = key.range.as_ref().filter(|range| !range.is_everything()) else {
            return CheckResult::passed(known);
        };
        match leaf.map(|leaf| range.check(leaf)) {
            Some(Ok(())) => CheckResult::passed(format!("{known}; the leaf lies in its range")),
            Some(Err(error)) => CheckResult::failed(error.to_string()),
            // Without a proof there is no leaf; a proof that is malformed hides one.
            None if fields.proof.is_none() => {
                CheckResult::unmade("there is no leaf index to hold the key's range against")
            }
            None => CheckResult::failed("there is no leaf index to hold the key's range against"),
        }
    }

    fn check_inclusion(
        &self,
        fields: &ReceiptFields<'_>,
        hash: &ReceiptHash,
        proof: &TlogProof,
    ) -> Result<(CheckResult, LogHead), String> {
        let no_entry = |what| format!("{what}, so there is no log entry of this receipt");
        let signed_at = fields.signed_at.parse().map_err(|_| no_entry("signed_at is not a time"))?;
        let reference = fields.reference.map(str::parse).transpose();
        let reference = reference.map_err(|_| no_entry("ref is not a receipt hash"))?;
        let checkpoint = self.open(&proof.checkpoint);
        let checkpoint = checkpoint.map_err(|error| format!("the checkpoint does not verify: {error}"))?;
        if log_origin_from_base_url(fields.iss).as_deref() != Ok(checkpoint.origin()) {
            return Err(format!("the checkpoint is of the log {}, not of iss", checkpoint.origin()));
        }
        let entry = log_entry(fields.class, hash, fields.kid, signed_at, reference.as_ref());
        let (size, root) = (checkpoint.size(), checkpoint.root());
        verify_inclusion(proof.index, size, &leaf_hash(&entry), &proof.path, &root)
            .map_err(|error| format!("the log does not hold this receipt: {error}"))?;
        let detail = format!("leaf {} of the log's signed tree of {size}", proof.index);
        Ok((CheckResult::passed(detail), LogHead { size, root }))
    }

    /// Opens a checkpoint, or finds it among those opened before. The whole note is the cache key, since every byte
    /// was verified.
    fn open(&self, note: &str) -> Result<Arc<Checkpoint>, UnsignedCheckpoint> {
        let known = self.checkpoints.read().unwrap_or_else(PoisonError::into_inner).get(note).cloned();
        if let Some(checkpoint) = known {
            return Ok(checkpoint);
        }
        let checkpoint = Arc::new(self.keys.open_checkpoint(note)?);
        if note.len() > MAX_REMEMBERED_BYTES {
            return Ok(checkpoint);
        }
        let mut checkpoints = self.checkpoints.write().unwrap_or_else(PoisonError::into_inner);
        if checkpoints.len() >= MAX_CHECKPOINTS {
            checkpoints.clear();
        }
        checkpoints.insert(note.to_owned(), Arc::clone(&checkpoint));
        Ok(checkpoint)
    }
}

fn check_hash(fields: &ReceiptFields<'_>, hash: &ReceiptHash) -> CheckResult {
    match fields.receipt_hash.parse::<ReceiptHash>() {
        Ok(claimed) if claimed == *hash => {
            CheckResult::passed("receipt_hash is the SHA-256 of the canonical payload")
        }
        Ok(_) => CheckResult::failed(format!("the SHA-256 of the canonical payload is {hash}")),
        Err(error) => CheckResult::failed(format!("receipt_hash is malformed: {error}")),
    }
}
