//! Paid calls a second: `POST /commit` with x402 v2 proofs that were signed beforehand, settled in the development
//! profile's embedded ledger. Each is four durable transactions (claimed, judged, settled, delivered), one check of
//! the payer's signature, the receipt's signature and that of the payment's.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use ledger::Payments as _;
use ledger_sqlite::SqliteLedger;
use payment::payer::Demand;
use payment::{B256, Wallet};
use verdict::{Clock, SystemClock};

use super::{Bench, latency, rate};
use crate::identity::Identity;
use crate::process::Server;
use crate::questions::Random;
use crate::report::{Report, Target};
use crate::{http, load};

const COMMAND: &str = "paid";
const PATH: &str = "/commit";
/// The number of payers, who pay in turns: one payer may have only some payments under way.
const PAYERS: u8 = 8;
/// Requests that are ready for each second of load: more than are ever asked, since each proof pays once.
const READY_A_SECOND: f64 = 9000.0;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let scratch = bench.scratch()?;
    fund(scratch.path())?;
    let notary = bench.notary(scratch.path())?;
    let demand = demand(&notary)?;
    let mut outcomes = Vec::new();
    let mut paid = 0;
    for round in 0..bench.rounds() {
        let seconds = bench.options.warm_up + bench.options.seconds();
        let requests = requests(&demand, round, (seconds * READY_A_SECOND) as usize)?;
        outcomes.push(load::run(&bench.plan(&notary, &requests, r#""COMMITTED""#))?);
        // A proof that came twice would get its stored answer, which costs next to nothing.
        let now = calls(&notary)?;
        ensure!(((now - paid) as usize) < requests.len(), "the proofs did not suffice");
        paid = now;
    }
    report.add(rate("paid calls", COMMAND, &outcomes, Target::AtLeast(3000.0)));
    report.add(latency("paid calls, p99", COMMAND, &outcomes, 99.0, Target::None));
    Ok(())
}

fn wallets() -> anyhow::Result<Vec<Wallet>> {
    (1..=PAYERS).map(|number| Wallet::from_bytes([number; 32]).context("a key below the order")).collect()
}

/// Gives the payers their money, in a store that no notary has opened yet.
fn fund(folder: &Path) -> anyhow::Result<()> {
    let identity = Identity::of(folder)?;
    let binding = identity.binding();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let ledger = SqliteLedger::open(&folder.join("store.sqlite"), identity.log, &binding, clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for wallet in wallets()? {
        runtime.block_on(ledger.local_open(wallet.address().into_array(), ledger::MAX_CLAIM_AMOUNT))?;
    }
    Ok(())
}

/// Calls that were paid for, by the notary's own count.
fn calls(notary: &Server) -> anyhow::Result<u64> {
    let stats: serde_json::Value = serde_json::from_slice(&notary.ask(&http::get("/stats"))?)?;
    stats["by_class"]["commit"]["paid"].as_u64().context("/stats counts paid calls")
}

/// Returns the payment demand in the route's 402 answer.
fn demand(notary: &Server) -> anyhow::Result<Demand> {
    let mut stream = TcpStream::connect(notary.address)?;
    stream.write_all(&http::post(PATH, b"{}"))?;
    let mut answer = Vec::new();
    let mut chunk = [0; 16 << 10];
    while http::head(&answer)?.is_none() {
        let read = stream.read(&mut chunk)?;
        ensure!(read > 0, "the notary ended the connection");
        answer.extend_from_slice(&chunk[..read]);
    }
    let text = String::from_utf8_lossy(&answer);
    let header = text.lines().find_map(|line| line.strip_prefix("payment-required: "));
    Ok(Demand::decode(header.context("a 402 has its terms in a header")?.as_bytes())?)
}

fn requests(demand: &Demand, round: usize, count: usize) -> anyhow::Result<Vec<Vec<u8>>> {
    let wallets = wallets()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut random = Random::new(round as u64);
    let request = |number: usize| {
        let body = format!(
            r#"{{"agent":"bench-{:04}","content":{{"round":{round},"note":{number}}}}}"#,
            number % 1000
        );
        let proof = demand.pay(&wallets[number % wallets.len()], now, B256::new(random.bytes()), None);
        http::with_header(&http::post(PATH, body.as_bytes()), &format!("payment-signature: {proof}"))
    };
    Ok((0..count).map(request).collect())
}
