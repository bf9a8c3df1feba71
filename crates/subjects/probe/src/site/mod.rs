//! Sites as their visitors see them: the page over HTTPS and HTTP, the answer to other origins, and the texts at
//! well-known places.
//!
//! A [`SiteProbe`] looks, once and at everything at the same time; [`SiteObservation`] is what it saw, as plain data that is kept with a
//! receipt. All that is said of the site is said from that, so that it can be said again without a network.
//!
//! What never happens: a part that could not be seen is left out or made up. Each has its [`ProbeFailure`], and the rules tell what
//! is a fact about the site (a certificate that does not hold) from what is one about the look (no answer in time).

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
