//! The word lists of the rules.
//!
//! Each list is a file of words between spaces or line breaks, sorted and in lower case. They are facts, collected for this
//! crate.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use brand_names::{Brand, brands};

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
    /// Endings of files that a computer runs.
    EXECUTABLE_ENDINGS = "executable_endings.txt";
    /// Endings of files that people open without suspicion.
    DOCUMENT_ENDINGS = "document_endings.txt";
    /// Names of query parameters that often hold the address to go on to.
    REDIRECT_KEYS = "redirect_keys.txt";
}

/// The fewest letters of a brand that is looked for within a longer word.
const MIN_INNER_LETTERS: usize = 6;

/// The brands that are looked for within longer words, in the order of their labels.
static INNER_BRANDS: LazyLock<(AhoCorasick, Vec<&'static str>)> = LazyLock::new(|| {
    let is_inner = |brand: &&Brand| !brand.needs_company() && brand.label.len() >= MIN_INNER_LETTERS;
    let labels: Vec<&str> = brands().iter().filter(is_inner).map(|brand| brand.label).collect();
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&labels);
    (automaton.expect("a few thousand short words are within the automaton's bounds"), labels)
});

/// The first brand within a text, which is not a common word.
pub(crate) fn brand_within(text: &str) -> Option<&'static str> {
    let (automaton, labels) = &*INNER_BRANDS;
    automaton.find(text).map(|found| labels[found.pattern().as_usize()])
}

#[cfg(test)]
mod tests {
    use brand_names::brand;

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
    fn a_brand_is_found_within_a_word_if_it_is_long_and_no_common_word() {
        assert_eq!(brand_within("securepaypallogin"), Some("paypal"));
        assert_eq!(brand_within("pineapples"), None);
        assert_eq!(brand("apple").map(|brand| brand.is_word), Some(true));
    }
}
