//! The notary's keys as others read them: JWK (RFC 7517, RFC 8037) and DID document (DID Core 1.0).

use super::{KeyId, KeyIdError, LeafRange, LogKey, PublicKey, VerifyingKey};
use crate::json::{self, Json, JsonError};
use serde_json::{Value, json};
use thiserror::Error;

/// The `role` of a JWK that signs what reruns find.
const RERUN: &str = "rerun";

/// The members of a JWK that have the key's [`LeafRange`].
const LEAF_FROM: &str = "leaf_from";
const LEAF_UNTIL: &str = "leaf_until";
const REVOKED_REASON: &str = "revoked_reason";

/// The state of a published key, which decides the documents that it may sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key signs receipts.
    Active,
    /// The key signs no more receipts. The receipts that it signed stay valid.
    Retired,
    /// The key signs the findings of reruns, now or formerly. A receipt signed by it is not valid.
    Rerun,
}

/// A public key that the notary publishes, with its name and state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedKey {
    /// The name of the key.
    pub kid: KeyId,
    /// The public key.
    pub key: PublicKey,
    /// The state of the key.
    pub state: KeyState,
    /// The leaves at which it may sign; `None` where they are not known, and then they are not checked.
    pub range: Option<LeafRange>,
}

impl PublishedKey {
    /// A published key that signs receipts.
    pub fn active(kid: KeyId, key: PublicKey) -> Self {
        Self { kid, key, state: KeyState::Active, range: None }
    }

    /// A published key that signed receipts formerly.
    pub fn retired(kid: KeyId, key: PublicKey) -> Self {
        Self { kid, key, state: KeyState::Retired, range: None }
    }

    /// A published key that signs the findings of reruns.
    pub fn rerun(kid: KeyId, key: PublicKey) -> Self {
        Self { kid, key, state: KeyState::Rerun, range: None }
    }

    /// This key, which may sign at these leaves alone.
    #[must_use]
    pub fn within(self, range: LeafRange) -> Self {
        Self { range: Some(range), ..self }
    }
}

/// The JWK of a key (RFC 8037 section 2). A retired key has the additional member `"status": "retired"`, the key of
/// reruns `"role": "rerun"`, and a key whose range is known `leaf_from`, `leaf_until` and `revoked_reason`; readers that
/// do not know these members ignore them (RFC 7517 section 4).
pub fn jwk(key: &PublishedKey) -> Value {
    let mut jwk = public_key_jwk(key);
    jwk["use"] = json!("sig");
    match key.state {
        KeyState::Active => {}
        KeyState::Retired => jwk["status"] = json!("retired"),
        KeyState::Rerun => jwk["role"] = json!(RERUN),
    }
    if let Some(range) = &key.range {
        write_range(&mut jwk, range);
    }
    jwk
}

/// Adds the members that have a key's range.
pub(super) fn write_range(jwk: &mut Value, LeafRange { from, until, revoked }: &LeafRange) {
    jwk[LEAF_FROM] = json!(from);
    if let Some(until) = until {
        jwk[LEAF_UNTIL] = json!(until);
    }
    if let Some(reason) = revoked {
        jwk[REVOKED_REASON] = json!(reason);
    }
}

fn public_key_jwk(key: &PublishedKey) -> Value {
    json!({
        "kty": "OKP",
        "crv": "Ed25519",
        "x": key.key.to_base64url(),
        "kid": key.kid.as_str(),
        "alg": "EdDSA",
    })
}

/// The document at `/.well-known/jwks.json`: every key, retired ones too, and after them the keys of the log (RFC 7517
/// section 5).
///
/// ```
/// use receipt::key::{KeyId, PublishedKey, SigningKey, jwks, parse_jwks};
///
/// let key = SigningKey::from_seed(&[7; 32]).public_key();
/// let published = PublishedKey::active(KeyId::new("https://notary.example", &key)?, key);
/// let document = jwks(std::slice::from_ref(&published), &[]);
/// assert_eq!(parse_jwks(document.to_string().as_bytes())?, [published]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jwks(keys: &[PublishedKey], log: &[LogKey]) -> Value {
    let log = log.iter().filter_map(|key| key.jwk(keys.first()));
    json!({ "keys": keys.iter().map(jwk).chain(log).collect::<Vec<_>>() })
}

/// The document at `/.well-known/did.json` for the identity `did`. Every key is a verification method twice, as a JWK
/// under its name and as a `Multikey`; `log` are the keys of the log, whose statements can be verified by this document.
/// `assertionMethod` names the active ones alone: a retired key may assert nothing new, the key of reruns and that of the
/// log no receipt.
pub fn did_document(did: &str, keys: &[PublishedKey], log: &[PublishedKey]) -> Value {
    let methods = |key: &PublishedKey| {
        [
            json!({
                "id": key.kid.as_str(),
                "type": "JsonWebKey2020",
                "controller": did,
                "publicKeyJwk": public_key_jwk(key),
            }),
            json!({
                "id": key.kid.multikey(&key.key),
                "type": "Multikey",
                "controller": did,
                "publicKeyMultibase": key.key.to_multibase(),
            }),
        ]
    };
    let active = keys.iter().filter(|key| key.state == KeyState::Active);
    let names = |key: &PublishedKey| [key.kid.as_str().to_owned(), key.kid.multikey(&key.key)];
    json!({
        "@context": [
            "https://www.w3.org/ns/did/v1",
            "https://w3id.org/security/suites/jws-2020/v1",
            "https://w3id.org/security/multikey/v1",
        ],
        "id": did,
        "verificationMethod": keys.iter().chain(log).flat_map(methods).collect::<Vec<_>>(),
        "assertionMethod": active.flat_map(names).collect::<Vec<_>>(),
    })
}

/// An error in reading a JWK set of receipt keys.
#[derive(Debug, Error)]
pub enum JwksError {
    /// The text is not I-JSON.
    #[error("the key set is not JSON: {0}")]
    Json(#[from] JsonError),
    /// The document has no array `keys`.
    #[error("the key set has no array `keys`")]
    NoKeys,
    /// The `x` of the key at this index, counted from 0, is not a point of the curve, or is a point of small order.
    #[error("key {0} of the set is not an Ed25519 public key")]
    BadKey(usize),
    /// The `kid` of a key is not of the form of [`KeyId`].
    #[error("key {index} of the set: {source}")]
    BadKeyId {
        /// The index of the key, counted from 0.
        index: usize,
        /// The error in the `kid`.
        source: KeyIdError,
    },
    /// The `kid` of the key at this index, counted from 0, has the thumbprint of another key.
    #[error("the kid of key {0} of the set is not its thumbprint")]
    WrongThumbprint(usize),
    /// The key at this index, counted from 0, has the role of a log's key and is none: its `vkey` is not of Ed25519, or is not
    /// of the key in `x`.
    #[error("key {0} of the set is not the vkey of a log's Ed25519 key")]
    BadLogKey(usize),
    /// The leaf range of the key at this index, counted from 0, is not of the known form.
    #[error("key {0} of the set: leaf_from and leaf_until are whole numbers, and revoked_reason is a text")]
    BadRange(usize),
}

/// Reads a JWK set. Keys of other kinds and for other uses are ignored (RFC 7517, section 5). One invalid Ed25519
/// signing key makes the whole set invalid.
///
/// # Errors
/// [`JwksError`] with the index of the invalid key.
pub fn parse_jwks(bytes: &[u8]) -> Result<Vec<PublishedKey>, JwksError> {
    let document = json::parse(bytes)?;
    let keys = document.get("keys").and_then(Json::as_array).ok_or(JwksError::NoKeys)?;
    let is = |jwk: &Json, name, value| jwk.get(name).and_then(Json::as_str) == Some(value);
    let may_be = |jwk: &Json, name, value| jwk.get(name).is_none() || is(jwk, name, value);
    let ours = |jwk: &Json| {
        is(jwk, "kty", "OKP")
            && is(jwk, "crv", "Ed25519")
            && may_be(jwk, "alg", "EdDSA")
            && may_be(jwk, "use", "sig")
            && may_be(jwk, "role", RERUN)
    };
    keys.iter().enumerate().filter(|(_, jwk)| ours(jwk)).map(|(index, jwk)| read_jwk(index, jwk)).collect()
}

fn read_jwk(index: usize, jwk: &Json) -> Result<PublishedKey, JwksError> {
    let x = jwk.get("x").and_then(Json::as_str).unwrap_or_default();
    let key = PublicKey::from_base64url(x).ok_or(JwksError::BadKey(index))?;
    VerifyingKey::new(key).map_err(|_| JwksError::BadKey(index))?;
    let kid = jwk.get("kid").and_then(Json::as_str).unwrap_or_default();
    let kid: KeyId = kid.parse().map_err(|source| JwksError::BadKeyId { index, source })?;
    if kid.thumbprint() != key.thumbprint() {
        return Err(JwksError::WrongThumbprint(index));
    }
    let is_retired = jwk.get("status").and_then(Json::as_str) == Some("retired");
    let state = match jwk.get("role") {
        Some(_) => KeyState::Rerun,
        None if is_retired => KeyState::Retired,
        None => KeyState::Active,
    };
    let range = read_range(jwk).ok_or(JwksError::BadRange(index))?;
    Ok(PublishedKey { kid, key, state, range })
}

/// The range of a key, where the set has one; `None` where it cannot be read. A range that was dropped would let a receipt
/// pass that does not hold.
pub(super) fn read_range(jwk: &Json) -> Option<Option<LeafRange>> {
    let leaf =
        |name| jwk.get(name).map(|value| value.as_number().and_then(|number| number.as_u64()).ok_or(()));
    let reason = jwk.get(REVOKED_REASON).map(|value| value.as_str().map(str::to_owned).ok_or(()));
    let (from, until) = (leaf(LEAF_FROM).transpose().ok()?, leaf(LEAF_UNTIL).transpose().ok()?);
    let revoked = reason.transpose().ok()?;
    if from.is_none() && until.is_none() && revoked.is_none() {
        return Some(None);
    }
    Some(Some(LeafRange { from: from.unwrap_or_default(), until, revoked }))
}
