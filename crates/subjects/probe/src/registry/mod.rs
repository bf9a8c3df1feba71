//! Domain registrations, queried over RDAP (RFC 7480): the time of registration and the time of expiry.
//!
//! IANA's bootstrap list names the service of each top-level domain (RFC 9224). [`Registry`] begins with the list that
//! is compiled in, takes a newer one from an operator's file or from [`BootstrapRefresh`], and queries the service.
//! [`RegistryObservation`] is the result, as plain data that is kept with a receipt.
//!
//! # Invariants
//!
//! - "No service" requires a complete and recent list that does not name the top-level domain.
//! - Only a timely, complete answer about the domain itself counts as an answer.
//! - An answer from the cache carries the time at which it was received.
//! - A service that asked for a pause is not queried during it, except where another service redirects to it.

mod client;
mod observation;
mod pauses;
mod refresh;
mod services;

pub use client::{CONNECTIONS, KEEP, KEEP_FAILED, KEPT_BYTES, LOOK, MAX_BYTES, MAX_REDIRECTS, Registry};
pub use observation::{KnownRegistration, MAX_KEPT_BYTES, RdapAnswer, RegistryObservation, RegistryResult};
pub use pauses::MAX_PAUSE;
pub use refresh::{BootstrapRefresh, BootstrapRefreshError, BootstrapRound, EVERY, IANA, limits};
pub use services::{FRESH_DAYS, MIN_NAMES};
