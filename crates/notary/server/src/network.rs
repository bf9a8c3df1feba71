//! The networks that a client is counted by, in two tiers: the ledger's own, which counts most of what is limited.

pub use ledger::{ClientNetwork, WIDE_FACTOR};
