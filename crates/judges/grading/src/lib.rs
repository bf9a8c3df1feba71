//! Judges of track records: they decide if a record shows an edge, luck, or neither.
//!
//! | module | content |
//! |---|---|
//! | `input` | reads a request into a record: fields, bounds, settlement days |
//! | [`record`] | the graded record: settlement units in order of day |
//! | [`rule`] | derives the verdict from the units, step by step |
//! | [`statistics`] | the statistics of the steps, each with its source |
//! | [`bootstrap`] | the stationary bootstrap |
//! | [`alternatives`] | the comparison of a record with the variants that were tried |
//! | [`grade_strategy`] | the judge of `POST /grade-strategy` |
//! | [`copy_trade`] | the judge of `POST /copy-trade-score` |
//! | `page`, `tear_sheet` | a receipt in words, and as an image |
//! | [`bounds`] | the bounds that `/catalog` publishes |
//! | [`mod@grade`] | the grade: verdict, reason, every statistic with its threshold |

mod alone;
pub mod alternatives;
pub mod bootstrap;
mod bounds;
pub mod copy_trade;
pub mod grade;
pub mod grade_strategy;
mod input;
mod module;
mod page;
pub mod record;
pub mod rule;
#[cfg(test)]
mod simulated;
pub mod statistics;
mod tear_sheet;

pub use alone::reckon_on_this_thread;
pub use bounds::bounds;
pub use grade::{Grade, GradeReason, GradeVerdict, Step};
pub use input::{Missing, RowCounts, Settled};
pub use module::module;
pub use record::{Benchmark, Reservation, Reservations, SettlementUnit, TrackRecord};
pub use rule::grade;
