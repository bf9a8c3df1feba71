//! The name that was asked about: read once, trusted after.
//!
//! A caller's text becomes a [`DomainName`] (UTS 46, in the form of the DNS), and a [`Subject`] where somebody can have
//! registered it. Addresses, wildcards, names of special use and bare public suffixes are refused with a
//! [`DomainError`], which names the field `domain`.
//!
//! ```
//! use trust::domain::{PublicSuffixes, Rules, Subject};
//!
//! let subject = Subject::parse("WWW.Bücher.example.com.", &PublicSuffixes::bundled(), &Rules::default())?;
//! assert_eq!(subject.name.as_str(), "www.xn--bcher-kva.example.com");
//! assert_eq!(subject.registrable.as_str(), "example.com");
//! # Ok::<(), trust::domain::DomainError>(())
//! ```

mod error;
mod name;
mod subject;
mod suffixes;

pub use error::DomainError;
pub use name::{DomainName, MAX_NAME_BYTES, MAX_TEXT_BYTES};
pub use subject::{Rules, Subject};
pub use suffixes::{MAX_LIST_BYTES, PublicSuffixes, SuffixListError};
