//! The DNS client: on zones in memory, on name servers that answer by script, and on real ones.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod resolver;
mod stub;
mod zones;
