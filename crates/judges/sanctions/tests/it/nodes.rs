//! Nodes of a chain by script: honest, but for what a test has them say.

use std::time::Duration;

use fetch::Limits;
use peers::{Reply, Service};
use rpc::Rpc;
use sanctions::agent_clearance::{Chain, Chains, limits};
use serde_json::{Value, json};

/// Base.
pub const CHAIN: u64 = 8453;
/// An account that nobody has listed.
pub const WALLET: &str = "0x1111111111111111111111111111111111111111";

/// What a node says of the chain and of every account.
#[derive(Clone, Debug)]
pub struct State {
    pub chain: String,
    pub head: u64,
    pub code: String,
    pub balance: String,
    pub count: String,
}

/// An account that was used and has something.
pub fn clean() -> State {
    State {
        chain: format!("{CHAIN:#x}"),
        head: 1_000,
        code: "0x".to_owned(),
        balance: "0xde0b6b3a7640000".to_owned(),
        count: "0x5".to_owned(),
    }
}

pub fn contract() -> State {
    State { code: "0x6080604052".to_owned(), count: "0x1".to_owned(), ..clean() }
}

pub fn at(head: u64) -> State {
    State { head, ..clean() }
}

/// Which of a node's answers something is about.
pub const METHODS: [&str; 5] =
    ["eth_chainId", "eth_blockNumber", "eth_getCode", "eth_getBalance", "eth_getTransactionCount"];

/// A node that says what `state` is, but for what `lie` says of a method.
pub async fn node(state: State, lie: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static) -> Service {
    Service::start(move |_, request| {
        let method = request["method"].as_str().unwrap();
        if let Some(reply) = lie(method) {
            return with_id(reply, request);
        }
        let State { chain, head, code, balance, count } = &state;
        let result = match method {
            "eth_chainId" => json!(chain),
            "eth_blockNumber" => json!(format!("{head:#x}")),
            _ if !has(request, *head) => {
                return with_id(error(), request);
            }
            "eth_getCode" => json!(code),
            "eth_getBalance" => json!(balance),
            "eth_getTransactionCount" => json!(count),
            other => panic!("{other} is not asked for"),
        };
        with_id(Reply::Json(200, json!({ "result": result })), request)
    })
    .await
}

/// Whether a node at `head` has the block that the request names.
fn has(request: &Value, head: u64) -> bool {
    let block = request["params"][1].as_str().unwrap().strip_prefix("0x").unwrap();
    assert_eq!(request["params"][0], WALLET);
    u64::from_str_radix(block, 16).unwrap() <= head
}

fn error() -> Reply {
    Reply::Json(200, json!({"error": {"code": -32000, "message": "header not found"}}))
}

/// The rest of JSON-RPC, where a script has left it out.
fn with_id(reply: Reply, request: &Value) -> Reply {
    match reply {
        Reply::Json(status, mut value) if value.get("jsonrpc").is_none() => {
            value["jsonrpc"] = json!("2.0");
            value["id"] = request["id"].clone();
            Reply::Json(status, value)
        }
        Reply::Text(status, text) => Reply::Text(status, text.replace("ID", &request["id"].to_string())),
        other => other,
    }
}

pub async fn honest(state: State) -> Service {
    node(state, |_| None).await
}

/// What no node should say, whatever it is asked.
pub fn failures() -> Vec<Reply> {
    let result = |value: Value| Reply::Json(200, json!({ "result": value }));
    vec![
        Reply::Cut,
        Reply::Silence,
        Reply::Redirect(307, "/elsewhere".to_owned()),
        Reply::Text(200, "<html>".to_owned()),
        Reply::Text(200, String::new()),
        Reply::Text(200, " ".repeat(300_000)),
        Reply::Text(429, "slow down".to_owned()),
        Reply::Json(200, json!({"jsonrpc": "2.0", "id": -1, "result": "0x"})),
        Reply::Json(200, json!({})),
        Reply::Json(500, json!({"result": "0x1"})),
        error(),
        result(Value::Null),
        result(json!(5)),
        result(json!("0xzz")),
        result(json!("0x005")),
        result(json!({"number": "0x5"})),
        result(json!(format!("0x{}", "f".repeat(65)))),
    ]
}

/// The chain of these nodes, under the name `base`. None is waited for long: some never answer.
pub fn chains(nodes: &[Service]) -> Chains {
    let limits = Limits { total: Duration::from_millis(750), ..limits() };
    let nodes = nodes.iter().map(|node| Rpc::new(node.endpoint(limits.clone()))).collect();
    Chains::new([("base".to_owned(), Chain::new(CHAIN, nodes, None).unwrap())]).unwrap()
}

/// The chain of honest nodes that say this.
pub async fn all_say(states: impl IntoIterator<Item = State>) -> (Chains, Vec<Service>) {
    let mut nodes = Vec::new();
    for state in states {
        nodes.push(honest(state).await);
    }
    (chains(&nodes), nodes)
}
