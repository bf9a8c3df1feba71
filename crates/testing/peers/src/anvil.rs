//! A real chain: anvil with the token's code at the address that Base has it at.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use alloy_sol_types::SolCall;
use fetch::Endpoint;
use payment::chain::Rpc;
use payment::{Address, B256, Bytes, Network, U256};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::HANG;
use crate::contracts::{balanceOfCall, mintCall};

/// An account of anvil's that anyone may send from: the third party.
pub const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// One ether in wei.
pub const ETHER: u64 = 1_000_000_000_000_000_000;

/// The folder of the peers' scripts and contracts.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/peers/x402")
}

/// A program of this machine by its name.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn anvil() -> Option<PathBuf> {
    let packed = std::fs::read_dir(folder().join("node_modules/@foundry-rs")).into_iter().flatten().flatten();
    let packed = packed.map(|package| package.path().join("bin/anvil")).find(|path| path.is_file());
    packed.or_else(|| program("anvil"))
}

/// Says that a peer cannot be had, and what stays untested without it; under CI that fails.
pub fn missing(peer: &str, untested: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{peer} cannot be had: {untested}");
    eprintln!("UNTESTED: {peer} cannot be had: {untested}");
}

/// The compiled contracts beside the peers.
fn runtime(contract: &str) -> String {
    let artifact = std::fs::read_to_string(folder().join("contracts.json")).unwrap();
    let artifact: Value = serde_json::from_str(&artifact).unwrap();
    artifact["contracts"][contract]["runtime"].as_str().unwrap().to_owned()
}

/// A chain of its own, which ends with its owner.
pub struct Anvil {
    process: Child,
    endpoint: Endpoint,
    url: String,
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Anvil {
    /// Base's chain id, and the token. `None` where anvil cannot be had, which is told, and fails under CI.
    pub async fn start(untested: &str) -> Option<Self> {
        Self::start_with(untested, &["--chain-id", "8453"]).await
    }

    /// The token on a chain that is made with these arguments.
    pub async fn start_with(untested: &str, arguments: &[&str]) -> Option<Self> {
        let Some(program) = anvil() else {
            missing("anvil", untested);
            return None;
        };
        let mut command = Command::new(program);
        command.args(["--port", "0"]).args(arguments);
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| Some(line.unwrap().strip_prefix("Listening on ")?.to_owned()));
        // It writes of every call, and must not be held up by nobody reading.
        std::thread::spawn(move || lines.for_each(drop));
        let url = format!("http://{}/", address.expect("anvil says where it listens"));
        let endpoint = Endpoint::system(&url, &[], Rpc::limits()).unwrap();
        let anvil = Self { process, endpoint, url };
        anvil.set_code(Network::base().token, "Token").await;
        Some(anvil)
    }

    /// The URL that the node listens on.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same, to send JSON to.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// A call's result, or its error.
    ///
    /// # Errors
    /// As anvil has it.
    pub async fn try_call(&self, method: &str, params: Value) -> Result<Value, Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let answer = self.endpoint.post_json(request.into()).await.unwrap();
        let answer: Value = serde_json::from_slice(&answer.body).unwrap();
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"].clone()),
        }
    }

    /// A call's result.
    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).await.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sets a contract of `contracts.json` at an address.
    pub async fn set_code(&self, address: Address, contract: &str) {
        self.call("anvil_setCode", json!([address.to_string(), runtime(contract)])).await;
    }

    /// Gives an account so much of the chain's own coin.
    pub async fn set_ether(&self, account: Address, wei: u64) {
        self.call("anvil_setBalance", json!([account.to_string(), format!("{wei:#x}")])).await;
    }

    /// Gives an account money: atomic units of the token.
    pub async fn mint(&self, to: Address, amount: u64) {
        self.send(Network::base().token, mintCall { to, amount: U256::from(amount) }).await;
    }

    /// Turns automatic mining on or off: with it, each transaction makes a block at once.
    pub async fn automine(&self, on: bool) {
        self.call("evm_setAutomine", json!([on])).await;
    }

    /// Makes so many blocks.
    pub async fn mine(&self, blocks: u64) {
        self.call("anvil_mine", json!([format!("{blocks:#x}")])).await;
    }

    /// Takes the newest blocks back, with all that is in them, and makes as many empty ones.
    pub async fn reorganise(&self, blocks: u64) {
        self.call("anvil_reorg", json!([blocks, []])).await;
    }

    /// Sends a transaction of the third party's and waits until it is in a block; its receipt.
    pub async fn send(&self, to: Address, call: impl SolCall) -> Value {
        let data = Bytes::from(call.abi_encode()).to_string();
        let transaction = json!({"from": OTHER, "to": to.to_string(), "data": data, "gas": "0xf4240"});
        let hash = self.call("eth_sendTransaction", json!([transaction])).await;
        self.receipt(&hash).await
    }

    /// The receipt of a transaction, as soon as it is in a block.
    pub async fn receipt(&self, hash: &Value) -> Value {
        let waiting = async {
            loop {
                let receipt = self.call("eth_getTransactionReceipt", json!([hash])).await;
                if !receipt.is_null() {
                    return receipt;
                }
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(HANG, waiting).await.expect("the transaction is in no block")
    }

    /// Sends from any account, without its key.
    pub async fn send_as(&self, from: Address, to: Address, call: impl SolCall) -> Value {
        self.set_ether(from, ETHER).await;
        self.call("anvil_impersonateAccount", json!([from.to_string()])).await;
        let data = Bytes::from(call.abi_encode()).to_string();
        let transaction =
            json!({"from": from.to_string(), "to": to.to_string(), "data": data, "gas": "0xf4240"});
        let hash = self.call("eth_sendTransaction", json!([transaction])).await;
        self.receipt(&hash).await
    }

    /// Returns an account's balance of the token, in atomic units.
    pub async fn balance(&self, account: Address) -> u64 {
        let data = Bytes::from(balanceOfCall { account }.abi_encode()).to_string();
        let call = json!({"to": Network::base().token.to_string(), "data": data});
        let balance = self.call("eth_call", json!([call, "latest"])).await;
        u64::from_str_radix(balance.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    /// The newest block's time in Unix seconds.
    pub async fn now(&self) -> u64 {
        let block = self.call("eth_getBlockByNumber", json!(["latest", false])).await;
        u64::from_str_radix(&block["timestamp"].as_str().unwrap()[2..], 16).unwrap()
    }
}

/// A hash as anvil has it.
#[must_use]
pub fn hash(value: &Value) -> B256 {
    value.as_str().unwrap().parse().unwrap()
}
