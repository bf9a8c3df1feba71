//! Tests of the public interface.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bodies;
mod choices;
mod items;
mod properties;
mod refusals;
mod shared;
mod tables;
mod years;
