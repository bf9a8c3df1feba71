//! The witness protocol: bodies, a witness, a log's client, and both against each other.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod client;
mod common;
mod dialogue;
mod histories;
mod request;
mod server;
