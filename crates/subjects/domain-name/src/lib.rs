//! Domain names: read as UTS 46 and IDNA 2008 (RFC 5890, RFC 5891) have them, and what is known of a name without looking
//! at its host.
//!
//! A caller's text becomes a [`DomainName`], and a [`Subject`] where somebody can have registered it. Addresses, wildcards,
//! names of special use (RFC 6761) and bare public suffixes are refused with a [`DomainError`].
//!
//! What never happens: two spellings of one name are two names; a name below a public suffix of a platform's is taken for
//! the platform's own; a feed that cannot be read is taken for one on which nothing stands.
//!
//! | item | holds |
//! |---|---|
//! | [`DomainName`] | a host name in A-labels |
//! | [`PublicSuffixes`] | the public suffix list: which part of a name is somebody's own |
//! | [`Subject`], [`Rules`] | a name, its registrable and its registered name; which names may be asked about |
//! | [`BRANDS`], [`look_alike`] | well-known brands, and the confusable names of UTS 39 |
//! | [`feed`] | files of bad domains that an operator keeps |
//! | [`rdap`] | what a registry says about a domain (RFC 9083), and where to ask it (RFC 9224) |
//!
//! ```
//! use domain_name::{PublicSuffixes, Rules, Subject};
//!
//! let subject = Subject::parse("WWW.Bücher.example.com.", &PublicSuffixes::bundled(), &Rules::default())?;
//! assert_eq!(subject.name.as_str(), "www.xn--bcher-kva.example.com");
//! assert_eq!(subject.registrable.as_str(), "example.com");
//! # Ok::<(), domain_name::DomainError>(())
//! ```

mod brands;
mod error;
pub mod feed;
mod look_alike;
mod name;
pub mod rdap;
mod subject;
mod suffixes;

pub use brands::{BRAND_DOMAINS, BRAND_TOP_LEVELS, BRAND_WORDS, BRANDS, OTHER_WORDS};
pub use error::DomainError;
pub use look_alike::{LookAlike, MIN_DISTANCE_LETTERS, Resemblance, look_alike};
pub use name::{DomainName, MAX_NAME_BYTES, MAX_TEXT_BYTES};
pub use subject::{Rules, Subject};
pub use suffixes::{MAX_LIST_BYTES, PublicSuffixes, SuffixListError};
