//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does. What it cannot
//! say is in the descriptions: names with nothing to compare, mistyped addresses, chains of another kind of address.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use verdict::MISNAMED;

use super::question::{ClearanceQuestion, NAME};
use crate::screen::properties_as;
use crate::screen_wallet::properties as wallet_properties;

impl JsonSchema for ClearanceQuestion {
    fn schema_name() -> Cow<'static, str> {
        "ClearanceQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = properties_as(NAME);
        if let (Value::Object(properties), Value::Object(wallet)) = (&mut properties, wallet_properties()) {
            properties.extend(wallet);
        }
        properties["chain"]["description"] = json!(
            "The chain that the wallet is looked at on: its name (base) or its CAIP-2 id (eip155:8453). An address of \
             20 bytes is looked at on ethereum where none is named; on the lists it is looked for whatever the chain."
        );
        json_schema!({
            "title": "ClearanceQuestion",
            "description": format!("A counterparty: its name, what else is known of it, and perhaps its wallet. {MISNAMED}"),
            "type": "object",
            "required": [NAME],
            "dependentRequired": { "chain": ["wallet"] },
            "properties": properties,
        })
    }
}
