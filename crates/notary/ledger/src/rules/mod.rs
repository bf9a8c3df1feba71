//! The decisions that are the same in every back end, as functions without a store.
//!
//! A back end reads rows, calls these functions with them and writes the results, all within one transaction. None of
//! them reads a clock, and none keeps state between calls.
//!
//! | module | decides |
//! |---|---|
//! | [`claims`] | the steps of a claim, the limits on new ones, and the names that a claim holds |
//! | [`settlements`] | the claim that a transfer credits, moves of local money, and the revenue that is counted |
//! | [`prices`] | changes of prices, and the prices in force |
//! | [`disputes`] | the limits on disputes of a receipt, and the debts that the end of one leaves |
//! | [`refunds`] | the steps of a refund |
//! | [`watches`] | the limits on watches, the owner of each, and their turns |
//! | [`retention`] | the receipts whose requests are deleted, and those that something needs |
//! | [`webhooks`] | attempts to send webhooks, and their turns |
//! | [`shared`] | named leases, and the bounds on what all processes have in common |
//! | [`limits`] | the hits that a rate limit admits |
//! | [`log`] | the next head and its proofs, and the shape of a stored log |
//! | [`keys`] | the receipt key that may sign a record, and the changes of keys |
//! | [`batches`] | records of one batch that exclude each other |
//! | [`cosigned`] | the cosigned checkpoints that are kept |
//! | [`stamped`] | the stamped checkpoints that are kept |
//! | [`commits`] | transactions that happened although they reported a failure |

pub mod batches;
pub mod claims;
pub mod commits;
pub mod cosigned;
pub mod disputes;
#[cfg(test)]
mod fixtures;
pub mod keys;
pub mod limits;
pub mod log;
pub mod prices;
pub mod refunds;
pub mod retention;
pub mod settlements;
pub mod shared;
pub mod stamped;
pub mod watches;
pub mod webhooks;
