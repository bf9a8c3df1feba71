//! The word lists of the rules.
//!
//! Each list is a file of words between spaces or line breaks, sorted and in lower case. They are facts, collected for this
//! crate.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use domain_name::{BRAND_WORDS, BRANDS};

/// A list of words. Only membership is asked for, so that nothing depends on its order.
pub(crate) type Words = LazyLock<HashSet<&'static str>>;

macro_rules! words {
    ($(#[doc = $doc:literal] $name:ident = $file:literal;)*) => {
        $(#[doc = $doc] pub(crate) static $name: Words =
            LazyLock::new(|| include_str!(concat!("../words/", $file)).split_whitespace().collect());)*

        /// The text of all lists, each with its file name.
        pub(crate) const FILES: &[(&str, &str)] = &[$(($file, include_str!(concat!("../words/", $file)))),*];
    };
}

words! {
    /// Labels of frequent targets of phishing, beside [`domain_name::BRANDS`].
    TARGETS = "targets.txt";
    /// The targets that are also short or common words. They count only as a whole word, and with another sign.
    TARGET_WORDS = "target_words.txt";
    /// Domains of the brands whose registrable label is not the brand's.
    BRAND_DOMAINS = "brand_domains.txt";
    /// Words by which an address speaks of an account, a payment or a delivery.
    CREDENTIAL_WORDS = "credential_words.txt";
    /// The words of accounts and wallets that count together with another sign, such as a brand.
    LOGIN_WORDS = "login_words.txt";
    /// Words by which an address speaks of a wallet or of coins.
    WALLET_WORDS = "wallet_words.txt";
    /// Hosts that forward short addresses to others.
    SHORTENERS = "shorteners.txt";
    /// Domains below which, or in whose paths, anybody publishes without payment.
    SHARED_HOSTS = "shared_hosts.txt";
    /// Top-level domains with much abuse, by published statistics of registries and of spam lists.
    ABUSED_TOP_LEVELS = "abused_top_levels.txt";
    /// Endings of files that a computer runs.
    EXECUTABLE_ENDINGS = "executable_endings.txt";
    /// Endings of files that people open without suspicion.
    DOCUMENT_ENDINGS = "document_endings.txt";
    /// Names of query parameters that often hold the address to go on to.
    REDIRECT_KEYS = "redirect_keys.txt";
}

/// A brand or another target of phishing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Brand {
    pub(crate) label: &'static str,
    /// True if the label is also a common word, place or name.
    pub(crate) is_word: bool,
}

/// The brands by their label.
static BRAND_LABELS: LazyLock<HashMap<&'static str, Brand>> = LazyLock::new(|| {
    let all = BRANDS.iter().copied().chain(TARGETS.iter().copied());
    all.map(|label| {
        let is_word = BRAND_WORDS.contains(&label) || TARGET_WORDS.contains(label);
        (label, Brand { label, is_word })
    })
    .collect()
});

/// The brand with this label.
pub(crate) fn brand(label: &str) -> Option<Brand> {
    BRAND_LABELS.get(label).copied()
}

/// The fewest letters of a brand that is looked for within a longer word.
const MIN_INNER_LETTERS: usize = 6;

/// The brands that are looked for within longer words, in the order of their labels.
static INNER_BRANDS: LazyLock<(AhoCorasick, Vec<&'static str>)> = LazyLock::new(|| {
    let mut labels: Vec<&str> = BRAND_LABELS
        .values()
        .filter(|brand| !brand.is_word && brand.label.len() >= MIN_INNER_LETTERS)
        .map(|brand| brand.label)
        .collect();
    labels.sort_unstable();
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&labels);
    (automaton.expect("a few hundred short words are within the automaton's bounds"), labels)
});

/// The first brand within a text, which is not a common word.
pub(crate) fn brand_within(text: &str) -> Option<&'static str> {
    let (automaton, labels) = &*INNER_BRANDS;
    automaton.find(text).map(|found| labels[found.pattern().as_usize()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_in_lower_case_and_without_repeats() {
        for (file, text) in FILES {
            let words: Vec<&str> = text.split_whitespace().collect();
            let unsorted = words.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(unsorted, None, "{file}");
            assert!(words.iter().all(|word| *word == word.to_lowercase()), "{file}");
        }
    }

    #[test]
    fn words_that_are_said_of_targets_are_targets() {
        assert_eq!(TARGET_WORDS.iter().find(|word| !TARGETS.contains(*word)), None);
    }

    #[test]
    fn a_brand_is_found_within_a_word_if_it_is_long_and_no_common_word() {
        assert_eq!(brand_within("securepaypallogin"), Some("paypal"));
        assert_eq!(brand_within("pineapples"), None);
        assert_eq!(brand("apple").map(|brand| brand.is_word), Some(true));
    }
}
