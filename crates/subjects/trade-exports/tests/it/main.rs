//! Exports of all formats: made-up small ones, and the real and documented ones where the folder that holds them is there.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bad_input;
mod common;
mod documents;
mod exports;
mod fills;
mod options;
