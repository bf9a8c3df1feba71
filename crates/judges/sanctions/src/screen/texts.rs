//! Arrays of texts.

use receipt::json::Json;
use verdict::{Array, Field, FieldError, Fields, Reason};

/// Reads an array of texts of at most `chars` characters, each on one line and without the space around it; empty where the
/// field is absent.
pub(super) fn read_texts(
    fields: &Fields<'_>,
    field: &Field<Array>,
    noun: &str,
    chars: usize,
) -> Result<Vec<String>, FieldError> {
    let values = fields.array(field, noun)?.unwrap_or_default();
    let text = |(at, value): (usize, &Json)| {
        let error = |reason, detail: String| {
            let mut error = fields.error(field.name, reason, detail);
            error.path.push_index(at);
            error
        };
        match value {
            Json::String(text) if text.chars().nth(chars).is_some() => {
                Err(error(Reason::TooLong, format!("must be at most {chars} characters")))
            }
            Json::String(text) if text.chars().any(char::is_control) => {
                Err(error(Reason::Malformed, "must have no control characters".to_owned()))
            }
            Json::String(text) if text.trim().is_empty() => {
                Err(error(Reason::Empty, "must hold more than space".to_owned()))
            }
            Json::String(text) => Ok(text.trim().to_owned()),
            _ => Err(error(Reason::WrongType, "must be a string".to_owned())),
        }
    };
    values.iter().enumerate().map(text).collect()
}
