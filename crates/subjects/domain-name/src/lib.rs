//! Domain names, read by UTS 46 and IDNA 2008 (RFC 5890, RFC 5891), and the facts about a name that do not require a
//! connection to its host.
//!
//! A caller's text becomes a [`DomainName`], and a [`Subject`] if somebody can have registered it. Addresses,
//! wildcards, names of special use (RFC 6761) and bare public suffixes are refused with a [`DomainError`].
//!
//! # Invariants
//!
//! - All spellings of one name give one [`DomainName`].
//!
//! - A name below a platform's public suffix belongs to its own holder, and not to the platform.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`DomainName`] | a host name in A-labels |
//! | [`PublicSuffixes`] | the public suffix list, which gives the registrable part of a name |
//! | [`Subject`], [`Rules`] | a name with its registrable and its registered name; the names that are accepted |
//! | [`rdap`] | a registry's answer about a domain (RFC 9083), and the list of registries' services (RFC 9224) |
//!
//! # Example
//!
//! ```
//! use domain_name::{PublicSuffixes, Rules, Subject};
//!
//! let subject = Subject::parse("WWW.Bücher.example.com.", &PublicSuffixes::bundled(), &Rules::default())?;
//! assert_eq!(subject.name.as_str(), "www.xn--bcher-kva.example.com");
//! assert_eq!(subject.registrable.as_str(), "example.com");
//! # Ok::<(), domain_name::DomainError>(())
//! ```

mod error;
mod name;
pub mod rdap;
mod subject;
mod suffixes;

pub use error::DomainError;
pub use name::{DomainName, MAX_NAME_BYTES, MAX_TEXT_BYTES};
pub use subject::{Rules, Subject};
pub use suffixes::{MAX_LIST_BYTES, PublicSuffixes, SuffixListError};
