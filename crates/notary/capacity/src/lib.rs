//! The bounds on the use of the machine by calls: the processor, the memory for bodies, and the disk.
//!
//! A bound that belongs to a client counts by the client's networks (`client_network`), so that nobody's calls use up what
//! others need.
//!
//! - [`compute`]: turns at the processor, and at look-ups, fair among the networks of clients.
//! - [`judge`]: judges a question, in its turn and within [`JUDGE_TIMEOUT`].
//! - [`inflow`]: the bytes of bodies that are in memory.
//! - [`storage`]: the free disk space, and its reserve.
//! - [`clock_sync`]: says if something keeps the machine's clock synchronised.
//!
//! # Invariants
//!
//! The amount of waiting work is always bounded; a slot, a byte or a turn is given back when its holder is dropped.

pub mod clock_sync;
pub mod compute;
pub mod inflow;
mod judging;
pub mod storage;

pub use clock_sync::ClockSync;
pub use compute::{Compute, ComputeClient};
pub use inflow::Inflow;
pub use judging::{JUDGE_TIMEOUT, judge, kept_request};
pub use storage::Storage;
