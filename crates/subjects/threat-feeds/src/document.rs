//! A feed that is one JSON document, read as a stream.

use std::fmt;
use std::io::Read;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::read::FeedError;
use crate::row::Rows;
use crate::stated;

/// Reads a document: an array, or an object with arrays.
pub(crate) fn read(source: impl Read, rows: &mut Rows) -> Result<(), FeedError> {
    let mut failed = None;
    let mut document = serde_json::Deserializer::from_reader(source);
    let read = Node { rows, failed: &mut failed, part: Part::Document }.deserialize(&mut document);
    match read.and_then(|()| document.end()) {
        Ok(()) => Ok(()),
        Err(error) => Err(failed.unwrap_or_else(|| match error.classify() {
            serde_json::error::Category::Eof => FeedError::Cut,
            serde_json::error::Category::Io => FeedError::Io(error.into()),
            _ => FeedError::Json { line: error.line(), column: error.column() },
        })),
    }
}

/// The part of the document that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The whole.
    Document,
    /// The value of a member with entries.
    Deny,
    /// The value of a member with shared hosts.
    Allow,
    /// An element of an array of entries.
    DenyElement,
    /// An element of an array of shared hosts.
    AllowElement,
}

struct Node<'r> {
    rows: &'r mut Rows,
    /// The error of a row, which is not one of JSON.
    failed: &'r mut Option<FeedError>,
    part: Part,
}

impl Node<'_> {
    fn row<E: de::Error>(&mut self, text: Option<&str>) -> Result<(), E> {
        let taken = match (self.part, text) {
            (Part::Document, _) => return Err(E::custom("a feed is an object or an array")),
            (Part::AllowElement, Some(text)) => self.rows.allow(text),
            // A shared host that cannot be read is one broken row, as is a member that is no array.
            _ if self.part != Part::DenyElement => self.rows.take_element(None),
            _ => self.rows.take_element(text),
        };
        taken.map_err(|error| {
            *self.failed = Some(error);
            E::custom("a row was refused")
        })
    }

    /// The same place for another part.
    fn with(&mut self, part: Part) -> Node<'_> {
        Node { rows: &mut *self.rows, failed: &mut *self.failed, part }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of names or addresses")
    }

    fn visit_str<E: de::Error>(mut self, text: &str) -> Result<(), E> {
        self.row(Some(text))
    }

    fn visit_bool<E: de::Error>(mut self, _: bool) -> Result<(), E> {
        self.row(None)
    }

    fn visit_i64<E: de::Error>(mut self, _: i64) -> Result<(), E> {
        self.row(None)
    }

    fn visit_u64<E: de::Error>(mut self, _: u64) -> Result<(), E> {
        self.row(None)
    }

    fn visit_f64<E: de::Error>(mut self, _: f64) -> Result<(), E> {
        self.row(None)
    }

    fn visit_unit<E: de::Error>(mut self) -> Result<(), E> {
        self.row(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        let part = match self.part {
            Part::Document | Part::Deny => Part::DenyElement,
            Part::Allow => Part::AllowElement,
            Part::DenyElement | Part::AllowElement => {
                while array.next_element::<IgnoredAny>()?.is_some() {}
                return self.row(None);
            }
        };
        while array.next_element_seed(self.with(part))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let (mut url, mut domain) = (None, None);
        while let Some(key) = object.next_key::<String>()? {
            match (self.part, key.as_str()) {
                (Part::Document, "deny" | "blacklist" | "blocklist" | "domains" | "urls") => {
                    object.next_value_seed(self.with(Part::Deny))?;
                }
                (Part::Document, "allow" | "whitelist" | "allowlist") => {
                    object.next_value_seed(self.with(Part::Allow))?;
                }
                (Part::Document, "updated" | "date" | "generated") => {
                    let at = match object.next_value::<Value>()? {
                        Value::String(text) => stated::date(&text),
                        Value::Number(number) => number.as_u64().and_then(stated::number),
                        _ => None,
                    };
                    self.rows.stated = self.rows.stated.or(at);
                }
                (Part::DenyElement, "url") => url = object.next_value::<Value>()?.as_str().map(str::to_owned),
                (Part::DenyElement, "domain") => {
                    domain = object.next_value::<Value>()?.as_str().map(str::to_owned)
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        if self.part == Part::Document { Ok(()) } else { self.row(url.or(domain).as_deref()) }
    }
}
