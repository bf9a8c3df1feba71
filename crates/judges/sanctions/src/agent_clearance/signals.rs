//! The signals of a wallet, as a finding shows them.

use alloy_primitives::Address;
use schemars::JsonSchema;
use serde::Serialize;

/// Signals of a wallet on its chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum WalletSignals {
    /// No wallet was given.
    NotRequested,
    /// The lists alone give `BLOCK`, so no node was asked.
    NotNeeded,
    /// The wallet is of a chain without signals.
    Unsupported,
    /// Account as a quorum of nodes describes it.
    Observed(AccountState),
}

/// A wallet's account at a block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AccountState {
    /// The chain, as CAIP-2: `eip155:8453`.
    pub chain: String,
    /// The number of the block.
    pub block: u64,
    /// Kind of code at the address.
    pub contract_status: ContractStatus,
    /// The address that it delegates to (EIP-7702).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^0x[0-9a-f]{40}$"))]
    pub delegate: Option<String>,
    /// Length of the code in bytes.
    pub code_bytes: u64,
    /// Balance in the chain's own coin, in its smallest unit (wei).
    #[schemars(regex(pattern = r"^\d+$"))]
    pub balance: String,
    /// Number of transactions that the account has sent; for a contract, the number of contracts it has made, plus one.
    pub transaction_count: u64,
    /// The nodes that were asked.
    pub nodes: NodeCounts,
}

/// Numbers of nodes that were asked and that agreed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NodeCounts {
    /// All that are configured.
    pub asked: u64,
    /// Number of nodes that must agree.
    pub quorum: u64,
    /// Number of nodes that agreed.
    pub agreed: u64,
}

/// Kind of code at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContractStatus {
    /// No code: an account with a key, or one that was never used.
    None,
    /// An account with a key that lets another address' code act for it (EIP-7702). No contract.
    Delegation,
    /// A contract.
    Contract,
}

/// Bytes that EIP-7702 puts before the address.
const DELEGATION: [u8; 3] = [0xef, 0x01, 0x00];

impl ContractStatus {
    /// Classifies the code; also returns the address that it delegates to.
    pub(super) fn of(code: &[u8]) -> (Self, Option<String>) {
        match code.strip_prefix(&DELEGATION).map(<[u8; 20]>::try_from) {
            _ if code.is_empty() => (Self::None, None),
            Some(Ok(delegate)) => (Self::Delegation, Some(format!("{:#x}", Address::from(delegate)))),
            Some(Err(_)) | None => (Self::Contract, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ContractStatus;

    #[test]
    fn a_delegation_is_three_bytes_and_an_address_and_all_else_is_a_contract() {
        assert_eq!(ContractStatus::of(&[]), (ContractStatus::None, None));
        let mut code = vec![0xef, 0x01, 0x00];
        code.extend([0xab; 20]);
        let delegate = format!("0x{}", "ab".repeat(20));
        assert_eq!(ContractStatus::of(&code), (ContractStatus::Delegation, Some(delegate)));
        for contract in [&code[..22], &code[1..], &[code.clone(), vec![0]].concat(), &[0xef, 0x01], &[0]] {
            assert_eq!(ContractStatus::of(contract), (ContractStatus::Contract, None), "{contract:?}");
        }
    }
}
