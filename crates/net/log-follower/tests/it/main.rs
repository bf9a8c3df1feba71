//! Logs of tests are followed: honest ones, and ones that lie in every way that is known.
#![allow(clippy::unwrap_used, reason = "in a test, helpers included, a failure is a panic")]

mod following;
mod forks;
mod http;
mod key_records;
mod log_keys;
mod mirrors;
mod monitors;
mod support;
mod wrong;
