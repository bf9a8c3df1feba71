//! Payments: what is asked, what pays, and what is settled, by a book in memory, a chain and a facilitator.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod attacks;
mod chain;
mod common;
mod facilitator;
mod local;
mod proptests;
mod support;
mod terms;
mod vectors;
mod wallet;
