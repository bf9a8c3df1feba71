//! What a payer signs: EIP-3009's `TransferWithAuthorization`.

use alloy_primitives::{Address, B256, Bytes, U256};

/// Leave to move `value` from `from` to `to`, once, within a window of time (Unix seconds, both ends excluded).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Authorization {
    /// The payer.
    pub from: Address,
    /// The payee.
    pub to: Address,
    /// Atomic units.
    pub value: U256,
    /// Not valid at or before this time.
    pub valid_after: U256,
    /// Not valid at or after this time.
    pub valid_before: U256,
    /// Chosen by the payer; each works once.
    pub nonce: B256,
}

/// An authorization and its signature: 65 bytes of an account's key, or what a contract wallet takes (EIP-1271,
/// EIP-6492).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedAuthorization {
    /// What was signed.
    pub authorization: Authorization,
    /// By `authorization.from`.
    pub signature: Bytes,
}
