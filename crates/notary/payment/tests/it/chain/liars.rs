//! Nodes that fail, lie and contradict themselves: nothing they say settles anything, fails anything or panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fetch::Endpoint;
use payment::chain::{ChainView, Rpc};
use payment::{Authorization, B256, Network, Outcome, Prepared, SettleError, Settler, U256, Wanted};
use serde_json::{Value, json};

use super::stub::{block, error, node, replies, result, settler, signed, why, word};
use crate::support::Reply;
use crate::support::anvil::{PRICE, pay_to, payer, settings};

#[tokio::test]
async fn an_honest_node_verifies_and_prepares() {
    let node = node(|_, _| None).await;
    let settler = settler(&node);
    settler.verify(&signed()).await.unwrap();
    settler.prepare(&signed()).await.unwrap();
    let asked = node.requests();
    let chain_ids = asked.iter().filter(|(_, request)| request["method"] == "eth_chainId");
    assert_eq!(chain_ids.count(), 1, "the chain is asked for once");
}

#[tokio::test]
async fn no_nonsense_verifies() {
    for method in ["eth_chainId", "eth_getCode", "balance", "state", "separator"] {
        for (name, reply) in replies() {
            let selector = match method {
                "balance" => "0x70a08231",
                "state" => "0xe94a0102",
                "separator" => "0x3644e515",
                _ => "",
            };
            let fake = reply.clone();
            let node = node(move |called, params| {
                let data = params[0]["data"].as_str().unwrap_or_default();
                let hit = called == method || (!selector.is_empty() && data.starts_with(selector));
                hit.then(|| fake.clone())
            })
            .await;
            let verified = settler(&node).verify(&signed()).await;
            // That the payer has code is no nonsense; it is then asked, and honest nodes have no answer to that.
            let is_code = method == "eth_getCode" && matches!(name, "another value" | "the greatest number");
            assert!(
                is_code || matches!(verified, Err(SettleError::Unavailable(_))),
                "{method}: {name}: {verified:?}"
            );
            assert!(verified.is_err(), "{method}: {name}");
        }
    }
}

#[tokio::test]
async fn no_number_however_great_panics() {
    let greatest = "0xffffffffffffffff";
    let node = node(move |method, params| match method {
        "eth_getTransactionCount" | "eth_estimateGas" | "eth_getBalance" | "eth_maxPriorityFeePerGas" => {
            result(json!(greatest))
        }
        "eth_getBlockByNumber" if params[0] == "latest" => result(block(&json!(greatest))),
        _ => None,
    })
    .await;
    let settler = settler(&node);
    assert!(settler.prepare(&signed()).await.is_err());
    let nothing = Prepared { raw: Vec::new(), transaction: None };
    assert_eq!(settler.outcome(&signed(), &nothing).await, Ok(Outcome::Stalled));
}

#[tokio::test]
async fn no_nonsense_prepares() {
    for method in ["eth_estimateGas", "eth_getBalance", "eth_getTransactionCount", "eth_getBlockByNumber"] {
        for (name, reply) in replies() {
            let is_quantity =
                matches!(name, "another value" | "the greatest number") && method != "eth_getBlockByNumber";
            if is_quantity {
                continue;
            }
            let node = node(move |called, _| (called == method).then(|| reply.clone())).await;
            let prepared = settler(&node).prepare(&signed()).await;
            assert!(matches!(prepared, Err(SettleError::Unavailable(_))), "{method}: {name}: {prepared:?}");
        }
    }
}

#[tokio::test]
async fn no_nonsense_is_an_outcome() {
    let honest = node(|_, _| None).await;
    let methods =
        ["eth_getTransactionReceipt", "eth_getBlockByNumber", "eth_call", "eth_getTransactionCount"];
    for method in methods {
        for (name, reply) in replies() {
            let liar = node(move |called, params| {
                let separator = params[0]["data"].as_str().is_some_and(|data| data.starts_with("0x3644e515"));
                (called == method && !separator).then(|| reply.clone())
            })
            .await;
            let prepared = settler(&honest).prepare(&signed()).await.unwrap();
            let outcome = settler(&liar).outcome(&signed(), &prepared).await;
            // A count that is too high makes it prepare again, which harms nobody.
            let high = method == "eth_getTransactionCount"
                && matches!(name, "another value" | "the greatest number");
            assert!(
                matches!(outcome, Err(SettleError::Unavailable(_)) | Ok(Outcome::Unknown))
                    || (high && outcome == Ok(Outcome::Stalled)),
                "{method}: {name}: {outcome:?}"
            );
        }
    }
}

/// The outcome of a payment that the node did not have when it was first asked, where its count of the account's
/// transactions is one further and `later` is its answer to what is asked after that.
async fn outcome_after_a_count(
    later: impl Fn(&str, &Value) -> Option<Reply> + Send + Sync + 'static,
) -> Result<Outcome, SettleError> {
    let honest = node(|_, _| None).await;
    let prepared = settler(&honest).prepare(&signed()).await.unwrap();
    let has_counted = AtomicBool::new(false);
    let node = node(move |method, params| {
        if method == "eth_getTransactionCount" {
            has_counted.store(true, Ordering::SeqCst);
            return result(json!("0x6"));
        }
        if has_counted.load(Ordering::SeqCst) { later(method, params) } else { None }
    })
    .await;
    settler(&node).outcome(&signed(), &prepared).await
}

#[tokio::test]
async fn a_payment_that_lands_while_the_node_is_asked_is_not_stalled() {
    assert_eq!(outcome_after_a_count(|_, _| None).await, Ok(Outcome::Stalled));
    let used = outcome_after_a_count(|method, _| if method == "eth_call" { result(word(1)) } else { None });
    assert_eq!(used.await, Ok(Outcome::Unknown));
    let in_a_block = outcome_after_a_count(|method, params| {
        let hash = params[0].as_str().and_then(|hash| hash.parse().ok());
        if method == "eth_getTransactionReceipt" { result(receipt(hash?)) } else { None }
    });
    assert_eq!(in_a_block.await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn a_node_that_does_not_take_a_transaction_leaves_the_outcome_unknown() {
    let cases: [(&str, bool); 7] = [
        ("already known", true),
        ("transaction already imported", true),
        ("nonce too low: next nonce 7, tx nonce 5", false),
        ("insufficient funds for gas * price + value", false),
        ("replacement transaction underpriced", false),
        ("execution reverted", false),
        ("txpool is full", false),
    ];
    for (message, taken) in cases {
        let node = node(
            move |method, _| {
                if method == "eth_sendRawTransaction" { error(-32000, message) } else { None }
            },
        )
        .await;
        let settler = settler(&node);
        let prepared = settler.prepare(&signed()).await.unwrap();
        match settler.broadcast(&signed(), &prepared).await {
            Ok(()) => assert!(taken, "{message}"),
            Err(SettleError::Unavailable(_)) => assert!(!taken, "{message}"),
            Err(other) => panic!("{message}: {other}"),
        }
        assert_eq!(settler.outcome(&signed(), &prepared).await, Ok(Outcome::Unknown), "{message}");
    }
    for (name, reply) in replies() {
        let node = node(move |method, _| (method == "eth_sendRawTransaction").then(|| reply.clone())).await;
        let settler = settler(&node);
        let prepared = settler.prepare(&signed()).await.unwrap();
        let sent = settler.broadcast(&signed(), &prepared).await;
        assert!(matches!(sent, Err(SettleError::Unavailable(_))), "{name}: {sent:?}");
    }
}

#[tokio::test]
async fn a_node_that_takes_another_transaction_is_not_believed() {
    let other = B256::repeat_byte(1).to_string();
    let node =
        node(move |method, _| if method == "eth_sendRawTransaction" { result(json!(other)) } else { None })
            .await;
    let settler = settler(&node);
    let prepared = settler.prepare(&signed()).await.unwrap();
    let said = why(settler.broadcast(&signed(), &prepared).await);
    assert!(said.starts_with("the node took 0x"), "{said}");
}

/// A receipt that shows the payment, in block 5.
fn receipt(transaction: B256) -> Value {
    let Authorization { from, to, value, nonce, .. } = signed().authorization;
    let topic = |text: &str| alloy_primitives::keccak256(text).to_string();
    let log = |index: &str, topics: Value, data: String| {
        json!({
            "address": Network::base().token.to_string(),
            "topics": topics,
            "data": data,
            "logIndex": index,
            "transactionHash": transaction.to_string(),
        })
    };
    let used =
        json!([topic("AuthorizationUsed(address,bytes32)"), from.into_word().to_string(), nonce.to_string()]);
    let moved = json!([
        topic("Transfer(address,address,uint256)"),
        from.into_word().to_string(),
        to.into_word().to_string()
    ]);
    json!({
        "transactionHash": transaction.to_string(),
        "blockHash": B256::repeat_byte(0xb0).to_string(),
        "blockNumber": "0x5",
        "status": "0x1",
        "logs": [log("0x0", used, "0x".to_owned()), log("0x1", moved, B256::from(value).to_string())],
    })
}

/// The outcome where the node has this receipt for the prepared transaction.
async fn outcome_with(alter: impl Fn(&mut Value) + Send + Sync + 'static) -> Result<Outcome, SettleError> {
    let honest = node(|_, _| None).await;
    let prepared = settler(&honest).prepare(&signed()).await.unwrap();
    let mut receipt = receipt(prepared.transaction.unwrap());
    alter(&mut receipt);
    let node = node(move |method, _| match method {
        "eth_getTransactionReceipt" => result(receipt.clone()),
        _ => None,
    })
    .await;
    settler(&node).outcome(&signed(), &prepared).await
}

#[tokio::test]
async fn a_receipt_settles_only_as_a_whole() {
    assert!(matches!(outcome_with(|_| {}).await, Ok(Outcome::Settled(_))));
    type Alter = fn(&mut Value);
    let unknown: [(&str, Alter); 8] = [
        ("a block that is not canonical", |receipt| receipt["blockHash"] = json!(B256::ZERO.to_string())),
        ("a block that is still being made", |receipt| receipt["blockHash"] = Value::Null),
        ("a block too new", |receipt| receipt["blockNumber"] = json!("0xf")),
        ("a block to come", |receipt| receipt["blockNumber"] = json!("0xffffffffffffffff")),
        ("no logs", |receipt| receipt["logs"] = json!([])),
        ("another value", |receipt| receipt["logs"][1]["data"] = word(PRICE - 1)),
        ("a removed log", |receipt| receipt["logs"][1]["removed"] = json!(true)),
        ("another token", |receipt| receipt["logs"][1]["address"] = json!(pay_to().to_string())),
    ];
    for (name, alter) in unknown {
        assert_eq!(outcome_with(alter).await, Ok(Outcome::Unknown), "{name}");
    }
    let malformed: [(&str, Alter); 4] = [
        ("another transaction's", |receipt| receipt["transactionHash"] = json!(B256::ZERO.to_string())),
        ("no status", |receipt| receipt["status"] = Value::Null),
        ("a status that is no quantity", |receipt| receipt["status"] = json!(true)),
        ("a short topic", |receipt| receipt["logs"][1]["topics"][1] = json!("0x01")),
    ];
    for (name, alter) in malformed {
        assert!(matches!(outcome_with(alter).await, Err(SettleError::Unavailable(_))), "{name}");
    }
}

#[tokio::test]
async fn a_use_that_cannot_be_found_stays_unknown_after_a_bounded_search() {
    let node = node(|method, params| match method {
        "eth_call" if params[0]["data"].as_str().unwrap().starts_with("0xe94a0102") => result(word(1)),
        "eth_getBlockByNumber" if params[0] == "latest" => result(block(&json!("0xfffffff"))),
        "eth_getLogs" => {
            let number =
                |name: &str| u64::from_str_radix(&params[0][name].as_str().unwrap()[2..], 16).unwrap();
            assert_eq!(number("toBlock") - number("fromBlock"), 999);
            result(json!([]))
        }
        _ => None,
    })
    .await;
    let nothing = Prepared { raw: Vec::new(), transaction: None };
    assert_eq!(settler(&node).outcome(&signed(), &nothing).await, Ok(Outcome::Unknown));
    let queries = node.requests();
    let queries = queries.iter().filter(|(_, request)| request["method"] == "eth_getLogs");
    assert_eq!(queries.count(), 64);
}

#[tokio::test]
async fn logs_that_were_not_asked_for_are_not_looked_at() {
    let stray = receipt(B256::repeat_byte(1))["logs"][1].clone();
    let node = node(move |method, params| match method {
        "eth_call" if params[0]["data"].as_str().unwrap().starts_with("0xe94a0102") => result(word(1)),
        "eth_getLogs" => result(json!([stray])),
        "eth_getTransactionReceipt" => panic!("the receipt of a stray log"),
        _ => None,
    })
    .await;
    let nothing = Prepared { raw: Vec::new(), transaction: None };
    assert_eq!(settler(&node).outcome(&signed(), &nothing).await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn a_transfer_is_found_in_a_canonical_block_only() {
    let transaction = B256::repeat_byte(1);
    let wanted = Wanted {
        transaction,
        log_index: None,
        payer: payer().address(),
        pay_to: pay_to(),
        values: vec![U256::from(PRICE)],
        not_before: 0,
    };
    let serve = async |receipt: Value| {
        let node = node(move |method, _| match method {
            "eth_getTransactionReceipt" => result(receipt.clone()),
            _ => None,
        })
        .await;
        settler(&node).find(&wanted).await
    };
    assert_eq!(serve(receipt(transaction)).await.unwrap().log_index, Some(1));
    let mut forked = receipt(transaction);
    forked["blockHash"] = json!(B256::ZERO.to_string());
    assert_eq!(super::settling::code(serve(forked).await), payment::Code::Unconfirmed);
}

#[tokio::test]
async fn what_takes_more_gas_than_we_pay_for_is_refused() {
    for message in ["gas required exceeds allowance (500000)", "out of gas", "EVM error OutOfGas"] {
        let node = node(move |method, _| match method {
            "eth_estimateGas" => error(-32000, message),
            _ => None,
        })
        .await;
        let refused = super::settling::code(settler(&node).prepare(&signed()).await);
        assert_eq!(refused, payment::Code::TransferRefused, "{message}");
    }
}

#[tokio::test]
async fn gas_that_costs_more_than_is_paid_prepares_nothing() {
    let node = node(|method, params| match method {
        "eth_getBlockByNumber" => {
            let mut block = block(if params[0] == "latest" { &params[1] } else { &params[0] });
            block["number"] = json!("0xf");
            block["baseFeePerGas"] = json!("0xf4240");
            result(block)
        }
        _ => None,
    })
    .await;
    let said = why(settler(&node).prepare(&signed()).await);
    assert_eq!(said, "gas costs 1000000 wei, and at most 1000000 are paid");
}

#[tokio::test]
async fn no_error_has_the_key_in_the_nodes_address() {
    let node = Arc::new(node(|_, _| Some(Reply::Text(403, "no".to_owned()))).await);
    let url = format!("{}v2/s3cret", node.url());
    for url in [url.as_str(), "http://127.0.0.1:1/v2/s3cret"] {
        let rpc = Rpc::new(Endpoint::system(url, &[], Rpc::limits()).unwrap());
        let view = ChainView::new(rpc, settings(1));
        let said = format!("{view:?} {}", why(view.check().await));
        assert!(!said.contains("s3cret"), "{said}");
    }
}
