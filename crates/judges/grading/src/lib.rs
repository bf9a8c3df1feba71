//! Judges of track records: they decide if a record shows an edge, luck, or neither.
//!
//! | module | what it holds |
//! |---|---|
//! | `input` | from a request to a record: fields, bounds, settlement days |
//! | [`record`] | what is graded: settlement units in order of day |
//! | [`rule`] | from the units to a verdict, step by step |
//! | [`statistics`] | the statistics of the steps, each with its source |
//! | [`bootstrap`] | the stationary bootstrap |
//! | [`alternatives`] | a record among the variants that were tried |
//! | [`grade_strategy`] | the judge of `POST /grade-strategy` |
//! | [`copy_trade`] | the judge of `POST /copy-trade-score` |
//! | `page`, `tear_sheet` | a receipt in words, and as a picture |
//! | [`bounds`] | what `/catalog` publishes |
//! | [`mod@grade`] | what is found: verdict, reason, every statistic with its threshold |

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
