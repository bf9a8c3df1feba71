//! Names, feeds of bad domains, and what registries say.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod feeds;
