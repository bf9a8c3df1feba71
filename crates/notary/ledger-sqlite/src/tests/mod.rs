//! Faults of the disk, the writer and the queue, set from within the crate between two batches.

mod claim_faults;
mod dispute_faults;
mod store_faults;
