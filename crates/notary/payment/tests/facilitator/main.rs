//! Settlement by a facilitator: one that does what facilitators should not, alone and beside a chain.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod alone;
mod chain;
mod stub;
#[path = "../support/mod.rs"]
mod support;
