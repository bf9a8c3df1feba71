//! Round trips through encodings, bounds, and the published rows where they are there.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bounds;
mod encodings;
mod published;
mod spans;
