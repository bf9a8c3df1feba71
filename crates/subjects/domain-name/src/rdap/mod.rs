//! Documents of RDAP: registrations (RFC 9083), and the list of services (RFC 9224).
//!
//! Both kinds of document are untrusted: their size and depth are bounded, a duplicate of a member that matters is an
//! error, and a malformed date counts as absent.
//!
//! ```
//! use domain_name::rdap::Registration;
//!
//! let answer = br#"{"objectClassName":"domain","ldhName":"example.com","status":["active"],
//!     "events":[{"eventAction":"expiration","eventDate":"2030-01-01T00:00:00Z"}]}"#;
//! let registration = Registration::parse(answer)?;
//! assert_eq!(registration.expiration.map(|at| at.to_string()).as_deref(), Some("2030-01-01T00:00:00.000Z"));
//! # Ok::<(), domain_name::rdap::RdapError>(())
//! ```

mod bootstrap;
mod date;
mod error;
mod expiry;
mod registration;

pub use bootstrap::{Bootstrap, MAX_BOOTSTRAP_BYTES, RdapService};
pub use error::RdapError;
pub use expiry::Expiry;
pub use registration::{Lock, MAX_ANSWER_BYTES, Registrar, Registration};
