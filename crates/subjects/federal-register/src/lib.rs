//! The Federal Register's public service: searches, their query strings, and answers normalised without loss.
//!
//! Source: federalregister.gov, API v1 (<https://www.federalregister.gov/developers/documentation/api/v1>) and the published
//! source of the service (usnationalarchives/federalregister-api-core: `es_application_search.rb`, `es_entry_search.rb`,
//! `date_selector.rb`), which shows what the documentation does not say:
//!
//! | behaviour of the service | treatment here |
//! |---|---|
//! | a parameter with a wrong name is dropped without a word | [`echo_check`]: the answer's `description` must name each filter |
//! | a page over 50, or past 10,000 results, is answered with page 1 | [`MAX_PAGE`], [`MAX_RESULTS`]: such pages are not asked for |
//! | `per_page=1` is answered with 20 rows | a page of two is asked for, and one row kept |
//! | `count` ends at 10,000 | [`Answer::truncated`]; [`split`] and [`Plan`] ask by halves of the days |
//! | an answer with `count` 0 has no `results` | an answer without rows |
//! | document numbers before 2016 were used again | [`Document::key`] is the number and the day of publication |
//! | `significant=0` is described like `significant=1` | each row's own `significant`, type and day are compared as well |
//!
//! # Invariants
//!
//! - An answer whose description lacks a filter that was asked for is an error, never a result.
//!
//! - Each member of a row is in the normalised row, under `other` or named in `dropped`.
//!
//! - Days are taken from the request or from the answer: nothing here reads a clock.
//!
//! - [`split`] covers each day of the search once: the parts do not overlap and leave no gap.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`SearchRequest`], [`Search`], [`DocumentType`] | a search as callers write it, and after its checks |
//! | [`Search::url`] | the address to fetch |
//! | [`Answer`], [`Next`] | the answer of a search, and how to go on |
//! | [`Document`], [`read_document`], [`PublicInspection`] | a row; a single document; documents that are to be published |
//! | [`echo_check`], [`contradictions`] | filters that the service ignored |
//! | [`split`], [`Plan`] | a search cut by days until each part is below the cap |
//! | [`check_lossless`] | any recorded answer through the same normalising |

mod answer;
mod document;
mod echo;
mod lossless;
mod next;
mod query;
mod request;
mod search;
mod split;
mod tables;
#[cfg(test)]
mod tests;

pub use answer::{Answer, PublicInspection};
pub use document::{Document, read_document};
pub use echo::{contradictions, echo_check};
pub use lossless::check_lossless;
pub use next::{Next, NextError};
pub use query::{DOCUMENTS_URL, FIELDS};
pub use request::{MAX_AGENCIES, MAX_DOCKET_CHARS, MAX_SLUG_CHARS, MAX_TERM_CHARS, SearchRequest};
pub use search::{DEFAULT_PER_PAGE, DocumentType, FIRST_DAY, MAX_PAGE, MAX_PER_PAGE, MAX_RESULTS, Search};
pub use split::{MAX_PLAN_CALLS, Plan, split};

/// The service, as messages name it.
pub const SERVICE: &str = "Federal Register";
