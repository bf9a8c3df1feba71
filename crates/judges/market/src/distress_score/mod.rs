//! `/distress-score`: a company's financial distress from its own accounts.

mod edgar;
mod finding;
mod judge;
mod page;
mod question;

pub use finding::{Company, DistressEvidence, DistressFinding, EarlierScore, LateNotice, Report};
pub use judge::DistressJudge;
pub use question::{CompanyKey, DistressQuestion, FiledQuestion, Supplement};
