//! Federal awards at usaspending.gov: searches, their JSON bodies, and answers normalised without loss.
//!
//! Source: api.usaspending.gov, API v2 (<https://api.usaspending.gov/docs/endpoints>; contracts `spending_by_award.md`,
//! `spending_by_award_count.md`, `award_types.md` and `toptier_agencies.md` of fedspendingtransparency/usaspending-api) and
//! the service's published source (`search/v2/views/spending_by_award.py`, `awards/v2/lookups`), which shows what the
//! contracts do not say:
//!
//! | behaviour of the service | treatment here |
//! |---|---|
//! | award type codes of two groups in one call are refused | a search has one [`AwardGroup`] |
//! | a page past 50,000 rows is refused | [`Next::Cursor`] goes on with `last_record_unique_id` and `last_record_sort_value` |
//! | at the end the sort value is the text `None` | no cursor is made of it |
//! | an unknown agency name matches nothing | [`ToptierAgencies::find`] names the nearest ones instead |
//! | an unknown filter is dropped, and only `messages` tells | such a message is [`AnswerError::Ignored`](record_search::AnswerError::Ignored) |
//! | keywords under three characters are refused | [`MIN_KEYWORD_CHARS`] |
//! | dates before 2007-10-01 are refused | [`FIRST_DAY`] |
//!
//! # Invariants
//!
//! - Each member of a row is in the normalised row, under `other` or named in `dropped`.
//!
//! - An amount is decimal text as it came, never a float.
//!
//! - An agency that the service does not know is an error, never an empty answer.
//!
//! - Days are taken from the request or from the caller: nothing here reads a clock.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`AwardSearchRequest`], [`AwardSearch`] | a search as callers write it, and after its checks |
//! | [`AwardSearch::body`], [`AwardSearch::count_body`] | the bodies to send to [`SEARCH_URL`] and [`COUNT_URL`] |
//! | [`AwardAnswer`], [`Award`], [`Next`] | the answer of a search, its rows, and how to go on |
//! | [`AwardCounts`] | the answer of the count |
//! | [`AwardGroup`], [`AwardTypes`] | groups of award type codes, ours and those of the service's reference |
//! | [`ToptierAgencies`] | agencies of the service's reference, by name, abbreviation, code or slug |
//! | [`Records`], [`read_award`] | transactions, funding, orders under an award; a single award |
//! | [`check_lossless`] | any recorded answer through the same normalising |

mod agencies;
mod amount;
mod answer;
mod award;
mod body;
mod count;
mod lossless;
mod next;
mod request;
mod search;
mod tables;
#[cfg(test)]
mod tests;
mod types;

pub use agencies::{AGENCIES_URL, Agency, MAX_SUGGESTIONS, ToptierAgencies};
pub use amount::{Amount, MAX_AMOUNT};
pub use answer::{AwardAnswer, Records};
pub use award::{Award, read_award};
pub use body::{COUNT_URL, SEARCH_URL};
pub use count::AwardCounts;
pub use lossless::check_lossless;
pub use next::{Cursor, MAX_CURSOR_CHARS, Next, NextError};
pub use request::{AwardSearchRequest, MAX_CODES, MAX_KEYWORDS, MAX_TEXT_CHARS, MIN_KEYWORD_CHARS};
pub use search::{
    AgencyFilter, AgencyRole, AgencyTier, AwardSearch, DEFAULT_LIMIT, FIRST_DAY, MAX_LIMIT, MAX_PAGED_ROWS,
    Period,
};
pub use types::{AWARD_TYPES_URL, AwardGroup, AwardTypes, Drift};

/// The service, as messages name it.
pub const SERVICE: &str = "USAspending";
