//! The judge behind `POST /grade-strategy`, which decides if a settled track record shows an edge, luck, or neither.
//!
//! # Invariants
//!
//! - A grade depends only on the rows, the declared trials and the rule's version, so it is the same on any machine,
//!   for any order of the rows, and for any caller. `graded_before` and its sentence are what the ledger said, which is
//!   evidence: no verdict depends on them.
//! - `REAL_EDGE` requires that every statistic is a number.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | the question, and its JSON Schema |
//! | `finding` | the finding, as the receipt shows it |
//! | `explain` | the finding in two sentences |
//! | `judge` | [`GradeJudge`]: the above behind [`verdict::Judge`] |

mod explain;
mod finding;
mod judge;
mod question;

pub use crate::performance::Performance;
pub use explain::explain;
pub(crate) use explain::why;
pub(crate) use finding::scope;
pub use finding::{GradeEvidence, GradeFinding, finite};
pub use judge::GradeJudge;
pub use question::GradeQuestion;
