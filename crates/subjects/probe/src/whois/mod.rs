//! Domain registrations of top-level domains without RDAP, queried over WHOIS (RFC 3912).
//!
//! WHOIS is plain text without a format, over a connection that nobody signs. So a [`Whois`] client is used only where
//! the operator turns it on, and only the date of the registration counts: [`WhoisRecord::parse`] gives one only if the
//! answer is about the domain, is complete, and states one date that can be read in one way. Some registries, such as
//! those of `.de`, `.eu` and `.es`, state none.
//!
//! # Invariants
//!
//! - No date is guessed: an ambiguous, contradictory or future date is unknown.
//! - A query and its referral together take at most [`LOOK`] and read at most [`MAX_BYTES`] from each server.
//! - Every connection goes through `fetch`. Port 43 needs a fetcher whose policy is that of [`policy`].
//!
//! # Example
//!
//! ```
//! use probe::whois::WhoisRecord;
//!
//! let answer = b"domain: EXAMPLE.RU\ncreated: 2009-03-04T05:06:07Z\nregistrar: REG-RU\n";
//! let record = WhoisRecord::parse(answer, None);
//! assert_eq!(record.created.map(|at| at.to_string()).as_deref(), Some("2009-03-04T05:06:07.000Z"));
//! assert_eq!(record.registrar.as_deref(), Some("REG-RU"));
//! ```

mod client;
mod date;
mod observation;
mod record;
mod servers;

pub use client::{CONNECTIONS, KEEP, KEEP_FAILED, KEPT_BYTES, LOOK, MAX_BYTES, PORT, Whois, policy};
pub use date::DateOrder;
pub(crate) use date::read_date;
pub use observation::{KnownCreation, MAX_KEPT_BYTES, WhoisObservation, WhoisResult};
pub use record::WhoisRecord;
pub use servers::IANA;
