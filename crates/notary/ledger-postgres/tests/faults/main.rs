//! What the ledger does when a server, a connection, a process or a job fails at the worst moment: callers hear the truth,
//! what was answered stays, the log stays one tree, and a ledger goes on by itself.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

mod admission;
mod commits;
mod conflicts;
mod connections;
mod jobs;
#[allow(dead_code, reason = "the conformance suite uses all of it")]
#[path = "../../../ledger/tests/conformance/payer.rs"]
mod payer;
mod proxy;
mod replication;
mod servers;
mod setback;
mod signing;
mod store;
#[allow(dead_code, reason = "the conformance suite uses all of it")]
#[path = "../../../ledger/tests/conformance/support.rs"]
mod support;
