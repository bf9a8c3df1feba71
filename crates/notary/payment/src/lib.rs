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
//! | [`eip712`] | its digest, and whose signature over it that is |
//! | [`terms`] | what a 402 says: `accepts`, the v2 header, the v1 body |
//! | [`extensions`] | payment identifier, bazaar, signed offers and receipts |
//! | [`proof`] | proofs as headers carry them: form |
//! | [`evidence`] | what they say, and the keys by which they are unique: content |
//! | [`check`] | whether they pay: terms, price, window, signature |
//! | [`fingerprint`] | which request they pay for |
//! | [`code`] | why a proof does not pay, as stable codes |
//! | [`response`] | what became of a payment, as headers say it |
//! | [`settler`] | what a settlement back end is |
//! | [`chain`] | by our own transactions |
//! | [`facilitator`] | by an x402 facilitator |
//! | [`local`] | the development profile's: an embedded ledger |
//! | [`address`] | addresses to be paid at |
//! | [`wallet`], [`payer`] | the other side: keys, and writing proofs |
//!
//! # Invariants
//!
//! - Amounts are whole atomic units; a decimal string only at the edge.
//! - A transaction is prepared, stored by the caller, and only then broadcast.
//! - An outcome is settled, failed or not known; "not known" never becomes "failed" by waiting.

pub mod address;
pub mod authorization;
pub mod chain;
pub mod check;
pub mod code;
pub mod eip712;
pub mod evidence;
pub mod extensions;
pub mod facilitator;
pub mod fingerprint;
pub mod local;
pub mod network;
pub mod payer;
pub mod proof;
pub mod response;
pub mod settler;
pub mod terms;
pub mod wallet;

pub use address::checked_address;
pub use alloy_primitives::{Address, B256, Bytes, U256};
pub use authorization::{Authorization, SignedAuthorization};
pub use code::Code;
pub use evidence::{Evidence, ProofKey, SettlementProof};
pub use extensions::Extension;
pub use fingerprint::{Fingerprint, RequestIdentity};
pub use local::{BookEntry, LocalBook, LocalSettler, payee as local_payee};
pub use network::Network;
pub use proof::{Header, Malformed, PaymentIdentifier, Proof, Version};
pub use settler::{
    GasToday, Outcome, Prepared, Refused, SettleError, SettlementKind, Settler, Transfer, Wanted,
};
pub use terms::{Quote, Terms};
pub use wallet::{Wallet, WalletError};
