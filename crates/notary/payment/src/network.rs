//! Networks and their tokens. EIP-712 domain names differ between networks of the same token.

use alloy_primitives::{Address, address};

/// A network, and the token for payments on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// The short name, as in x402 v1 and in our own terms, such as `base`.
    pub name: String,
    /// The chain id in the EIP-712 domain. The CAIP-2 name is `eip155:` and this number.
    pub chain_id: u64,
    /// The symbol of the token, such as `USDC`.
    pub symbol: String,
    /// The address of the token's contract.
    pub token: Address,
    /// The name in the token's EIP-712 domain.
    pub token_name: String,
    /// The version in the token's EIP-712 domain.
    pub token_version: String,
}

impl Network {
    /// USDC on Base.
    #[must_use]
    pub fn base() -> Self {
        Self {
            name: "base".to_owned(),
            chain_id: 8453,
            symbol: "USDC".to_owned(),
            token: address!("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            token_name: "USD Coin".to_owned(),
            token_version: "2".to_owned(),
        }
    }

    /// USDC on Base Sepolia, the test network.
    #[must_use]
    pub fn base_sepolia() -> Self {
        Self {
            name: "base-sepolia".to_owned(),
            chain_id: 84532,
            token: address!("0x036CbD53842c5426634e7929541eC2318f3dCF7e"),
            token_name: "USDC".to_owned(),
            ..Self::base()
        }
    }

    /// The development profile's embedded ledger. Its token address is its own (the last 20 bytes of SHA-256 of
    /// its name), so nothing that is signed for it is worth anything on a real chain.
    #[must_use]
    pub fn local() -> Self {
        let token_name = "Touchstone local USDC".to_owned();
        Self { token: named_address(&token_name), token_name, ..Self::base() }
    }

    /// The network as CAIP-2: `eip155:8453`.
    #[must_use]
    pub fn caip2(&self) -> String {
        format!("eip155:{}", self.chain_id)
    }
}

/// An address that nobody has the key of: the last 20 bytes of SHA-256 of a name.
pub(crate) fn named_address(name: &str) -> Address {
    Address::from_slice(&receipt::hash::sha256(name.as_bytes())[12..])
}
