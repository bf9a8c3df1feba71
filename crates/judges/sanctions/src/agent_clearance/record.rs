//! Record: the answers of a chain's nodes as they are stored, and the account that follows from them. No code here asks a
//! node: a replay reads the same answers by the same rules.
//!
//! # Which block
//!
//! Nodes are at different blocks, and a state of yesterday is no state. As many of the highest heads are left out as the
//! quorum can spare, since a liar may name any; the highest that remains is where the chain is. A node that is more than
//! [`MOST_LAG`] blocks behind that has no part in it: it is stuck or still syncing. The block is the lowest head of the
//! others, so that every one of them has it.
//!
//! A node that lies about its head either names one too high, and is left out of the reckoning, or one too low, and has
//! no part or sets the block back by at most [`MOST_LAG`].

use rpc::RawResponse;
use rpc::value::{Data, Quantity, Quantity64};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::signals::{AccountState, ContractStatus, NodeCounts};

/// Maximum number of blocks by which a node may lag behind the others. Nodes behind one load balancer differ by a few
/// blocks on chains with four blocks in a second; sixteen blocks are three minutes on Ethereum and half a minute on
/// Base.
pub const MOST_LAG: u64 = 16;
/// The greatest whole number that JSON's readers hold exactly (I-JSON). No real count comes near it.
const MOST: u64 = (1 << 53) - 1;

/// Record of the answers about a wallet besides the lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SignalsRecord {
    /// The chain has no signals, so no node was asked.
    Unsupported,
    /// The answers of the nodes of the wallet's chain.
    Asked(NodeAnswers),
}

/// The nodes of a chain, in the order in which they are configured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeAnswers {
    pub(super) chain_id: u64,
    pub(super) quorum: usize,
    pub(super) nodes: Vec<NodeRecord>,
}

/// Answers of one node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeRecord {
    /// Answer to `eth_chainId`.
    pub(super) chain_id: RpcAnswer,
    /// Answer to `eth_blockNumber`.
    pub(super) head: RpcAnswer,
    /// Answers about the account; `None` if the node did not have the block.
    pub(super) account: Option<Account>,
}

/// Answers of one node about the account at the block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    /// Answer to `eth_getCode`.
    pub(super) code: RpcAnswer,
    /// Answer to `eth_getBalance`.
    pub(super) balance: RpcAnswer,
    /// Answer to `eth_getTransactionCount`.
    pub(super) transaction_count: RpcAnswer,
}

/// An answer as it came, or the code of why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RpcAnswer {
    Came { id: u64, status: u16, body: String },
    Failed(String),
}

impl RpcAnswer {
    pub(super) fn new(RawResponse { id, status, body }: RawResponse) -> Self {
        match String::from_utf8(body.into()) {
            Ok(body) => Self::Came { id, status, body },
            Err(_) => Self::Failed("not_text".to_owned()),
        }
    }

    fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let Self::Came { id, status, body } = self else { return None };
        let response = RawResponse { id: *id, status: *status, body: body.clone().into() };
        response.result("").ok()
    }

    fn number(&self) -> Option<u64> {
        self.read::<Quantity64>().map(|number| number.0).filter(|number| *number <= MOST)
    }
}

/// Account as one node describes it.
#[derive(PartialEq, Eq)]
struct AccountReading {
    code: Data,
    balance: Quantity,
    transaction_count: u64,
}

impl Account {
    fn read(&self) -> Option<AccountReading> {
        Some(AccountReading {
            code: self.code.read()?,
            balance: self.balance.read()?,
            transaction_count: self.transaction_count.number()?,
        })
    }
}

/// Fewer nodes agree than must.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoQuorum {
    /// The most that do.
    pub(super) agreed: usize,
}

impl NodeAnswers {
    /// The block of the account's state; `None` where too few nodes of the chain told theirs.
    pub(super) fn block(&self) -> Option<u64> {
        let mut heads: Vec<u64> = self.nodes.iter().filter_map(|node| self.head(node)).collect();
        heads.sort_unstable_by(|one, other| other.cmp(one));
        let spare = heads.len().checked_sub(self.quorum.max(1))?;
        let least = heads.get(spare)?.saturating_sub(MOST_LAG);
        heads.into_iter().rfind(|head| *head >= least)
    }

    /// Tests that a node is of the chain and has the block.
    pub(super) fn has(&self, node: &NodeRecord, block: u64) -> bool {
        self.head(node).is_some_and(|head| head >= block)
    }

    /// The head of a node that is of the chain.
    fn head(&self, node: &NodeRecord) -> Option<u64> {
        let Quantity64(chain_id) = node.chain_id.read()?;
        if chain_id == self.chain_id { node.head.number() } else { None }
    }

    /// Account as the quorum describes it.
    pub(super) fn observed(&self) -> Result<AccountState, NoQuorum> {
        let block = self.block().ok_or(NoQuorum { agreed: 0 })?;
        let with_block = self.nodes.iter().filter(|node| self.has(node, block));
        let readings: Vec<AccountReading> =
            with_block.filter_map(|node| node.account.as_ref()?.read()).collect();
        let agreeing = |reading: &AccountReading| readings.iter().filter(|other| *other == reading).count();
        // Of two equally large groups neither is more than half.
        let best =
            readings.iter().map(|reading| (agreeing(reading), reading)).max_by_key(|(agreed, _)| *agreed);
        let (agreed, reading) = best.ok_or(NoQuorum { agreed: 0 })?;
        if agreed < self.quorum || agreed * 2 <= self.nodes.len() {
            return Err(NoQuorum { agreed });
        }
        let (contract_status, delegate) = ContractStatus::of(&reading.code.0);
        Ok(AccountState {
            chain: format!("eip155:{}", self.chain_id),
            block,
            contract_status,
            delegate,
            code_bytes: reading.code.0.len() as u64,
            balance: reading.balance.0.to_string(),
            transaction_count: reading.transaction_count,
            nodes: NodeCounts {
                asked: self.nodes.len() as u64,
                quorum: self.quorum as u64,
                agreed: agreed as u64,
            },
        })
    }

    /// Describes each node's result for the operator's log, by codes alone: answers may hold anything.
    pub(super) fn told(&self) -> Vec<String> {
        let block = self.block();
        self.nodes.iter().map(|node| self.told_of(node, block)).collect()
    }

    fn told_of(&self, node: &NodeRecord, block: Option<u64>) -> String {
        let failed = |answer: &RpcAnswer| match answer {
            RpcAnswer::Failed(code) => Some(code.clone()),
            RpcAnswer::Came { .. } => None,
        };
        if let Some(code) = failed(&node.chain_id).or_else(|| failed(&node.head)) {
            return code;
        }
        match (self.head(node), &node.account) {
            (None, _) => "unreadable or of another chain".to_owned(),
            (Some(head), None) => match block {
                Some(block) => format!("at {head}, which is behind {block}"),
                None => format!("at {head}"),
            },
            (Some(_), Some(account)) => match account.read() {
                Some(reading) => format!(
                    "{} bytes of code, balance {}, count {}",
                    reading.code.0.len(),
                    reading.balance.0,
                    reading.transaction_count
                ),
                None => [&account.code, &account.balance, &account.transaction_count]
                    .into_iter()
                    .find_map(failed)
                    .unwrap_or_else(|| "unreadable".to_owned()),
            },
        }
    }
}
