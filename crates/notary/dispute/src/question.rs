//! The question of a dispute.

use std::fmt;

use payment::{Address, checked_address};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};
use serde_json::{Value, json};
use verdict::{Field, FieldError, Fields, Question, Raw, Reason, Table, Text};

/// Maximum length of a disputer's reason, in Unicode characters.
pub const REASON_CHARS: usize = 4096;

/// A request in canonical form (RFC 8785), which may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct BroughtRequest(pub Vec<u8>);

/// Shows the length alone.
impl fmt::Debug for BroughtRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// The question of `POST /dispute`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisputeQuestion {
    /// The receipt that is disputed.
    pub receipt_hash: ReceiptHash,
    /// The reason in the disputer's words. It does not affect the verdict.
    pub reason: String,
    /// The address for the payout; `None` for the payer of the bond.
    pub refund_to: Option<Address>,
    /// The request of the disputed receipt as it was sent, in canonical form (RFC 8785). It is needed where the notary has
    /// stored that request without its secrets, and is itself never stored.
    pub request: Option<BroughtRequest>,
}

const RECEIPT_HASH: Field<Text> = Field::text("receipt_hash", 0..=usize::MAX)
    .describe(
        "The receipt that is disputed: signed within the last 72 hours, and neither of a dispute nor the \
         one that opened a watch, nor of what was not kept.",
    )
    .form("^[0-9a-f]{64}$", "must be 64 lowercase hexadecimal digits");
const REASON: Field<Text> = Field::text("reason", 1..=REASON_CHARS)
    .describe("Why, in the disputer's words. It is repeated in the receipt; nothing is decided on it.");
const REFUND_TO: Field<Text> = Field::text("refund_to", 0..=usize::MAX)
    .describe(
        "Where the bond and the bounty are paid, if they are; to the payer of the bond where absent. A \
         checksum (EIP-55) must hold.",
    )
    .pattern("^0x[0-9a-fA-F]{40}$");

const REQUEST: Field<Raw> = Field::raw("request", request_schema);

fn request_schema() -> Value {
    json!({
        "type": "object",
        "description": "The request of the disputed receipt as it was sent. Needed where the receipt says \
            `\"request_kept\": \"redacted\"`: the notary has stored that request without its secrets. It is held against \
            `request_hash`, judged from memory, and not stored.",
    })
}

/// The request without the member that holds another request.
pub(super) fn without_request(request: &Object) -> Object {
    let mut kept = request.clone();
    kept.remove(REQUEST.name);
    kept
}

impl Question for DisputeQuestion {
    const TABLE: Table = Table::new("DisputeQuestion", &[&RECEIPT_HASH, &REASON], &[&REFUND_TO, &REQUEST])
        .describe("A receipt, and why it is disputed.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {
            receipt_hash: fields.parse(&RECEIPT_HASH, |text| text.parse().ok())?,
            reason: fields.text(&REASON)?.to_owned(),
            refund_to: read_refund_to(fields)?,
            request: read_request(fields)?,
        })
    }

    fn about(&self) -> Option<ReceiptHash> {
        Some(self.receipt_hash)
    }
}

fn read_request(fields: &Fields<'_>) -> Result<Option<BroughtRequest>, FieldError> {
    match fields.value(REQUEST.name) {
        None => Ok(None),
        Some(request @ Json::Object(_)) => Ok(Some(BroughtRequest(request.canonical()))),
        Some(other) => {
            let detail = format!("must be an object, not {}", other.type_name());
            Err(fields.error(REQUEST.name, Reason::WrongType, detail))
        }
    }
}

fn read_refund_to(fields: &Fields<'_>) -> Result<Option<Address>, FieldError> {
    let Some(text) = fields.optional_text(&REFUND_TO)? else { return Ok(None) };
    let refuse = |detail| fields.error(REFUND_TO.name, Reason::Malformed, detail);
    checked_address(text).map(Some).map_err(refuse)
}
