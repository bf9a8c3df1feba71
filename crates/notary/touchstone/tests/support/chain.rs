//! A service that settles on a real chain, the payer of its calls, and what may stand between it and the chain.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use payment::eip712::{Domain, SettlementStatement};
use payment::{
    Address, Authorization, B256, Network, RequestIdentity, SettlementProof, SignedAuthorization, U256,
    Wallet, payer,
};
use peers::anvil::ETHER;
use peers::contracts::{transferCall, usage};
use peers::{Anvil, Reply, Service as Peer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Handle, Runtime};

use super::HANG;
use super::http::Request;
use super::money::{nonce, now, v2_on, with_proof};
use super::service::{Launch, Service};

/// The gas key.
pub const GAS_KEY: [u8; 32] = [0x6a; 32];
/// What the payer has, in atomic units.
pub const WEALTH: u64 = 100_000_000;

/// Waits for what a peer does; from a peer's script as well.
pub fn wait<F: Future>(future: F) -> F::Output {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    match Handle::try_current() {
        Ok(handle) => tokio::task::block_in_place(|| handle.block_on(future)),
        Err(_) => RUNTIME.block_on(future),
    }
}

/// Asks again and again until the answer is yes. A peer of ours is another process: nothing else tells.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed() < HANG, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The payee.
pub fn pay_to() -> Address {
    Address::repeat_byte(0x42)
}

/// The payer of the tests.
pub fn wallet() -> Wallet {
    Wallet::from_bytes([7; 32]).unwrap()
}

/// An authorization of the payer's over so many atomic units, good for five minutes.
pub fn authorization(value: u64) -> Authorization {
    Authorization {
        from: wallet().address(),
        to: pay_to(),
        value: U256::from(value),
        valid_after: U256::ZERO,
        valid_before: U256::from(now() + 300),
        nonce: nonce(),
    }
}

/// Payments that one of a crowd makes: fewer than one payer may have under way.
const OF_ONE: usize = 20;

/// The payer of the payment of this number among many at once.
pub fn one_of_a_crowd(at: usize) -> Wallet {
    Wallet::from_bytes([0x90 + u8::try_from(at / OF_ONE).unwrap(); 32]).unwrap()
}

/// A payment of so many atomic units by one of a crowd.
pub fn sign_in_a_crowd(at: usize, value: u64) -> SignedAuthorization {
    let wallet = one_of_a_crowd(at);
    let authorization = Authorization { from: wallet.address(), ..authorization(value) };
    wallet.authorize(&Domain::new(&Network::base()), authorization)
}

/// Signed by the payer for the real token.
pub fn sign(authorization: Authorization) -> SignedAuthorization {
    wallet().authorize(&Domain::new(&Network::base()), authorization)
}

/// A request with an x402 v2 payload in `X-PAYMENT`.
pub fn paying(request: Request, signed: &SignedAuthorization) -> Request {
    with_proof(request, &v2_on(&Network::base(), signed))
}

/// A wallet's word that a transaction paid for a POST of this body.
pub fn attested(
    wallet: &Wallet,
    transaction: B256,
    log_index: Option<u64>,
    path: &str,
    body: &[u8],
) -> Value {
    let network = Network::base();
    let request = RequestIdentity::new("POST", path, "", body);
    let statement = SettlementStatement {
        transaction,
        method: request.method.to_owned(),
        target: request.target(),
        body_hash: B256::new(request.body_hash),
        pay_to: pay_to(),
    };
    let signature = wallet.attest(&Domain::new(&network), &statement);
    let proof = SettlementProof { transaction, payer: wallet.address(), log_index, signature };
    payer::settlement(&network, &proof)
}

/// A chain with the token, the payer's money, and the gas account's.
pub struct Chain {
    pub anvil: Arc<Anvil>,
    folder: TempDir,
}

impl Chain {
    /// `None` where anvil cannot be had, which is told, and fails under CI.
    pub fn start(untested: &str) -> Option<Self> {
        Self::start_with(untested, &[])
    }

    pub fn start_with(untested: &str, arguments: &[&str]) -> Option<Self> {
        let arguments = [&["--chain-id", "8453"], arguments].concat();
        let anvil = wait(Anvil::start_with(untested, &arguments))?;
        wait(anvil.mint(wallet().address(), WEALTH));
        wait(anvil.set_ether(Wallet::from_bytes(GAS_KEY).unwrap().address(), ETHER));
        let chain = Self { anvil: Arc::new(anvil), folder: TempDir::new().unwrap() };
        chain.write_key(&hex::encode(GAS_KEY));
        Some(chain)
    }

    /// The same, with a crowd of payers for so many payments.
    pub fn with_a_crowd(self, payments: usize) -> Self {
        for at in (0..payments).step_by(OF_ONE) {
            wait(self.anvil.mint(one_of_a_crowd(at).address(), WEALTH));
        }
        self
    }

    /// Where the gas key lies.
    pub fn gas_key(&self) -> PathBuf {
        self.folder.path().join("gas.key")
    }

    fn write_key(&self, text: &str) {
        fs::write(self.gas_key(), text).unwrap();
        fs::set_permissions(self.gas_key(), fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// A production service without limits that settles here, after one confirmation.
    pub fn launch(&self) -> Launch {
        self.launch_by(self.anvil.url())
    }

    /// The same, by a node at another address.
    pub fn launch_by(&self, rpc: &str) -> Launch {
        serve().set("RPC", rpc).set("GAS_KEY", self.gas_key().to_str().unwrap())
    }

    /// A node that passes on what it is asked, unless `meddle` has an answer of its own. It sees the method and the
    /// parameters, before the chain does.
    pub fn node(&self, meddle: impl Fn(&str, &Value) -> Option<Reply> + Send + Sync + 'static) -> Peer {
        let endpoint = self.anvil.endpoint().clone();
        wait(Peer::start(move |_, request| {
            let method = request["method"].as_str().unwrap();
            meddle(method, &request["params"]).unwrap_or_else(|| {
                match wait(endpoint.post_json(request.to_string().into())) {
                    Ok(answer) => {
                        Reply::Text(answer.status, String::from_utf8(answer.body.to_vec()).unwrap())
                    }
                    Err(_) => Reply::Cut,
                }
            })
        }))
    }

    /// What was paid in all.
    pub fn paid(&self) -> u64 {
        wait(self.anvil.balance(pay_to()))
    }

    /// Waits until so much has been paid in all.
    #[track_caller]
    pub fn wait_until_paid(&self, amount: u64) {
        until("the payment", || self.paid() == amount);
    }

    /// The transfers to the payee, by their transactions.
    pub fn transfers(&self) -> Vec<String> {
        let topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
        let payee = format!("0x{:0>64}", hex::encode(pay_to()));
        let filter = json!({
            "fromBlock": "0x0",
            "toBlock": "latest",
            "address": Network::base().token.to_string(),
            "topics": [topic, null, payee],
        });
        let logs = wait(self.anvil.call("eth_getLogs", json!([filter])));
        logs.as_array()
            .unwrap()
            .iter()
            .map(|log| log["transactionHash"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The payer pays so much by a transaction of its own; its hash.
    pub fn transfer(&self, value: u64) -> B256 {
        let call = transferCall { to: pay_to(), value: U256::from(value) };
        let receipt = wait(self.anvil.send_as(wallet().address(), Network::base().token, call));
        peers::anvil::hash(&receipt["transactionHash"])
    }

    /// A third party uses the authorization; its transaction.
    pub fn used_by_another(&self, signed: &SignedAuthorization) -> B256 {
        used_by_another(&self.anvil, signed)
    }
}

/// A third party uses the authorization; its transaction.
pub fn used_by_another(anvil: &Anvil, signed: &SignedAuthorization) -> B256 {
    let receipt = wait(anvil.send(Network::base().token, usage(signed)));
    assert_eq!(receipt["status"], "0x1", "{receipt}");
    peers::anvil::hash(&receipt["transactionHash"])
}

/// A production service without limits that asks for payments to [`pay_to`], final after one confirmation.
pub fn serve() -> Launch {
    let pay_to = pay_to().to_string();
    Launch::serve().without_limits().set("PAY_TO", &pay_to).set("CONFIRMATIONS", "1")
}

/// Sends a request again for as long as the answer is that the payment goes on; nothing else is a 503 here.
pub fn persist(service: &Service, request: &Request) -> super::http::Answer {
    let began = std::time::Instant::now();
    loop {
        let answer = service.send(request);
        if answer.status != 503 || began.elapsed() > HANG {
            return answer;
        }
        assert_eq!(answer.problem(503)["error"], "payment_in_progress");
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
    }
}
