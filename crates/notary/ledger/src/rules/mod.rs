//! The decisions that every back end makes alike, without a store.
//!
//! A back end reads rows, calls these functions with what it has read, and writes what they say, all within one
//! transaction. None of them reads a clock, and none keeps state between calls.
//!
//! | module | decides |
//! |---|---|
//! | `claims` | the steps of a claim, who may make one, and the names that it holds |
//! | `settlements` | whose transfer it is, local money, and what is counted as revenue |
//! | `prices` | when a price changes, and which were in force |
//! | `disputes` | whether a receipt may have another dispute, and what its end leaves owed |
//! | `refunds` | the steps of a refund |
//! | `watches` | the limits on watches, who works on one, and whose turn it is |
//! | `webhooks` | when a webhook is sent, tried again or dropped, and whose turn it is |
//! | `batches` | which records of one batch exclude each other |
//! | `commits` | whether a transaction that reported a failure has happened |

pub(crate) mod batches;
pub(crate) mod claims;
pub(crate) mod commits;
pub(crate) mod disputes;
pub(crate) mod prices;
pub(crate) mod refunds;
pub(crate) mod settlements;
pub(crate) mod watches;
pub(crate) mod webhooks;
