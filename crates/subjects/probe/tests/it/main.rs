//! The probes of TLS, of sites and of registries, against servers of the tests' own, good ones and others. What the lab's servers
//! and zones come to is tested with the score, in the crate `trust`.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod tls;
mod web;
