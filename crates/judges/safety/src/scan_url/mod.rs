//! The scan of an address.

mod judge;
mod question;
mod scan;

pub use judge::{FOLLOWED_AT_ONCE, UrlJudge, UrlSources};
pub use question::UrlQuestion;
pub use scan::{UrlFinding, UrlHop, scan_url};
