//! Settlement on a chain: against a real node (anvil) with a token as Circle's, and against nodes that lie.

mod crashes;
mod failing;
mod liars;
mod proofs;
mod settling;
mod stub;
mod wallets;
