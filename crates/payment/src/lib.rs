//! x402: the terms of a payment, the proofs of one, and its settlement. Nothing of HTTP.
//!
//! A caller pays by signing an EIP-3009 `TransferWithAuthorization` over the token's EIP-712 domain: whoever holds it
//! may have the token move exactly that amount from the payer to the payee, once. A notary must take it exactly
//! once, for exactly one answer, and must never say that it was not paid when it does not know.
//!
//! | module | what it holds |
//! |---|---|
//! | [`network`] | networks and their tokens, as facts |
//! | [`authorization`] | what a payer signs |
//! | [`code`] | why a proof does not pay, as stable codes |
//! | [`settler`] | what a settlement back end is |
//!
//! # Invariants
//!
//! - Amounts are whole atomic units; a decimal string only at the edge.
//! - A transaction is prepared, stored by the caller, and only then broadcast.
//! - An outcome is settled, failed or not known; "not known" never becomes "failed" by waiting.

pub mod authorization;
pub mod code;
pub mod network;
pub mod settler;

pub use alloy_primitives::{Address, B256, Bytes, U256};
pub use authorization::{Authorization, SignedAuthorization};
pub use code::Code;
pub use network::Network;
pub use settler::{Outcome, Prepared, Refused, SettleError, SettlementKind, Settler, Transfer, Wanted};
