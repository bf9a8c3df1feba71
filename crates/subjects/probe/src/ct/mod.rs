//! The first certificate of a domain that the public logs of Certificate Transparency know (RFC 6962).
//!
//! A [`CtSource`] is a search service that the operator configured; without one nothing is asked. It is believed only
//! row by row: a row counts if it names the domain or a host below it, and if its date is between the start of
//! Certificate Transparency and now. The earliest such date is a lower bound of the domain's age, also if the answer was
//! cut. A service can still name too early a date, so its answer must never be the only sign of age.
//!
//! # Invariants
//!
//! - A look takes at most [`LOOK`] and reads at most [`MAX_BYTES`].
//! - Every connection goes through `fetch`.

mod client;
mod rows;
mod source;

pub use client::{
    CONNECTIONS, Certificates, CtObservation, CtResult, KEEP, KEEP_FAILED, KEPT_BYTES, LOOK, MAX_BYTES,
    limits,
};
pub use rows::{CtRows, MAX_ROWS};
pub use source::{CtSource, CtSourceError};
