//! A company's accounts from the SEC's EDGAR: reading of its bodies, and the choice of the facts of each annual report.
//!
//! Source: `https://data.sec.gov/api/xbrl/companyfacts/CIK##########.json`, `https://data.sec.gov/submissions/CIK##########.json`
//! and `https://www.sec.gov/files/company_tickers.json`, as the SEC documents them at
//! <https://www.sec.gov/search-filings/edgar-application-programming-interfaces>.
//!
//! # How a fact is chosen
//!
//! - By its `start` and `end`. `fy` and `fp` name the filing's year, not the fact's, and `frame` is set for one fact of several: they
//!   are not read. A flow of a year has [`ANNUAL_DAYS`] days and the very start and end of the year; a stock has the year's end.
//!
//! - Among facts filed by the day asked for, and not before their period ended. If an annual report (10-K, 20-F, 40-F, amended or
//!   not) has the fact, only annual reports count, since the comparatives of quarterly reports repeat them; else any form does.
//!
//! - By [`Basis`]: the newest or the oldest filing, on one day the greatest or the least accession number. Only then, within that one
//!   filing, is a rounding told from its exact value: another filing's coarser number is still the newest.
//!
//! - Two different values of one filing are a conflict: the item is left out, and named in [`AnnualReport::left_out`].
//!
//! # How a year is chosen
//!
//! The year of an annual report is its newest annual period that has a balance sheet at its end, in one currency. A transition
//! report of fewer days is no annual report, and neither is a year that stands in another's report for comparison. The currency is
//! the US dollar where the balance sheet is in it, else the only one; items in others are left out, and named.
//!
//! # How an item is made
//!
//! [`mapping`] is the whole table: each item has sums of tags in order of preference, of which the first with all required terms is
//! taken. Nothing that is absent counts as zero, but the terms that the table marks as optional.
//!
//! # Invariants
//!
//! - All is a pure function of its arguments: there is no clock, no file and no connection.
//!
//! - A result as of a day depends on no fact that was filed after that day.
//!
//! - The order of members and of facts in a body changes nothing.
//!
//! - Each amount is exactly the signed sum of its parts: no number passes through a float.
//!
//! - No bytes make the crate panic, and each list that it keeps has a bound.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`CompanyFacts`], [`Fact`] | the facts of mapped tags that a body holds, and their canonical form |
//! | [`AnnualReport`], [`ReportInput`], [`Part`], [`LeftOut`], [`NoReport`], [`Basis`] | the accounts of a year, traced to filings |
//! | [`mapping`], [`ItemRule`], [`Derivation`], [`Term`], [`Source`], [`mapped_tags`] | the table of tags |
//! | [`Submissions`], [`Filing`] | a company's identity, industry and annual filings |
//! | [`Tickers`] | companies by ticker |
//! | [`FactsError`] | the reason why a body cannot be read |
//! | [`check_case`], [`check_body`] | a test case, and a recorded body, held to the rules above |
//! | [`canonical_rules`] | all that a choice depends on, to hash |
//!
//! # Example
//!
//! ```
//! use company_facts::{Basis, CompanyFacts};
//! use distress::{Item, Year};
//!
//! let fact = |period: &str, val: &str| {
//!     format!(r#"{{{period}, "val": {val}, "accn": "0000000001-25-000001", "form": "10-K", "filed": "2025-02-20"}}"#)
//! };
//! let year = r#""start": "2024-01-01", "end": "2024-12-31""#;
//! let body = format!(
//!     r#"{{"cik": 1, "entityName": "Example", "facts": {{"us-gaap": {{
//!         "Revenues": {{"units": {{"USD": [{}]}}}},
//!         "Assets": {{"units": {{"USD": [{}]}}}}
//!     }}}}}}"#,
//!     fact(year, "1.5E9"),
//!     fact(r#""end": "2024-12-31""#, "2000000000"),
//! );
//!
//! let facts = CompanyFacts::read_slice(body.as_bytes())?;
//! let report = facts.latest("2025-06-30".parse().expect("it is a day"), Basis::Latest).expect("there is a report");
//! assert_eq!(report.period_end.to_string(), "2024-12-31");
//! let revenue = report.financials.get(Item::Revenue, Year::Current).expect("revenue is reported");
//! assert_eq!(revenue.text(), "1500000000");
//! # Ok::<(), company_facts::FactsError>(())
//! ```

mod check;
mod choice;
mod decimal;
mod error;
mod extract;
mod fact;
mod inputs;
mod mapping;
mod read;
mod report;
mod submissions;
mod tickers;
mod years;

pub use check::{MAX_CASE_FACTS, check_body, check_case};
pub use choice::Basis;
pub use decimal::MAX_DIGITS;
pub use error::FactsError;
pub use extract::CompanyFacts;
pub use fact::{ANNUAL_DAYS, Fact, MAX_FORM_CHARS, MAX_VALUE_CHARS};
pub use inputs::{LeftOut, LeftOutReason};
pub use mapping::{Derivation, ItemRule, Kind, Source, Term, mapped_tags, mapping};
pub use read::{MAX_BODY_BYTES, MAX_FACTS, MAX_NAME_BYTES, MAX_SERIES, MAX_TAXONOMIES};
pub use report::{AnnualReport, NoReport, Part, ReportInput};
pub use submissions::{Filing, MAX_FILINGS, MAX_NAMES, Submissions};
pub use tickers::{MAX_NEAREST, MAX_TICKER_CHARS, MAX_TICKERS, Tickers};
pub use years::{MAX_GAP_DAYS, MAX_REPORTS};

/// All that a choice depends on, to hash: the crate's code with its table, so that two sets of rules that choose differently never
/// have one hash.
#[must_use]
pub fn canonical_rules() -> Vec<u8> {
    let code = [
        include_str!("choice.rs"),
        include_str!("decimal.rs"),
        include_str!("extract.rs"),
        include_str!("fact.rs"),
        include_str!("inputs.rs"),
        include_str!("lib.rs"),
        include_str!("mapping/mod.rs"),
        include_str!("mapping/table.rs"),
        include_str!("read.rs"),
        include_str!("report.rs"),
        include_str!("submissions.rs"),
        include_str!("tickers.rs"),
        include_str!("years.rs"),
    ];
    code.concat().into_bytes()
}
