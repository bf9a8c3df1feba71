//! The judge of `/trust-score`: it observes a domain and finds on the observations.
//!
//! [`Probes`] look, all at once; what they saw is one piece of evidence, [`DomainObservations`]; the finding is made of that alone, so
//! that a replay comes to the same.

mod checks;
mod facts;
mod finding;
mod finding_v1;
mod judge;
mod limits;
mod look;
mod memory;
mod model;
mod observations;
mod pace;
mod page;
mod payee;
mod question;

pub use facts::{DomainFacts, facet};
pub use finding::{TrustEvidence, TrustFinding, TrustFindingV2};
pub use finding_v1::TrustFindingV1;
pub use judge::TrustJudge;
pub use limits::{registry_limits, site_limits};
pub use look::{
    AT_ONCE, CONNECTIONS, KEEP, KEEP_FAILED, KEEP_LEAST, KEPT_BYTES, Probes, RECORDS, START, STARTING, TOTAL,
    WAIT, at_once, destination,
};
pub use model::ModelView;
pub use observations::{DomainObservations, ProbeResult};
pub use pace::{NAMES, WINDOW_S};
pub use page::reason_sentence;
pub use payee::{NamedPayee, PayeeFinding, PayeeStatements};
pub use question::{DOMAIN, NAME_CHARS, TrustQuestion, parse_domain};
