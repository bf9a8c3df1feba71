//! Published lists as feeds.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod feeds;
