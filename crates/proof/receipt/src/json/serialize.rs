//! Conversion of values that implement [`serde::Serialize`] to [`Json`].

mod tree;

pub use tree::from_serialize;

use super::{Json, Number, Object};
use serde::ser::{Error as _, SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use thiserror::Error;

/// A Rust value that has no exact JSON form.
#[derive(Debug, Error)]
pub enum SerializeError {
    /// The value is NaN or infinite, which JSON cannot express. A verdict must not turn it into `null`.
    #[error("{0} is not a JSON number")]
    NotFinite(f64),
    /// The canonical form would change this integer. Send a decimal string instead.
    #[error("the integer {0} is not exact in canonical JSON: use a decimal string")]
    NotExact(String),
    /// A map's key is neither a string, an integer, a boolean nor a unit variant.
    #[error("a JSON object's name must be a string")]
    NameNotString,
    /// The value has two members of this name; a flattened member can cause that.
    #[error("the name {0:?} is there more than once")]
    DuplicateKey(String),
    /// The value's own `Serialize` implementation failed with this message.
    #[error("{0}")]
    Custom(String),
}

impl serde::ser::Error for SerializeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Custom(message.to_string())
    }
}

impl Serialize for Json {
    /// Numbers go out as integers where they are, else as doubles; one past the greatest double is an error.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(elements) => {
                let mut sequence = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    sequence.serialize_element(element)?;
                }
                sequence.end()
            }
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // "-0" is the double -0.0; as an integer it would lose its sign.
        if self.text() != "-0" {
            if let Ok(value) = self.text().parse::<u64>() {
                return serializer.serialize_u64(value);
            }
            if let Ok(value) = self.text().parse::<i64>() {
                return serializer.serialize_i64(value);
            }
        }
        match self.as_f64() {
            value if value.is_finite() => serializer.serialize_f64(value),
            _ => Err(S::Error::custom(format_args!("{self} is past the greatest double"))),
        }
    }
}

impl From<Json> for serde_json::Value {
    /// Numbers become what serde_json makes of their text; one past the greatest double becomes its text, as a
    /// string. Of members of one name the last stays.
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => {
                serde_json::from_str(number.text()).unwrap_or_else(|_| Self::String(number.text().to_owned()))
            }
            Json::String(text) => Self::String(text),
            Json::Array(elements) => Self::Array(elements.into_iter().map(Self::from).collect()),
            Json::Object(object) => {
                Self::Object(object.into_iter().map(|(name, value)| (name, Self::from(value))).collect())
            }
        }
    }
}

impl From<&serde_json::Value> for Json {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => {
                Self::Number(number.to_string().parse().expect("serde_json writes JSON numbers"))
            }
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(map) => Self::Object(Object::from_members(
                map.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect(),
            )),
        }
    }
}
