//! The members of a row, and numbers as callers write them.

use receipt::json::{Json, Path};
use verdict::{Field, FieldError, Fields, Reason};

use super::time::{Instant, parse_day};

/// The most characters of a decimal string. A number of that length is far within the range of a double.
pub const DECIMAL_CHARS: usize = 40;

/// The most characters of a row's texts.
pub const TEXT_CHARS: usize = 128;

/// The members of a row. `null` is the same as absent: exports write it for what they do not know.
pub struct Row<'a>(pub Fields<'a>);

impl<'a> Row<'a> {
    fn value(&self, name: &str) -> Option<&'a Json> {
        self.0.value(name).filter(|value| !value.is_null())
    }

    pub fn error(&self, name: &str, reason: Reason, detail: impl Into<String>) -> FieldError {
        self.0.error(name, reason, detail)
    }

    pub fn missing(&self, name: &str) -> FieldError {
        self.error(name, Reason::Missing, "is required")
    }

    /// A number, or the text of one.
    pub fn number(&self, name: &str) -> Result<Option<f64>, FieldError> {
        self.value(name)
            .map(|value| number(value).map_err(|(reason, detail)| self.error(name, reason, detail)))
            .transpose()
    }

    /// A number above zero.
    pub fn positive(&self, name: &str) -> Result<Option<f64>, FieldError> {
        self.within(name, |number| number > 0.0, "must be above 0")
    }

    /// A number that `is_good`.
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

    /// Whichever of two names is there.
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

    pub fn flag(&self, name: &str) -> Result<Option<bool>, FieldError> {
        match self.value(name) {
            None => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.error(name, Reason::WrongType, "must be true or false")),
        }
    }

    pub fn text(&self, name: &'static str) -> Result<Option<&'a str>, FieldError> {
        if self.value(name).is_none() {
            return Ok(None);
        }
        self.0.optional_text(&Field::text(name, 1..=TEXT_CHARS))
    }

    /// A time with its offset from UTC.
    pub fn instant(&self, name: &'static str) -> Result<Option<Instant>, FieldError> {
        let detail = "must be a time of RFC 3339 with its offset, from 1900 on: 2026-01-31T16:00:00Z";
        self.parsed(name, Instant::parse, detail)
    }

    /// A day, counted from 1970-01-01.
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

/// A JSON number, or a plain decimal in a string: the double nearest to what was written, and of the two zeros the one
/// without a sign. The canonical form of a request, which a rerun reads, has no other; and a seed is made of the bits.
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

/// The error of a row, by its whole path.
pub fn in_row(array: &str, index: usize) -> impl Fn(FieldError) -> FieldError {
    move |FieldError { path, reason, detail }| {
        let mut whole = Path::root();
        whole.push_name(array);
        whole.push_index(index);
        path.segments().iter().for_each(|segment| whole.push(segment.clone()));
        FieldError { path: whole, reason, detail }
    }
}
