//! How to go on after an answer.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use record_search::checked_date;
use thiserror::Error;

use crate::{MAX_PAGE, MAX_RESULTS, Search};

/// How to go on after an answer; as text `page:2` or `before:2026-02-28`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The page of the same search.
    Page(u32),
    /// The first page of the search whose last day is this one. The rows of this day that were shown already come again; their
    /// keys tell.
    Before(Date),
}

/// The text is no [`Next`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected page:2 or before:2026-02-28")]
pub struct NextError;

impl fmt::Display for Next {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(page) => write!(out, "page:{page}"),
            Self::Before(day) => write!(out, "before:{day}"),
        }
    }
}

impl FromStr for Next {
    type Err = NextError;

    fn from_str(text: &str) -> Result<Self, NextError> {
        if let Some(page) = text.strip_prefix("page:") {
            let is_plain = !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit());
            return is_plain.then(|| page.parse().ok()).flatten().map(Self::Page).ok_or(NextError);
        }
        let day = text.strip_prefix("before:").ok_or(NextError)?;
        checked_date("next", day).map(Self::Before).map_err(|_| NextError)
    }
}

impl Search {
    /// The search that goes on from this one.
    pub fn going_on(&self, next: Next) -> Self {
        let mut search = self.clone();
        match next {
            Next::Page(page) => search.page = page,
            Next::Before(day) => {
                search.page = 1;
                search.to = Some(self.to.map_or(day, |to| to.min(day)));
            }
        }
        search
    }

    /// How to go on after a page of this search, and true if there is more that cannot be reached. `last` is the day of the
    /// page's last row; rows come newest first.
    pub(crate) fn next(&self, count: u64, last: Option<Date>) -> (Option<Next>, bool) {
        let shown = u64::from(self.page) * u64::from(self.per_page);
        let is_capped = count >= MAX_RESULTS;
        if shown >= count && !is_capped {
            return (None, false);
        }
        let following = self.page.saturating_add(1);
        if following <= MAX_PAGE && u64::from(following) * u64::from(self.per_page) <= MAX_RESULTS {
            return (Some(Next::Page(following)), false);
        }
        // One day alone fills all pages: there is no earlier last day to go on with.
        match last.filter(|last| self.to.is_none_or(|to| *last < to)) {
            Some(last) => (Some(Next::Before(last)), false),
            None => (None, true),
        }
    }
}
