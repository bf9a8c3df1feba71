//! `/awards`: a search of federal awards.

mod finding;
mod judge;
mod page;
mod question;

pub use finding::{AwardsEvidence, AwardsFinding};
pub use judge::AwardsJudge;
pub use question::AwardsQuestion;
