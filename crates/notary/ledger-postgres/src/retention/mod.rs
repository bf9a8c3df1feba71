//! Retention and erasure: the deletion of requests and evidence, and of receipts.
//!
//! All that deletes blobs or memories holds the lock of the head: a receipt that is being logged may name a blob that is there
//! already, or store a memory anew.

pub(crate) mod asked_rows;
pub(crate) mod erase_steps;
pub(crate) mod expire_steps;
