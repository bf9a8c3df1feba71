//! What the pages of receipts have in common.

/// The address, if a browser opens it as a page of the web.
pub fn web_link(link: Option<&str>) -> Option<&str> {
    link.filter(|link| link.starts_with("https://"))
}
