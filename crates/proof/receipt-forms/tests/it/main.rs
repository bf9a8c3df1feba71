//! The forms of a receipt, read back without the code that made them.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod common;
mod cose;
mod credential;
mod validation;
