//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does. What it cannot
//! say is in the descriptions: which addresses are mistyped.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use verdict::MISNAMED;
use wallet_address::ADDRESS_BYTES;

use super::question::{CHAIN_CHARS, WalletQuestion};

impl JsonSchema for WalletQuestion {
    fn schema_name() -> Cow<'static, str> {
        "WalletQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "WalletQuestion",
            "description": format!("A digital currency address. {MISNAMED}"),
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
            "description": "The address, of any chain, in any form that stands for it: hex with or without 0x, bech32 \
                in either case, CashAddr with or without its prefix, Tron's and XDC's hex, a Monero address with a \
                payment's number, and a coin's URI scheme or a CAIP-10 chain before any of them. One whose checksum \
                does not hold, or that is in no known form, is refused with 400, unless a list has it just so.",
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
