//! A witness: it cosigns what is consistent with what it cosigned before, and nothing else.

use std::collections::HashMap;

use tlog::cosignature::{MAX_ML_DSA_NAME_BYTES, MAX_TIME};
use tlog::{Checkpoint, CosignerKey, EMPTY_ROOT, KeyKind, Note, ProofError, VerifierKey, verify_consistency};

use crate::answer::Answer;
use crate::request::AddCheckpoint;
use crate::store::{Latest, TreeHead, WitnessStore};

/// How often a request is tried, if others change the record of its log meanwhile.
const ATTEMPTS: usize = 4;

/// An error in the configuration of a witness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    /// The witness has no key to cosign with.
    #[error("a witness needs a key to cosign with")]
    NoCosigner,
    /// A log has no trusted key.
    #[error("the log {0:?} has no trusted key")]
    NoLogKey(String),
    /// The origin of a log is empty, or has a control character.
    #[error("{0:?} is no origin of a log")]
    Origin(String),
    /// The origin is too long for ML-DSA-44 cosignatures.
    #[error("the origin {0:?} has more than 255 bytes, which ML-DSA-44 cosignatures cannot carry")]
    OriginTooLong(String),
    /// A key of the witness is a trusted key of the log, so that its cosignature could be taken for the log's signature.
    #[error("the witness's own key {0:?} must not be a key of a log")]
    OwnKey(String),
}

/// A key that a witness trusts for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: VerifierKey,
    /// The number of leaves of the largest tree that the key may sign; `None` while it has no end. Who has stolen a key that the log
    /// has replaced can make the witness record no larger tree, and so neither fork the log nor keep it from going on.
    pub until: Option<u64>,
}

impl From<VerifierKey> for TrustedKey {
    fn from(key: VerifierKey) -> Self {
        Self { key, until: None }
    }
}

/// A witness: its keys, and the keys that it trusts for each log.
#[derive(Debug)]
pub struct Witness {
    cosigners: Vec<CosignerKey>,
    logs: HashMap<String, Vec<TrustedKey>>,
}

impl Witness {
    /// Makes a witness without logs, which cosigns once with each of the keys.
    pub fn new(cosigners: Vec<CosignerKey>) -> Result<Self, WitnessError> {
        if cosigners.is_empty() {
            return Err(WitnessError::NoCosigner);
        }
        Ok(Self { cosigners, logs: HashMap::new() })
    }

    /// Adds a log with the keys that are trusted for its origin, in place of those before.
    pub fn with_log(mut self, origin: &str, keys: Vec<impl Into<TrustedKey>>) -> Result<Self, WitnessError> {
        let keys: Vec<TrustedKey> = keys.into_iter().map(Into::into).collect();
        if Checkpoint::new(origin, 0, EMPTY_ROOT).is_err() {
            return Err(WitnessError::Origin(origin.to_owned()));
        }
        if keys.is_empty() {
            return Err(WitnessError::NoLogKey(origin.to_owned()));
        }
        let by_ml_dsa = self.cosigners.iter().any(|cosigner| cosigner.kind() == KeyKind::MlDsa44);
        if by_ml_dsa && origin.len() > MAX_ML_DSA_NAME_BYTES {
            return Err(WitnessError::OriginTooLong(origin.to_owned()));
        }
        for cosigner in &self.cosigners {
            if keys.iter().any(|trusted| trusted.key.public_key() == cosigner.verifier().public_key()) {
                return Err(WitnessError::OwnKey(cosigner.name().to_owned()));
            }
        }
        self.logs.insert(origin.to_owned(), keys);
        Ok(self)
    }

    /// The public keys that verify the cosignatures of this witness.
    pub fn verifiers(&self) -> Vec<VerifierKey> {
        self.cosigners.iter().map(CosignerKey::verifier).collect()
    }

    /// Answers a request to `add-checkpoint`. `now` tells the time, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// A cosignature is made only after the store has said that the new record is durable.
    pub async fn add_checkpoint(
        &self,
        store: &dyn WitnessStore,
        body: &[u8],
        now: &(dyn Fn() -> u64 + Sync),
    ) -> Answer {
        let request = match AddCheckpoint::from_bytes(body) {
            Ok(request) => request,
            Err(error) => return Answer::Malformed(error),
        };
        match self.record(store, &request, now).await {
            Ok(time) => self.cosign(request.checkpoint(), time),
            Err(answer) => answer,
        }
    }

    /// Checks the request against the record, and makes its checkpoint the new record. Returns the time to cosign at.
    async fn record(
        &self,
        store: &dyn WitnessStore,
        request: &AddCheckpoint,
        now: &(dyn Fn() -> u64 + Sync),
    ) -> Result<u64, Answer> {
        let origin = request.checkpoint().origin();
        let note = self.signed_by_log(request)?;
        for _ in 0..ATTEMPTS {
            let latest = store.latest(origin).await.map_err(Answer::Unavailable)?;
            let latest = latest.map(|latest| latest.head);
            let head = check_against(latest, request)?;
            // The time is read between the look at the record and its replacement. Read later, it could be after the
            // time of a larger tree that another request has cosigned meanwhile.
            let time = now();
            if !(1..=MAX_TIME).contains(&time) {
                return Err(Answer::NoTime(time));
            }
            let new = Latest { head, note: note.to_string() };
            if store.compare_and_swap(origin, latest, new).await.map_err(Answer::Unavailable)? {
                return Ok(time);
            }
        }
        Err(Answer::Busy)
    }

    /// Returns the note with the valid signatures of the log alone, one for each of its keys.
    fn signed_by_log(&self, request: &AddCheckpoint) -> Result<Note, Answer> {
        let trusted = self.logs.get(request.checkpoint().origin()).ok_or(Answer::UnknownLog)?;
        let size = request.checkpoint().size();
        let is_in_use = |trusted: &&TrustedKey| trusted.until.is_none_or(|until| size <= until);
        let keys: Vec<VerifierKey> =
            trusted.iter().filter(is_in_use).map(|trusted| trusted.key.clone()).collect();
        request.note().verify(&keys).map_err(Answer::NotSigned)?;
        let of = |key: &VerifierKey| {
            request.note().signatures().iter().find(|signature| signature.names(key)).cloned()
        };
        Note::new(request.note().text(), keys.iter().filter_map(of).collect()).map_err(Answer::NotSigned)
    }

    fn cosign(&self, checkpoint: &Checkpoint, time: u64) -> Answer {
        let signatures = self.cosigners.iter().map(|cosigner| cosigner.cosign(checkpoint, time)).collect();
        match signatures {
            Ok(signatures) => Answer::Cosigned(signatures),
            Err(error) => Answer::NotCosigned(error),
        }
    }
}

/// Checks that a checkpoint whose signature was verified follows on the latest head, in the order of the standard.
/// Returns its head.
fn check_against(latest: Option<TreeHead>, request: &AddCheckpoint) -> Result<TreeHead, Answer> {
    let (old, checkpoint) = (request.old_size(), request.checkpoint());
    let head = TreeHead { size: checkpoint.size(), root: checkpoint.root() };
    if old > head.size {
        return Err(Answer::OldSizeTooLarge { old, size: head.size });
    }
    // A log without a record is one whose empty tree is known.
    let latest = latest.unwrap_or(TreeHead { size: 0, root: EMPTY_ROOT });
    if old != latest.size {
        return Err(Answer::OldSizeMismatch { latest: latest.size });
    }
    match verify_consistency(old, head.size, &latest.root, &head.root, request.proof()) {
        Ok(()) => Ok(head),
        Err(ProofError::RootMismatch) if old == head.size && old != 0 => Err(Answer::OtherRoot),
        Err(error) => Err(Answer::Inconsistent(error)),
    }
}
