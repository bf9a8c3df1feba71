//! Settlement on a chain: against a real node (anvil) with a token as Circle's, and against nodes that lie.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod crashes;
mod failing;
mod liars;
mod proofs;
mod settling;
mod stub;
#[path = "../support/mod.rs"]
mod support;
mod wallets;
