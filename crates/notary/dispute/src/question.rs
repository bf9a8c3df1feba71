//! The question of a dispute.

use std::borrow::Cow;

use payment::{Address, checked_address};
use receipt::hash::ReceiptHash;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use verdict::{FieldError, Fields, Question, Reason};

/// The most characters of a disputer's reason.
pub const REASON_CHARS: usize = 4096;

/// The question of `POST /dispute`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisputeQuestion {
    /// The receipt that is disputed.
    pub receipt_hash: ReceiptHash,
    /// The reason, in the disputer's words. It decides nothing.
    pub reason: String,
    /// The account that the disputer wants to be paid at; `None` for the payer of the bond.
    pub refund_to: Option<Address>,
}

impl Question for DisputeQuestion {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {
            receipt_hash: read_hash(fields)?,
            reason: fields.text("reason", 1..=REASON_CHARS)?.to_owned(),
            refund_to: read_refund_to(fields)?,
        })
    }

    fn about(&self) -> Option<ReceiptHash> {
        Some(self.receipt_hash)
    }
}

fn read_hash(fields: &Fields<'_>) -> Result<ReceiptHash, FieldError> {
    let text = fields.text("receipt_hash", 0..=usize::MAX)?;
    text.parse().map_err(|_| {
        fields.error("receipt_hash", Reason::Malformed, "must be 64 lowercase hexadecimal digits")
    })
}

fn read_refund_to(fields: &Fields<'_>) -> Result<Option<Address>, FieldError> {
    let Some(text) = fields.optional_text("refund_to", 0..=usize::MAX)? else { return Ok(None) };
    let refuse = |detail| fields.error("refund_to", Reason::Malformed, detail);
    checked_address(text).map(Some).map_err(refuse)
}

impl JsonSchema for DisputeQuestion {
    fn schema_name() -> Cow<'static, str> {
        "DisputeQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "DisputeQuestion",
            "description": "A receipt, and why it is disputed.",
            "type": "object",
            "required": ["receipt_hash", "reason"],
            "properties": {
                "receipt_hash": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{64}$",
                    "description": "The receipt that is disputed: signed within the last 72 hours, and neither of a dispute \
                        nor the one that opened a watch, nor of what was not kept.",
                },
                "reason": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": REASON_CHARS,
                    "description": "Why, in the disputer's words. It is repeated in the receipt; nothing is decided \
                        on it.",
                },
                "refund_to": {
                    "type": "string",
                    "pattern": "^0x[0-9a-fA-F]{40}$",
                    "description": "Where the bond and the bounty are paid, if they are; to the payer of the bond \
                        where absent. A checksum (EIP-55) must hold.",
                },
            },
        })
    }
}
