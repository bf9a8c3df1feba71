//! The judge behind `POST /grade-strategy`: is a settled track record an edge, luck, or neither?
//!
//! What never happens: a finding depends on anything but the rows, the declared trials and the rule's version, so that
//! it is the same on any machine, in whatever order the rows came, and whoever asks; a statistic that is no number
//! counts for `REAL_EDGE`.
//!
//! | module | holds |
//! |---|---|
//! | `question` | what may be asked, and its JSON Schema |
//! | `finding` | what is found, as the receipt shows it |
//! | `explain` | the same in two sentences |
//! | `judge` | [`GradeJudge`]: the above behind [`verdict::Judge`] |

mod explain;
mod finding;
mod judge;
mod question;

pub use explain::explain;
pub(crate) use explain::why;
pub(crate) use finding::scope;
pub use finding::{GradeEvidence, GradeFinding, finite};
pub use judge::GradeJudge;
pub use question::GradeQuestion;
