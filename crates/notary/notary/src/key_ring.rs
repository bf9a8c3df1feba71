//! The keys of a notary, which follow the log's records of keys while it works.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use ledger::{Ledger, LedgerError, StoredReceipt};
use receipt::history::{KeyHistory, KeyHistoryError, KeyRole};
use receipt::key::{LogKey, PublishedKey};
use receipt::sign::Signer;
use receipt::verify::{Keys, KeysError, Verifier};
use thiserror::Error;
use tlog::VerifierKey;
use verdict::Unavailable;

use crate::unavailable;

/// The keys of a notary at one moment.
pub struct KeySet {
    /// The receipt key.
    pub signer: Arc<Signer>,
    /// The keys of receipts and of reruns with their ranges, former ones too; first the one that signs receipts.
    pub published: Vec<PublishedKey>,
    /// The keys of the log with the trees that each may sign, former ones too, in the order in which they came.
    pub log_keys: Vec<LogKey>,
    /// The verifier of receipts under those keys.
    pub verifier: Arc<Verifier>,
    /// The history that the log's records of keys tell.
    pub history: KeyHistory,
    /// The records.
    pub records: Vec<StoredReceipt>,
}

impl KeySet {
    /// The log key that others should know: the newest one in use. While it takes the place of another, both sign.
    ///
    /// # Panics
    /// The ring was made without a key of the log, which none of a notary is.
    #[must_use]
    pub fn log_key(&self) -> &VerifierKey {
        let is_in_use = |key: &&LogKey| key.range.as_ref().is_none_or(|range| range.until.is_none());
        let newest = self.log_keys.iter().rev().find(is_in_use).or(self.log_keys.last());
        &newest.expect("the log of a notary has a key").key
    }
}

/// A receipt key that is to take the place of the present one.
#[derive(Clone, Debug)]
pub struct NextKey {
    /// The key.
    pub signer: Arc<Signer>,
}

/// An error in following the log's records of keys. The keys stay as they were.
#[derive(Debug, Error)]
pub enum KeyRingError {
    /// The records cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The records break a rule.
    #[error(transparent)]
    History(#[from] KeyHistoryError),
    /// A published key is none.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The receipt key that is in use by now is not one of this process.
    #[error(
        "the receipt key in use is {0}, which this process does not have: copy receipt.pem from where it is"
    )]
    NotHere(String),
}

/// The keys of a notary. All its parts share one ring, so that they follow a change together: what is published has a key
/// before anything is signed with it.
pub struct KeyRing {
    set: RwLock<Arc<KeySet>>,
    next: RwLock<Option<NextKey>>,
    ready: RwLock<String>,
    /// The number of changes so far.
    version: AtomicU64,
    /// The receipt key that the process has started with.
    first: Arc<Signer>,
    /// The log keys that the process has started with.
    log: Vec<VerifierKey>,
    /// Signs what is not a checkpoint with the log key that has come into use since the process was started.
    log_signer: RwLock<Option<Arc<Signer>>>,
    following: tokio::sync::Mutex<()>,
}

impl KeyRing {
    /// A ring of the keys that the process has, before it knows the log's records: first those that it publishes.
    ///
    /// # Errors
    /// A published key is none.
    pub fn new(
        signer: Signer,
        published: Vec<PublishedKey>,
        log: Vec<VerifierKey>,
    ) -> Result<Self, KeysError> {
        let signer = Arc::new(signer);
        let verifier = Verifier::new(Keys::new(published.clone(), log.clone())?);
        let set = KeySet {
            signer: Arc::clone(&signer),
            published,
            log_keys: log.iter().cloned().map(LogKey::from).collect(),
            verifier: Arc::new(verifier),
            history: KeyHistory::default(),
            records: Vec::new(),
        };
        Ok(Self {
            set: RwLock::new(Arc::new(set)),
            next: RwLock::default(),
            ready: RwLock::default(),
            version: AtomicU64::new(0),
            first: signer,
            log,
            log_signer: RwLock::default(),
            following: tokio::sync::Mutex::default(),
        })
    }

    /// The keys at this moment.
    #[must_use]
    pub fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The receipt key at this moment.
    #[must_use]
    pub fn signer(&self) -> Arc<Signer> {
        Arc::clone(&self.current().signer)
    }

    /// The receipt key that the process has started with, from which it derives secrets of its own.
    #[must_use]
    pub fn first(&self) -> &Signer {
        &self.first
    }

    /// A number that grows with each change of [`current`](Self::current). Read before it, it is at most as new.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The receipt key that is to take the place of the present one; `None` where there is none.
    #[must_use]
    pub fn next(&self) -> Option<NextKey> {
        self.next.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the receipt key that is to take the place of the present one.
    pub fn set_next(&self, next: Option<NextKey>) {
        *self.next.write().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// The text by which processes that share a store see that they are ready for the same changes; empty where there are
    /// none.
    #[must_use]
    pub fn ready(&self) -> String {
        self.ready.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the text of [`ready`](Self::ready).
    pub fn set_ready(&self, ready: String) {
        *self.ready.write().unwrap_or_else(PoisonError::into_inner) = ready;
    }

    /// The log key that has come into use since the process was started, for what is not a checkpoint; `None` where it is
    /// the one of then.
    #[must_use]
    pub fn log_signer(&self) -> Option<Arc<Signer>> {
        self.log_signer.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the key of [`log_signer`](Self::log_signer).
    pub fn set_log_signer(&self, signer: Signer) {
        *self.log_signer.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(signer));
        self.note_change();
    }

    /// Notes that a key has changed which is not in the set, so that what is published is made again.
    pub fn note_change(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Follows the log's records of keys. Returns true if the keys have changed.
    ///
    /// # Errors
    /// [`KeyRingError`].
    pub async fn follow(&self, ledger: &dyn Ledger) -> Result<bool, KeyRingError> {
        let _one = self.following.lock().await;
        let records = ledger.key_records().await?;
        let before = self.current();
        if records == before.records {
            return Ok(false);
        }
        let mut history = KeyHistory::default();
        for StoredReceipt { leaf, payload, signature } in &records {
            history.add(*leaf, payload, signature)?;
        }
        let signer = self.signer_of(&history, &before)?;
        let published = history.published_with(&before.published);
        let log_keys = history.log_keys_with(&self.log);
        let keys = Keys::new(published.clone(), Vec::new())?.with_log_keys(log_keys.clone());
        let verifier = Arc::new(Verifier::new(keys));
        let set = KeySet { signer, published, log_keys, verifier, history, records };
        *self.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(true)
    }

    fn signer_of(&self, history: &KeyHistory, before: &KeySet) -> Result<Arc<Signer>, KeyRingError> {
        // Before the record of a key that was exchanged while nothing served, the history has the one before it.
        let Some(current) = history.current(KeyRole::Receipt) else { return Ok(Arc::clone(&before.signer)) };
        let name = current.key.name();
        let is_former = |name: &str| history.key(name).is_some_and(|period| period.range.until.is_some());
        if before.signer.kid().as_str() == name || !is_former(before.signer.kid().as_str()) {
            return Ok(Arc::clone(&before.signer));
        }
        match self.next() {
            Some(next) if next.signer.kid().as_str() == name => Ok(next.signer),
            _ => Err(KeyRingError::NotHere(name.to_owned())),
        }
    }

    /// The receipt key after the ledger has refused a record for that of another one, `current`.
    pub(crate) async fn successor(
        &self,
        ledger: &dyn Ledger,
        current: &str,
    ) -> Result<Arc<Signer>, Unavailable> {
        let mut signer = self.signer();
        if signer.kid().as_str() != current {
            if let Err(error) = self.follow(ledger).await {
                tracing::error!(%error, "the receipt key has changed, and cannot be followed");
            }
            signer = self.signer();
        }
        if signer.kid().as_str() == current {
            return Ok(signer);
        }
        Err(unavailable("notary", 5, "the receipt key is being changed"))
    }
}
