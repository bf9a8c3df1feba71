//! The judge behind `POST /screen-batch`: many names in one call, and one receipt for all.
//!
//! What never happens: the verdict is better than the worst of the entities'; an entity is left out; a list changes
//! between one entity and the next.
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
