//! The module through its crate's border.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod sources;
