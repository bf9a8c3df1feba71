//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does. What it cannot
//! say is in the descriptions: which addresses are mistyped.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::question::{CHAIN_CHARS, WalletQuestion};
use crate::wallet::ADDRESS_BYTES;

impl JsonSchema for WalletQuestion {
    fn schema_name() -> Cow<'static, str> {
        "WalletQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "WalletQuestion",
            "description": "A digital currency address.",
            "type": "object",
            "required": ["wallet"],
            "properties": properties(),
        })
    }
}

/// The members of an address, as a JSON Schema.
pub(crate) fn properties() -> Value {
    json!({
        "wallet": {
            "type": "string",
            "minLength": 1,
            "maxLength": ADDRESS_BYTES,
            "pattern": r"^\s*[!-~]+\s*$",
            "description": "The address, of any chain. One whose checksum does not hold is refused, unless a list \
                has it just so.",
        },
        "chain": {
            "type": "string",
            "minLength": 1,
            "maxLength": CHAIN_CHARS,
            "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$",
            "description": "The chain; repeated in the receipt. It narrows nothing: an address is looked for under \
                every currency.",
        },
    })
}
