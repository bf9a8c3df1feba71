//! What the two searches of records have in common: their fields, which come as JSON or as the texts of a query, and the bodies
//! that are kept.

use bytes::Bytes;
use receipt::json::Json;
use record_search::{FieldProblem, flag_value, list_value, number_value};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use verdict::{Field, FieldError, Fields, Raw, Reason};

use crate::source::Document;

/// Maximum length of an answer in bytes: it is kept whole as evidence.
pub const MAX_KEPT_BYTES: usize = 1 << 20;

/// The verdict of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SearchVerdict {
    /// Records match.
    Found,
    /// No record matches, by a fresh and complete answer.
    NoneFound,
}

/// Keeps an answer whole. Whether it answers the question is read with the question.
pub fn keep(body: Bytes) -> Result<Document<()>, String> {
    if body.len() > MAX_KEPT_BYTES {
        return Err(format!("more than {MAX_KEPT_BYTES} bytes; ask for fewer rows a page"));
    }
    match receipt::json::parse_lenient(&body) {
        Ok(Json::Object(_)) => Ok(Document { content: (), kept: body }),
        Ok(other) => Err(format!("JSON {}, expected an object", other.type_name())),
        Err(_) if body.trim_ascii_start().starts_with(b"<") => Err("a page, not JSON".to_owned()),
        Err(_) => Err("not whole JSON".to_owned()),
    }
}

/// A text.
pub fn text(fields: &Fields<'_>, field: &Field<Raw>) -> Result<Option<String>, FieldError> {
    match fields.value(field.name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong_type(fields, field, "a string")),
    }
}

/// A list: an array of texts, or one text with commas between.
pub fn list(fields: &Fields<'_>, field: &Field<Raw>) -> Result<Option<Vec<String>>, FieldError> {
    match fields.value(field.name) {
        None => Ok(None),
        Some(Json::String(text)) => {
            list_value(field.name, text).map(Some).map_err(|error| refusal(fields, &error))
        }
        Some(Json::Array(elements)) => {
            let texts: Option<Vec<String>> =
                elements.iter().map(|element| element.as_str().map(str::to_owned)).collect();
            texts.map(Some).ok_or_else(|| wrong_type(fields, field, "an array of strings"))
        }
        Some(_) => Err(wrong_type(fields, field, "an array of strings")),
    }
}

/// A whole number, or the text of one.
pub fn whole(fields: &Fields<'_>, field: &Field<Raw>) -> Result<Option<u32>, FieldError> {
    let value = match fields.value(field.name) {
        None => return Ok(None),
        Some(Json::String(text)) => {
            number_value(field.name, text).map_err(|error| refusal(fields, &error))?
        }
        Some(Json::Number(number)) => {
            let whole = number.as_u64().and_then(|number| u32::try_from(number).ok());
            whole.ok_or_else(|| {
                fields.error(field.name, Reason::OutOfRange, "must be a whole number from 1 on")
            })?
        }
        Some(_) => return Err(wrong_type(fields, field, "a whole number")),
    };
    Ok(Some(value))
}

/// `true` or `false`, or the text of one.
pub fn flag(fields: &Fields<'_>, field: &Field<Raw>) -> Result<Option<bool>, FieldError> {
    match fields.value(field.name) {
        None => Ok(None),
        Some(Json::Bool(flag)) => Ok(Some(*flag)),
        Some(Json::String(text)) => {
            flag_value(field.name, text).map(Some).map_err(|error| refusal(fields, &error))
        }
        Some(_) => Err(wrong_type(fields, field, "true or false")),
    }
}

fn wrong_type(fields: &Fields<'_>, field: &Field<Raw>, wanted: &str) -> FieldError {
    fields.error(field.name, Reason::WrongType, format!("must be {wanted}"))
}

/// A search's error in the words of this service.
pub fn refusal(fields: &Fields<'_>, error: &record_search::FieldError) -> FieldError {
    let reason = match error.problem {
        FieldProblem::Malformed => Reason::Malformed,
        FieldProblem::Missing => Reason::Missing,
        FieldProblem::Empty => Reason::Empty,
        FieldProblem::TooLong => Reason::TooLong,
        FieldProblem::UnknownValue => Reason::UnknownValue,
        FieldProblem::OutOfRange => Reason::OutOfRange,
        FieldProblem::Contradictory => Reason::Contradictory,
        FieldProblem::NotApplicable => Reason::NotApplicable,
        FieldProblem::InFuture => Reason::InFuture,
    };
    let detail = match error.reason.strip_prefix("it ") {
        Some(detail) => detail.to_owned(),
        None => format!("does not serve: {}", error.reason),
    };
    fields.error(error.field, reason, detail)
}

/// A schema of an array of texts that a query joins by commas. `element` is the pattern of one, without anchors.
pub fn list_schema(most: usize, element: &str) -> Value {
    json!({"anyOf": [
        {"type": "array", "items": {"type": "string", "pattern": format!("^{element}$")}, "minItems": 1, "maxItems": most},
        {
            "type": "string",
            "pattern": format!("^{element}(,{element}){{0,{}}}$", most - 1),
            "description": "With commas between; \\, is a comma within an element.",
        },
    ]})
}

/// A schema of a whole number, or of its text.
pub fn whole_schema(least: u32, most: u32, default: u32) -> Value {
    json!({"anyOf": [
        {"type": "integer", "minimum": least, "maximum": most, "default": default},
        {"type": "string", "pattern": "^[1-9][0-9]{0,4}$"},
    ]})
}

/// A schema of true and false, or of their texts.
pub fn flag_schema() -> Value {
    json!({"enum": [true, false, "true", "false"]})
}

/// A schema of a day.
pub fn day_schema() -> Value {
    json!({"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"})
}

/// A text that is not empty and has no control character.
const TEXT: &str =
    r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$";

/// A schema of a text of so many characters.
pub fn text_schema(most: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": most, "pattern": TEXT})
}
