//! Archives of stores that were filled through the ledger: whole ones, cut ones, and ones that lie.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

mod cuts;
mod erased;
mod exports;
mod fixture;
mod lies;
mod streams;
mod timestamps;
