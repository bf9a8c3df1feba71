//! What the tests stand on: the real binary, real local peers, and a verifier of their own.

pub mod chain;
pub mod claims;
pub mod facilitator;
pub mod gate;
pub mod hook;
pub mod http;
pub mod log;
pub mod money;
pub mod notary;
pub mod peer;
pub mod receipt;
pub mod scrape;
pub mod service;
pub mod store;
pub mod thief;
pub mod tls;
pub mod witness;

use std::time::Duration;

/// The leaves that a log begins with: the records of the notary's four keys.
pub const KEY_RECORDS: u64 = 4;

/// Far more than anything here should take: whoever reaches it hangs.
pub const HANG: Duration = Duration::from_secs(60);
