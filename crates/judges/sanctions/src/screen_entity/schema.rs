//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does. What it cannot
//! say is in the descriptions: which names hold nothing to compare.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use verdict::MISNAMED;

use super::question::{DEFAULT_MATCHES, EntityQuestion, MOST_MATCHES};
use crate::screen::properties;

impl JsonSchema for EntityQuestion {
    fn schema_name() -> Cow<'static, str> {
        "EntityQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = properties();
        properties["limit"] = json!({
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_MATCHES,
            "default": DEFAULT_MATCHES,
            "description": "How many matches are given at most, the best first.",
        });
        json_schema!({
            "title": "EntityQuestion",
            "description": format!("A name, and what else is known of who bears it. What is not known changes nothing. {MISNAMED}"),
            "type": "object",
            "required": ["entity"],
            "properties": properties,
        })
    }
}
