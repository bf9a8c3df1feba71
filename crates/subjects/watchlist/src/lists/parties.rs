//! Parties of a table that has several records for each of them.
//!
//! Publishers write such tables as the full product of the repeated fields: of ten names, seven addresses and fifty-four
//! numbers they make 3,780 records, in which each name stands 378 times. Duplicates are removed while the records are
//! read, so that a party is never held much larger than it is, and only distinct values count for its bounds.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use super::context::too_large;
use super::draft;
use super::error::ListError;
use super::fragment::Fragment;
use crate::model::{EntityKind, Entry, ListName, PublicationBounds};

/// Number of names and values up to which duplicates of a party are kept until its end.
const FEW: usize = 64;

/// The parties of a table, while their records are read.
pub(super) struct Parties<'a> {
    parties: BTreeMap<Box<str>, Party>,
    list: ListName,
    file: &'a str,
    bounds: &'a PublicationBounds,
}

struct Party {
    entry: Entry,
    /// Number of its names and values when duplicates were last removed.
    distinct: usize,
}

impl<'a> Parties<'a> {
    pub(super) fn new(file: &'a str, bounds: &'a PublicationBounds, list: &ListName) -> Self {
        Self { parties: BTreeMap::new(), list: list.clone(), file, bounds }
    }

    /// Adds to the party of that key, which has no name yet when its first record comes.
    ///
    /// # Errors
    /// [`ListError::TooLarge`] past a bound.
    pub(super) fn add(
        &mut self,
        uid: &str,
        kind: EntityKind,
        fill: impl FnOnce(&mut Entry),
    ) -> Result<(), ListError> {
        let is_full = self.parties.len() >= self.bounds.entries;
        let party = match self.parties.entry(uid.into()) {
            Slot::Occupied(known) => known.into_mut(),
            Slot::Vacant(_) if is_full => return Err(too_large(self.file, "entries", self.bounds.entries)),
            Slot::Vacant(place) => {
                place.insert(Party { entry: draft::nameless(uid, &self.list, kind), distinct: 0 })
            }
        };
        fill(&mut party.entry);
        // At each doubling: the whole cost stays in proportion to the records.
        if draft::size(&party.entry) > FEW.max(2 * party.distinct) {
            draft::hold_distinct(&mut party.entry, self.file, self.bounds)?;
            party.distinct = draft::size(&party.entry);
        }
        draft::check_remarks(&party.entry, self.file, self.bounds)
    }

    /// Adds a further record, which may be the first, as a whole.
    ///
    /// # Errors
    /// [`ListError::TooLarge`] past a bound.
    pub(super) fn merge(&mut self, mut record: Entry) -> Result<(), ListError> {
        let uid = record.uid.clone();
        self.add(&uid, record.kind, |known| {
            if known.names.is_empty() {
                *known = record;
                return;
            }
            let remarks = record.remarks.take();
            draft::merge(known, record);
            draft::remark(known, remarks.as_deref().unwrap_or_default());
        })
    }

    /// The first name of the party of that key.
    pub(super) fn primary(&self, uid: &str) -> Option<&str> {
        self.parties.get(uid).map(|party| party.entry.primary())
    }

    /// The parties, in the order of their keys.
    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry> {
        self.parties.into_values().map(|party| party.entry)
    }

    /// Adds the parties to the fragment, each with one primary name, and ends it.
    ///
    /// # Errors
    /// [`ListError`] past a bound, or where a party has no key or no name.
    pub(super) fn end(self, mut fragment: Fragment) -> Result<Fragment, ListError> {
        let bounds = self.bounds;
        for mut entry in self.into_entries() {
            draft::make_one_primary(&mut entry);
            fragment.add(entry, bounds)?;
        }
        fragment.end()
    }
}
