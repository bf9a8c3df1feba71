//! Look-alikes: names that resemble the name of a well-known brand.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strsim::osa_distance;
use unicode_security::confusable_detection::skeleton;

use crate::{BRAND_DOMAINS, BRAND_TOP_LEVELS, BRAND_WORDS, BRANDS, DomainName, OTHER_WORDS, Subject};

/// The fewest letters of a brand for which a name at edit distance 1 counts as a look-alike; nearly all short words are
/// that close to each other.
pub const MIN_DISTANCE_LETTERS: usize = 5;

/// Way in which a name resembles a brand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resemblance {
    /// The skeletons are the same (UTS 39 section 4), letter case aside.
    Skeleton,
    /// The Damerau-Levenshtein distance is 1: one letter is added, left out, changed, or swapped with its neighbour.
    Distance,
    /// The label is the same, in a top-level domain that is open to everybody and where the brand is not known to be.
    SameLabel,
}

/// The brand that a name resembles.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LookAlike {
    /// Label of the brand, one of [`BRANDS`].
    pub brand: String,
    /// Way in which the name resembles it.
    pub resemblance: Resemblance,
}

/// The first brand that the registrable name resembles without being the brand's own name; `None` where there is none.
#[must_use]
pub fn look_alike(subject: &Subject) -> Option<LookAlike> {
    let text = subject.registrable.to_unicode();
    let label = text.split('.').next().unwrap_or(&text);
    let of = |brand: &str, resemblance| LookAlike { brand: brand.to_owned(), resemblance };
    if BRANDS.contains(&label) {
        let is_elsewhere = is_registered(subject)
            && !BRAND_WORDS.contains(&label)
            && is_open_to_all(&subject.registrable)
            && !BRAND_DOMAINS.contains(&subject.registrable.as_str());
        return is_elsewhere.then(|| of(label, Resemblance::SameLabel));
    }
    resembled_brand(label).map(|(brand, resemblance)| of(brand, resemblance))
}

/// The first brand that a label, or a word of one, resembles by its skeleton or its letters without being the brand's.
#[must_use]
pub fn resembled_brand(label: &str) -> Option<(&'static str, Resemblance)> {
    let letters = label.chars().count();
    if BRANDS.contains(&label) || letters > MAX_LABEL_LETTERS {
        return None;
    }
    let look = appearance(label);
    let skeleton = APPEARANCES.iter().find(|(_, appearance)| *appearance == look);
    let near = || {
        BRANDS
            .iter()
            .copied()
            .filter(|brand| brand.chars().count() >= MIN_DISTANCE_LETTERS && !OTHER_WORDS.contains(&label))
            .filter(|brand| brand.len().abs_diff(letters) <= 1)
            .find(|brand| osa_distance(brand, label) == 1)
    };
    skeleton
        .map(|(brand, _)| (*brand, Resemblance::Skeleton))
        .or_else(|| near().map(|brand| (brand, Resemblance::Distance)))
}

/// The longest label that is compared, which is the longest of the DNS.
const MAX_LABEL_LETTERS: usize = 63;

/// The appearance of each brand.
static APPEARANCES: LazyLock<Vec<(&'static str, String)>> =
    LazyLock::new(|| BRANDS.iter().map(|brand| (*brand, appearance(brand))).collect());

/// True if a registry registered the name. What a platform's customers call themselves below its own name
/// (`google.github.io`) is the platform's to watch.
fn is_registered(subject: &Subject) -> bool {
    subject.registrable == subject.registered
}

/// True if anybody may register in the name's top-level domain and is not taken for the brand there. Brands have their
/// names in the domains of countries (two letters, or an internationalized one) and in one of their own.
fn is_open_to_all(name: &DomainName) -> bool {
    let top = name.top_level();
    let is_country_s = top.len() == 2 || top.starts_with("xn--");
    !is_country_s && !BRAND_TOP_LEVELS.contains(&top) && !BRANDS.contains(&top)
}

/// The skeleton in lower case: that of `0` is `O`, which no label has.
fn appearance(label: &str) -> String {
    skeleton(label).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PublicSuffixes, Rules};

    fn found(name: &str) -> Option<(&'static str, Resemblance)> {
        let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        look_alike(&subject).map(|found| {
            let brand = BRANDS.iter().find(|brand| **brand == found.brand);
            (*brand.expect("a brand of the list"), found.resemblance)
        })
    }

    #[test]
    fn a_name_that_looks_the_same_is_found() {
        for (name, brand) in [
            ("аррӏе.com", "apple"),
            ("paypa1.com", "paypal"),
            ("rnicrosoft.com", "microsoft"),
            ("g00gle.com", "google"),
            ("еbay.com", "ebay"),
        ] {
            assert_eq!(found(name), Some((brand, Resemblance::Skeleton)), "{name}");
        }
    }

    #[test]
    fn a_name_one_letter_away_is_found_where_the_brand_is_long_enough() {
        for (name, brand) in [
            ("gogle.com", "google"),
            ("googel.com", "google"),
            ("paypall.net", "paypal"),
            ("pay-pal.com", "paypal"),
        ] {
            assert_eq!(found(name), Some((brand, Resemblance::Distance)), "{name}");
        }
        for name in ["mail.com", "cloud.org", "wikimedia.org", "www.email.com"] {
            assert_eq!(found(name), None, "{name} is another word");
        }
        for name in ["bay.com", "ebby.com", "example.com", "google.de", "goooogle.com", "xn--bcher-kva.de"] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn a_brand_s_very_name_is_found_where_the_brand_is_not_known_to_be() {
        for name in ["paypal.top", "login.paypal.top", "coinbase.app", "metamask.xyz", "google.info"] {
            let (brand, _) = name.strip_prefix("login.").unwrap_or(name).split_once('.').unwrap();
            assert_eq!(found(name), Some((brand, Resemblance::SameLabel)), "{name}");
        }
        for name in [
            "google.de",
            "google.co.uk",
            "amazon.com.br",
            "paypal.me",
            "whatsapp.net",
            "wikipedia.org",
            "github.io",
            "google.github.io",
            "github.dev",
            "google.xn--p1ai",
            // A brand's own top-level domain, and words that others bear.
            "paypal.google",
            "kraken.tech",
            "apple.farm",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_said_of_brands_is_said_of_those_of_the_list() {
        for list in [BRAND_WORDS, BRAND_TOP_LEVELS, BRAND_DOMAINS, OTHER_WORDS] {
            assert!(list.is_sorted_by(|a, b| a < b), "each is there once");
        }
        assert!(BRAND_WORDS.iter().all(|word| BRANDS.contains(word)));
        let is_near = |word: &&str| BRANDS.iter().any(|brand| osa_distance(brand, word) == 1);
        assert_eq!(
            OTHER_WORDS.iter().find(|word| !is_near(word)),
            None,
            "or it would not have to be on the list"
        );
        for domain in BRAND_DOMAINS {
            let name = DomainName::parse(domain).unwrap();
            let label = name.labels().next().unwrap();
            // Or it would not have to be on the list.
            assert!(BRANDS.contains(&label) && !BRAND_WORDS.contains(&label), "{domain}");
            assert!(is_open_to_all(&name), "{domain}");
        }
    }

    #[test]
    fn brands_are_told_apart_by_their_appearance() {
        assert!(BRANDS.is_sorted_by(|a, b| a < b), "each is there once");
        let looks: std::collections::BTreeSet<String> =
            BRANDS.iter().map(|brand| appearance(brand)).collect();
        assert_eq!(looks.len(), BRANDS.len());
    }
}
