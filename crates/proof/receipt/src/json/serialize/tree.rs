//! A serde serializer whose output is a [`Json`] tree, and which refuses what canonical JSON would change.

use super::SerializeError;
use crate::json::{Json, Number, Object};
use serde::ser::{self, Serialize, Serializer};

/// Converts a serializable value to a tree. It refuses values that JSON would change silently: NaN and infinities
/// (serde_json writes `null`), integers that a double cannot hold, and members of one name.
///
/// # Errors
/// [`SerializeError`] for those values, and for maps whose keys are not names.
///
/// ```
/// use receipt::json::from_serialize;
///
/// let tree = from_serialize(&("price", 0.5, [1, 2]))?;
/// assert_eq!(tree.to_string(), r#"["price",0.5,[1,2]]"#);
/// assert!(from_serialize(&f64::NAN).is_err());
/// assert!(from_serialize(&9_007_199_254_740_993_u64).is_err());
/// # Ok::<(), receipt::json::SerializeError>(())
/// ```
pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Json, SerializeError> {
    value.serialize(Tree)
}

struct Tree;

fn integer<T: Into<Number>>(value: T) -> Result<Json, SerializeError> {
    let number = value.into();
    if number.is_exact() {
        Ok(Json::Number(number))
    } else {
        Err(SerializeError::NotExact(number.text().to_owned()))
    }
}

fn double(value: f64) -> Result<Json, SerializeError> {
    Number::from_f64(value).map(Json::Number).ok_or(SerializeError::NotFinite(value))
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {$(
        fn $method(self, value: $type) -> Result<Json, SerializeError> {
            integer(value)
        }
    )*};
}

impl Serializer for Tree {
    type Ok = Json;
    type Error = SerializeError;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = ObjectSerializer;
    type SerializeStruct = ObjectSerializer;
    type SerializeStructVariant = ObjectSerializer;

    integers!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128);
    integers!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128);

    fn serialize_bool(self, value: bool) -> Result<Json, SerializeError> {
        Ok(Json::Bool(value))
    }

    fn serialize_f32(self, value: f32) -> Result<Json, SerializeError> {
        double(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<Json, SerializeError> {
        double(value)
    }

    fn serialize_char(self, value: char) -> Result<Json, SerializeError> {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Json, SerializeError> {
        Ok(Json::from(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Json, SerializeError> {
        Ok(Json::Array(value.iter().map(|byte| Json::Number((*byte).into())).collect()))
    }

    fn serialize_none(self) -> Result<Json, SerializeError> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, SerializeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json, SerializeError> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Json, SerializeError> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Json, SerializeError> {
        Ok(Json::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Json, SerializeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json, SerializeError> {
        Ok(tagged(Some(variant), value.serialize(Tree)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Elements, SerializeError> {
        Ok(Elements { variant: None, elements: Vec::with_capacity(len.unwrap_or(0).min(1024)) })
    }

    fn serialize_tuple(self, len: usize) -> Result<Elements, SerializeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Elements, SerializeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Elements, SerializeError> {
        Ok(Elements { variant: Some(variant), elements: Vec::new() })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<ObjectSerializer, SerializeError> {
        let members = Vec::with_capacity(len.unwrap_or(0).min(1024));
        Ok(ObjectSerializer { variant: None, members, name: None })
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<ObjectSerializer, SerializeError> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<ObjectSerializer, SerializeError> {
        Ok(ObjectSerializer { variant: Some(variant), members: Vec::new(), name: None })
    }
}

/// An enum's variant that holds something is an object with the variant's name.
fn tagged(variant: Option<&'static str>, value: Json) -> Json {
    match variant {
        None => value,
        Some(variant) => Json::Object(Object::from_members(vec![(variant.to_owned(), value)])),
    }
}

/// The elements of an array, as they come.
struct Elements {
    variant: Option<&'static str>,
    elements: Vec<Json>,
}

impl Elements {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        self.elements.push(value.serialize(Tree)?);
        Ok(())
    }

    fn finish(self) -> Result<Json, SerializeError> {
        Ok(tagged(self.variant, Json::Array(self.elements)))
    }
}

macro_rules! elements {
    ($($trait:ident $method:ident),*) => {$(
        impl ser::$trait for Elements {
            type Ok = Json;
            type Error = SerializeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
                self.push(value)
            }

            fn end(self) -> Result<Json, SerializeError> {
                self.finish()
            }
        }
    )*};
}
elements!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// The members of an object, as they come.
struct ObjectSerializer {
    variant: Option<&'static str>,
    members: Vec<(String, Json)>,
    name: Option<String>,
}

impl ObjectSerializer {
    fn push<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), SerializeError> {
        self.members.push((name.to_owned(), value.serialize(Tree)?));
        Ok(())
    }

    fn finish(self) -> Result<Json, SerializeError> {
        let object = Object::from_members(self.members);
        match object.first_duplicate() {
            Some(name) => Err(SerializeError::DuplicateKey(name.to_owned())),
            None => Ok(tagged(self.variant, Json::Object(object))),
        }
    }
}

impl ser::SerializeMap for ObjectSerializer {
    type Ok = Json;
    type Error = SerializeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerializeError> {
        self.name = Some(match key.serialize(Tree)? {
            Json::String(name) => name,
            Json::Number(number) if number.is_plain_integer() => number.text().to_owned(),
            Json::Bool(value) => value.to_string(),
            _ => return Err(SerializeError::NameNotString),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        let name = self.name.take().ok_or(SerializeError::NameNotString)?;
        self.members.push((name, value.serialize(Tree)?));
        Ok(())
    }

    fn end(self) -> Result<Json, SerializeError> {
        self.finish()
    }
}

macro_rules! members {
    ($($trait:ident),*) => {$(
        impl ser::$trait for ObjectSerializer {
            type Ok = Json;
            type Error = SerializeError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), SerializeError> {
                self.push(name, value)
            }

            fn end(self) -> Result<Json, SerializeError> {
                self.finish()
            }
        }
    )*};
}
members!(SerializeStruct, SerializeStructVariant);
