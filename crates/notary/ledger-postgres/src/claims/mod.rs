//! Payment claims: their steps, names and rows, the disputes among them, and the money that they move.
//!
//! All changes are made in a transaction that holds the lock of the work sequencer, so what a step has read stays so until
//! it has written. Reads that do not depend on one another are sent at the same time, and so are writes: each wait for an
//! answer keeps all replicas waiting. No write is sent before the last read that may refuse the step.

pub(crate) mod claim_names;
pub(crate) mod claim_rows;
pub(crate) mod claim_steps;
pub(crate) mod delivery;
pub(crate) mod dispute_rows;
pub(crate) mod money;
