//! The scan of a text.

mod question;
mod scan;

pub use question::{TEXT_BYTES, TextContext, TextQuestion};
pub use scan::{TextScan, scan_text};
