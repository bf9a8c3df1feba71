//! Domains that do not exist: facts about a domain, turned into observations as the probes would have made them.
//!
//! [`Profile`] states the facts in a few words, and [`Profile::judge`] has the shipped judge find on them. No connection is
//! opened, so that thousands of domains are judged in a second. [`adoption`] draws profiles by published adoption figures.
//!
//! ```
//! use simulated_domains::{Facts, Profile};
//! use trust::score::{Purpose, TrustVerdict};
//!
//! let facts = Facts { registered_days: Some(2), ..Facts::honest() };
//! let profile = Profile { domain: "bright-lamp-outlet.com".to_owned(), purpose: Purpose::Pay, facts };
//! assert_eq!(profile.judge().unwrap().verdict, TrustVerdict::Caution);
//! ```

pub mod adoption;
mod certificate;
mod observations;
mod profile;
#[cfg(test)]
mod tests;

pub use profile::{Facts, Feed, Headers, Https, Profile, ProfileError};
