//! The TLS probe against servers of the tests' own, good ones and others.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod certificates;
mod hostile;
mod openssl;
mod servers;
mod sound;
mod support;
