//! The table that maps tags to items: its types, and the look-up of a tag.

mod table;

use std::sync::OnceLock;

use distress::Item;

pub use table::MAPPING;

/// The taxonomy of a company's own accounts.
pub const US_GAAP: &str = "us-gaap";

/// The taxonomy of the cover page.
pub const DEI: &str = "dei";

/// The taxonomy of the international standards, of which no tag is mapped.
pub const IFRS: &str = "ifrs-full";

/// The period of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A flow of the year: its facts have the year's own start and end.
    Flow,
    /// A stock: its facts have the year's end, and no start.
    Stock,
}

/// The rule of one item: derivations in order of preference.
#[derive(Debug)]
pub struct ItemRule {
    /// The item.
    pub item: Item,
    /// The period of its facts.
    pub kind: Kind,
    /// The unit of its facts: true for `shares`, false for the currency of the report.
    pub in_shares: bool,
    /// The ways to obtain it. The first that has all of its required terms is taken.
    pub derivations: &'static [Derivation],
}

/// One way to obtain an item: a signed sum.
#[derive(Debug)]
pub struct Derivation {
    /// The sum in words: `reported`, or items and balance-sheet lines with their signs.
    pub text: &'static str,
    /// The terms, in order.
    pub terms: &'static [Term],
    /// If true and the first two terms are equal, then they are one line with two tags, and the derivation is passed over.
    pub differ: bool,
}

/// A term of a sum.
#[derive(Debug)]
pub struct Term {
    /// +1 or -1.
    pub sign: i8,
    /// True if the sum stands without the term where no fact has it.
    pub optional: bool,
    /// The source of its value.
    pub source: Source,
}

/// The source of a term's value.
#[derive(Debug)]
pub enum Source {
    /// Tags of one meaning. The tag of the filing that the basis asks for is taken, and of several in one filing the first here.
    Tags(&'static [&'static str]),
    /// Tags of which one can be a part of another. As before, but of several in one filing the largest value is taken.
    Largest(&'static [&'static str]),
    /// Tags of the cover page (taxonomy `dei`) of the year's own annual report, whose day is after the year's end.
    Cover(&'static [&'static str]),
    /// Another item, which stands earlier in the table.
    Item(Item),
}

impl Source {
    /// The tags, and their taxonomy. None for another item.
    #[must_use]
    pub fn tags(&self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Tags(tags) | Self::Largest(tags) => (US_GAAP, tags),
            Self::Cover(tags) => (DEI, tags),
            Self::Item(_) => (US_GAAP, &[]),
        }
    }
}

/// The rules of all items that are read from filings, in the order in which they are computed.
#[must_use]
pub fn mapping() -> &'static [ItemRule] {
    MAPPING
}

/// Every mapped tag with its taxonomy, sorted.
#[must_use]
pub fn mapped_tags() -> &'static [(&'static str, &'static str)] {
    static TAGS: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();
    TAGS.get_or_init(|| {
        let terms = MAPPING.iter().flat_map(|rule| rule.derivations).flat_map(|derivation| derivation.terms);
        let sources = terms.map(|term| term.source.tags());
        let mut tags: Vec<_> =
            sources.flat_map(|(taxonomy, tags)| tags.iter().map(move |tag| (taxonomy, *tag))).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    })
}

/// Returns the static names of a tag, if it is mapped.
pub(crate) fn find(taxonomy: &str, tag: &str) -> Option<(&'static str, &'static str)> {
    let tags = mapped_tags();
    tags.binary_search_by(|known| (*known).cmp(&(taxonomy, tag))).ok().map(|at| tags[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_stands_once_and_uses_only_items_before_it() {
        for (at, rule) in MAPPING.iter().enumerate() {
            let before: Vec<Item> = MAPPING[..at].iter().map(|rule| rule.item).collect();
            assert!(!before.contains(&rule.item), "{:?}", rule.item);
            for derivation in rule.derivations {
                assert!(derivation.terms.iter().any(|term| !term.optional), "{}", derivation.text);
                assert!(!derivation.differ || derivation.terms.len() >= 2);
                for term in derivation.terms {
                    assert!(matches!(term.sign, 1 | -1));
                    match term.source {
                        Source::Item(item) => assert!(before.contains(&item), "{item:?}"),
                        _ => assert!(!term.source.tags().1.is_empty()),
                    }
                }
            }
        }
    }

    #[test]
    fn every_item_but_those_of_the_caller_is_mapped() {
        let of_caller = [
            Item::MarketValue,
            Item::EquityVolatility,
            Item::RiskFreeRate,
            Item::GnpIndex,
            Item::Nimtaavg,
            Item::Exretavg,
            Item::Rsize,
        ];
        for item in Item::ALL {
            let is_mapped = MAPPING.iter().any(|rule| rule.item == *item);
            assert_eq!(is_mapped, !of_caller.contains(item), "{item:?}");
        }
    }

    #[test]
    fn tags_are_found_by_both_names() {
        assert_eq!(find("us-gaap", "Assets"), Some((US_GAAP, "Assets")));
        assert_eq!(find("dei", "Assets"), None);
        assert_eq!(find("us-gaap", "assets"), None);
    }
}
