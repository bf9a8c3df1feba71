//! `/distress-score`: a company's financial distress from its own accounts.

mod judge;
mod page;
mod question;

pub use judge::{DistressEvidence, DistressFinding, DistressJudge};
pub use question::DistressQuestion;
