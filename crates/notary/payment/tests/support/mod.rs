//! What the tests that talk to a node or a facilitator share: a service that answers by script, and a real chain.

#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    reason = "the helpers of tests are tests; not every test uses all"
)]

pub(crate) mod anvil;

pub(crate) use peers::{Reply, Service as Server};
