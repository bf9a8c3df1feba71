//! Payment claims: their steps, names and rows, the disputes among them, and the money that they move.

pub(crate) mod claim_names;
pub(crate) mod claim_rows;
pub(crate) mod claim_steps;
pub(crate) mod dispute_rows;
pub(crate) mod money;
