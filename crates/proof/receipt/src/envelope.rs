//! The payload of a receipt: the notary's members and the members of the judge's finding, in one object.

use crate::hash::ReceiptHash;
use crate::json::{Json, Number, Object, SerializeError, from_serialize};
use crate::sign::OUTSIDE_PAYLOAD;
use crate::time::Timestamp;
use serde::Serialize;
use thiserror::Error;

/// The version of the receipt's format, its member `v`.
pub const VERSION: u8 = 1;

/// The names of the payload's members that the notary writes. A finding may use none of them.
pub const ENVELOPE_MEMBERS: [&str; 13] = [
    "v",
    "class",
    "iss",
    "kid",
    "agent",
    "request_hash",
    "request_kept",
    "verdict",
    "payment",
    "ref",
    "salt",
    "log_head",
    "signed_at",
];

/// The value of the member `request_kept` of a receipt whose request is not stored as it was sent. Other receipts do not
/// have the member.
pub const REDACTED: &str = "redacted";

/// The newest durable checkpoint that the notary knew when it began to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// The number of leaves in the tree.
    pub size: u64,
    /// The root hash of the tree (RFC 6962, section 2.1). The receipt has it as 64 lowercase hexadecimal digits.
    pub root: tlog::Hash,
}

/// The notary's members of a payload, without the finding. `P` is the type of the member `payment`; the payment crate
/// defines it.
///
/// ```
/// use receipt::envelope::{Envelope, LogHead};
/// use receipt::{hash::sha256, time::Timestamp};
///
/// let envelope = Envelope {
///     class: "claim-verdict",
///     iss: "https://notary.example",
///     kid: "did:web:notary.example#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
///     agent: "a-1",
///     request_hash: sha256(b"{}"),
///     is_request_redacted: false,
///     verdict: "CONFIRMED",
///     payment: None::<&()>,
///     reference: None,
///     salt: [0; 16],
///     log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
///     signed_at: "2026-11-21T02:00:00.000Z".parse().unwrap(),
/// };
/// let payload = envelope.payload(&serde_json::json!({ "claim": "it rains", "resolver_confidence": 1 }))?;
/// assert!(payload.starts_with(br#"{"agent":"a-1","claim":"it rains","class":"claim-verdict","iss":"#));
/// # Ok::<(), receipt::envelope::EnvelopeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a, P: Serialize + ?Sized = Json> {
    /// The class of the route that answered, `claim-verdict` for example.
    pub class: &'a str,
    /// The public base address of the notary, without a trailing slash.
    pub iss: &'a str,
    /// The key's [`KeyId`](crate::key::KeyId).
    pub kid: &'a str,
    /// The caller's agent name, without white space at its ends.
    pub agent: &'a str,
    /// SHA-256 of the canonical form (RFC 8785) of the request's body.
    pub request_hash: [u8; 32],
    /// True if the request held a secret, and is stored without it: the member `request_kept`.
    pub is_request_redacted: bool,
    /// The verdict, one of the values that the route's class publishes.
    pub verdict: &'a str,
    /// The payment; `None` for a free call, whose payload has no member `payment`.
    pub payment: Option<&'a P>,
    /// The member `ref`: the hash of the receipt that this receipt is about. `None` for a receipt that is about no
    /// other receipt.
    pub reference: Option<&'a ReceiptHash>,
    /// 128 random bits, so that nobody can guess the receipt's hash from its content.
    pub salt: [u8; 16],
    /// The newest durable checkpoint at the time of signing. It proves that the receipt was not signed before that
    /// checkpoint.
    pub log_head: LogHead,
    /// Time of the signature.
    pub signed_at: Timestamp,
}

/// An error in building the payload from a finding.
#[derive(Debug, Error)]
pub enum EnvelopeError {
    /// The finding is a JSON value of this type, but it must be an object.
    #[error("a finding must be an object, not {0}")]
    NotAnObject(&'static str),
    /// The finding has a member of this name, which is one of [`ENVELOPE_MEMBERS`].
    #[error("the finding's member `{0}` is one of the receipt's own")]
    Collision(String),
    /// The finding or the payment has no exact JSON form.
    #[error("the finding cannot be written: {0}")]
    Serialize(#[from] SerializeError),
}

impl<P: Serialize + ?Sized> Envelope<'_, P> {
    /// The payload: the canonical form of the envelope's members and the finding's, side by side.
    ///
    /// # Errors
    /// [`EnvelopeError`] for a finding that is not an object, that takes a name of the envelope's, or that has a
    /// value that canonical JSON would change.
    pub fn payload<F: Serialize + ?Sized>(&self, finding: &F) -> Result<Vec<u8>, EnvelopeError> {
        let mut members = Vec::with_capacity(ENVELOPE_MEMBERS.len() + 16);
        match from_serialize(finding)? {
            Json::Object(object) => members.extend(object),
            other => return Err(EnvelopeError::NotAnObject(other.type_name())),
        }
        let taken = |name: &str| ENVELOPE_MEMBERS.contains(&name) || OUTSIDE_PAYLOAD.contains(&name);
        if let Some((name, _)) = members.iter().find(|(name, _)| taken(name)) {
            return Err(EnvelopeError::Collision(name.clone()));
        }
        let mut put = |name: &str, value: Json| members.push((name.to_owned(), value));
        put("v", Number::from(VERSION).into());
        put("class", self.class.into());
        put("iss", self.iss.into());
        put("kid", self.kid.into());
        put("agent", self.agent.into());
        put("request_hash", hex::encode(self.request_hash).into());
        put("verdict", self.verdict.into());
        put("salt", hex::encode(self.salt).into());
        put("log_head", self.log_head.to_json()?);
        put("signed_at", self.signed_at.to_string().into());
        if self.is_request_redacted {
            put("request_kept", REDACTED.into());
        }
        if let Some(payment) = self.payment {
            put("payment", from_serialize(payment)?);
        }
        if let Some(reference) = self.reference {
            put("ref", reference.to_string().into());
        }
        Ok(Json::Object(Object::from_members(members)).canonical())
    }
}

impl LogHead {
    fn to_json(self) -> Result<Json, SerializeError> {
        let mut head = Object::new();
        head.insert("root", self.root.to_hex());
        head.insert("size", from_serialize(&self.size)?);
        Ok(head.into())
    }
}
