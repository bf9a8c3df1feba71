//! The EIP-3009 `TransferWithAuthorization` that a payer signs.

use alloy_primitives::{Address, B256, Bytes, U256};
use serde_json::{Value, json};

/// The permission to move `value` from `from` to `to`, once, within a window of time (Unix seconds, both ends
/// excluded).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Authorization {
    /// The payer.
    pub from: Address,
    /// The payee.
    pub to: Address,
    /// The amount, in atomic units of the token.
    pub value: U256,
    /// The start of the window: not valid at or before this time.
    pub valid_after: U256,
    /// The end of the window: not valid at or after this time.
    pub valid_before: U256,
    /// A number that the payer chooses. The token accepts each nonce of a payer once.
    pub nonce: B256,
}

/// An authorization and its signature: 65 bytes for an account's key, or any bytes that a contract wallet accepts
/// (EIP-1271, EIP-6492).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedAuthorization {
    /// The signed authorization.
    pub authorization: Authorization,
    /// The signature by `authorization.from`.
    pub signature: Bytes,
}

impl SignedAuthorization {
    /// Makes the `payload` of an x402 proof, in the form that both versions share.
    #[must_use]
    pub fn payload(&self) -> Value {
        let Authorization { from, to, value, valid_after, valid_before, nonce } = &self.authorization;
        json!({
            "signature": self.signature.to_string(),
            "authorization": {
                "from": from.to_string(),
                "to": to.to_string(),
                "value": value.to_string(),
                "validAfter": valid_after.to_string(),
                "validBefore": valid_before.to_string(),
                "nonce": nonce.to_string(),
            },
        })
    }
}
