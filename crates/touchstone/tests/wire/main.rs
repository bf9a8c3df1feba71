//! The wire contract, rule by rule, through the real binary and real local peers.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod attacks;
mod bodies;
mod call;
mod claims;
mod command;
mod connection;
mod crash;
mod fetches;
mod fields;
mod hostile;
mod json;
mod lifecycle;
mod limits;
mod log;
mod paid;
mod payment;
mod pricing;
mod private;
mod races;
mod receipts;
mod routes;
mod unsigned;
mod verify;

#[path = "../support/mod.rs"]
mod support;
