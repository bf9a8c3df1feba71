//! The history of a notary's keys: at which leaves of the log each may sign.
//!
//! It follows from the receipts of the class [`KEY_CLASS`] alone, in the order of their leaves, by these rules
//! ([`KEY_METHOD`]). The record is at leaf R.
//!
//! | record | signed by | ranges that follow |
//! |---|---|---|
//! | `INTRODUCED` | the receipt key in use | the key's: from 0, without an end |
//! | `INTRODUCED`, `retired` | the receipt key in use | the key's: from 0 until R |
//! | `ROTATED` | the receipt key in use; of a receipt key, the old one | the old one's ends at R + 1, where the new one's begins |
//! | `REVOKED` of a key in use | of a receipt key the new one, else the receipt key in use | the old one's ends at R, where the new one's begins |
//! | `REVOKED` of a former key | the receipt key in use | none changes; of a rerun key, its range ends at R instead |
//! | `ROTATED` of a log's key | the receipt key in use | the new one's begins at R; the old one stays in use beside it |
//! | `ENDED` of a log's key | the receipt key in use | the old one's ends at R |
//!
//! A log's key signs checkpoints and no leaves: its range has the last leaves of the trees that it may sign. From `ROTATED` on
//! each checkpoint has the signatures of both keys, until `ENDED`: so those who know the old key alone have that time to learn
//! of the new one. `ENDED` has a checkpoint that both have signed over a tree with the record of the new one, for those who come
//! later.
//!
//! The range of a rerun key has the leaves of the receipts that it is in. It counts for a key that is revoked alone: what a key found
//! before it was rotated may be logged after that, but not after its revocation.
//!
//! The first record is that of the receipt key itself. A key that takes another one's place signs that it does
//! ([`possession`]). A range excludes its end.
//!
//! A record that breaks a rule is an error: the log then says two things about its keys.

mod log_keys;
mod noted;
mod record;

pub use noted::{KeyRole, NotedKey};
pub use record::{
    KEY_CLASS, KEY_METHOD, KeyChange, KeyRecord, MAX_KEY_REASON, POSSESSION_JWS_TYPE, possession,
};

use crate::json::{self, Json};
use crate::key::{KeyState, LeafRange, OutOfRange, PublishedKey, VerifyingKey};
use crate::sign::{JWS_TYPE, jws_header_of_type, signing_input};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;

/// The most records of keys in a log.
pub const MAX_KEY_RECORDS: usize = 1024;

/// A key, and the leaves at which it may sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPeriod {
    /// The key.
    pub key: NotedKey,
    /// Its leaves.
    pub range: LeafRange,
}

/// The history of the keys of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyHistory {
    periods: Vec<KeyPeriod>,
    /// The leaves of the records so far.
    leaves: Vec<u64>,
    /// The checkpoints that two log keys have signed: see [`handovers`](Self::handovers).
    handovers: Vec<String>,
}

/// A record that breaks the rules of [`KeyHistory`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the record of a key at leaf {leaf}: {why}")]
pub struct KeyHistoryError {
    /// The leaf of the record.
    pub leaf: u64,
    /// The broken rule, in one lower-case sentence without a full stop.
    pub why: String,
}

/// The reason why a leaf is not one of a key's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotOfKey {
    /// The log has no record of this key.
    #[error("the log has no record of the key {0}")]
    Unknown(String),
    /// The leaf is out of the key's range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}

type Why = String;

impl KeyHistory {
    /// Adds the next record: the receipt at `leaf`, which must come after all before it. `payload` and `signature` are
    /// the receipt's; that the log has the receipt at that leaf is for the caller to check.
    ///
    /// # Errors
    /// [`KeyHistoryError`]: the record breaks a rule, and the history has not changed.
    pub fn add(&mut self, leaf: u64, payload: &[u8], signature: &[u8; 64]) -> Result<(), KeyHistoryError> {
        let next = self.with(leaf, payload, signature).map_err(|why| KeyHistoryError { leaf, why })?;
        *self = next;
        Ok(())
    }

    fn with(&self, leaf: u64, payload: &[u8], signature: &[u8; 64]) -> Result<Self, Why> {
        if self.leaves.last().is_some_and(|last| *last >= leaf) {
            return Err("a record of a later leaf came before it".to_owned());
        }
        if self.leaves.len() >= MAX_KEY_RECORDS {
            return Err(format!("the log has more than {MAX_KEY_RECORDS} records of keys"));
        }
        let document = json::parse(payload).map_err(|error| error.to_string())?;
        if document.get("class").and_then(Json::as_str) != Some(KEY_CLASS) {
            return Err("its class is another".to_owned());
        }
        let kid = document.get("kid").and_then(Json::as_str).ok_or("it has no kid")?;
        let record = KeyRecord::read(&document)?;
        let mut next = self.clone();
        next.apply(leaf, &record)?;
        next.check_signer(leaf, kid, &record, payload, signature)?;
        next.leaves.push(leaf);
        Ok(next)
    }

    fn begin(&mut self, key: &NotedKey, from: u64, until: Option<u64>) {
        let range = LeafRange { from, until, revoked: None };
        self.periods.push(KeyPeriod { key: key.clone(), range });
    }

    fn apply(&mut self, leaf: u64, record: &KeyRecord) -> Result<(), Why> {
        let KeyRecord { change, key, replaces, reason, .. } = record;
        let is_known = self.key(key.name()).is_some();
        let Some(replaces) = replaces else {
            let is_retired = *change == KeyChange::Introduced { retired: true };
            if is_known {
                return Err("the key is known already".to_owned());
            }
            if !is_retired && self.current(key.role()).is_some() {
                return Err("another key of its role is in use: it has to take that one's place".to_owned());
            }
            self.begin(key, 0, is_retired.then_some(leaf));
            return Ok(());
        };
        if key.role() == KeyRole::Log {
            return self.apply_to_log(leaf, record, replaces);
        }
        if *change == KeyChange::Ended {
            return Err("only a log's key is ended by a record of its own".to_owned());
        }
        if *change == KeyChange::Revoked && reason.is_none() {
            return Err("it gives no reason for revoking the key".to_owned());
        }
        if *change == KeyChange::Revoked && is_known {
            return self.revoke_former(leaf, record, replaces);
        }
        if is_known {
            return Err("the key was in use before".to_owned());
        }
        if self.current(key.role()).is_none_or(|current| current.key.name() != replaces) {
            return Err(format!("{replaces} is not the {} key in use", key.role().as_str()));
        }
        if !record.has_possession() {
            return Err("the new key has not signed that it takes the place of the old one".to_owned());
        }
        let boundary = if *change == KeyChange::Revoked { leaf } else { leaf.saturating_add(1) };
        if let Some(old) = self.periods.iter_mut().find(|period| period.key.name() == replaces) {
            old.range.until = Some(boundary);
            old.range.revoked.clone_from(reason);
        }
        self.begin(key, boundary, None);
        Ok(())
    }

    fn revoke_former(&mut self, leaf: u64, record: &KeyRecord, former: &str) -> Result<(), Why> {
        let role = record.key.role();
        if self.current(role).is_none_or(|current| current.key != record.key) {
            return Err(format!("its key is not the {} key in use", role.as_str()));
        }
        let of_role = |period: &&mut KeyPeriod| period.key.name() == former && period.key.role() == role;
        match self.periods.iter_mut().find(of_role) {
            Some(KeyPeriod {
                range: LeafRange { until: Some(until), revoked: revoked @ None, .. }, ..
            }) => {
                revoked.clone_from(&record.reason);
                if role == KeyRole::Rerun {
                    // Until now its end did not count: what was logged since then still holds.
                    *until = leaf;
                }
                Ok(())
            }
            _ => Err(format!("{former} is not a former {} key that can be revoked", role.as_str())),
        }
    }

    /// Checks the signature of a record by the receipt key that its kid names, on the history with that record.
    fn check_signer(
        &self,
        leaf: u64,
        kid: &str,
        record: &KeyRecord,
        payload: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), Why> {
        let signer = self.key(kid).filter(|period| period.key.role() == KeyRole::Receipt);
        let signer = signer.ok_or_else(|| format!("its signer {kid} is not a known receipt key"))?;
        signer.range.check(leaf).map_err(|error| format!("its signer {kid}: {error}"))?;
        if self.leaves.is_empty() && record.key.name() != kid {
            return Err("the first record is not that of its own signer".to_owned());
        }
        let key = VerifyingKey::new(signer.key.public()).map_err(|_| "its signer is not a key".to_owned())?;
        let header = URL_SAFE_NO_PAD.encode(jws_header_of_type(JWS_TYPE, kid));
        let verified = key.verify(&signing_input(&header, payload), signature);
        verified.map_err(|_| "its signature does not verify".to_owned())
    }

    /// All keys, in the order of their records.
    pub fn periods(&self) -> &[KeyPeriod] {
        &self.periods
    }

    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&KeyPeriod> {
        self.periods.iter().find(|period| period.key.name() == name)
    }

    /// The key of a role that is in use; `None` where the log has no record of one. Of the log's two keys, while one takes the
    /// place of the other, it is the old one.
    pub fn current(&self, role: KeyRole) -> Option<&KeyPeriod> {
        self.periods.iter().find(|period| period.key.role() == role && period.range.until.is_none())
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Checks that a receipt key may sign a leaf.
    ///
    /// # Errors
    /// [`NotOfKey`]: it is unknown, signs no receipts, or may not sign this leaf.
    pub fn check(&self, kid: &str, leaf: u64) -> Result<(), NotOfKey> {
        let key = self.key(kid).filter(|period| period.key.role() == KeyRole::Receipt);
        let key = key.ok_or_else(|| NotOfKey::Unknown(kid.to_owned()))?;
        Ok(key.range.check(leaf)?)
    }

    /// The published keys, and after them those of `known` of which the log has no record yet.
    #[must_use]
    pub fn published_with(&self, known: &[PublishedKey]) -> Vec<PublishedKey> {
        let mut published = self.published();
        for key in known {
            if published.iter().all(|recorded| recorded.kid != key.kid) {
                published.push(key.clone());
            }
        }
        published
    }

    /// The keys of receipts and of reruns with their ranges, as they are published: first the one that signs receipts.
    pub fn published(&self) -> Vec<PublishedKey> {
        let published = |period: &KeyPeriod| {
            let key = period.key.published()?.within(period.range.clone());
            Some(match key.state {
                KeyState::Active if period.range.until.is_some() => {
                    PublishedKey { state: KeyState::Retired, ..key }
                }
                _ => key,
            })
        };
        let mut keys: Vec<PublishedKey> = self.periods.iter().filter_map(published).collect();
        keys.sort_by_key(|key| match key.state {
            KeyState::Active => 0,
            KeyState::Retired => 1,
            KeyState::Rerun => 2,
        });
        keys
    }
}
