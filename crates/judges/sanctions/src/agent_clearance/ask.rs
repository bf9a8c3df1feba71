//! Calls to the nodes of a chain, within the timeout [`TOTAL`].

use std::time::Duration;

use fetch::Limits;
use futures_util::future::{join, join_all, join3};
use rpc::Rpc;
use rpc::value::quantity;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::chains::Chain;
use super::record::{Account, NodeAnswers, NodeRecord, RpcAnswer};

/// Timeout of all calls about one wallet together. The target of the route is 2 s.
pub const TOTAL: Duration = Duration::from_millis(1_600);
/// For one call. There are two rounds of them, and a silent node holds up each for so long.
pub(super) const CALL: Duration = Duration::from_millis(750);
/// Bytes of an answer: twice what code of 64 KiB (EIP-7907, the greatest that is planned) takes in hex.
pub(super) const ANSWER_BYTES: usize = 256 << 10;
/// Most bytes of an answer that is a number. Answers are stored with the receipt, whose record has a bound too: seven
/// of the longest take 11 MiB of its 16 where every byte must be escaped.
pub(super) const NUMBER_BYTES: usize = 4 << 10;

/// Returns the limits of an [`Endpoint`](fetch::Endpoint) that is a chain's node.
#[must_use]
pub fn limits() -> Limits {
    Limits { total: CALL, wire_bytes: ANSWER_BYTES, decoded_bytes: ANSWER_BYTES, wait: CALL, ..Rpc::limits() }
}

/// Asks each node once. `None` where that took longer than it may.
pub(super) async fn ask(chain: &Chain, wallet: &str) -> Option<NodeAnswers> {
    timeout(TOTAL, rounds(chain, wallet)).await.ok()
}

async fn rounds(chain: &Chain, wallet: &str) -> NodeAnswers {
    let nodes = join_all(chain.nodes.iter().map(|node| async move {
        let number = |method| call(node, method, json!([]), NUMBER_BYTES);
        let (chain_id, head) = join(number("eth_chainId"), number("eth_blockNumber")).await;
        NodeRecord { chain_id, head, account: None }
    }));
    let mut asked = NodeAnswers { chain_id: chain.id, quorum: chain.quorum, nodes: nodes.await };
    let Some(block) = asked.block() else { return asked };
    let accounts = asked.nodes.iter().zip(&chain.nodes).map(|(answered, node)| async {
        if asked.has(answered, block) { Some(account(node, wallet, block).await) } else { None }
    });
    let accounts = join_all(accounts).await;
    for (node, account) in asked.nodes.iter_mut().zip(accounts) {
        node.account = account;
    }
    asked
}

async fn account(node: &Rpc, wallet: &str, block: u64) -> Account {
    let at = |method, most| call(node, method, json!([wallet, quantity(block)]), most);
    let balance = at("eth_getBalance", NUMBER_BYTES);
    let transaction_count = at("eth_getTransactionCount", NUMBER_BYTES);
    let (code, balance, transaction_count) =
        join3(at("eth_getCode", ANSWER_BYTES), balance, transaction_count).await;
    Account { code, balance, transaction_count }
}

async fn call(node: &Rpc, method: &str, params: Value, most: usize) -> RpcAnswer {
    match node.exchange(method, params).await {
        Ok(response) if response.body.len() > most => RpcAnswer::Failed("too_large".to_owned()),
        Ok(response) => RpcAnswer::new(response),
        Err(error) => RpcAnswer::Failed(error.code().to_owned()),
    }
}
