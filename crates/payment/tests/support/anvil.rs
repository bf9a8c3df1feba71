//! A real chain: anvil with the token's code at the address that Base has it at.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_sol_types::{SolCall, sol};
use fetch::Endpoint;
use payment::chain::{ChainSettings, ChainSettler, ChainView, Rpc};
use payment::eip712::Domain;
use payment::{
    Address, Authorization, B256, Bytes, Network, Outcome, Prepared, Settler, SignedAuthorization, U256,
    Wallet,
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::HANG;

sol! {
    function mint(address to, uint256 amount);
    function pause();
    function unpause();
    function blacklist(address account);
    function setName(string newName);
    function transfer(address to, uint256 value);
    function balanceOf(address account) returns (uint256);
    function initialize(address newOwner);
    function setLogs(uint8 newLogs);
    function forge(address from, address to, uint256 value, bytes32 nonce);
    function batch(address[] targets, bytes[] calls);
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature);
    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature
    );
}

/// What everything costs here.
pub(crate) const PRICE: u64 = 20_000;
/// What is paid for gas at most, in wei.
const MAX_FEE: u128 = 1_000_000_000_000;
/// An account of anvil's that anyone may send from: the third party.
pub(crate) const OTHER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// The payee.
pub(crate) fn pay_to() -> Address {
    Address::repeat_byte(0x42)
}

/// The payer.
pub(crate) fn payer() -> Wallet {
    Wallet::from_bytes([7; 32]).unwrap()
}

/// The gas key, as bytes.
pub(crate) const GAS_KEY: [u8; 32] = [0x6a; 32];

fn program() -> Option<PathBuf> {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers/x402/node_modules/@foundry-rs");
    let packed = std::fs::read_dir(peers).into_iter().flatten().flatten();
    let packed = packed.map(|package| package.path().join("bin/anvil")).find(|path| path.is_file());
    packed.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("anvil")).find(|path| path.is_file())
    })
}

/// The compiled contracts beside the peers.
fn runtime(contract: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers/x402/contracts.json");
    let artifact: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    artifact["contracts"][contract]["runtime"].as_str().unwrap().to_owned()
}

/// A chain of its own, which ends with the test.
pub(crate) struct Anvil {
    process: Child,
    endpoint: Endpoint,
    url: String,
    nonces: AtomicU64,
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Anvil {
    /// A chain with the token, a payer who has 1 USDC, and a gas account that has 1 ether. `None` where anvil cannot
    /// be had, which is told, and fails under CI.
    pub(crate) async fn start(untested: &str) -> Option<Self> {
        Self::start_with(untested, &["--chain-id", "8453"]).await
    }

    pub(crate) async fn start_with(untested: &str, arguments: &[&str]) -> Option<Self> {
        let Some(program) = program() else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "anvil cannot be had: {untested}");
            eprintln!("UNTESTED: anvil cannot be had: {untested}");
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
        let anvil = Self { process, endpoint, url, nonces: AtomicU64::new(0) };
        anvil.set_code(Network::base().token, "Token").await;
        anvil
            .send(Network::base().token, mintCall { to: payer().address(), amount: U256::from(1_000_000) })
            .await;
        let gas = Wallet::from_bytes(GAS_KEY).unwrap().address();
        anvil.set_ether(gas, 1_000_000_000_000_000_000).await;
        Some(anvil)
    }

    pub(crate) async fn try_call(&self, method: &str, params: Value) -> Result<Value, Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let answer = self.endpoint.post_json(request.into()).await.unwrap();
        let answer: Value = serde_json::from_slice(&answer.body).unwrap();
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"].clone()),
        }
    }

    pub(crate) async fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).await.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    pub(crate) async fn set_code(&self, address: Address, contract: &str) {
        self.call("anvil_setCode", json!([address.to_string(), runtime(contract)])).await;
    }

    pub(crate) async fn set_ether(&self, account: Address, wei: u64) {
        self.call("anvil_setBalance", json!([account.to_string(), format!("{wei:#x}")])).await;
    }

    pub(crate) async fn automine(&self, on: bool) {
        self.call("evm_setAutomine", json!([on])).await;
    }

    pub(crate) async fn mine(&self, blocks: u64) {
        self.call("anvil_mine", json!([format!("{blocks:#x}")])).await;
    }

    /// Sends a transaction of the third party's and waits until it is in a block; its receipt.
    pub(crate) async fn send(&self, to: Address, call: impl SolCall) -> Value {
        let data = Bytes::from(call.abi_encode()).to_string();
        let transaction = json!({"from": OTHER, "to": to.to_string(), "data": data, "gas": "0xf4240"});
        let hash = self.call("eth_sendTransaction", json!([transaction])).await;
        self.receipt(&hash).await
    }

    pub(crate) async fn receipt(&self, hash: &Value) -> Value {
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
    pub(crate) async fn send_as(&self, from: Address, to: Address, call: impl SolCall) -> Value {
        self.set_ether(from, 1_000_000_000_000_000_000).await;
        self.call("anvil_impersonateAccount", json!([from.to_string()])).await;
        let data = Bytes::from(call.abi_encode()).to_string();
        let transaction =
            json!({"from": from.to_string(), "to": to.to_string(), "data": data, "gas": "0xf4240"});
        let hash = self.call("eth_sendTransaction", json!([transaction])).await;
        self.receipt(&hash).await
    }

    pub(crate) async fn balance(&self, account: Address) -> u64 {
        let data = Bytes::from(balanceOfCall { account }.abi_encode()).to_string();
        let call = json!({"to": Network::base().token.to_string(), "data": data});
        let balance = self.call("eth_call", json!([call, "latest"])).await;
        u64::from_str_radix(balance.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
    }

    /// The newest block's time in Unix seconds.
    pub(crate) async fn now(&self) -> u64 {
        let block = self.call("eth_getBlockByNumber", json!(["latest", false])).await;
        u64::from_str_radix(&block["timestamp"].as_str().unwrap()[2..], 16).unwrap()
    }

    pub(crate) fn rpc(&self) -> Rpc {
        Rpc::new(Endpoint::system(&self.url, &[], Rpc::limits()).unwrap())
    }

    pub(crate) fn view(&self, confirmations: u64) -> ChainView {
        ChainView::new(self.rpc(), settings(confirmations))
    }

    /// A settler, as after a start.
    pub(crate) fn settler(&self, confirmations: u64) -> ChainSettler {
        let gas = Wallet::from_bytes(GAS_KEY).unwrap();
        ChainSettler::new(self.view(confirmations), gas, pay_to(), MAX_FEE)
    }

    /// An authorization of the payer's for the price, under a nonce that was not used before.
    pub(crate) async fn authorization(&self) -> Authorization {
        let nonce = self.nonces.fetch_add(1, Ordering::Relaxed);
        Authorization {
            from: payer().address(),
            to: pay_to(),
            value: U256::from(PRICE),
            valid_after: U256::ZERO,
            valid_before: U256::from(self.now().await + 300),
            nonce: U256::from(nonce).into(),
        }
    }

    pub(crate) async fn signed(&self) -> SignedAuthorization {
        sign(self.authorization().await)
    }
}

pub(crate) fn settings(confirmations: u64) -> ChainSettings {
    ChainSettings {
        network: Network::base(),
        confirmations: confirmations.try_into().unwrap(),
        log_span: 1000.try_into().unwrap(),
    }
}

pub(crate) fn sign(authorization: Authorization) -> SignedAuthorization {
    payer().authorize(&Domain::new(&Network::base()), authorization)
}

/// The call by which anyone can use the authorization.
pub(crate) fn usage(signed: &SignedAuthorization) -> transferWithAuthorizationCall {
    let Authorization { from, to, value, valid_after, valid_before, nonce } = signed.authorization;
    let signature = signed.signature.clone();
    transferWithAuthorizationCall {
        from,
        to,
        value,
        validAfter: valid_after,
        validBefore: valid_before,
        nonce,
        signature,
    }
}

/// Verified, prepared and broadcast.
pub(crate) async fn broadcast(settler: &ChainSettler, signed: &SignedAuthorization) -> Prepared {
    settler.verify(signed).await.unwrap();
    let prepared = settler.prepare(signed).await.unwrap();
    settler.broadcast(signed, &prepared).await.unwrap();
    prepared
}

/// The outcome, as soon as it is known.
pub(crate) async fn outcome(
    settler: &ChainSettler,
    signed: &SignedAuthorization,
    prepared: &Prepared,
) -> Outcome {
    let waiting = async {
        loop {
            match settler.outcome(signed, prepared).await.unwrap() {
                Outcome::Unknown => sleep(Duration::from_millis(5)).await,
                known => return known,
            }
        }
    };
    timeout(HANG, waiting).await.expect("the outcome stays unknown")
}

/// Asserts that it settled in `transaction` with the exact transfer.
pub(crate) fn assert_settled(outcome: &Outcome, signed: &SignedAuthorization, transaction: Option<B256>) {
    let Outcome::Settled(transfer) = outcome else { panic!("not settled: {outcome:?}") };
    assert_eq!(Some(transfer.transaction), transaction);
    assert_eq!(transfer.payer, signed.authorization.from);
    assert_eq!(transfer.value, signed.authorization.value);
}

/// A hash as anvil has it.
pub(crate) fn hash(value: &Value) -> B256 {
    value.as_str().unwrap().parse().unwrap()
}
