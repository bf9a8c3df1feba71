//! Entries of several lists that are one party, by the numbers under which lists refer to one another.

use std::collections::HashMap;
use std::fmt;

use watchlist::{Entry, Identifier, ListName};

use super::set::LiveList;

/// The most characters of a reference number.
const REFERENCE_CHARS: usize = 64;

/// An entry: the position of its list, and its own in the list.
type EntryAt = (usize, usize);

/// The entries of live lists that have a reference number in common.
///
/// Two entries of different lists are linked if they have one number in common that no other entry of either list has.
/// So whether two entries are linked depends on their lists alone, not on which others are asked; and lists that refer to each
/// other in circles link no more than each pair of them does.
#[derive(Default)]
pub struct PartyLinks {
    /// Groups of each linked entry.
    groups_of: HashMap<EntryAt, Vec<usize>>,
    /// Entries that have one number in common, of each list one.
    groups: Vec<Vec<EntryAt>>,
}

impl PartyLinks {
    /// Links the entries of these lists.
    pub(super) fn of(lists: &[LiveList]) -> Self {
        if lists.len() < 2 {
            return Self::default();
        }
        let mut holders: HashMap<Reference, Vec<EntryAt>> = HashMap::new();
        for (at, list) in lists.iter().enumerate() {
            for (entry_at, entry) in list.indexed.list().entries.iter().enumerate() {
                for reference in references(entry) {
                    let holders = holders.entry(reference).or_default();
                    if holders.last() != Some(&(at, entry_at)) {
                        holders.push((at, entry_at));
                    }
                }
            }
        }
        let mut groups: Vec<Vec<EntryAt>> = holders
            .into_values()
            .map(|holders| {
                // A number that several entries of a list have tells none of them apart.
                let same_list = |one: &EntryAt, other: &EntryAt| one.0 == other.0;
                holders.chunk_by(same_list).filter(|of_list| of_list.len() == 1).flatten().copied().collect()
            })
            .filter(|group: &Vec<EntryAt>| group.len() > 1)
            .collect();
        groups.sort_unstable();
        let mut groups_of: HashMap<EntryAt, Vec<usize>> = HashMap::new();
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|entry| groups_of.entry(*entry).or_default().push(number));
        }
        Self { groups_of, groups }
    }

    /// Returns the entries that are linked with one, in the order of the lists.
    pub(crate) fn linked(&self, entry: EntryAt) -> Vec<EntryAt> {
        let groups = self.groups_of.get(&entry).map(Vec::as_slice).unwrap_or_default();
        let mut linked: Vec<EntryAt> =
            groups.iter().flat_map(|group| &self.groups[*group]).copied().collect();
        linked.retain(|other| *other != entry);
        linked.sort_unstable();
        linked.dedup();
        linked
    }
}

impl fmt::Debug for PartyLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries of several lists", self.groups_of.len())
    }
}

/// A number under which a list has a party: its kind, and the number.
type Reference = (&'static str, String);

/// The numbers under which an entry is listed, by its own list or by others.
fn references(entry: &Entry) -> impl Iterator<Item = Reference> + '_ {
    const KINDS: [&str; 5] = [
        Identifier::UN_REFERENCE,
        Identifier::EU_REFERENCE,
        Identifier::UK_REFERENCE,
        Identifier::OFSI_GROUP,
        Identifier::OFAC_UID,
    ];
    let own = match entry.list.as_str() {
        ListName::OFAC_SDN | ListName::OFAC_CONSOLIDATED => Some(Identifier::OFAC_UID),
        ListName::UK => Some(Identifier::UK_REFERENCE),
        ListName::UK_OFSI => Some(Identifier::OFSI_GROUP),
        _ => None,
    };
    let own = own.and_then(|kind| Some((kind, plain(&entry.uid)?)));
    let stated = entry.identifiers.iter().filter_map(|identifier| {
        let kind = KINDS.into_iter().find(|kind| **kind == *identifier.kind)?;
        Some((kind, identifier))
    });
    let stated = stated.flat_map(|(kind, identifier)| {
        // Some cells have several.
        let numbers = identifier.number.split([';', ',', ' ']).filter_map(plain);
        numbers.map(move |number| (kind, number))
    });
    own.into_iter().chain(stated)
}

/// A number in upper case, without the dots around it; `None` where it has no digit and so is none. Dots within it stay:
/// `EU.1.23` is not `EU.12.3`.
fn plain(number: &str) -> Option<String> {
    let number = number.trim_matches(|sign: char| !sign.is_alphanumeric());
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.len() <= REFERENCE_CHARS;
    is_number.then(|| number.to_uppercase())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use watchlist::snapshot::Snapshot;
    use watchlist::{Coverage, EntityKind, List, Topic};

    use super::super::indexed::Indexed;
    use super::*;

    fn list(name: &str, entries: &[(&str, &[(&'static str, &str)])]) -> LiveList {
        let name = ListName::new(name);
        let entries = entries.iter().map(|(uid, numbers)| {
            let mut entry = Entry::new(uid, &name, EntityKind::Person, "EXAMPLOV, Ivan");
            entry.identifiers.extend(numbers.iter().map(|(kind, number)| Identifier {
                kind: (*kind).into(),
                number: (*number).into(),
                country: None,
            }));
            entry
        });
        let entries = entries.collect();
        let list = List {
            name: name.clone(),
            published: None,
            coverage: Coverage::Names,
            topic: Topic::Sanctions,
            demo: false,
            entries,
        };
        LiveList { indexed: Arc::new(Indexed::new(Snapshot::of(list))), confirmed_at: None }
    }

    const UN: &str = Identifier::UN_REFERENCE;
    const OFSI: &str = Identifier::OFSI_GROUP;

    #[test]
    fn entries_that_name_one_number_are_linked_across_lists() {
        let lists = [
            list(ListName::UK, &[("GHR0001", &[(UN, "QDi.001"), (OFSI, "700")]), ("GHR0002", &[])]),
            list(ListName::UK_OFSI, &[("700", &[])]),
            list(ListName::UN, &[("69", &[(UN, "QDi.001")]), ("70", &[(UN, "QDi.002")])]),
        ];
        let links = PartyLinks::of(&lists);
        assert_eq!(links.linked((0, 0)), [(1, 0), (2, 0)]);
        assert_eq!(links.linked((2, 0)), [(0, 0)], "the others are no link between them");
        assert!(links.linked((0, 1)).is_empty() && links.linked((2, 1)).is_empty());
    }

    #[test]
    fn a_number_that_two_entries_of_a_list_have_links_neither() {
        let lists = [
            list(ListName::UK, &[("A1", &[(UN, "QDe.014")]), ("A2", &[(UN, "QDe.014")])]),
            list(ListName::UN, &[("69", &[(UN, "QDe.014")])]),
            list(ListName::SECO, &[("9", &[(UN, "QDe.014")])]),
        ];
        let links = PartyLinks::of(&lists);
        assert!(links.linked((0, 0)).is_empty() && links.linked((0, 1)).is_empty());
        assert_eq!(links.linked((1, 0)), [(2, 0)]);
    }

    #[test]
    fn what_is_no_number_and_what_is_of_another_kind_links_nothing() {
        let lists = [
            list(ListName::UN, &[("1", &[(UN, "n/a"), (OFSI, "")])]),
            list(ListName::SECO, &[("2", &[(UN, "n/a"), (OFSI, "")])]),
            list(ListName::UK, &[("7", &[])]),
            list(ListName::OFAC_SDN, &[("7", &[])]),
        ];
        let links = PartyLinks::of(&lists);
        assert!((0..4).all(|at| links.linked((at, 0)).is_empty()));
    }
}
