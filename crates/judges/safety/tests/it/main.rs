//! The judges through their crate's border.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod replay;
mod seen;
