//! What the forms need of a stored receipt, read once.

use receipt::hash::ReceiptHash;
use receipt::json::{self, Json, Object};
use receipt::sign::log_entry;
use receipt::time::Timestamp;

use crate::FormError;

/// A stored receipt, with the members of its payload that the forms repeat.
pub struct Statement<'a> {
    /// The canonical payload.
    pub(crate) payload: &'a [u8],
    /// The receipt's own signature, over the detached JWS input.
    pub(crate) signature: &'a [u8; 64],
    pub(crate) hash: ReceiptHash,
    pub(crate) iss: String,
    pub(crate) class: String,
    pub(crate) verdict: String,
    pub(crate) kid: String,
    pub(crate) request_hash: String,
    pub(crate) signed_at: Timestamp,
    reference: Option<ReceiptHash>,
}

impl<'a> Statement<'a> {
    /// Reads a stored payload.
    ///
    /// # Errors
    /// [`FormError::Payload`] where it is not a receipt's.
    pub fn read(payload: &'a [u8], signature: &'a [u8; 64]) -> Result<Self, FormError> {
        let members = json::parse(payload).map_err(|_| FormError::Payload("v"))?;
        let text = |name: &'static str| {
            let text = members.get(name).and_then(Json::as_str);
            text.map(str::to_owned).ok_or(FormError::Payload(name))
        };
        let reference = match members.get("ref") {
            None => None,
            Some(_) => Some(text("ref")?.parse().map_err(|_| FormError::Payload("ref"))?),
        };
        Ok(Self {
            payload,
            signature,
            hash: ReceiptHash::of_payload(payload),
            iss: text("iss")?,
            class: text("class")?,
            verdict: text("verdict")?,
            kid: text("kid")?,
            request_hash: text("request_hash")?,
            signed_at: text("signed_at")?.parse().map_err(|_| FormError::Payload("signed_at"))?,
            reference,
        })
    }

    /// The class of the receipt's route.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The address of the receipt, which is the subject of its forms.
    pub(crate) fn address(&self) -> String {
        format!("{}/receipts/{}", self.iss, self.hash)
    }

    /// The log's entry for the receipt. It has the key that signed the receipt, not the one that signs the form.
    #[must_use]
    pub fn log_entry(&self) -> Vec<u8> {
        log_entry(&self.class, &self.hash, &self.kid, self.signed_at, self.reference.as_ref())
    }
}

/// An object of these members, in their order.
pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Object {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    object
}
