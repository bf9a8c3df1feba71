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
//! | [`performance`] | the figures that people know a record by |
//! | [`copy_trade`] | the judge of `POST /copy-trade-score` |
//! | `graded_before` | how often an agent, and a record that begins so, were graded before |
//! | `committed` | trades that were committed before they opened |
//! | `ledger_facts` | what the ledger said of both, as evidence |
//! | `page`, `tear_sheet` | a receipt in words, and as an image |
//! | [`bounds`] | the bounds that `/catalog` publishes |
//! | `conduct` | martingales and grids among the positions |
//! | [`mod@grade`] | the grade: verdict, reason, every statistic with its threshold |

mod alone;
pub mod alternatives;
pub mod bootstrap;
mod bounds;
mod committed;
mod conduct;
pub mod copy_trade;
mod day;
pub mod grade;
pub mod grade_strategy;
mod graded_before;
mod input;
mod ledger_facts;
mod module;
mod page;
pub mod performance;
pub mod record;
pub mod rule;
#[cfg(test)]
mod simulated;
pub mod statistics;
mod tear_sheet;

pub use alone::reckon_on_this_thread;
pub use bounds::bounds;
pub use committed::{Chain, Commitments, Committed, NotHeld, NotHeldReason};
pub use day::Day;
pub use grade::{BenchmarkUsed, Grade, GradeReason, GradeVerdict, Step, TrialsSource};
pub use graded_before::{BEGINNING, GradedBefore};
pub use input::{ImportLoss, ImportReport, Missing, RowCounts, Settled};
pub use module::module;
pub use record::{Benchmark, PossibleLosses, Reservation, Reservations, SettlementUnit, TrackRecord};
pub use rule::grade;
