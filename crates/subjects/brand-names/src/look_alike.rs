//! Look-alikes: names that resemble the name of a well-known brand.

use domain_name::{DomainName, Subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::brands::{
    BRAND_TOP_LEVELS, Brand, Category, LURE_WORDS, OPEN_COUNTRIES, abused_top_levels, brand, owner,
};
use crate::combination::{self, Combination, Setting};
use crate::letters;

/// The most labels left of the registrable name that are looked at, from its side.
const MAX_LABELS: usize = 12;

/// Top-level domains that are sold to everybody, though a label of the list is the same.
const OPEN_TOP_LEVELS: &[&str] = &["box", "ing", "zip"];

/// Top-level domains in which firms publish about themselves, below their own label.
const COMPANY_TOP_LEVELS: &[&str] = &["careers", "design", "engineering", "jobs"];

/// Top-level domains in which firms whose customers pay elsewhere publish for developers.
const TECHNICAL_TOP_LEVELS: &[&str] = &["blog", "tech"];

/// Domains of networks and services that show the pages of others below the others' own names: `www.paypal.com.edgekey.net`.
pub const DELIVERY_DOMAINS: [&str; 16] = [
    "akadns.net",
    "akamai.net",
    "akamaized.net",
    "ampproject.org",
    "azureedge.net",
    "cdn77.org",
    "cloudflare.net",
    "edgekey.net",
    "edgesuite.net",
    "fastly.net",
    "footprint.net",
    "impervadns.net",
    "llnwd.net",
    "oclc.org",
    "translate.goog",
    "trafficmanager.net",
];

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
    /// The brand and other words make up the registrable label: `paypal-login`.
    Combination,
    /// The brand's own name, or its label, stands left of a registrable name that is not the brand's.
    BrandLeft,
}

/// The brand that a name resembles.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LookAlike {
    /// Label of the brand, one of [`brands`](crate::brands()).
    pub brand: String,
    /// Way in which the name resembles it.
    pub resemblance: Resemblance,
    /// Kind of the brand's business; `None` in evidence of earlier rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The parts of the name beside the brand that made it a look-alike; empty where the brand's label alone did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

impl LookAlike {
    fn of(brand: &Brand, resemblance: Resemblance, words: Vec<String>) -> Self {
        Self { brand: brand.label.to_owned(), resemblance, category: Some(brand.category), words }
    }
}

/// The first brand that a name resembles without being the brand's own name; `None` where there is none.
///
/// The registrable name is compared first, then the labels left of it. A name below a platform's, which has no registrable
/// name of its own at a registry, counts where a brand and a word of lure make it up.
#[must_use]
pub fn look_alike(subject: &Subject) -> Option<LookAlike> {
    if is_owned(&subject.registrable) {
        return None;
    }
    of_registrable(subject).or_else(|| left_of_registrable(subject))
}

/// The first brand that the label of the registrable name resembles.
fn of_registrable(subject: &Subject) -> Option<LookAlike> {
    let is_tenant = subject.registrable != subject.registered;
    let text = subject.registrable.to_unicode();
    let label = text.split('.').next().unwrap_or(&text);
    if let Some(brand) = brand(label) {
        let is_elsewhere = !is_tenant && is_elsewhere(brand, &subject.registrable);
        return is_elsewhere.then(|| LookAlike::of(brand, Resemblance::SameLabel, Vec::new()));
    }
    if let Some((brand, resemblance)) = letters::resembled(label) {
        return Some(LookAlike::of(brand, resemblance, Vec::new()));
    }
    let setting = if is_tenant { Setting::Given } else { setting(subject) };
    let found = combination::find(label, setting)?;
    Some(LookAlike::of(found.brand, Resemblance::Combination, found.words))
}

/// The setting of a name that somebody registered.
fn setting(subject: &Subject) -> Setting<'_> {
    let top = subject.registrable.top_level();
    if abused_top_levels().contains(top) { Setting::Abused(top) } else { Setting::Registered(top) }
}

/// The first brand that stands left of the registrable name.
fn left_of_registrable(subject: &Subject) -> Option<LookAlike> {
    let (name, registrable) = (subject.name.as_str(), subject.registrable.as_str());
    let is_delivered =
        |domain: &str| subject.registered.as_str() == domain || subject.registrable.is_within(domain);
    let left = name.strip_suffix(registrable)?.strip_suffix('.')?;
    if DELIVERY_DOMAINS.into_iter().any(is_delivered) {
        return None;
    }
    let mut labels: Vec<&str> = left.rsplit('.').take(MAX_LABELS).collect();
    labels.reverse();
    let own_label = registrable.split('.').next().unwrap_or_default();
    if let Some((brand, name)) = own_name_among(&labels, own_label) {
        return Some(LookAlike::of(brand, Resemblance::BrandLeft, vec![name]));
    }
    let has_lure = |brand: &Brand| {
        let words = labels.iter().copied().chain([own_label]).flat_map(|label| label.split('-'));
        words.into_iter().find(|word| {
            *word != brand.label && LURE_WORDS.get(word).is_some_and(|lure| lure.counts_beside(brand))
        })
    };
    let is_abused = abused_top_levels().contains(subject.registrable.top_level());
    let whole = labels.iter().filter_map(|label| brand(label)).find_map(|brand| {
        if brand.is_exact {
            return None;
        }
        let lure = has_lure(brand);
        let counts = if brand.is_word {
            lure.is_some() && is_abused
        } else if brand.is_built_on {
            is_abused
        } else {
            lure.is_some() || is_abused || brand.category.handles_money()
        };
        counts.then(|| {
            LookAlike::of(brand, Resemblance::BrandLeft, lure.map(str::to_owned).into_iter().collect())
        })
    });
    let combined = || {
        let found: Option<Combination> = labels.iter().find_map(|label| {
            combination::find(label, if is_abused { setting(subject) } else { Setting::Given })
        });
        found.map(|found| LookAlike::of(found.brand, Resemblance::BrandLeft, found.words))
    };
    whole.or_else(combined)
}

/// A brand's own name among labels, with the registrable label after them: `[www, paypal, com]`, or `[usps]` before
/// `com-track`.
fn own_name_among(labels: &[&str], after: &str) -> Option<(&'static Brand, String)> {
    let all: Vec<&str> = labels.iter().copied().chain([after]).collect();
    for (at, first) in labels.iter().enumerate() {
        // `secure-paypal.com.example.net` has the name behind a hyphen.
        let starts = [*first, first.rsplit('-').next().unwrap_or(first)];
        for start in &starts[..1 + usize::from(starts[0] != starts[1])] {
            let mut name = (*start).to_owned();
            for (next, label) in all.iter().enumerate().skip(at + 1).take(3) {
                let cut = label.split('-').next().unwrap_or(label);
                let is_after = next == labels.len();
                for end in [Some(*label).filter(|_| !is_after), (cut != *label).then_some(cut)] {
                    let Some(end) = end else { continue };
                    let whole = format!("{name}.{end}");
                    if let Some(brand) = owner_of_left(&whole) {
                        return Some((brand, whole));
                    }
                }
                name = format!("{name}.{label}");
            }
        }
    }
    None
}

/// The brand whose own name this is, by the list or by its label in an old top-level domain.
fn owner_of_left(name: &str) -> Option<&'static Brand> {
    owner(name).or_else(|| {
        let (label, top) = name.split_once('.')?;
        brand(label).filter(|_| BRAND_TOP_LEVELS.contains(&top))
    })
}

/// True if a registrable name is a brand's own: one of the list, or one in a brand's own top-level domain.
#[must_use]
pub fn is_owned(registrable: &DomainName) -> bool {
    owner(registrable.as_str()).is_some() || is_of_a_brand(registrable.top_level())
}

/// True for a top-level domain that belongs to a brand alone.
fn is_of_a_brand(top: &str) -> bool {
    top.len() > 2 && !OPEN_TOP_LEVELS.contains(&top) && brand(top).is_some()
}

/// True if a brand's label stands in a top-level domain where the brand is not known to be and anybody may register.
fn is_elsewhere(brand: &Brand, name: &DomainName) -> bool {
    let top = name.top_level();
    if BRAND_TOP_LEVELS.contains(&top) || brand.is_exact {
        return false;
    }
    let is_of_developers = TECHNICAL_TOP_LEVELS.contains(&top) && !brand.category.handles_money();
    if COMPANY_TOP_LEVELS.contains(&top) || is_of_developers || (brand.is_built_on && top == "wiki") {
        return false;
    }
    if top.len() > 2 && !top.starts_with("xn--") {
        let is_lure = || {
            abused_top_levels().contains(top)
                || LURE_WORDS.get(top).is_some_and(|lure| lure.counts_beside(brand))
        };
        return !brand.is_word || is_lure();
    }
    // `ebay.com.co` is a name of the country, `ebay.co` is sold as one of no country.
    let is_open = OPEN_COUNTRIES.contains(&top) && name.labels().count() == 2;
    !brand.is_word && (is_open || !(brand.is_global || brand.is_built_on))
}
