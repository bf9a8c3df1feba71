//! Faults of the disk, the writer and the queue, and rows of long ago, set from within the crate between two batches.

mod claim_faults;
mod dispute_faults;
mod forgotten_uses;
mod store_faults;
