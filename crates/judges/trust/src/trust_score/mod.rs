//! The judge of `/trust-score`: it observes a domain and finds on the observations.
//!
//! [`Probes`] look, all at once; what they saw is one piece of evidence, [`DomainObservations`]; the finding is made of that alone, so
//! that a replay comes to the same.

mod finding;
mod judge;
mod limits;
mod look;
mod model;
mod observations;
mod pace;
mod page;
mod question;

pub use finding::{TrustEvidence, TrustFinding};
pub use judge::TrustJudge;
pub use limits::{registry_limits, site_limits};
pub use look::{
    AT_ONCE, CONNECTIONS, KEEP, KEEP_FAILED, KEEP_LEAST, KEPT_BYTES, Probes, RECORDS, START, STARTING, TOTAL,
    WAIT, at_once,
};
pub use model::ModelView;
pub use observations::{DomainObservations, ProbeResult};
pub use pace::{NAMES, WINDOW_S};
pub use question::TrustQuestion;
