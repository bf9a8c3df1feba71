//! What the tests that talk to a node or a facilitator share: a service that answers by script, and a real chain.

pub(crate) mod anvil;

pub(crate) use peers::{Reply, Service as Server};
