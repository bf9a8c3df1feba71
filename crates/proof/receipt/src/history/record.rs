//! A record of the log about a key: the finding of a receipt of the class `key`.

use super::noted::{KeyRole, NotedKey};
use crate::json::{Json, Number, Object};
use crate::key::{SigningKey, VerifyingKey};
use crate::sign::{jws_header_of_type, signing_input};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The class of the records.
pub const KEY_CLASS: &str = "key";
/// The name and version of the rules by which ranges follow from the records.
pub const KEY_METHOD: &str = "key-history/1";
/// The `typ` of the JWS header that a proof of possession is over.
pub const POSSESSION_JWS_TYPE: &str = "verdict-key-possession+jws";
/// The most bytes of the reason for revoking a key.
pub const MAX_KEY_REASON: usize = 512;

const SCOPE: &str =
    "Says at which leaves of this log a key of the notary may sign. It does not say who has the key.";

/// The kinds of records. The word of each is the verdict of its receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// The key is there. With `retired`, it is a former one of a time before there were records.
    Introduced {
        /// True if the key signs nothing from the record on.
        retired: bool,
    },
    /// The key takes the place of another one, which ends with the record.
    Rotated,
    /// Another key, or a former one, must not be trusted any more.
    Revoked,
    /// A log's key that had another one beside it signs no more.
    Ended,
}

impl KeyChange {
    /// The verdict of the record.
    pub fn verdict(self) -> &'static str {
        match self {
            Self::Introduced { .. } => "INTRODUCED",
            Self::Rotated => "ROTATED",
            Self::Revoked => "REVOKED",
            Self::Ended => "ENDED",
        }
    }
}

/// The content of a record: what a receipt of the class [`KEY_CLASS`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// The kind.
    pub change: KeyChange,
    /// The key that may sign from now on. Where a former key is revoked, or a log's key is ended, it is the one that is in use
    /// anyway.
    pub key: NotedKey,
    /// The name of the key that was replaced, is revoked or has ended; `None` for a key that was introduced.
    pub replaces: Option<String>,
    /// The reason for revoking it, for people; `None` for other records.
    pub reason: Option<String>,
    /// The new key's signature that whoever logs it has its private half; see [`possession`]. `None` where the record
    /// needs none.
    pub possession: Option<String>,
    /// A checkpoint that both log keys have signed, over a tree with the record of the successor; in the record of a log key's end
    /// alone, and `None` in one of before there were any. Who knows the ended key alone learns from it that this key has signed
    /// for its successor, also after the end.
    pub checkpoint: Option<String>,
}

/// Signs, with a new key, that it takes the place of another one: a JWS with detached content, over the canonical
/// `{"key": …, "replaces": …}`.
pub fn possession(private: &SigningKey, key: &NotedKey, replaces: &str) -> String {
    URL_SAFE_NO_PAD.encode(private.sign(&possession_input(key, replaces)))
}

fn possession_input(key: &NotedKey, replaces: &str) -> Vec<u8> {
    let mut members = Object::new();
    members.insert("key", key.to_json());
    members.insert("replaces", replaces);
    let header = URL_SAFE_NO_PAD.encode(jws_header_of_type(POSSESSION_JWS_TYPE, key.name()));
    signing_input(&header, &Json::Object(members).canonical())
}

impl KeyRecord {
    /// The record of a key that is there when the log begins to have records.
    pub fn introduced(key: NotedKey, retired: bool) -> Self {
        let change = KeyChange::Introduced { retired };
        Self { change, key, replaces: None, reason: None, possession: None, checkpoint: None }
    }

    /// The record of a key that takes the place of another one, with its proof of possession. A `reason` revokes that
    /// one.
    pub fn replacing(key: NotedKey, private: &SigningKey, replaces: &str, reason: Option<String>) -> Self {
        let change = if reason.is_some() { KeyChange::Revoked } else { KeyChange::Rotated };
        let possession = Some(possession(private, &key, replaces));
        Self { change, key, replaces: Some(replaces.to_owned()), reason, possession, checkpoint: None }
    }

    /// The record that revokes a former key. `current` is the key in use, which stays.
    pub fn revoking(current: NotedKey, former: &str, reason: String) -> Self {
        Self {
            change: KeyChange::Revoked,
            key: current,
            replaces: Some(former.to_owned()),
            reason: Some(reason),
            possession: None,
            checkpoint: None,
        }
    }

    /// The record that ends the log's key `former`, which `successor` has signed beside: `checkpoint`, for one.
    pub fn ending(successor: NotedKey, former: &str, checkpoint: Option<String>) -> Self {
        Self {
            change: KeyChange::Ended,
            key: successor,
            replaces: Some(former.to_owned()),
            reason: None,
            possession: None,
            checkpoint,
        }
    }

    /// The finding of the record's receipt, its verdict included.
    pub fn finding(&self) -> Object {
        let mut finding = Object::new();
        finding.insert("verdict", self.change.verdict());
        finding.insert("key", self.key.to_json());
        if let KeyChange::Introduced { retired } = self.change {
            finding.insert("from_leaf", Number::from(0_u64));
            if retired {
                finding.insert("retired", true);
            }
        }
        for (name, value) in [
            ("replaces", &self.replaces),
            ("reason", &self.reason),
            ("possession", &self.possession),
            ("checkpoint", &self.checkpoint),
        ] {
            if let Some(value) = value {
                finding.insert(name, value.as_str());
            }
        }
        finding.insert("evidence", Vec::new());
        finding.insert("scope", SCOPE);
        finding.insert("method", KEY_METHOD);
        finding.insert("explanation", self.explanation());
        finding
    }

    fn explanation(&self) -> String {
        let (role, name) = (self.key.role().as_str(), self.key.name());
        let replaced = self.replaces.as_deref().unwrap_or_default();
        match (self.change, &self.possession) {
            (KeyChange::Introduced { retired: false }, _) => {
                format!("The {role} key {name} is in use, and may have signed from leaf 0 on.")
            }
            (KeyChange::Introduced { retired: true }, _) => {
                format!("The {role} key {name} was in use formerly. It signs no leaf from this one on.")
            }
            (KeyChange::Rotated, _) if self.key.role() == KeyRole::Log => format!(
                "From this leaf on the log key {name} signs each checkpoint beside {replaced}, which it will replace."
            ),
            (KeyChange::Ended, _) => format!(
                "The log key {replaced} has ended: no checkpoint of a tree with this leaf has its signature. {name} signs alone."
            ),
            (KeyChange::Rotated, _) => format!(
                "The {role} key {replaced} ends with this leaf. From the next one on {name} signs in its place."
            ),
            (KeyChange::Revoked, Some(_)) => format!(
                "The {role} key {replaced} is revoked: nothing that it signs at this leaf or a later one holds. From this leaf \
                 on {name} signs in its place."
            ),
            (KeyChange::Revoked, None) if self.key.role() == KeyRole::Rerun => format!(
                "The former rerun key {replaced} is revoked: no receipt at this leaf or a later one holds by what it found."
            ),
            (KeyChange::Revoked, None) => {
                format!("The former {role} key {replaced} is revoked. Its range had ended before.")
            }
        }
    }

    /// Reads the members of a receipt's payload; an error says which is not of the known form.
    pub(super) fn read(payload: &Json) -> Result<Self, &'static str> {
        let text = |name: &str| payload.get(name).map(|value| value.as_str().map(str::to_owned).ok_or(()));
        let optional = |name| text(name).transpose();
        if payload.get("method").and_then(Json::as_str) != Some(KEY_METHOD) {
            return Err("method is not a known one");
        }
        let retired = match payload.get("retired") {
            None => false,
            Some(value) => value.as_bool().ok_or("retired is not true or false")?,
        };
        let change = match payload.get("verdict").and_then(Json::as_str) {
            Some("INTRODUCED") => KeyChange::Introduced { retired },
            Some("ROTATED") => KeyChange::Rotated,
            Some("REVOKED") => KeyChange::Revoked,
            Some("ENDED") => KeyChange::Ended,
            _ => return Err("verdict is not a known one"),
        };
        let from = payload.get("from_leaf").map(|leaf| leaf.as_number().and_then(|leaf| leaf.as_u64()));
        if from != matches!(change, KeyChange::Introduced { .. }).then_some(Some(0)) {
            return Err("from_leaf is 0 in the record of a key that is introduced, and in no other");
        }
        let key =
            payload.get("key").and_then(NotedKey::read).ok_or("key is not a public key and its name")?;
        let record = Self {
            change,
            key,
            replaces: optional("replaces").map_err(|()| "replaces is not a text")?,
            reason: optional("reason").map_err(|()| "reason is not a text")?,
            possession: optional("possession").map_err(|()| "possession is not a text")?,
            checkpoint: optional("checkpoint").map_err(|()| "checkpoint is not a text")?,
        };
        if record.replaces.is_some() == matches!(change, KeyChange::Introduced { .. }) {
            return Err("replaces is there for a key that is replaced or revoked, and for no other");
        }
        if record.checkpoint.is_some() && change != KeyChange::Ended {
            return Err("checkpoint is there for a log's key that is ended, and for no other");
        }
        Ok(record)
    }

    /// Returns true if the record's key has signed that it takes the place of the other one.
    pub(super) fn has_possession(&self) -> bool {
        let (Some(replaces), Some(possession)) = (&self.replaces, &self.possession) else { return false };
        let signature = URL_SAFE_NO_PAD.decode(possession).ok();
        let signature = signature.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        let Ok(key) = VerifyingKey::new(self.key.public()) else { return false };
        signature
            .is_some_and(|signature| key.verify(&possession_input(&self.key, replaces), &signature).is_ok())
    }
}
