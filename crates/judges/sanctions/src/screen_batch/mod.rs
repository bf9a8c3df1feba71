//! The judge behind `POST /screen-batch`, which screens many names in one call with one receipt for all.
//!
//! # Invariants
//!
//! - The verdict is the worst verdict of the entities.
//! - The finding has every entity of the question.
//! - All entities are screened against the same snapshots of the lists.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | fields of the question, and how they are read |
//! | `finding` | the finding, as the receipt shows it |
//! | `judge` | [`ScreenBatchJudge`]: the above behind [`verdict::Judge`] |

mod finding;
mod judge;
mod question;

pub use finding::{BatchFinding, BestMatch, EntityResult, METHOD, VerdictCounts};
pub use judge::ScreenBatchJudge;
pub use question::{BatchQuestion, MOST_ENTITIES};
