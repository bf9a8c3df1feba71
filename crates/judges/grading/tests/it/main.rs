//! The judges, from a request to a finding.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod common;
mod conduct;
mod copied;
mod copying;
mod deceit;
mod findings;
mod marks;
mod reading;
mod schema;
mod settling;
mod size;
mod statistics;
