//! Tests of the public interface.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod cases;
mod documentation;
mod models;
mod properties;
mod refusals;
