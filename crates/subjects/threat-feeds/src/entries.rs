//! The entries of a feed, in little more memory than their letters take.

use domain_name::Subject;

use crate::look_up::FeedEntry;

/// The entries, sorted, each once: names, and pages as `host/path?query`. Looked up by halves; feeds of a million are usual,
/// and nothing is asked of them but whether an entry is there.
#[derive(Clone, Default)]
pub(crate) struct Entries {
    /// Entries, each with its length of two bytes before it.
    text: Vec<u8>,
    /// Offset of each entry.
    starts: Vec<u32>,
}

impl Entries {
    /// An empty list with room for names of so many bytes.
    pub(crate) fn with_room(bytes: u64) -> Self {
        Self { text: Vec::with_capacity(usize::try_from(bytes).unwrap_or_default()), starts: Vec::new() }
    }

    /// Takes a name or a page, unless there is no room for another.
    pub(crate) fn add(&mut self, entry: &str, most: usize) -> Option<()> {
        let start = u32::try_from(self.text.len()).ok()?;
        let length = u16::try_from(entry.len()).ok()?;
        if self.starts.len() >= most {
            return None;
        }
        self.starts.push(start);
        self.text.extend(length.to_le_bytes());
        self.text.extend(entry.as_bytes());
        Some(())
    }

    /// Puts them in order. Before that nothing can be looked up.
    pub(crate) fn sort(&mut self) {
        let text = &self.text;
        self.starts.sort_unstable_by_key(|start| at(text, *start));
        self.starts.dedup_by_key(|start| at(text, *start));
        self.starts.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// Number of entries.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Drops the names, and not the pages, for which the condition holds. Returns their number.
    pub(crate) fn drop_names(&mut self, is_dropped: impl Fn(&str) -> bool) -> usize {
        let (text, before) = (&self.text, self.starts.len());
        self.starts.retain(|start| {
            let name = str::from_utf8(at(text, *start)).ok().filter(|entry| !entry.contains('/'));
            !name.is_some_and(&is_dropped)
        });
        before - self.starts.len()
    }

    /// The entry that a name stands under: its own, that of the nearest name above it down to the registrable one, or
    /// that of a page of its own. An allowed name and what is above it do not count, nor do the pages of an allowed name: they
    /// say nothing about it.
    pub(crate) fn of(&self, subject: &Subject, is_allowed: impl Fn(&str) -> bool) -> Option<FeedEntry> {
        let name = subject.name.as_str();
        let of_page = || !is_allowed(name) && self.has_page_of(name);
        self.name_of(name, subject.registrable.as_str(), &is_allowed)
            .map(|name| FeedEntry::Name(name.to_owned()))
            .or_else(|| of_page().then(|| FeedEntry::PageOf(name.to_owned())))
    }

    /// The nearest entry for the name or a name above it, down to the registrable one; none from an allowed name on.
    pub(crate) fn name_of<'n>(
        &self,
        name: &'n str,
        registrable: &str,
        is_allowed: impl Fn(&str) -> bool,
    ) -> Option<&'n str> {
        let mut name = name;
        loop {
            if is_allowed(name) {
                return None;
            }
            if self.has(name) {
                return Some(name);
            }
            name = match name.split_once('.') {
                Some((_, above)) if name.len() > registrable.len() => above,
                _ => return None,
            };
        }
    }

    /// Returns true if there is this name or page.
    pub(crate) fn has(&self, entry: &str) -> bool {
        self.starts.binary_search_by_key(&entry.as_bytes(), |start| at(&self.text, *start)).is_ok()
    }

    /// Returns true if there is a page of this host.
    fn has_page_of(&self, host: &str) -> bool {
        let page = format!("{host}/");
        let first = self.starts.partition_point(|start| at(&self.text, *start) < page.as_bytes());
        self.starts.get(first).is_some_and(|start| at(&self.text, *start).starts_with(page.as_bytes()))
    }
}

/// The entry that begins there.
fn at(text: &[u8], start: u32) -> &[u8] {
    let (length, rest) =
        text[start as usize..].split_first_chunk().expect("an entry has its length before it");
    &rest[..usize::from(u16::from_le_bytes(*length))]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use domain_name::{PublicSuffixes, Rules};

    use super::*;

    fn subject(name: &str) -> Subject {
        Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap()
    }

    fn entries(names: &[&str], pages: &[&str]) -> Entries {
        let mut entries = Entries::with_room(0);
        for name in names {
            entries.add(name, usize::MAX).unwrap();
        }
        for host in pages {
            entries.add(&format!("{host}/x"), usize::MAX).unwrap();
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
                entries.of(&subject(name), |_| false),
                entry.map(|entry| FeedEntry::Name(entry.to_owned())),
                "{name}"
            );
        }
    }

    #[test]
    fn a_page_stands_for_its_own_host_alone() {
        let entries = entries(&["bad.sites.example.com"], &["sites.example.com", "bad.sites.example.com"]);
        let of = |name| entries.of(&subject(name), |_| false);
        assert_eq!(of("sites.example.com"), Some(FeedEntry::PageOf("sites.example.com".to_owned())));
        assert_eq!((of("a.sites.example.com"), of("example.com")), (None, None));
        assert_eq!(of("bad.sites.example.com"), Some(FeedEntry::Name("bad.sites.example.com".to_owned())));
    }

    #[test]
    fn there_are_no_more_entries_than_were_said() {
        let mut entries = Entries::with_room(0);
        assert_eq!(entries.add("a.example", 2), Some(()));
        assert_eq!(entries.add("a.example/x", 2), Some(()));
        assert_eq!(entries.add("a.example", 2), None);
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
                prop_assert!(entries.has(name));
            }
            prop_assert_eq!(entries.has(&asked), set.contains(asked.as_str()));
        }
    }
}
