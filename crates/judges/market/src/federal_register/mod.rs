//! `/federal-register`: a search of the Federal Register.

mod finding;
mod judge;
mod page;
mod question;

pub use finding::{RegisterEvidence, RegisterFinding, RegisterPart};
pub use judge::{MAX_COUNT_CALLS, RegisterJudge};
pub use question::RegisterQuestion;
