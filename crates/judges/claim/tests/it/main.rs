//! The judges of claims and commitments, from a request to a finding and its replay.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod commit;
mod common;
mod ed25519;
mod question;
mod url_json;
