//! Facilitators: the npm library's own, and one that answers by script.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use payment::{B256, Wallet};
use peers::anvil::{ETHER, folder, missing};
use peers::{Reply, Service as Peer};
use serde_json::{Value, json};

use super::chain::{Chain, wait, wallet};

/// Pays for the facilitator's gas.
const KEY: [u8; 32] = [0x6b; 32];

/// npm `@x402/core` and `@x402/evm` as a facilitator, which ends with the test.
pub struct Npm {
    process: Child,
    pub url: String,
}

impl Drop for Npm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The machine's Node, or the one that lies beside the peers.
fn node() -> Option<PathBuf> {
    let modules = folder().join("node_modules").canonicalize().ok()?;
    modules.join("@x402/core").is_dir().then_some(())?;
    let beside = modules.parent()?.join("bin/node");
    if beside.is_file() { Some(beside) } else { peers::program("node") }
}

impl Npm {
    /// A facilitator that settles on this chain. `None` where it cannot be had, which is told, and fails under CI.
    pub fn start(chain: &Chain, untested: &str) -> Option<Self> {
        let Some(node) = node() else {
            missing("the facilitator of npm @x402/core", untested);
            return None;
        };
        wait(chain.anvil.set_ether(Wallet::from_bytes(KEY).unwrap().address(), ETHER));
        let mut command = Command::new(node);
        command.arg(folder().join("facilitator.mjs"));
        command.env("PRIVATE_KEY", format!("0x{}", hex::encode(KEY))).env("RPC", chain.anvil.url());
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let url = lines.find_map(|line| Some(line.strip_prefix("listening on ")?.to_owned()));
        Some(Self { process, url: url.expect("the facilitator says where it listens") })
    }
}

/// The authorization's nonce in a request to a facilitator.
pub fn nonce_of(request: &Value) -> B256 {
    let nonce = &request["paymentPayload"]["payload"]["authorization"]["nonce"];
    nonce.as_str().unwrap().parse().unwrap()
}

/// A facilitator that finds every payment valid, and settles as `settle` says of each request.
pub fn settling(settle: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Peer {
    scripted(|_| valid(), settle)
}

/// A facilitator that answers as told.
pub fn scripted(
    verify: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    settle: impl Fn(&Value) -> Reply + Send + Sync + 'static,
) -> Peer {
    wait(Peer::start(
        move |path, request| {
            if path.ends_with("/verify") { verify(request) } else { settle(request) }
        },
    ))
}

/// That a payment is valid.
pub fn valid() -> Reply {
    Reply::Json(200, json!({"isValid": true, "payer": wallet().address().to_string()}))
}

/// That a payment has settled in this transaction.
pub fn success(transaction: B256) -> Reply {
    Reply::Json(
        200,
        json!({
            "success": true,
            "transaction": transaction.to_string(),
            "network": "eip155:8453",
            "payer": wallet().address().to_string(),
        }),
    )
}

/// That it has not, for this reason.
pub fn failure(status: u16, reason: &str) -> Reply {
    let payer = wallet().address().to_string();
    let answer = json!({
        "success": false, "errorReason": reason, "transaction": "", "network": "eip155:8453", "payer": payer,
    });
    Reply::Json(status, answer)
}
