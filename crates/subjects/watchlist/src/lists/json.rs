//! The JSON form of the names: `{"published": "...", "entries": [{"uid", "name", "type", "programs",
//! "alternateNames"}]}`.
//!
//! It has strong aliases only: no weak ones, no remarks, no wallets.

use std::fmt;
use std::io::Read;

use jiff::civil::Date;
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::context::{InputFile, json_error};
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::identity;
use super::text::{clean, some};
use crate::model::{EntityKind, Entry, Quality};

#[derive(Deserialize)]
struct EntryRow {
    uid: u64,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(rename = "alternateNames", default)]
    aliases: Vec<String>,
}

#[derive(Deserialize)]
struct DeclaredCounts {
    entries: u64,
}

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(mut input: InputFile<'_>) -> Result<Fragment, ListError> {
    let mut fragment = Fragment::new(FileFormat::NamesJson, input.file, &input.list);
    let mut refused = None;
    let meter = input.meter();
    let file = input.file;
    {
        let mut add = |row: EntryRow| {
            meter.next();
            let entry = entry(row, &fragment.list.clone());
            fragment.add(entry, input.bounds).map_err(|error| refused = Some(error)).is_ok()
        };
        let mut json = serde_json::Deserializer::from_reader(&mut input.bytes as &mut dyn Read);
        let read = NamesDocument(&mut add).deserialize(&mut json).and_then(|head| json.end().map(|()| head));
        match (read, refused) {
            (_, Some(error)) => return Err(error),
            (Err(error), None) => return Err(json_error(file, error)),
            (Ok(head), None) => (fragment.published, fragment.declared) = head,
        }
    }
    fragment.identify(identity::held(fragment.entries.values()));
    fragment.end()
}

fn entry(row: EntryRow, list: &crate::model::ListName) -> Entry {
    let kind = match row.kind.as_str() {
        "individual" => EntityKind::Person,
        "entity" => EntityKind::Entity,
        "vessel" => EntityKind::Vessel,
        "aircraft" => EntityKind::Aircraft,
        _ => EntityKind::Unknown,
    };
    let mut entry = Entry::new(&row.uid.to_string(), list, kind, &clean(&row.name));
    entry.programs.extend(row.programs.iter().filter_map(|program| some(program)));
    for name in &row.aliases {
        draft::alias(&mut entry, name, Quality::Strong);
    }
    entry
}

/// Visitor of the document: passes the entries on one by one, and returns the date and the stated number of entries.
struct NamesDocument<'a>(&'a mut dyn FnMut(EntryRow) -> bool);

impl<'de> DeserializeSeed<'de> for NamesDocument<'_> {
    type Value = (Option<Date>, Option<u64>);

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NamesDocument<'_> {
    type Value = (Option<Date>, Option<u64>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with entries")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut published, mut declared, mut seen) = (None, None, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "published" => {
                    let text: String = map.next_value()?;
                    published = Some(text.parse().map_err(serde::de::Error::custom)?);
                }
                "counts" => declared = Some(map.next_value::<DeclaredCounts>()?.entries),
                "entries" if !seen => {
                    map.next_value_seed(EntrySequence(&mut *self.0))?;
                    seen = true;
                }
                "entries" => return Err(serde::de::Error::duplicate_field("entries")),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if seen { Ok((published, declared)) } else { Err(serde::de::Error::missing_field("entries")) }
    }
}

struct EntrySequence<'a>(&'a mut dyn FnMut(EntryRow) -> bool);

impl<'de> DeserializeSeed<'de> for EntrySequence<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntrySequence<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(row) = seq.next_element()? {
            if !(self.0)(row) {
                return Err(serde::de::Error::custom("the entry is refused"));
            }
        }
        Ok(())
    }
}
