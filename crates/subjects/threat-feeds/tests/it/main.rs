//! Published lists as feeds, and feeds that are fetched.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod downloads;
mod feeds;
