//! Retention and erasure: the deletion of requests and evidence, and of receipts.

pub(crate) mod asked_rows;
pub(crate) mod erase_steps;
pub(crate) mod expire_steps;
