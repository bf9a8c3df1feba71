//! The conformance suite on PostgreSQL, and what is PostgreSQL's own: replicas that open a database without tables.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

mod clocks;
#[path = "../../../ledger/tests/conformance/mod.rs"]
mod conformance;
mod exhausted;
mod harness;
mod opening;
mod read_only;

conformance::run_on!(crate::harness::PostgresStore);

mod replicas {
    crate::conformance::run_on_replicas!(crate::harness::PostgresStore);
}
