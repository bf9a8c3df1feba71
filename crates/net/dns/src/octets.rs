//! The JSON form of bytes in evidence: the text where they are UTF-8, and base64 otherwise.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Octets<'a> {
    Text(std::borrow::Cow<'a, str>),
    Other { base64: String },
}

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Octets::Text(text.into()),
        Err(_) => Octets::Other { base64: BASE64_STANDARD.encode(bytes) },
    }
    .serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Octets::deserialize(deserializer)? {
        Octets::Text(text) => Ok(text.into_owned().into_bytes()),
        Octets::Other { base64 } => BASE64_STANDARD.decode(base64).map_err(de::Error::custom),
    }
}
