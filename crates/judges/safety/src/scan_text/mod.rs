//! The scan of a text.

mod judge;
mod question;
mod scan;

pub use judge::{TextFinding, TextJudge};
pub use question::{TEXT_BYTES, TextContext, TextQuestion};
pub use scan::TextScan;
