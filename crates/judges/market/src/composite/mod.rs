//! `/composite`: one reading of market stress.

mod finding;
mod judge;
mod page;
mod question;
mod sources;

pub use finding::{CompositeEvidence, CompositeFinding, CompositeReason, CompositeVerdict};
pub use judge::CompositeJudge;
pub use question::{CompositeQuestion, MAX_OBSERVATIONS};
