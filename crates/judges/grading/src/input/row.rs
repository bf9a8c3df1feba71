//! The members of a row, and numbers as callers write them.

use receipt::json::{Json, Path};
use verdict::{Field, FieldError, Fields, Reason};

use super::time::{Instant, parse_day};

/// Maximum length of a decimal string, in characters. A number of that length is within the range of a double.
pub const DECIMAL_CHARS: usize = 40;

/// Maximum length of a row's texts, in Unicode characters.
pub const TEXT_CHARS: usize = 128;

/// The members of a row. `null` counts as absent, because exports write it for an unknown value.
pub struct Row<'a>(pub Fields<'a>);

impl<'a> Row<'a> {
    fn value(&self, name: &str) -> Option<&'a Json> {
        self.0.value(name).filter(|value| !value.is_null())
    }

    /// Builds the error of a member.
    pub fn error(&self, name: &str, reason: Reason, detail: impl Into<String>) -> FieldError {
        self.0.error(name, reason, detail)
    }

    /// Builds the error of a required member that is absent.
    pub fn missing(&self, name: &str) -> FieldError {
        self.error(name, Reason::Missing, "is required")
    }

    /// Reads a number, or a number in a string; `None` if absent.
    pub fn number(&self, name: &str) -> Result<Option<f64>, FieldError> {
        self.value(name)
            .map(|value| number(value).map_err(|(reason, detail)| self.error(name, reason, detail)))
            .transpose()
    }

    /// Reads a number above zero; `None` if absent.
    pub fn positive(&self, name: &str) -> Result<Option<f64>, FieldError> {
        self.within(name, |number| number > 0.0, "must be above 0")
    }

    /// Reads a number for which `is_good` returns true; `None` if absent.
    pub fn within(
        &self,
        name: &str,
        is_good: impl Fn(f64) -> bool,
        detail: &str,
    ) -> Result<Option<f64>, FieldError> {
        match self.number(name)? {
            Some(number) if !is_good(number) => Err(self.error(name, Reason::OutOfRange, detail)),
            number => Ok(number),
        }
    }

    /// Reads a number under either of two names; `None` if both are absent.
    pub fn number_by_either(&self, name: &str, alias: &str) -> Result<Option<f64>, FieldError> {
        match (self.number(name)?, self.number(alias)?) {
            (Some(number), Some(other)) if number != other => Err(self.error(
                alias,
                Reason::Contradictory,
                format!("must be `{name}`, where both are given"),
            )),
            (number, other) => Ok(number.or(other)),
        }
    }

    /// Reads a boolean; `None` if absent.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, FieldError> {
        match self.value(name) {
            None => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.error(name, Reason::WrongType, "must be true or false")),
        }
    }

    /// Reads a text of 1 to [`TEXT_CHARS`] characters; `None` if absent.
    pub fn text(&self, name: &'static str) -> Result<Option<&'a str>, FieldError> {
        if self.value(name).is_none() {
            return Ok(None);
        }
        self.0.optional_text(&Field::text(name, 1..=TEXT_CHARS))
    }

    /// Reads a time with its offset from UTC (RFC 3339); `None` if absent.
    pub fn instant(&self, name: &'static str) -> Result<Option<Instant>, FieldError> {
        let detail = "must be a time of RFC 3339 with its offset, from 1900 on: 2026-01-31T16:00:00Z";
        self.parsed(name, Instant::parse, detail)
    }

    /// Reads a day, in days since 1970-01-01; `None` if absent.
    pub fn day(&self, name: &'static str) -> Result<Option<i32>, FieldError> {
        self.parsed(name, parse_day, "must be a day from 1900 on: 2026-01-31")
    }

    fn parsed<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        detail: &str,
    ) -> Result<Option<T>, FieldError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(text).map(Some).ok_or_else(|| self.error(name, Reason::Malformed, detail))
    }
}

/// Reads a JSON number, or a plain decimal in a string, as the nearest double. A negative zero becomes zero, because
/// the canonical form of a request, which a rerun reads, has no negative zero, and the seed depends on the bits.
pub fn number(value: &Json) -> Result<f64, (Reason, &'static str)> {
    const DETAIL: &str = "must be a number, or a plain decimal in a string of at most 40 characters";
    let number = match value {
        Json::Number(number) => Some(number.as_f64()).filter(|number| number.is_finite()),
        Json::String(text) if text.len() <= DECIMAL_CHARS && is_plain_decimal(text) => text.parse().ok(),
        Json::String(_) => None,
        _ => return Err((Reason::WrongType, DETAIL)),
    };
    number.map(|number| if number == 0.0 { 0.0 } else { number }).ok_or((Reason::Malformed, DETAIL))
}

/// A JSON number without an exponent. Neither infinities nor NaN are one.
fn is_plain_decimal(text: &str) -> bool {
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    is_digits(whole) && is_digits(places) && (whole == "0" || !whole.starts_with('0'))
}

/// Returns the path of a member of the row at an index of an array.
pub fn path_of(array: &str, index: usize, name: &str) -> Path {
    let mut path = Path::root();
    path.push_name(array);
    path.push_index(index);
    path.push_name(name);
    path
}

/// Returns a function that prefixes the path of an error with its row: `array` and `index`.
pub fn in_row(array: &str, index: usize) -> impl Fn(FieldError) -> FieldError {
    move |FieldError { path, reason, detail }| {
        let mut whole = Path::root();
        whole.push_name(array);
        whole.push_index(index);
        path.segments().iter().for_each(|segment| whole.push(segment.clone()));
        FieldError { path: whole, reason, detail }
    }
}
