//! A search after its checks.

use jiff::civil::{Date, date};

use crate::{Amount, AwardGroup, Cursor};

/// The first day that the service searches.
pub const FIRST_DAY: Date = date(2007, 10, 1);

/// The most rows of a page.
pub const MAX_LIMIT: u32 = 100;

/// The rows of a page where the caller names no number.
pub const DEFAULT_LIMIT: u32 = 20;

/// The rows that can be reached by pages; past them a cursor goes on.
pub const MAX_PAGED_ROWS: u64 = 50_000;

/// The role of an agency in an award.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgencyRole {
    /// The agency that made the award.
    Awarding,
    /// The agency that paid for it.
    Funding,
}

impl AgencyRole {
    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Awarding => "awarding",
            Self::Funding => "funding",
        }
    }
}

/// The level of an agency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgencyTier {
    /// A department or an independent agency.
    Toptier,
    /// An agency within one.
    Subtier,
}

impl AgencyTier {
    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Toptier => "toptier",
            Self::Subtier => "subtier",
        }
    }
}

/// An agency of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgencyFilter {
    /// Its role in the award.
    pub role: AgencyRole,
    /// Its level.
    pub tier: AgencyTier,
    /// Its name.
    pub name: String,
    /// The name of the agency above a subtier one: several have an "Office of Inspector General".
    pub parent: Option<String>,
    /// True if the name was compared with the service's reference, by
    /// [`AwardSearch::with_agencies`](crate::AwardSearch::with_agencies).
    pub is_known: bool,
}

/// The days of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
    /// True for the day of the last change of an award, false for the days of its actions.
    pub is_modified: bool,
}

/// A search after its checks; [`AwardSearchRequest::check`](crate::AwardSearchRequest::check) makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwardSearch {
    /// The group of the award types.
    pub group: AwardGroup,
    /// Award type codes of the group.
    pub types: Vec<String>,
    /// Words of which an award has one.
    pub keywords: Vec<String>,
    /// A part of the recipient's name, or its UEI.
    pub recipient: Option<String>,
    /// The agency.
    pub agency: Option<AgencyFilter>,
    /// Codes of industries (NAICS), of two to six digits.
    pub naics: Vec<String>,
    /// Codes of products and services (PSC), of four characters.
    pub psc: Vec<String>,
    /// The days.
    pub period: Option<Period>,
    /// Only awards that were changed after this day.
    pub since: Option<Date>,
    /// The least amount.
    pub min_amount: Option<Amount>,
    /// The greatest amount.
    pub max_amount: Option<Amount>,
    /// True for awards that recipients gave on to others.
    pub subawards: bool,
    /// The rows of a page, from 1 to [`MAX_LIMIT`].
    pub limit: u32,
    /// The page, from 1.
    pub page: u32,
    /// The last row of the page before, in place of a page.
    pub cursor: Option<Cursor>,
}
