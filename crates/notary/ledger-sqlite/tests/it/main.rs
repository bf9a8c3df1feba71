//! The conformance suite on SQLite, and what is SQLite's own: files, a killed process, damaged stores, an
//! operator beside the service.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

#[path = "../../../ledger/tests/conformance/mod.rs"]
mod conformance;
mod damage;
mod erased;
mod files;
mod harness;
mod killed;
mod operator_store;

use harness::SqliteStore;

conformance::run_on!(SqliteStore);
