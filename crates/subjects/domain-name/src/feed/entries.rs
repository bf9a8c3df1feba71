//! The entries of a feed, in little more memory than their letters take.

use super::look_up::FeedEntry;
use crate::{DomainName, Subject};

/// Prefix of an entry that stands for a page's host alone; no name has it.
const PAGE: u8 = b'/';

/// The entries, sorted, each once. Looked up by halves; feeds of a million are usual, and nothing is asked of them but
/// whether a name is there.
pub(super) struct Entries {
    /// Entries, each with its length before it.
    text: Vec<u8>,
    /// Offset of each entry.
    starts: Vec<u32>,
}

impl Entries {
    /// An empty list with room for names of so many bytes.
    pub(super) fn with_room(bytes: u64) -> Self {
        Self { text: Vec::with_capacity(usize::try_from(bytes).unwrap_or_default()), starts: Vec::new() }
    }

    /// Takes a name, unless there is no room for another.
    pub(super) fn add_name(&mut self, name: &DomainName, most: usize) -> Option<()> {
        self.add(&[], name, most)
    }

    /// Takes the host of a page.
    pub(super) fn add_page(&mut self, host: &DomainName, most: usize) -> Option<()> {
        self.add(&[PAGE], host, most)
    }

    fn add(&mut self, mark: &[u8], name: &DomainName, most: usize) -> Option<()> {
        let start = u32::try_from(self.text.len()).ok()?;
        let length = u8::try_from(mark.len() + name.as_str().len()).ok()?;
        if self.starts.len() >= most {
            return None;
        }
        self.starts.push(start);
        self.text.push(length);
        self.text.extend(mark);
        self.text.extend(name.as_str().as_bytes());
        Some(())
    }

    /// Puts them in order. Before that nothing can be looked up.
    pub(super) fn sort(&mut self) {
        let text = &self.text;
        self.starts.sort_unstable_by_key(|start| at(text, *start));
        self.starts.dedup_by_key(|start| at(text, *start));
        self.starts.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// Number of entries.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The entry that a name stands under: its own, that of the nearest name above it down to the registrable one, or
    /// that of a page of its own.
    pub(super) fn of(&self, subject: &Subject) -> Option<FeedEntry> {
        let mut name = subject.name.as_str();
        loop {
            if self.has(name.as_bytes()) {
                return Some(FeedEntry::Name(name.to_owned()));
            }
            match name.split_once('.') {
                Some((_, above)) if name.len() > subject.registrable.as_str().len() => name = above,
                _ => break,
            }
        }
        let name = subject.name.as_str();
        let page = [&[PAGE], name.as_bytes()].concat();
        self.has(&page).then(|| FeedEntry::PageOf(name.to_owned()))
    }

    fn has(&self, entry: &[u8]) -> bool {
        self.starts.binary_search_by_key(&entry, |start| at(&self.text, *start)).is_ok()
    }
}

/// The entry that begins there.
fn at(text: &[u8], start: u32) -> &[u8] {
    let (length, rest) = text[start as usize..].split_first().expect("an entry has its length before it");
    &rest[..usize::from(*length)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{PublicSuffixes, Rules};

    fn subject(name: &str) -> Subject {
        Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap()
    }

    fn entries(names: &[&str], pages: &[&str]) -> Entries {
        let mut entries = Entries::with_room(0);
        for name in names {
            entries.add_name(&DomainName::parse(name).unwrap(), usize::MAX).unwrap();
        }
        for host in pages {
            entries.add_page(&DomainName::parse(host).unwrap(), usize::MAX).unwrap();
        }
        entries.sort();
        entries
    }

    #[test]
    fn a_name_stands_under_its_own_entry_or_the_nearest_above_it_down_to_the_registrable_one() {
        let entries = entries(&["evil.com", "b.evil.com", "co.uk", "github.io", "com", "evil.com"], &[]);
        assert_eq!(entries.count(), 5);
        for (name, entry) in [
            ("evil.com", Some("evil.com")),
            ("a.evil.com", Some("evil.com")),
            ("a.b.evil.com", Some("b.evil.com")),
            ("notevil.com", None),
            ("evil.com.example.org", None),
            // Whoever has a name below a public suffix is not whom the suffix's entry is about.
            ("example.co.uk", None),
            ("somebody.github.io", None),
            ("github.io", Some("github.io")),
        ] {
            assert_eq!(
                entries.of(&subject(name)),
                entry.map(|entry| FeedEntry::Name(entry.to_owned())),
                "{name}"
            );
        }
    }

    #[test]
    fn a_page_stands_for_its_own_host_alone() {
        let entries = entries(&["bad.sites.example.com"], &["sites.example.com", "bad.sites.example.com"]);
        let of = |name| entries.of(&subject(name));
        assert_eq!(of("sites.example.com"), Some(FeedEntry::PageOf("sites.example.com".to_owned())));
        assert_eq!((of("a.sites.example.com"), of("example.com")), (None, None));
        assert_eq!(of("bad.sites.example.com"), Some(FeedEntry::Name("bad.sites.example.com".to_owned())));
    }

    #[test]
    fn there_are_no_more_entries_than_were_said() {
        let mut entries = Entries::with_room(0);
        let name = DomainName::parse("a.example").unwrap();
        assert_eq!(entries.add_name(&name, 2), Some(()));
        assert_eq!(entries.add_page(&name, 2), Some(()));
        assert_eq!(entries.add_name(&name, 2), None);
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_and_nothing_else(
            added in prop::collection::vec("[a-c]{1,2}\\.[a-c]{1,2}\\.com", 0..40),
            asked in "[a-c]{1,2}\\.[a-c]{1,2}\\.com",
        ) {
            let names: Vec<&str> = added.iter().map(String::as_str).collect();
            let entries = entries(&names, &[]);
            let set: BTreeSet<&str> = names.iter().copied().collect();
            prop_assert_eq!(entries.count(), set.len());
            for name in &set {
                prop_assert!(entries.has(name.as_bytes()));
            }
            prop_assert_eq!(entries.has(asked.as_bytes()), set.contains(asked.as_str()));
        }
    }
}
