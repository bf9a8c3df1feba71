//! The keys that the log's records of keys are about.

use crate::json::{Json, Object};
use crate::key::{KeyId, PublicKey, PublishedKey, VerifyingKey, jwk};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tlog::VerifierKey;

/// What a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyRole {
    /// Receipts.
    Receipt,
    /// The findings of reruns.
    Rerun,
    /// The bodies of webhooks.
    Webhook,
    /// The log's checkpoints.
    Log,
}

impl KeyRole {
    /// All roles, in the order in which a log begins with their keys.
    pub const ALL: [Self; 4] = [Self::Receipt, Self::Rerun, Self::Webhook, Self::Log];

    /// The word of the role in records and commands.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Rerun => "rerun",
            Self::Webhook => "webhook",
            Self::Log => "log",
        }
    }

    /// The role of a word; `None` for any other text.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// The member of a record that has the key's name.
    fn name_member(self) -> &'static str {
        match self {
            Self::Receipt | Self::Rerun => "kid",
            Self::Webhook => "public_key",
            Self::Log => "vkey",
        }
    }
}

/// The prefix of a webhook key's public form (Standard Webhooks).
const WEBHOOK_PREFIX: &str = "whpk_";

/// A public key with its role and its name: a [`KeyId`], the `whpk_` form of a webhook key, or the vkey of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedKey {
    role: KeyRole,
    name: String,
    public: PublicKey,
}

impl NotedKey {
    /// A key that signs receipts.
    pub fn receipt(kid: &KeyId, public: PublicKey) -> Self {
        Self { role: KeyRole::Receipt, name: kid.as_str().to_owned(), public }
    }

    /// A key that signs the findings of reruns.
    pub fn rerun(kid: &KeyId, public: PublicKey) -> Self {
        Self { role: KeyRole::Rerun, name: kid.as_str().to_owned(), public }
    }

    /// A key that signs webhooks.
    pub fn webhook(public: PublicKey) -> Self {
        let name = format!("{WEBHOOK_PREFIX}{}", STANDARD.encode(public.as_bytes()));
        Self { role: KeyRole::Webhook, name, public }
    }

    /// The Ed25519 key of a log; `None` for a key of another kind.
    pub fn log(key: &VerifierKey) -> Option<Self> {
        let public = PublicKey(key.public_key().try_into().ok()?);
        Some(Self { role: KeyRole::Log, name: key.to_string(), public })
    }

    /// What the key signs.
    pub fn role(&self) -> KeyRole {
        self.role
    }

    /// The key's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The 32 bytes of the key.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// The published form of a key of receipts or reruns, without a range; `None` for other keys.
    pub(super) fn published(&self) -> Option<PublishedKey> {
        let kid = self.name.parse().ok()?;
        match self.role {
            KeyRole::Receipt => Some(PublishedKey::active(kid, self.public)),
            KeyRole::Rerun => Some(PublishedKey::rerun(kid, self.public)),
            KeyRole::Webhook | KeyRole::Log => None,
        }
    }

    /// The key as a record has it: its role, its name, and the JWK of a key that has one.
    pub fn to_json(&self) -> Object {
        let mut members = Object::new();
        members.insert("role", self.role.as_str());
        members.insert(self.role.name_member(), self.name.as_str());
        if let Some(published) = self.published() {
            members.insert("jwk", Json::from(&jwk(&published)));
        }
        members
    }

    /// Reads a key as a record has it; `None` where its name is not that of a key, or the JWK is another's.
    pub(super) fn read(members: &Json) -> Option<Self> {
        let text = |name: &str| members.get(name).and_then(Json::as_str);
        let role = KeyRole::parse(text("role")?)?;
        let name = text(role.name_member())?;
        let key = match role {
            KeyRole::Receipt | KeyRole::Rerun => {
                let kid: KeyId = name.parse().ok()?;
                let x = members.get("jwk")?.get("x")?.as_str()?;
                let public =
                    PublicKey::from_base64url(x).filter(|key| key.thumbprint() == kid.thumbprint())?;
                Self { role, name: name.to_owned(), public }
            }
            KeyRole::Webhook => {
                let bytes = STANDARD.decode(name.strip_prefix(WEBHOOK_PREFIX)?).ok()?;
                Self::webhook(PublicKey(bytes.try_into().ok()?))
            }
            KeyRole::Log => Self::log(&name.parse().ok()?)?,
        };
        VerifyingKey::new(key.public).ok()?;
        (key.name == name).then_some(key)
    }
}
