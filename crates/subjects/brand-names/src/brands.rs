//! The list of well-known brands, and the word lists by which names are compared with them.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The text of all lists, each with its file name.
pub const FILES: &[(&str, &str)] = &[
    ("abused_top_levels.txt", ABUSED),
    ("brands.txt", BRANDS),
    ("lure_words.txt", LURES),
    ("other_words.txt", OTHERS),
];

const ABUSED: &str = include_str!("../data/abused_top_levels.txt");
const BRANDS: &str = include_str!("../data/brands.txt");
const LURES: &str = include_str!("../data/lure_words.txt");
const OTHERS: &str = include_str!("../data/other_words.txt");

/// The top-level domains, beside those of countries, in which a well-known name is assumed to belong to its owner: the
/// old ones, and those that are not open to everybody.
pub const BRAND_TOP_LEVELS: &[&str] = &["com", "edu", "gov", "int", "mil", "net", "org"];

/// The top-level domains of countries that are sold to everybody everywhere, so that a brand's name there does not show
/// that the brand has a site for the country.
pub const OPEN_COUNTRIES: &[&str] = &[
    "ac", "ai", "bz", "cc", "cd", "cf", "co", "dj", "fm", "ga", "gg", "gl", "gq", "im", "io", "is", "la",
    "lc", "li", "ly", "me", "ml", "mn", "ms", "mu", "nu", "pw", "sc", "sh", "so", "st", "su", "sx", "tk",
    "to", "tv", "vc", "vg", "vu", "ws",
];

/// Kind of business of a brand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrandCategory")]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A bank or a broker.
    Bank,
    /// Payments, cards and transfers of money.
    Payment,
    /// A wallet of cryptocurrencies.
    Wallet,
    /// An exchange of cryptocurrencies.
    Exchange,
    /// A blockchain, a token, or an application on one.
    Chain,
    /// A service that is paid by x402, or a facilitator.
    X402,
    /// Parcels and letters.
    Carrier,
    /// An agency, a tax office, or an identity that a state gives.
    Government,
    /// Road tolls.
    Toll,
    /// Software, hosting and devices.
    Tech,
    /// Models and assistants.
    Ai,
    /// A social network or a messenger.
    Social,
    /// A shop or a market place.
    Shop,
    /// Films, music and games.
    Media,
    /// Telephones and lines.
    Telecom,
    /// An insurer.
    Insurance,
    /// Flights.
    Travel,
}

impl Category {
    /// All categories, in the order of the list.
    pub const ALL: [Self; 17] = [
        Self::Bank,
        Self::Payment,
        Self::Wallet,
        Self::Exchange,
        Self::Chain,
        Self::X402,
        Self::Carrier,
        Self::Government,
        Self::Toll,
        Self::Tech,
        Self::Ai,
        Self::Social,
        Self::Shop,
        Self::Media,
        Self::Telecom,
        Self::Insurance,
        Self::Travel,
    ];

    /// Name of the category in the lists and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bank => "bank",
            Self::Payment => "payment",
            Self::Wallet => "wallet",
            Self::Exchange => "exchange",
            Self::Chain => "chain",
            Self::X402 => "x402",
            Self::Carrier => "carrier",
            Self::Government => "government",
            Self::Toll => "toll",
            Self::Tech => "tech",
            Self::Ai => "ai",
            Self::Social => "social",
            Self::Shop => "shop",
            Self::Media => "media",
            Self::Telecom => "telecom",
            Self::Insurance => "insurance",
            Self::Travel => "travel",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }

    /// True where a name that is taken for the brand's costs money or an identity at once.
    pub(crate) const fn handles_money(self) -> bool {
        matches!(
            self,
            Self::Bank
                | Self::Payment
                | Self::Wallet
                | Self::Exchange
                | Self::Carrier
                | Self::Government
                | Self::Toll
        )
    }
}

/// A well-known brand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Brand {
    /// Text that people type for it, in lower case.
    pub label: &'static str,
    /// Kind of its business.
    pub category: Category,
    /// True if the label is also a common word, place or name, or so short that others bear it.
    pub is_word: bool,
    /// True if others build honestly on the name, so that a combination needs a word of lure.
    pub is_built_on: bool,
    /// True if it has sites of its own in most countries.
    pub is_global: bool,
    /// True if it is a frequent target of phishing, so that any name one letter away from it counts.
    pub is_target: bool,
    /// True if the label is so common a word that it counts as a word between hyphens beside a strict word of lure alone,
    /// and left of another name as a part of the brand's own.
    pub is_exact: bool,
    /// Its own registrable names, an incomplete list.
    pub own: Vec<String>,
}

impl Brand {
    /// True if nobody but the brand is likely to bear the label or a name that contains it.
    #[must_use]
    pub fn is_distinctive(&self) -> bool {
        !self.is_word && !self.is_built_on
    }

    /// True if the label says little without other signs of phishing: a common word, or a name that others build on and that is
    /// no frequent target.
    #[must_use]
    pub fn needs_company(&self) -> bool {
        self.is_word || (self.is_built_on && !self.is_target)
    }

    /// Reads a line of the list: label, flags, own names.
    fn read(line: &'static str, category: Category) -> Self {
        let mut fields = line.split_ascii_whitespace();
        let label = fields.next().unwrap_or_default();
        let flags = fields.next().unwrap_or_default();
        let own = fields.map(|name| match name.starts_with('.') {
            true => format!("{label}{name}"),
            false => name.to_owned(),
        });
        let is_exact = flags.contains('e');
        Self {
            label,
            category,
            is_word: is_exact || flags.contains('w'),
            is_built_on: flags.contains('b'),
            is_global: flags.contains('g'),
            is_target: flags.contains('t'),
            is_exact,
            own: own.collect(),
        }
    }
}

/// The lines of a list that say something.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The lines of a list with the section that each stands in.
fn sections(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut section = "";
    lines(text).filter_map(move |line| match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
        Some(name) => {
            section = name;
            None
        }
        None => Some((section, line)),
    })
}

/// The brands by their label, and by their own names.
struct Table {
    brands: Vec<Brand>,
    by_label: HashMap<&'static str, usize>,
    by_own: HashMap<String, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let read = |(section, line)| Category::named(section).map(|category| Brand::read(line, category));
    let mut brands: Vec<Brand> = sections(BRANDS).filter_map(read).collect();
    brands.sort_by_key(|brand| brand.label);
    let by_label = brands.iter().enumerate().map(|(at, brand)| (brand.label, at)).collect();
    let mut by_own = HashMap::new();
    for (at, brand) in brands.iter().enumerate() {
        for name in &brand.own {
            by_own.entry(name.clone()).or_insert(at);
        }
    }
    Table { brands, by_label, by_own }
});

/// All brands, in the order of their labels.
#[must_use]
pub fn brands() -> &'static [Brand] {
    &TABLE.brands
}

/// The brand with this label, in lower case.
#[must_use]
pub fn brand(label: &str) -> Option<&'static Brand> {
    TABLE.by_label.get(label).map(|at| &TABLE.brands[*at])
}

/// The brand that owns a registrable name, by the list.
#[must_use]
pub fn owner(registrable: &str) -> Option<&'static Brand> {
    TABLE.by_own.get(registrable).map(|at| &TABLE.brands[*at])
}

/// Words and names that differ from a brand by one letter and are not look-alikes of it.
#[must_use]
pub fn other_words() -> &'static HashSet<&'static str> {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| lines(OTHERS).flat_map(str::split_ascii_whitespace).collect());
    &WORDS
}

/// Top-level domains with much abuse, by published statistics of registries and of spam lists.
#[must_use]
pub fn abused_top_levels() -> &'static HashSet<&'static str> {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| lines(ABUSED).flat_map(str::split_ascii_whitespace).collect());
    &WORDS
}

/// Reach of a word of lure.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Lure {
    /// True if it counts beside any brand but the most common words.
    pub(crate) is_strong: bool,
    /// True if it counts beside the most common words too.
    pub(crate) is_strict: bool,
    /// True if it counts run together with a distinctive name.
    pub(crate) is_weak: bool,
    /// The categories beside whose brands it counts as a strong one.
    pub(crate) categories: Vec<Category>,
}

impl Lure {
    /// True if the word lures beside this brand.
    pub(crate) fn counts_beside(&self, brand: &Brand) -> bool {
        if brand.is_exact {
            return self.is_strict;
        }
        self.is_strong || self.is_strict || self.categories.contains(&brand.category)
    }
}

/// The words by which phishing lures.
pub(crate) static LURE_WORDS: LazyLock<HashMap<&'static str, Lure>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Lure> = HashMap::new();
    for (section, line) in sections(LURES) {
        for word in line.split_ascii_whitespace() {
            let lure = all.entry(word).or_default();
            lure.is_strong |= section == "strong";
            lure.is_strict |= section == "strict";
            lure.is_weak |= section == "weak";
            lure.categories.extend(Category::named(section));
        }
    }
    all
});

/// The words by which phishing lures, a section a line: `strong` ones count beside any brand, `strict` ones beside
/// the most common words too, `weak` ones beside a distinctive name, and those of a category beside its brands.
#[must_use]
pub fn lure_words() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for (section, line) in sections(LURES) {
        if all.last().is_none_or(|(last, _)| *last != section) {
            all.push((section, Vec::new()));
        }
        if let Some((_, words)) = all.last_mut() {
            words.extend(line.split_ascii_whitespace());
        }
    }
    all
}
