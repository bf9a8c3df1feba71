//! A node by script: honest, but for what a test makes it say.

use std::time::Duration;

use fetch::Limits;
use payment::chain::{ChainSettler, ChainView, Rpc};
use payment::eip712::Domain;
use payment::{Authorization, B256, Network, SettleError, SignedAuthorization, U256, Wallet};
use serde_json::{Value, json};

use crate::support::anvil::{GAS_KEY, PRICE, pay_to, payer, settings, sign};
use crate::support::{Reply, Server};

pub(crate) const NOW: u64 = 1_795_223_300;

pub(crate) fn signed() -> SignedAuthorization {
    sign(Authorization {
        from: payer().address(),
        to: pay_to(),
        value: U256::from(PRICE),
        valid_after: U256::ZERO,
        valid_before: U256::from(NOW + 300),
        nonce: B256::repeat_byte(9),
    })
}

pub(crate) fn word(value: u64) -> Value {
    json!(B256::from(U256::from(value)).to_string())
}

/// What an honest node of a chain of 16 blocks says.
pub(crate) fn honest(method: &str, params: &Value) -> Value {
    match method {
        "eth_chainId" => json!("0x2105"),
        "eth_getCode" => json!("0x"),
        "eth_getBalance" => json!("0xde0b6b3a7640000"),
        "eth_getTransactionCount" => json!("0x5"),
        "eth_estimateGas" => json!("0x15f90"),
        "eth_maxPriorityFeePerGas" => json!("0x1"),
        "eth_getTransactionReceipt" => Value::Null,
        "eth_getLogs" => json!([]),
        "eth_getBlockByNumber" => {
            let number = if params[0] == "latest" { json!("0xf") } else { params[0].clone() };
            block(&number)
        }
        "eth_call" => match &params[0]["data"].as_str().unwrap()[..10] {
            "0x3644e515" => json!(Domain::new(&Network::base()).token_separator().to_string()),
            "0x70a08231" => word(1_000_000),
            "0xe94a0102" => word(0),
            "0xe3ee160e" => json!("0x"),
            other => panic!("no honest answer to {other}"),
        },
        other => panic!("no honest answer to {other}"),
    }
}

pub(crate) fn block(number: &Value) -> Value {
    let hash = B256::repeat_byte(0xb0);
    json!({
        "number": number,
        "hash": hash.to_string(),
        "timestamp": format!("{NOW:#x}"),
        "baseFeePerGas": "0x64",
    })
}

/// A node that is honest but for what `lie` says.
pub(crate) async fn node(lie: impl Fn(&str, &Value) -> Option<Reply> + Send + Sync + 'static) -> Server {
    Server::start(move |_, request| {
        let (method, params) = (request["method"].as_str().unwrap(), &request["params"]);
        lie(method, params).map_or_else(
            || good(request, &honest(method, params)),
            |reply| match reply {
                // A result or an error, without the rest of JSON-RPC.
                Reply::Json(status, mut value) if value.get("jsonrpc").is_none() => {
                    value["jsonrpc"] = json!("2.0");
                    value["id"] = request["id"].clone();
                    Reply::Json(status, value)
                }
                other => other,
            },
        )
    })
    .await
}

pub(crate) fn good(request: &Value, result: &Value) -> Reply {
    Reply::Json(200, json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
}

pub(crate) fn result(value: Value) -> Option<Reply> {
    Some(Reply::Json(200, json!({ "result": value })))
}

pub(crate) fn error(code: i64, message: &str) -> Option<Reply> {
    Some(Reply::Json(200, json!({"error": {"code": code, "message": message}})))
}

pub(crate) fn settler(node: &Server) -> ChainSettler {
    let limits = Limits { total: Duration::from_secs(2), ..Rpc::limits() };
    let view = ChainView::new(Rpc::new(node.endpoint(limits)), settings(2));
    ChainSettler::new(view, Wallet::from_bytes(GAS_KEY).unwrap(), pay_to(), 1_000_000)
}

pub(crate) fn why<T: std::fmt::Debug>(result: Result<T, SettleError>) -> String {
    match result {
        Err(SettleError::Unavailable(why)) => why,
        other => panic!("not unavailable: {other:?}"),
    }
}

pub(crate) fn replies() -> Vec<(&'static str, Reply)> {
    vec![
        ("cut", Reply::Cut),
        ("silence", Reply::Silence),
        ("redirect", Reply::Redirect(308, "/elsewhere".to_owned())),
        ("not json", Reply::Text(200, "<html>".to_owned())),
        ("empty", Reply::Text(200, String::new())),
        ("throttled", Reply::Text(429, "slow down".to_owned())),
        ("another id", Reply::Json(200, json!({"jsonrpc": "2.0", "id": -1, "result": "0x1"}))),
        ("neither", Reply::Json(200, json!({}))),
        ("null", Reply::Json(200, json!({"result": null}))),
        ("a number", Reply::Json(200, json!({"result": 1}))),
        ("a truth value", Reply::Json(200, json!({"result": true}))),
        ("no hex", Reply::Json(200, json!({"result": "0xzz"}))),
        ("odd hex with a zero", Reply::Json(200, json!({"result": "0x001"}))),
        ("the greatest number", Reply::Json(200, json!({"result": "0xffffffffffffffff"}))),
        ("an object", Reply::Json(200, json!({"result": {"number": "1"}}))),
        ("another value", Reply::Json(200, json!({"result": "0x12345678"}))),
        ("an error", Reply::Json(200, json!({"error": {"code": -32000, "message": "header not found"}}))),
        ("500", Reply::Json(500, json!({"result": "0x1"}))),
    ]
}
