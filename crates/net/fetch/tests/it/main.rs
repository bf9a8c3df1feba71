//! The fetcher against real servers that do what servers should not.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod answers;
mod bounds;
mod channel;
mod endpoint;
mod name_servers;
mod names;
mod page;
mod posts;
mod redirects;
mod source;
mod support;
mod tls;
