//! Comparison of a value before and after normalising.

use receipt::json::{Json, Number};

/// Returns true if normalising lost nothing of the value: the same members, elements and texts at each level. A number may
/// have become its decimal text, and the text of a number a number.
pub fn is_same(original: &Json, kept: &Json) -> bool {
    match (original, kept) {
        (Json::Array(original), Json::Array(kept)) => {
            original.len() == kept.len() && original.iter().zip(kept).all(|(one, other)| is_same(one, other))
        }
        (Json::Object(original), Json::Object(kept)) => {
            let in_kept =
                |(name, value): (&str, &Json)| kept.get(name).is_some_and(|kept| is_same(value, kept));
            original.len() == kept.len() && original.iter().all(in_kept)
        }
        (Json::Number(number), Json::String(text)) | (Json::String(text), Json::Number(number)) => {
            text.parse().is_ok_and(|other: Number| is_same_number(number, &other))
        }
        (Json::Number(one), Json::Number(other)) => is_same_number(one, other),
        _ => original == kept,
    }
}

fn is_same_number(one: &Number, other: &Number) -> bool {
    one.text() == other.text()
        || one.canonical_decimal().is_some_and(|one| other.canonical_decimal() == Some(one))
}
