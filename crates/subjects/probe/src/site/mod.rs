//! Sites as their visitors see them: the page over HTTPS and HTTP, the answer to other origins, and the texts at
//! well-known places.
//!
//! A [`SiteProbe`] fetches all of them once, concurrently. [`SiteObservation`] is the result, as plain data that is kept
//! with a receipt. Every statement about the site is derived from it, so that it can be derived again without a network.
//!
//! # Invariants
//!
//! - Every part of an observation is a value or its [`ProbeFailure`].
//! - The rules distinguish a fact about the site (an invalid certificate) from a fact about the probe (no answer in
//!   time).

mod failure;
mod keep;
mod observation;
mod probe;
mod scan;

pub use failure::ProbeFailure;
pub use observation::{
    PageObservation, PreflightResult, RedirectChain, RedirectEnd, RedirectHop, SiteObservation,
    WellKnownText, WellKnownTextResult,
};
pub use probe::{CONNECTIONS, FOREIGN_ORIGIN, LOOK, SiteProbe};
pub use scan::UnscoredReason;
