//! Receipts, from the JSON that they are written in to their verification.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod canonical;
mod common;
mod history;
mod json;
mod key;
mod log_keys;
mod number;
mod receipts;
mod rerun;
mod vectors;
