//! Peers of the tests and benchmarks: a real chain, a real PostgreSQL, services that answer by script, and a small internet.
//!
//! Nothing of the notary depends on this crate. A helper that cannot do its task panics, as a test does.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

pub mod anvil;
pub mod contracts;
pub mod lab;
pub mod postgres;
pub mod publisher;
pub mod service;
pub mod softhsm;
pub mod stamper;

pub use anvil::{Anvil, program};
pub use lab::Lab;
pub use publisher::{Fault, Publisher};
pub use service::{Reply, Service};
pub use stamper::{Stamper, StamperService};

use std::time::Duration;

/// Far more than anything here should take: whoever reaches it hangs.
pub const HANG: Duration = Duration::from_secs(60);
