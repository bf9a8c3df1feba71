//! Comparing the value at the path with what the caller expects.
//!
//! Never through a float: `0.1` and `0.1000000000000000055` are the same double and different claims. A
//! number matches by the digits that the source sent, or by its one exact decimal, so that the source may
//! write `1.0` or `1e0` for the 1 that is expected; the other way round (`1` sent, "1.0" expected) nothing is
//! assumed about places that the source did not state.

use receipt::json::Json;
use schemars::JsonSchema;
use serde::Serialize;

/// The JSON types, as RFC 8259 names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array, which is never compared.
    Array,
    /// An object, which is never compared.
    Object,
}

/// The value at the path, as the finding tells it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Found")]
pub struct FoundValue {
    /// The JSON type of the value.
    #[serde(rename = "type")]
    pub json_type: JsonType,
    /// A string's characters, a number's source text, or the literal; at most the first 4,096 characters. Absent for
    /// arrays and objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// True if `value` is only the beginning of a longer text. The comparison is always made with the whole.
    pub truncated: bool,
}

impl FoundValue {
    /// Maximum length of a value that a finding repeats, in Unicode characters.
    pub const MAX_CHARS: usize = 4096;

    /// Returns the type and the text of a value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        let (json_type, text) = match value {
            Json::Null => (JsonType::Null, Some("null")),
            Json::Bool(value) => (JsonType::Boolean, Some(literal(*value))),
            Json::Number(number) => (JsonType::Number, Some(number.text())),
            Json::String(text) => (JsonType::String, Some(text.as_str())),
            Json::Array(_) => (JsonType::Array, None),
            Json::Object(_) => (JsonType::Object, None),
        };
        let end = text.and_then(|text| text.char_indices().nth(Self::MAX_CHARS)).map(|(at, _)| at);
        Self {
            json_type,
            value: text.map(|text| text[..end.unwrap_or(text.len())].to_owned()),
            truncated: end.is_some(),
        }
    }
}

/// Compares a scalar with the expected text; `None` for arrays and objects, which have no text form.
///
/// ```
/// use receipt::json::parse_lenient;
///
/// let sent = |text: &str| parse_lenient(text.as_bytes()).expect("a JSON text");
/// assert_eq!(claim::matches(&sent("1.0"), "1.0"), Some(true));
/// assert_eq!(claim::matches(&sent("1.0"), "1"), Some(true));
/// assert_eq!(claim::matches(&sent("1"), "1.0"), Some(false));
/// assert_eq!(claim::matches(&sent("[1]"), "[1]"), None);
/// ```
#[must_use]
pub fn matches(value: &Json, expect: &str) -> Option<bool> {
    match value {
        Json::Null => Some(expect == "null"),
        Json::Bool(value) => Some(expect == literal(*value)),
        Json::Number(number) => Some(
            expect == number.text() || number.canonical_decimal().is_some_and(|decimal| expect == decimal),
        ),
        Json::String(text) => Some(expect == text),
        Json::Array(_) | Json::Object(_) => None,
    }
}

fn literal(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matched(sent: &str, expect: &str) -> Option<bool> {
        matches(&receipt::json::parse_lenient(sent.as_bytes()).unwrap(), expect)
    }

    #[test]
    fn a_string_matches_by_exact_code_points() {
        assert_eq!(matched(r#""active""#, "active"), Some(true));
        assert_eq!(matched(r#""\u0061ctive""#, "active"), Some(true));
        assert_eq!(matched(r#""Active""#, "active"), Some(false));
        assert_eq!(matched(r#""active ""#, "active"), Some(false));
        assert_eq!(matched(r#""é""#, "e\u{301}"), Some(false));
        assert_eq!(matched(r#""""#, ""), Some(true));
        assert_eq!(matched(r#""1.0""#, "1"), Some(false));
        assert_eq!(matched(r#""true""#, "true"), Some(true));
    }

    #[test]
    fn a_number_matches_by_its_source_text_or_its_exact_decimal() {
        for (sent, expect) in [
            ("1", "1"),
            ("1.0", "1.0"),
            ("1.0", "1"),
            ("1e2", "1e2"),
            ("1e2", "100"),
            ("1.50E+1", "15"),
            ("0.10", "0.1"),
            ("-2.50", "-2.5"),
            ("12345678901234567890", "12345678901234567890"),
            ("0.1000000000000000055", "0.1000000000000000055"),
            ("1e999999999", "1e999999999"),
        ] {
            assert_eq!(matched(sent, expect), Some(true), "{sent} is {expect}");
        }
        for (sent, expect) in [
            ("1", "1.0"),
            ("1", "1e0"),
            ("100", "1e2"),
            ("1", "01"),
            ("1", "+1"),
            ("1", " 1"),
            ("0.1000000000000000055", "0.1"),
            ("12345678901234567890", "12345678901234567000"),
            ("9007199254740993", "9007199254740992"),
            ("1e400", "Infinity"),
            ("1", "true"),
        ] {
            assert_eq!(matched(sent, expect), Some(false), "{sent} is not {expect}");
        }
    }

    #[test]
    fn true_false_and_null_match_by_their_literals() {
        for sent in ["true", "false", "null"] {
            for expect in ["true", "false", "null", "True", "1", "0", ""] {
                assert_eq!(matched(sent, expect), Some(sent == expect), "{sent}, {expect}");
            }
        }
    }

    #[test]
    fn an_array_or_an_object_is_never_compared() {
        assert_eq!(matched("[]", "[]"), None);
        assert_eq!(matched("{}", "{}"), None);
    }

    #[test]
    fn a_long_value_is_told_by_its_beginning_and_compared_as_a_whole() {
        let text = "ä".repeat(FoundValue::MAX_CHARS + 1);
        let found = FoundValue::of(&Json::String(text.clone()));
        assert_eq!(found.value.as_ref().map(|value| value.chars().count()), Some(FoundValue::MAX_CHARS));
        assert!(found.truncated);
        let whole = "ä".repeat(FoundValue::MAX_CHARS);
        assert!(!FoundValue::of(&Json::String(whole.clone())).truncated);
        assert_eq!(matches(&Json::String(text), &whole), Some(false));
    }

    /// The value of a plain decimal text as (whole number, places), reduced; the oracle's own arithmetic.
    fn scaled(digits: i128, places: u32) -> (i128, u32) {
        let (mut digits, mut places) = (digits, places);
        while places > 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places - 1);
        }
        (digits, places)
    }

    /// Writes a value with a given number of places and a given exponent.
    fn write(digits: i128, places: u32, exponent: i32) -> String {
        let sign = if digits < 0 { "-" } else { "" };
        let all = format!("{:0>width$}", digits.unsigned_abs(), width = places as usize + 1);
        let (whole, rest) = all.split_at(all.len() - places as usize);
        let point = if places == 0 { String::new() } else { format!(".{rest}") };
        let exponent = if exponent == 0 { String::new() } else { format!("e{exponent}") };
        format!("{sign}{whole}{point}{exponent}")
    }

    proptest! {
        #[test]
        fn numbers_match_exactly_where_the_text_is_the_same_or_the_expected_one_is_the_reduced_decimal(
            sent in (-2000i128..2000, 0u32..4),
            expected in (-2000i128..2000, 0u32..4),
            same: bool,
        ) {
            let expected = if same { (sent.0, sent.1) } else { expected };
            let (text, expect) = (write(sent.0, sent.1, 0), write(expected.0, expected.1, 0));
            let equal = scaled(sent.0, sent.1) == scaled(expected.0, expected.1);
            let reduced = scaled(expected.0, expected.1) == expected;
            prop_assert_eq!(matched(&text, &expect), Some(text == expect || (equal && reduced)));
        }

        #[test]
        fn an_exponent_moves_the_point_and_nothing_else(
            digits in 1i128..100_000,
            places in 0u32..5,
            exponent in 1i32..20,
        ) {
            let sent = write(digits, places, exponent);
            let moved = digits * 10i128.pow(u32::try_from(exponent).unwrap());
            let (digits, places) = scaled(moved, places);
            prop_assert_eq!(matched(&sent, &write(digits, places, 0)), Some(true));
        }

        #[test]
        fn comparing_never_panics(sent in "[0-9eE.+\\-\"a-z{}\\[\\]:,]{0,24}", expect: String) {
            if let Ok(value) = receipt::json::parse_lenient(sent.as_bytes()) {
                let _ = (matches(&value, &expect), FoundValue::of(&value));
            }
        }
    }
}
