//! Stores of both back ends, filled through the ledger, are moved, backed up and restored.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

mod conformance;
mod dumps;
mod fill;
mod marks;
mod moves;
mod reads;
mod restores;
mod schema;
mod stores;
