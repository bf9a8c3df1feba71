//! A search after its checks.

use jiff::civil::{Date, date};

/// The results of a search that the service can show, and the greatest count that it states.
pub const MAX_RESULTS: u64 = 10_000;

/// The last page that the service answers; it answers a later one with the first page.
pub const MAX_PAGE: u32 = 50;

/// The most rows of a page. The service sends up to 1,000; a receipt holds the rows, so a page of fewer serves.
pub const MAX_PER_PAGE: u32 = 100;

/// The rows of a page where the caller names no number.
pub const DEFAULT_PER_PAGE: u32 = 20;

/// The first day whose documents the service searches.
pub const FIRST_DAY: Date = date(1994, 1, 1);

/// A type of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentType {
    /// A final rule: `RULE`.
    Rule,
    /// A proposed rule: `PRORULE`.
    ProposedRule,
    /// A notice: `NOTICE`.
    Notice,
    /// A document of the President: `PRESDOCU`.
    PresidentialDocument,
}

impl DocumentType {
    /// All types.
    pub const ALL: [Self; 4] = [Self::Rule, Self::ProposedRule, Self::Notice, Self::PresidentialDocument];

    /// The code in queries: `PRORULE`, say.
    pub fn code(self) -> &'static str {
        match self {
            Self::Rule => "RULE",
            Self::ProposedRule => "PRORULE",
            Self::Notice => "NOTICE",
            Self::PresidentialDocument => "PRESDOCU",
        }
    }

    /// The label in rows and descriptions: `Proposed Rule`, say.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rule => "Rule",
            Self::ProposedRule => "Proposed Rule",
            Self::Notice => "Notice",
            Self::PresidentialDocument => "Presidential Document",
        }
    }

    /// The type of a code in upper or lower case.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code().eq_ignore_ascii_case(code))
    }
}

/// A search after its checks; [`SearchRequest::check`](crate::SearchRequest::check) makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Words to search for.
    pub term: Option<String>,
    /// Slugs of agencies, of which a document has one: `environmental-protection-agency`.
    pub agencies: Vec<String>,
    /// Types, of which a document has one; empty for all.
    pub types: Vec<DocumentType>,
    /// The first day of publication.
    pub from: Option<Date>,
    /// The last day of publication.
    pub to: Option<Date>,
    /// The docket of the agency.
    pub docket: Option<String>,
    /// True for documents that are significant under Executive Order 12866, false for others.
    pub significant: Option<bool>,
    /// Only documents published after this day.
    pub since: Option<Date>,
    /// The page, from 1 to [`MAX_PAGE`].
    pub page: u32,
    /// The rows of a page, from 1 to [`MAX_PER_PAGE`].
    pub per_page: u32,
}

impl Search {
    /// The first and the last day of publication that the search asks for, `since` included.
    pub fn days(&self) -> (Option<Date>, Option<Date>) {
        let after = self.since.map(|since| since.tomorrow().unwrap_or(Date::MAX));
        (self.from.max(after), self.to)
    }

    /// Page and rows of a page as the service is asked for them. One row of a page is asked for within a page of two,
    /// since the service takes `per_page=1` for no number at all.
    pub(crate) fn wire_page(&self) -> (u32, u32) {
        if self.per_page == 1 { (self.page.div_ceil(2), 2) } else { (self.page, self.per_page) }
    }
}
