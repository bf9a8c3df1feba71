//! Recorded answers of the service, where the folder that holds them is there.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod recordings;
