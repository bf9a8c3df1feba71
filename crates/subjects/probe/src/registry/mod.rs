//! Registrations, asked for over RDAP (RFC 7480): when a domain was registered, and until when.
//!
//! Whom to ask is IANA's to say (RFC 9224). [`Registry`] begins with the list that is compiled in, takes a newer one
//! from an operator's file or from [`BootstrapRefresh`], and asks; [`RegistryObservation`] is what came of it, as plain data that is kept with
//! a receipt.
//!
//! What never happens: a top-level domain that a short or an old list does not name is said to have no service; an answer
//! that is late, refused, torn or about another domain is taken for one; one that was kept is said to have come now; a
//! service that asked to be left alone is asked, but where another leads to it.

mod cache;
mod client;
mod observation;
mod pauses;
mod refresh;
mod services;

pub use cache::{KEEP, KEEP_FAILED, KEPT_BYTES};
pub use client::{CONNECTIONS, LOOK, MAX_BYTES, MAX_REDIRECTS, Registry};
pub use observation::{KnownRegistration, MAX_KEPT_BYTES, RdapAnswer, RegistryObservation, RegistryResult};
pub use pauses::MAX_PAUSE;
pub use refresh::{BootstrapRefresh, BootstrapRefreshError, BootstrapRound, EVERY, IANA, limits};
pub use services::{FRESH_DAYS, MIN_NAMES};
