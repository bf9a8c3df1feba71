//! A full paid call on a real chain, one client alone: ask, read the terms of the 402, sign, send the identical request
//! with the proof, read the receipt. `touchstone serve` settles by its own transactions on anvil, which makes a block
//! of each; one confirmation.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use hdrhistogram::Histogram;
use payment::payer::Demand;
use payment::{Address, B256, Wallet};
use peers::Anvil;
use peers::anvil::ETHER;

use super::Bench;
use crate::http;
use crate::process::{Server, touchstone};
use crate::questions::Random;
use crate::report::{Figure, Report, Target, median, number};

const COMMAND: &str = "chain";
const PATH: &str = "/commit";
/// The payer's money, more than the calls of a round can cost, in atomic units of the token.
const WEALTH: u64 = 1_000_000_000_000;
const GAS_KEY: [u8; 32] = [0x6a; 32];

/// Measures it and adds the figures; nothing where anvil cannot be had, which is told.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let payer = Wallet::from_bytes([7; 32])?;
    let Some(anvil) = runtime.block_on(chain(payer.address())) else { return Ok(()) };
    let scratch = bench.scratch()?;
    let notary = serve(bench, scratch.path(), anvil.url())?;
    let mut client = Client::open(&notary, payer)?;
    let (mut p95s, mut medians, mut calls) = (Vec::new(), Vec::new(), 0);
    for round in 0..bench.rounds() {
        let latencies = client.round(round, bench.options.warm_up, bench.options.seconds())?;
        let milliseconds = |percentile| latencies.value_at_percentile(percentile) as f64 / 1000.0;
        p95s.push(milliseconds(95.0));
        medians.push(milliseconds(50.0));
        calls += latencies.len();
    }
    let paid = runtime.block_on(anvil.balance(pay_to()));
    ensure!(paid > 0 && paid % client.price == 0, "what was paid is no multiple of the price: {paid}");
    let (value, spread) = median(p95s);
    let note = format!("{spread}; median {} ms; {calls} calls", number(median(medians).0));
    let target = Target::AtMost(500.0);
    report.add(Figure {
        name: "a paid call on a chain, p95",
        command: COMMAND,
        value,
        unit: "ms",
        target,
        note,
    });
    Ok(())
}

fn pay_to() -> Address {
    Address::repeat_byte(0x42)
}

/// A chain on which this payer has money.
async fn chain(payer: Address) -> Option<Anvil> {
    let anvil = Anvil::start("the latency of a paid call on a chain").await?;
    anvil.mint(payer, WEALTH).await;
    anvil.set_ether(Wallet::from_bytes(GAS_KEY).ok()?.address(), ETHER).await;
    Some(anvil)
}

/// A production notary that settles there.
fn serve(bench: &Bench, folder: &Path, rpc: &str) -> anyhow::Result<Server> {
    let gas_key = folder.join("gas.key");
    fs::write(&gas_key, hex::encode(GAS_KEY))?;
    fs::set_permissions(&gas_key, fs::Permissions::from_mode(0o600))?;
    let mut command = touchstone(&bench.touchstone, folder);
    command.args(["serve", "--listen", "127.0.0.1:0", "--confirmations", "1"]);
    command.env("TOUCHSTONE_RPC", rpc).env("TOUCHSTONE_GAS_KEY", gas_key);
    // Gas costs more on anvil than on Base: the default would be used up after some two hundred calls.
    command.env("TOUCHSTONE_GAS_PER_DAY", "100");
    command.env("TOUCHSTONE_PAY_TO", pay_to().to_string()).env("TOUCHSTONE_LISTS_REFRESH", "off");
    Server::start(&mut command).context("start a notary that settles on the chain")
}

/// One client on one connection.
struct Client {
    stream: TcpStream,
    wallet: Wallet,
    price: u64,
}

impl Client {
    fn open(notary: &Server, wallet: Wallet) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(notary.address)?;
        stream.set_nodelay(true)?;
        let mut client = Self { stream, wallet, price: 0 };
        let demand = client.demand(br#"{"agent":"bench","content":"the price"}"#)?;
        client.price = demand.amount.try_into().ok().context("a price fits")?;
        Ok(client)
    }

    /// Calls for so many seconds; the latencies in microseconds of those after the warm-up.
    fn round(&mut self, round: usize, warm_up: f64, seconds: f64) -> anyhow::Result<Histogram<u64>> {
        let mut latencies = Histogram::new(3)?;
        let mut random = Random::new(round as u64);
        let began = Instant::now();
        for number in 0.. {
            let so_far = began.elapsed().as_secs_f64();
            if so_far > warm_up + seconds {
                break;
            }
            let body = format!(r#"{{"agent":"bench","content":{{"round":{round},"note":{number}}}}}"#);
            let asked = Instant::now();
            self.call(body.as_bytes(), B256::new(random.bytes()))?;
            if so_far > warm_up {
                latencies.record(u64::try_from(asked.elapsed().as_micros())?)?;
            }
        }
        ensure!(!latencies.is_empty(), "no call was answered in time");
        Ok(latencies)
    }

    /// One whole call.
    fn call(&mut self, body: &[u8], nonce: B256) -> anyhow::Result<()> {
        let demand = self.demand(body)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let proof = demand.pay(&self.wallet, now, nonce, None);
        let request = http::with_header(&http::post(PATH, body), &format!("payment-signature: {proof}"));
        let answer = self.ask(&request, 200)?;
        ensure!(answer.contains(r#""settlement":"chain""#), "a receipt says how it was paid: {answer}");
        Ok(())
    }

    /// Returns the payment demand in the 402 answer to a request.
    fn demand(&mut self, body: &[u8]) -> anyhow::Result<Demand> {
        let answer = self.ask(&http::post(PATH, body), 402)?;
        let header = answer.lines().find_map(|line| line.strip_prefix("payment-required: "));
        Ok(Demand::decode(header.context("a 402 has its terms in a header")?.as_bytes())?)
    }

    /// The whole answer to a request, head and body, where it has this status.
    fn ask(&mut self, request: &[u8], status: u16) -> anyhow::Result<String> {
        self.stream.write_all(request)?;
        let mut answer = Vec::new();
        let mut chunk = [0; 16 << 10];
        loop {
            let read = self.stream.read(&mut chunk)?;
            ensure!(read > 0, "the notary ended the connection");
            answer.extend_from_slice(&chunk[..read]);
            let Some(head) = http::head(&answer)?.filter(|head| head.end <= answer.len()) else { continue };
            let text = String::from_utf8(answer).context("an answer is text")?;
            ensure!(head.status == status, "{text}");
            return Ok(text);
        }
    }
}
