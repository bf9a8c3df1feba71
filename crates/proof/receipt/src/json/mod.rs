//! I-JSON (RFC 7493) as a tree that keeps what a hash or a comparison needs.
//!
//! Two things are lost by the usual trees, and both matter to a notary:
//!
//! - **the text of a number.** A claim that the price is `1.10` is compared with the digits that the source
//!   sent, never with a binary float. [`Number`] keeps its source text, and converts only when asked.
//! - **that a name was given twice.** Two readers of `{"a":1,"a":2}` may see two documents. [`parse`] refuses
//!   it; [`parse_lenient`], for documents that others wrote, keeps both, and [`Object::get_all`] shows them.
//!
//! The parser underneath is [`jiter`]; this module checks the further rules of I-JSON.
//!
//! ```
//! use receipt::json::{self, JsonErrorKind};
//!
//! let body = json::parse(br#"{"agent":"a-1","trades":[{"pnl":0.1}]}"#)?;
//! assert_eq!(body.get("agent").and_then(|agent| agent.as_str()), Some("a-1"));
//!
//! let refused = json::parse(br#"{"trades":[{"pnl":0.1000000000000000055}]}"#).unwrap_err();
//! assert_eq!(refused.kind, JsonErrorKind::NumberNotExact);
//! assert_eq!(refused.path.dotted(), "trades.0.pnl");
//! # Ok::<(), json::JsonError>(())
//! ```

mod decimal;
mod error;
mod number;
mod object;
mod parse;
mod path;
mod serialize;

pub use error::{JsonError, JsonErrorKind};
pub use number::{Number, NumberError};
pub use object::Object;
pub use parse::{MAX_DEPTH, parse, parse_lenient};
pub use path::{Path, Segment};
pub use serialize::{SerializeError, from_serialize};

/// A JSON value: RFC 8259 section 3, numbers by their source text and members in their source order.
///
/// Equality is that of the texts: `1` and `1.0` are different values here, and so are two objects with
/// the same members in another order. Compare canonical forms where that is not wanted.
///
/// # Examples
/// A request is read, and its members are found by their names. A number keeps its text.
///
/// ```
/// use receipt::json::{Json, parse};
///
/// let trade = parse(br#"{"pair": "BTC-USD", "pnl": 1.10, "fees": [0.2, 0.1]}"#)?;
/// assert_eq!(trade.get("pair").and_then(Json::as_str), Some("BTC-USD"));
/// assert_eq!(trade.get("fees").and_then(Json::as_array).map(<[Json]>::len), Some(2));
/// assert_eq!(trade.get("closed_at"), None);
///
/// let (written, shorter) = (parse(b"[1.10]")?, parse(b"[1.1]")?);
/// assert_ne!(written, shorter, "the texts of the numbers differ");
/// assert_eq!(written.canonical(), shorter.canonical());
/// # Ok::<(), receipt::json::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, kept as it was written.
    Number(Number),
    /// A string, its escapes decoded.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

impl Json {
    /// The member `name` of an object; `None` for everything else and where there is no such member.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name)
    }

    /// The text of a string; `None` for a value of another type.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of `true` or `false`; `None` for a value of another type.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number; `None` for a value of another type.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The elements of an array; `None` for a value of another type.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members of an object; `None` for a value of another type.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns true if this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value's type as RFC 8259 names it: `null`, `boolean`, `number`, `string`, `array` or `object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Self::Array(elements)
    }
}
