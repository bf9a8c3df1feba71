//! Whether a name can be taken for that of a well-known brand.

use schemars::JsonSchema;
use serde::Serialize;
use strsim::osa_distance;
use unicode_security::confusable_detection::skeleton;

use super::BRANDS;
use crate::domain::DomainName;

/// A brand must have so many letters before a name at distance 1 counts: among short words nearly all are neighbours.
pub const MIN_DISTANCE_LETTERS: usize = 5;

/// In what a name resembles a brand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resemblance {
    /// It looks the same: one skeleton (UTS 39 section 4), letter case aside.
    Skeleton,
    /// One letter is added, left out, changed, or swapped with its neighbour.
    Distance,
}

/// The brand that a name resembles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
pub struct LookAlike {
    /// The brand's label.
    pub brand: &'static str,
    /// In what.
    pub resemblance: Resemblance,
}

/// The first brand that the registrable name resembles without being it. A brand's own label resembles none.
#[must_use]
pub fn look_alike(registrable: &DomainName) -> Option<LookAlike> {
    let text = registrable.to_unicode();
    let label = text.split('.').next().unwrap_or(&text);
    if BRANDS.contains(&label) {
        return None;
    }
    let look = appearance(label);
    let skeleton = BRANDS.iter().copied().find(|brand| appearance(brand) == look);
    let near = || {
        BRANDS
            .iter()
            .copied()
            .filter(|brand| brand.chars().count() >= MIN_DISTANCE_LETTERS)
            .find(|brand| osa_distance(brand, label) == 1)
    };
    skeleton
        .map(|brand| LookAlike { brand, resemblance: Resemblance::Skeleton })
        .or_else(|| near().map(|brand| LookAlike { brand, resemblance: Resemblance::Distance }))
}

/// The skeleton in lower case: that of `0` is `O`, which no label has.
fn appearance(label: &str) -> String {
    skeleton(label).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<(&'static str, Resemblance)> {
        look_alike(&DomainName::parse(name).unwrap()).map(|found| (found.brand, found.resemblance))
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
        for name in ["bay.com", "ebby.com", "example.com", "google.de", "goooogle.com", "xn--bcher-kva.de"] {
            assert_eq!(found(name), None, "{name}");
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
