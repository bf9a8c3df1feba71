//! The types of blocks, receipts and events, with the members that settlement reads.

use alloy_primitives::{Address, B256, U256};
use rpc::value::{Data, Fixed, Quantity, Quantity64};
use serde::Deserialize;

/// A block, as far as it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Block {
    number: Quantity64,
    hash: Fixed<32>,
    timestamp: Quantity64,
    base_fee_per_gas: Option<Quantity>,
}

impl Block {
    pub(crate) fn number(&self) -> u64 {
        self.number.0
    }

    pub(crate) fn hash(&self) -> B256 {
        self.hash.0
    }

    /// The time of the block, in Unix seconds.
    pub(crate) fn time(&self) -> u64 {
        self.timestamp.0
    }

    /// The base fee in wei for each unit of gas; zero before EIP-1559.
    pub(crate) fn base_fee(&self) -> u128 {
        self.base_fee_per_gas.map_or(0, |fee| fee.0.saturating_to())
    }
}

/// The receipt of a transaction that is in a block.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    transaction_hash: Fixed<32>,
    block_hash: Fixed<32>,
    block_number: Quantity64,
    status: Quantity64,
    logs: Vec<Log>,
    gas_used: Option<Quantity64>,
    effective_gas_price: Option<Quantity>,
    /// The fee for publishing the transaction's bytes on the layer-1 chain, where this chain is a layer 2.
    l1_fee: Option<Quantity>,
}

impl Receipt {
    pub(crate) fn transaction(&self) -> B256 {
        self.transaction_hash.0
    }

    pub(crate) fn block_hash(&self) -> B256 {
        self.block_hash.0
    }

    pub(crate) fn block_number(&self) -> u64 {
        self.block_number.0
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.status.0 == 1
    }

    /// The cost that the sender has paid, in wei; none where the node does not say.
    pub(crate) fn cost(&self) -> Option<U256> {
        let gas = U256::from(self.gas_used?.0).saturating_mul(self.effective_gas_price?.0);
        Some(gas.saturating_add(self.l1_fee.map_or(U256::ZERO, |fee| fee.0)))
    }

    /// The events, in the order in which they were written.
    pub(crate) fn logs(&self) -> &[Log] {
        &self.logs
    }
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Log {
    address: Fixed<20>,
    topics: Vec<Fixed<32>>,
    data: Data,
    log_index: Quantity64,
    transaction_hash: Fixed<32>,
    /// True where a reorganisation has removed the event.
    #[serde(default)]
    removed: bool,
}

impl Log {
    /// The contract that wrote the event.
    pub(crate) fn address(&self) -> Address {
        self.address.0.into()
    }

    pub(crate) fn topics(&self) -> Vec<B256> {
        self.topics.iter().map(|topic| topic.0).collect()
    }

    pub(crate) fn data(&self) -> &[u8] {
        &self.data.0
    }

    /// The index of the event in its block.
    pub(crate) fn index(&self) -> u64 {
        self.log_index.0
    }

    pub(crate) fn transaction(&self) -> B256 {
        self.transaction_hash.0
    }

    pub(crate) fn stands(&self) -> bool {
        !self.removed
    }
}
