//! The wire contract, rule by rule, through the real binary and real local peers.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bodies;
mod claims;
mod command;
mod connection;
mod fetches;
mod fields;
mod hostile;
mod json;
mod lifecycle;
mod limits;
mod log;
mod payment;
mod private;
mod receipts;
mod routes;
mod unsigned;
mod verify;

#[path = "../support/mod.rs"]
mod support;
