//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use verdict::MISNAMED;

use super::question::{BatchQuestion, MOST_ENTITIES};
use crate::screen::{properties, subject_schema};

impl JsonSchema for BatchQuestion {
    fn schema_name() -> Cow<'static, str> {
        "BatchQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "BatchQuestion",
            "description": format!("Names, and what else is known of who bears them. The price is for each. {MISNAMED}"),
            "type": "object",
            "required": ["entities"],
            "properties": {
                "entities": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MOST_ENTITIES,
                    "items": { "oneOf": [properties()["entity"], subject_schema()] },
                    "description": "Names, or objects with what /screen-entity takes.",
                },
            },
        })
    }
}
