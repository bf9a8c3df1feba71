//! A JSON number by its source text.

use super::decimal::Decimal;
use std::fmt;
use thiserror::Error;

/// A JSON number as it was written (RFC 8259 section 6). Nothing is lost on the way in.
///
/// ```
/// use receipt::json::Number;
///
/// let price: Number = "0.10".parse()?;
/// assert_eq!(price.text(), "0.10");
/// assert_eq!(price.canonical_decimal().as_deref(), Some("0.1"));
/// assert!(price.is_exact());
///
/// let too_fine: Number = "9007199254740993".parse()?;
/// assert!(!too_fine.is_exact(), "its canonical form is 9007199254740992");
/// # Ok::<(), receipt::json::NumberError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

/// The text is not a JSON number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a JSON number")]
pub struct NumberError;

impl Number {
    /// A text that a parser has already found to be a JSON number.
    pub(super) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// The source text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns true if the number has the same value in decimal as in its canonical form (RFC 8785 section 3.2.2.3,
    /// the shortest ES6 text of the nearest double). False for `9007199254740993` (canonically `…992`), for what
    /// overflows to infinity and for what underflows to zero. `-0` is exact: its canonical form `0` has the same
    /// value.
    pub fn is_exact(&self) -> bool {
        is_exact(&self.0)
    }

    /// The nearest double, ties to even. It is infinite where the value is past the greatest double.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().expect("a JSON number is a number to Rust too")
    }

    /// The value as an integer: `1e2` is 100 and `1.0` is 1. `None` where it is not a whole number or does not fit.
    pub fn as_i64(&self) -> Option<i64> {
        self.integer()
    }

    /// The value as a nonnegative integer. `None` where it is negative, is not a whole number or does not fit.
    pub fn as_u64(&self) -> Option<u64> {
        self.integer()
    }

    fn integer<T: std::str::FromStr>(&self) -> Option<T> {
        // The source text of an integer is nearly always its plain form.
        self.0.parse().ok().or_else(|| self.canonical_decimal()?.parse().ok())
    }

    /// The exact value as a plain decimal text: `1.0` is `1`, `1e2` is `100`, `0.10` is `0.1`, `-0` is `0`. No float is
    /// used on the way. `None` where it would take over 400 zeros to write it out (`1e999`).
    pub fn canonical_decimal(&self) -> Option<String> {
        Decimal::of(&self.0).plain()
    }

    /// Returns true if the text is already its own canonical form. Only the common case is looked for: an integer of
    /// at most 15 digits.
    pub(crate) fn is_plain_integer(&self) -> bool {
        let digits = self.0.strip_prefix('-').unwrap_or(&self.0).as_bytes();
        digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) && &*self.0 != "-0"
    }

    /// The number whose text is the canonical form of the double; `None` for infinities and NaN, which JSON cannot
    /// express.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(ryu_js::Buffer::new().format_finite(value).into()))
    }
}

/// [`Number::is_exact`] for a checked text.
pub(super) fn is_exact(text: &str) -> bool {
    let source = Decimal::of(text);
    if source.is_surely_exact() {
        return true;
    }
    let nearest: f64 = text.parse().expect("a JSON number is a number to Rust too");
    if !nearest.is_finite() {
        return false;
    }
    let mut buffer = ryu_js::Buffer::new();
    source.equals(&Decimal::of(buffer.format_finite(nearest)))
}

/// The length of the JSON number at the start of `bytes` (RFC 8259 section 6), if there is one.
pub(super) fn scan(bytes: &[u8]) -> Option<usize> {
    let digits_from = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match bytes.get(at)? {
        b'0' => 1,
        b'1'..=b'9' => digits_from(at),
        _ => return None,
    };
    if bytes.get(at) == Some(&b'.') {
        let digits = digits_from(at + 1);
        if digits == 0 {
            return None;
        }
        at += 1 + digits;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let digits = digits_from(at + 1 + sign);
        if digits == 0 {
            return None;
        }
        at += 1 + sign + digits;
    }
    Some(at)
}

impl std::str::FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        if scan(text.as_bytes()) == Some(text.len()) {
            Ok(Self::from_checked(text))
        } else {
            Err(NumberError)
        }
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self(value.to_string().into())
            }
        }
    )*};
}
from_integer!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, usize);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({})", self.0)
    }
}
