//! Differences between two snapshots of a list.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{EntityKind, Entry, List, Quality};

/// The differences of two lists, entry by entry, in the order of uids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Entries that only the later list has.
    pub added: Vec<EntrySummary>,
    /// Entries that only the earlier list has.
    pub removed: Vec<EntrySummary>,
    /// Entries in both lists that differ, with the differing fields.
    pub changed: Vec<EntryChange>,
}

/// An entry in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntrySummary {
    /// Publisher's key of the entry.
    pub uid: Box<str>,
    /// Kind of party.
    #[serde(rename = "type")]
    pub kind: EntityKind,
    /// The name that it is listed under.
    pub name: Box<str>,
}

/// An entry that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryChange {
    /// Publisher's key of the entry.
    pub uid: Box<str>,
    /// The name that it is listed under now.
    pub name: Box<str>,
    /// Fields that differ, in the order of [`Entry`]'s fields.
    pub fields: Vec<FieldChange>,
}

/// Values that one field lost and gained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// The field.
    pub field: &'static str,
    /// Values that are no longer there.
    pub removed: Vec<String>,
    /// Values that were not there.
    pub added: Vec<String>,
}

impl Diff {
    /// Compares two lists, whose entries must be in the order of their uids.
    pub fn between(from: &List, to: &List) -> Self {
        let mut diff = Self::default();
        let (mut before, mut after) = (from.entries.iter().peekable(), to.entries.iter().peekable());
        loop {
            match (before.peek(), after.peek()) {
                (None, None) => return diff,
                (Some(old), Some(new)) if old.uid == new.uid => {
                    diff.changed.extend(changed(old, new));
                    before.next();
                    after.next();
                }
                (Some(old), new) if new.is_none_or(|new| old.uid < new.uid) => {
                    diff.removed.push(listed(old));
                    before.next();
                }
                (_, Some(new)) => {
                    diff.added.push(listed(new));
                    after.next();
                }
                (Some(old), None) => {
                    diff.removed.push(listed(old));
                    before.next();
                }
            }
        }
    }
}

fn listed(entry: &Entry) -> EntrySummary {
    EntrySummary { uid: entry.uid.clone(), kind: entry.kind, name: entry.primary().into() }
}

fn changed(old: &Entry, new: &Entry) -> Option<EntryChange> {
    if old == new {
        return None;
    }
    let fields = fields(old).into_iter().zip(self::fields(new));
    let fields = fields.filter_map(|((field, old), (_, new))| {
        let missing = |of: &[String], from: &[String]| -> Vec<String> {
            of.iter().filter(|value| !from.contains(value)).cloned().collect()
        };
        let change = FieldChange { field, removed: missing(&old, &new), added: missing(&new, &old) };
        (!change.removed.is_empty() || !change.added.is_empty()).then_some(change)
    });
    Some(EntryChange { uid: new.uid.clone(), name: new.primary().into(), fields: fields.collect() })
}

/// Every field as text, but for the key.
fn fields(entry: &Entry) -> Vec<(&'static str, Vec<String>)> {
    let names = |quality: Quality| {
        let names = entry.names.iter().filter(|name| name.quality == quality);
        names.map(|name| name.text.to_string()).collect()
    };
    let texts = |texts: &[Box<str>]| texts.iter().map(ToString::to_string).collect();
    let one = |text: Option<String>| text.into_iter().collect();
    let identifiers = entry.identifiers.iter().map(|identifier| {
        let country = identifier.country.as_deref().map(|country| format!(" ({country})"));
        format!("{} {}{}", identifier.kind, identifier.number, country.unwrap_or_default())
    });
    let wallets = entry.wallets.iter().map(|wallet| format!("{} {}", wallet.currency, wallet.address));
    vec![
        ("list", vec![entry.list.to_string()]),
        ("kind", vec![format!("{:?}", entry.kind).to_lowercase()]),
        ("primary_name", names(Quality::Primary)),
        ("strong_aliases", names(Quality::Strong)),
        ("weak_aliases", names(Quality::Weak)),
        ("programs", texts(&entry.programs)),
        ("title", one(entry.title.as_deref().map(str::to_owned))),
        ("gender", one(entry.gender.map(|gender| format!("{gender:?}").to_lowercase()))),
        ("births", entry.births.iter().map(ToString::to_string).collect()),
        ("countries", texts(&entry.countries)),
        ("addresses", texts(&entry.addresses)),
        ("identifiers", identifiers.collect()),
        ("imo", one(entry.imo.map(|imo| imo.to_string()))),
        ("call_sign", one(entry.call_sign.as_deref().map(str::to_owned))),
        ("wallets", wallets.collect()),
        ("remarks", one(entry.remarks.as_deref().map(str::to_owned))),
    ]
}
