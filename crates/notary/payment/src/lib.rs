//! The x402 payment protocol: the terms of a payment, its proofs, and its settlement. Independent of HTTP.
//!
//! A caller pays by signing an EIP-3009 `TransferWithAuthorization` over the token's EIP-712 domain: whoever holds it
//! may have the token move exactly that amount from the payer to the payee, once. A notary must take it exactly
//! once, for exactly one answer, and must never say that it was not paid when it does not know.
//!
//! | module | contents |
//! |---|---|
//! | [`network`] | networks and their tokens |
//! | [`authorization`] | the EIP-3009 authorization that a payer signs |
//! | [`eip712`] | EIP-712 digests, and the recovery of the account that signed one |
//! | [`terms`] | the terms in a 402: `accepts`, the v2 header, the v1 body |
//! | [`extensions`] | payment identifier, bazaar, signed offers and receipts |
//! | [`proof`] | parsing of the proofs in headers: their form |
//! | [`evidence`] | parsing of the texts in a proof, and the keys by which proofs are unique: their content |
//! | [`check`] | checks of a proof against terms, price, window and signature |
//! | [`fingerprint`] | the hash of the request that a payment is for |
//! | [`code`] | the stable codes of proofs that do not pay |
//! | [`response`] | the result of a payment, as headers state it |
//! | [`settler`] | the trait of a settlement back end |
//! | [`chain`] | settlement by our own transactions |
//! | [`facilitator`] | settlement by an x402 facilitator |
//! | [`local`] | settlement for the development profile, by an embedded ledger |
//! | [`mpp`] | the same payment in the HTTP authentication scheme `Payment` |
//! | [`address`] | addresses to be paid at |
//! | [`wallet`], [`payer`] | the payer's side: keys, and writing proofs |
//!
//! # Invariants
//!
//! - Amounts are whole atomic units; a decimal string only at the edge.
//! - A transaction is prepared, stored by the caller, and only then broadcast.
//! - An outcome is settled, failed or unknown; an unknown outcome never becomes failed by waiting.

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
pub mod mpp;
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
pub use evidence::{PaymentEvidence, ProofKey, SettlementProof};
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
