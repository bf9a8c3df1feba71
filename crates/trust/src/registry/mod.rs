//! What a registry says about a domain, asked over RDAP (RFC 7480): when it was registered, and until when.
//!
//! Whom to ask is IANA's to say (RFC 9224). [`Registry`] knows a few large services from the start, takes IANA's list over
//! from an operator's file or from [`Refresh`], and asks; [`RegistrySeen`] is what came of it, as plain data that is kept with
//! a receipt.
//!
//! What never happens: a top-level domain that a short or an old list does not name is said to have no service; an answer
//! that is late, refused, torn or about another domain is taken for one.

mod client;
mod refresh;
mod seen;
mod services;

pub use client::{CONNECTIONS, LOOK, MAX_BYTES, MAX_REDIRECTS, Registry};
pub use refresh::{EVERY, IANA, Refresh, RefreshError, Round, limits};
pub use seen::{Answer, Found, MAX_KEPT_BYTES, RegistryEnd, RegistrySeen};
pub use services::{FRESH_DAYS, MIN_NAMES};
