//! The question's JSON Schema, by hand: it says what [`Question::read`](verdict::Question::read) does.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::question::{CommitQuestion, LABEL_CHARS};

impl JsonSchema for CommitQuestion {
    fn schema_name() -> Cow<'static, str> {
        "CommitQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "CommitQuestion",
            "description": "A content or its hash: one of the two.",
            "type": "object",
            "oneOf": [{ "required": ["content"] }, { "required": ["content_hash"] }],
            "properties": {
                "content": {
                    "description": "Any JSON value. The SHA-256 of its canonical form (RFC 8785) is signed, and the \
                        value is kept.",
                },
                "content_hash": {
                    "type": "string",
                    "pattern": "^sha256:[0-9a-f]{64}$",
                    "description": "The SHA-256 of a content that stays with the caller. A dispute of it is \
                        INCONCLUSIVE.",
                },
                "label": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": LABEL_CHARS,
                    "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$",
                    "description": "The caller's name for the content, without control characters; repeated in \
                        the receipt.",
                },
                "supersedes": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{64}$",
                    "description": "The hash of the receipt that this one replaces, as the caller says.",
                },
            },
        })
    }
}
