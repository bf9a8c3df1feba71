//! Signals of an address alone that it may be made for phishing: rules and a linear model, without any list of addresses
//! and without a connection.
//!
//! # Invariants
//!
//! - The signals and the score are a pure function of the address, the word lists and the model.
//!
//! - Only rules that are near certain block ([`Severity::Block`]); the model never does.
//!
//! - A span lies within the address as it was given, on boundaries of characters.
//!
//! - Work is bounded: a host of more than 253 bytes has no words, and of the path, the query and the fragment the first
//!   2 KiB are read.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`Scanner`], [`UrlSignals`], [`Signal`] | the scan of an address |
//! | [`rules`], [`Rule`], [`Severity`] | the published table of rules |
//! | [`canonical_rules`] | all that a scan depends on, to hash |
//! | [`MODEL_SHA256`] | the hash of the model |
//! | [`THRESHOLD`] | the score above which the model gives a signal |
//! | [`learn`], [`Example`], [`LearningOptions`], [`ORDINARY_PATHS`] | learning the model |
//!
//! # Example
//!
//! ```
//! use url_signals::{Scanner, Severity};
//! use web_address::WebAddress;
//!
//! let address = WebAddress::parse("http://paypal.com.example.net/login")?;
//! let found = Scanner::new().scan(&address);
//! assert_eq!(found.severity(), Some(Severity::Block));
//! let signal = found.signals.iter().find(|signal| signal.rule.id == "brand-host-prefix").expect("it is found");
//! assert_eq!(signal.detail.as_deref(), Some("paypal"));
//! # Ok::<(), web_address::AddressError>(())
//! ```

mod facts;
mod features;
mod find;
mod learning;
mod parts;
mod rules;
mod scanner;
#[cfg(test)]
mod tests;
mod words;

pub use learning::{Example, LearningOptions, learn};
pub use rules::{Rule, Severity, rules};
pub use scanner::{MODEL_SHA256, Scanner, Signal, THRESHOLD, UrlSignals};

/// Paths of pages that honest sites have, one a line, in the languages of the rows: written for this project, since the benign
/// rows hold hardly any page of an account or a shop.
pub const ORDINARY_PATHS: &str = include_str!("../data/ordinary_paths.txt");

/// All that a scan depends on, to hash: the crate's code, its word lists and its model, so that two sets of rules that find
/// differently never have one hash. The lists of `brand_names` are in it; the code of other crates is not.
#[must_use]
pub fn canonical_rules() -> Vec<u8> {
    let mut all = Vec::new();
    for code in [
        include_str!("facts.rs"),
        include_str!("features.rs"),
        include_str!("find.rs"),
        include_str!("lib.rs"),
        include_str!("parts.rs"),
        include_str!("rules.rs"),
        include_str!("scanner.rs"),
        include_str!("words.rs"),
    ] {
        all.extend_from_slice(code.as_bytes());
    }
    for (_, words) in words::FILES {
        all.extend_from_slice(words.as_bytes());
    }
    for (_, words) in brand_names::FILES {
        all.extend_from_slice(words.as_bytes());
    }
    for list in [brand_names::BRAND_TOP_LEVELS, brand_names::OPEN_COUNTRIES, &brand_names::DELIVERY_DOMAINS] {
        all.extend_from_slice(list.join(" ").as_bytes());
    }
    all.extend_from_slice(scanner::MODEL);
    all
}
