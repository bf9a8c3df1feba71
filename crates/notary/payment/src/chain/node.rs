//! The calls to a node that settlement needs, each with its types.

use alloy_primitives::{Address, B256, Bytes, TxHash, U256};
use rpc::value::{Data, Fixed, Quantity, Quantity64, quantity};
use rpc::{Rpc, RpcError};
use serde_json::{Value, json};

use super::transaction::Fees;
use super::wire::{Block, Log, Receipt};
use crate::SettleError;

/// The state or block that a call is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// The newest block.
    Latest,
    /// The newest block, and what the node holds to come after it.
    Pending,
    /// The block of this number.
    Number(u64),
}

impl At {
    fn param(self) -> Value {
        match self {
            Self::Latest => json!("latest"),
            Self::Pending => json!("pending"),
            Self::Number(number) => json!(quantity(number)),
        }
    }
}

/// A call to a contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ContractCall {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) data: Bytes,
    /// The fees of the simulated call. The called contract can see them: without fees, gas has no price.
    pub(crate) fees: Option<Fees>,
}

impl ContractCall {
    fn param(&self, gas: u64) -> Value {
        let mut call = json!({
            "from": self.from.to_string(),
            "to": self.to.to_string(),
            "data": self.data.to_string(),
            "gas": quantity(gas),
        });
        if let Some(Fees { most, tip }) = self.fees {
            call["maxFeePerGas"] = json!(format!("{most:#x}"));
            call["maxPriorityFeePerGas"] = json!(format!("{tip:#x}"));
        }
        call
    }
}

/// A node, asked what settlement needs to know.
#[derive(Debug)]
pub(crate) struct ChainNode(pub(crate) Rpc);

impl From<RpcError> for SettleError {
    fn from(error: RpcError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl ChainNode {
    pub(crate) async fn chain_id(&self) -> Result<u64, RpcError> {
        self.0.call::<Quantity64>("eth_chainId", json!([])).await.map(|id| id.0)
    }

    pub(crate) async fn code(&self, account: Address) -> Result<Bytes, RpcError> {
        let params = json!([account.to_string(), At::Latest.param()]);
        self.0.call::<Data>("eth_getCode", params).await.map(|code| code.0)
    }

    /// The balance of an account, in wei.
    pub(crate) async fn balance(&self, account: Address) -> Result<U256, RpcError> {
        let params = json!([account.to_string(), At::Latest.param()]);
        self.0.call::<Quantity>("eth_getBalance", params).await.map(|balance| balance.0)
    }

    /// The number of transactions that the account has sent.
    pub(crate) async fn transaction_count(&self, account: Address, at: At) -> Result<u64, RpcError> {
        let params = json!([account.to_string(), at.param()]);
        self.0.call::<Quantity64>("eth_getTransactionCount", params).await.map(|count| count.0)
    }

    /// Calls a contract without a transaction, within `gas`, and returns its answer. Nothing is changed.
    pub(crate) async fn ask(&self, call: &ContractCall, gas: u64, at: At) -> Result<Bytes, RpcError> {
        let params = json!([call.param(gas), at.param()]);
        self.0.call::<Data>("eth_call", params).await.map(|answer| answer.0)
    }

    /// The gas that a call takes, if it takes no more than `most`.
    pub(crate) async fn estimate_gas(&self, call: &ContractCall, most: u64) -> Result<u64, RpcError> {
        self.0.call::<Quantity64>("eth_estimateGas", json!([call.param(most)])).await.map(|gas| gas.0)
    }

    /// The tip that the node suggests beyond the base fee, in wei for each unit of gas.
    pub(crate) async fn priority_fee(&self) -> Result<u128, RpcError> {
        let fee = self.0.call::<Quantity>("eth_maxPriorityFeePerGas", json!([])).await?;
        Ok(fee.0.saturating_to())
    }

    pub(crate) async fn send_raw(&self, raw: &[u8]) -> Result<TxHash, RpcError> {
        let params = json!([format!("0x{}", hex::encode(raw))]);
        self.0.call::<Fixed<32>>("eth_sendRawTransaction", params).await.map(|hash| hash.0)
    }

    /// The receipt of a transaction; none while it is in no block.
    pub(crate) async fn receipt(&self, transaction: B256) -> Result<Option<Receipt>, RpcError> {
        let params = json!([transaction.to_string()]);
        let receipt: Value = self.0.call("eth_getTransactionReceipt", params).await?;
        // Some nodes have receipts of blocks that are still being made.
        if receipt.get("blockHash").is_none_or(Value::is_null) {
            return Ok(None);
        }
        let receipt: Receipt = serde_json::from_value(receipt)
            .map_err(|error| RpcError::Malformed(format!("eth_getTransactionReceipt: {error}")))?;
        if receipt.transaction() != transaction {
            return Err(RpcError::Malformed("the receipt of another transaction".to_owned()));
        }
        Ok(Some(receipt))
    }

    /// A block of the canonical chain, where there is one.
    pub(crate) async fn block(&self, at: At) -> Result<Option<Block>, RpcError> {
        let block: Option<Block> = self.0.call("eth_getBlockByNumber", json!([at.param(), false])).await?;
        match (block, at) {
            (Some(block), At::Number(number)) if block.number() != number => {
                Err(RpcError::Malformed("a block of another number".to_owned()))
            }
            (block, _) => Ok(block),
        }
    }

    /// The events of `address` with these topics (each position: any of several) in the blocks from `first` to `last`.
    pub(crate) async fn logs(
        &self,
        address: Address,
        topics: &[Vec<B256>],
        first: u64,
        last: u64,
    ) -> Result<Vec<Log>, RpcError> {
        let topics: Vec<Vec<String>> =
            topics.iter().map(|any| any.iter().map(B256::to_string).collect()).collect();
        let filter = json!({
            "address": address.to_string(),
            "topics": topics,
            "fromBlock": quantity(first),
            "toBlock": quantity(last),
        });
        self.0.call("eth_getLogs", json!([filter])).await
    }
}
