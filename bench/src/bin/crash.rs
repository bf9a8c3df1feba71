//! `kill -9` under load, again and again: no acknowledged receipt is ever lost, and the log never forks.
//!
//! Each round starts the real binary on the same data folder, has several connections send distinct claims as fast as
//! they can, and kills it with SIGKILL at a random moment. After each restart it holds what was acknowledged against
//! what is there: every receipt is served with the same payload and verifies offline; the log only grows; and every
//! checkpoint that was ever handed out has the root that the leaves give for its size.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;
use receipt::json::{Json, parse};
use receipt::key::parse_jwks;
use receipt::sign::OUTSIDE_PAYLOAD;
use receipt::verify::{Keys, Verifier};
use tlog::tile::decode_bundle;
use tlog::{Checkpoint, Hash, RightEdge, TilePath, TlogProof, VerifierKey, leaf_hash};

/// The longest that anything here may take.
const HANG: Duration = Duration::from_secs(60);
/// When the service is killed, in milliseconds after the load began.
const KILLED_AFTER: std::ops::RangeInclusive<u64> = 50..=400;
/// The number of receipts of earlier rounds that are looked at again after each restart; after the last, all are.
const LOOKED_AT_AGAIN: usize = 100;
/// Leaves in a full entry bundle (C2SP tlog-tiles).
const BUNDLE: u64 = 256;

/// Kills the service under load and checks that nothing acknowledged is lost.
#[derive(Parser)]
struct Args {
    /// The binary.
    #[arg(long, default_value = "target/debug/touchstone")]
    touchstone: PathBuf,
    /// How often it is killed.
    #[arg(long, default_value_t = 200)]
    rounds: u32,
    /// Connections that send claims.
    #[arg(long, default_value_t = 4)]
    connections: usize,
    /// Where the random moments come from; told at the end, so that a run can be had again.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(clock_seed);
    let folder = tempfile::Builder::new().prefix("touchstone-crash-").tempdir();
    let folder = folder.expect("a temporary folder can be made");
    match run(&args, seed, folder.path()) {
        Ok(summary) => {
            println!("crash: ok: seed {seed}, {summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let kept = folder.keep();
            eprintln!("crash: FAILED: seed {seed}: {error:#}; the data are in {}", kept.display());
            ExitCode::FAILURE
        }
    }
}

fn clock_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap_or_default()
}

fn run(args: &Args, seed: u64, data: &Path) -> anyhow::Result<String> {
    let mut random = Random(seed);
    let mut service = Service::start(&args.touchstone, data)?;
    let mut witness = Witness::new(&service)?;
    for round in 1..=args.rounds {
        let after = KILLED_AFTER.start() + random.below(KILLED_AFTER.end() - KILLED_AFTER.start() + 1);
        let acknowledged = load(&mut service, round, args.connections, Duration::from_millis(after))?;
        service =
            Service::start(&args.touchstone, data).with_context(|| format!("restart after round {round}"))?;
        witness.check(&service, acknowledged, &mut random).with_context(|| format!("round {round}"))?;
    }
    let all: Vec<usize> = (0..witness.acknowledged.len()).collect();
    witness.look_at(&service, &all).context("after the last round")?;
    let Witness { acknowledged, roots, handed_out, .. } = &witness;
    ensure!(!acknowledged.is_empty(), "nothing was acknowledged: there was no load");
    Ok(format!(
        "{} rounds, {} receipts acknowledged and none lost, {} leaves, {handed_out} checkpoints of one log",
        args.rounds,
        acknowledged.len(),
        roots.len() - 1
    ))
}

/// Sends claims until the service is killed; gives the whole bodies of what was acknowledged.
fn load(
    service: &mut Service,
    round: u32,
    connections: usize,
    after: Duration,
) -> anyhow::Result<Vec<Vec<u8>>> {
    let address = service.address.clone();
    let begun = AtomicUsize::new(0);
    thread::scope(|scope| {
        let hands: Vec<_> = (0..connections)
            .map(|hand| {
                let (address, begun) = (&address, &begun);
                scope.spawn(move || claims(address, round, hand, begun))
            })
            .collect();
        // The moment counts from the first answers on: a round without load would prove nothing.
        while begun.load(Ordering::Relaxed) < connections
            && !hands.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            thread::yield_now();
        }
        thread::sleep(after);
        service.kill()?;
        let mut acknowledged = Vec::new();
        for hand in hands {
            acknowledged.extend(hand.join().expect("a hand does not panic")?);
        }
        Ok(acknowledged)
    })
}

/// One connection's claims, until the connection ends.
fn claims(address: &str, round: u32, hand: usize, begun: &AtomicUsize) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut connection = Connection::open(address)?;
    let mut acknowledged = Vec::new();
    for number in 0.. {
        let claim = format!("round {round}, hand {hand}, claim {number}");
        let Ok((status, body)) = connection.post("/claim-verdict", &question(&claim)) else { break };
        ensure!(status == 200, "{claim}: {status} {}", String::from_utf8_lossy(&body));
        acknowledged.push(body);
        if number == 0 {
            begun.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(acknowledged)
}

/// Test 1 of RFC 8032, section 7.1, under a claim of its own.
fn question(claim: &str) -> String {
    format!(
        r#"{{"agent":"crash","claim":"{claim}","resolver":{{"type":"ed25519_signature","message":"","signature":"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b","signature_encoding":"hex","public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","public_key_encoding":"hex"}}}}"#
    )
}

/// An acknowledged receipt: what may never change.
struct Acknowledged {
    hash: String,
    payload: Vec<u8>,
    signature: String,
}

/// Everything that was ever acknowledged, and the log as it must be.
struct Witness {
    verifier: Verifier,
    log_key: VerifierKey,
    acknowledged: Vec<Acknowledged>,
    leaves: Vec<Hash>,
    edge: RightEdge,
    /// The root of every size so far, by size.
    roots: Vec<Hash>,
    /// Checkpoints that were held against those roots.
    handed_out: usize,
}

impl Witness {
    /// With the keys that the service publishes.
    fn new(service: &Service) -> anyhow::Result<Self> {
        let mut connection = Connection::open(&service.address)?;
        let keys = parse_jwks(&connection.get("/.well-known/jwks.json")?)?;
        let about = parse(&connection.get("/.well-known/service.json")?)?;
        let vkey = about.get("log").and_then(|log| log.get("vkey")).and_then(Json::as_str);
        let log_key: VerifierKey = vkey.context("service.json has no log.vkey")?.parse()?;
        let verifier = Verifier::new(Keys::new(keys, vec![log_key.clone()])?);
        let edge = RightEdge::new();
        let roots = vec![edge.root()];
        Ok(Self {
            verifier,
            log_key,
            acknowledged: Vec::new(),
            leaves: Vec::new(),
            edge,
            roots,
            handed_out: 0,
        })
    }

    /// Holds the restarted service against all that was acknowledged.
    fn check(&mut self, service: &Service, bodies: Vec<Vec<u8>>, random: &mut Random) -> anyhow::Result<()> {
        let mut checkpoints = Vec::new();
        let first_new = self.acknowledged.len();
        for body in bodies {
            let (acknowledged, checkpoint) = self.acknowledge(&body)?;
            self.acknowledged.push(acknowledged);
            checkpoints.push(checkpoint);
        }
        checkpoints.push(self.mirror(service)?);
        for checkpoint in checkpoints {
            let size = usize::try_from(checkpoint.size())?;
            let root = self.roots.get(size);
            let root = root.with_context(|| {
                format!("a checkpoint of size {size} was handed out and the log is shorter")
            })?;
            ensure!(
                *root == checkpoint.root(),
                "two roots for size {size}: {root} and {}",
                checkpoint.root()
            );
            self.handed_out += 1;
        }
        let mut looked_at: Vec<usize> = (first_new..self.acknowledged.len()).collect();
        if first_new > 0 {
            looked_at.extend((0..LOOKED_AT_AGAIN).map(|_| random.index(first_new)));
        }
        self.look_at(service, &looked_at)
    }

    /// Verifies an answer as its caller had it, and takes its checkpoint.
    fn acknowledge(&self, body: &[u8]) -> anyhow::Result<(Acknowledged, Checkpoint)> {
        let acknowledged = self.verified(body)?;
        let document = parse(body)?;
        let proof: TlogProof = document.get("proof").and_then(Json::as_str).context("no proof")?.parse()?;
        let checkpoint = Checkpoint::open(&proof.checkpoint, std::slice::from_ref(&self.log_key))?;
        Ok((acknowledged, checkpoint))
    }

    fn verified(&self, body: &[u8]) -> anyhow::Result<Acknowledged> {
        let report = self.verifier.verify(body)?;
        let failed: Vec<&str> = report.failed().collect();
        ensure!(failed.is_empty(), "{} fails {failed:?}", report.receipt_hash);
        let document = parse(body)?;
        let object = document.as_object().context("a receipt is an object")?;
        let signature = object.get("signature").and_then(Json::as_str).unwrap_or_default();
        Ok(Acknowledged {
            hash: report.receipt_hash.to_string(),
            payload: object.canonical_without(&OUTSIDE_PAYLOAD),
            signature: signature.to_owned(),
        })
    }

    /// Reads what is new in the log, and checks that what was there before still is.
    fn mirror(&mut self, service: &Service) -> anyhow::Result<Checkpoint> {
        let mut connection = Connection::open(&service.address)?;
        let note = String::from_utf8(connection.get("/log/checkpoint")?)?;
        let head = Checkpoint::open(&note, std::slice::from_ref(&self.log_key))?;
        let known = self.leaves.len() as u64;
        ensure!(head.size() >= known, "the log has shrunk from {known} to {}", head.size());
        for index in known / BUNDLE..head.size().div_ceil(BUNDLE) {
            let width = u16::try_from((head.size() - index * BUNDLE).min(BUNDLE))?;
            let bundle = connection.get(&format!("/log/{}", TilePath::entries(index, width)?))?;
            for (leaf, entry) in (index * BUNDLE..).zip(decode_bundle(&bundle)?) {
                self.leaf(usize::try_from(leaf)?, leaf_hash(entry))?;
            }
        }
        ensure!(
            self.leaves.len() as u64 == head.size(),
            "the bundles hold {} leaves of {}",
            self.leaves.len(),
            head.size()
        );
        Ok(head)
    }

    fn leaf(&mut self, leaf: usize, hash: Hash) -> anyhow::Result<()> {
        if let Some(known) = self.leaves.get(leaf) {
            ensure!(*known == hash, "leaf {leaf} was changed");
            return Ok(());
        }
        ensure!(self.leaves.len() == leaf, "leaf {leaf} does not follow leaf {}", self.leaves.len());
        self.leaves.push(hash);
        self.edge.append(hash);
        self.roots.push(self.edge.root());
        Ok(())
    }

    /// Gets acknowledged receipts again: the same, and verified.
    fn look_at(&self, service: &Service, which: &[usize]) -> anyhow::Result<()> {
        let mut connection = Connection::open(&service.address)?;
        for &index in which {
            let then = &self.acknowledged[index];
            let body = connection
                .get(&format!("/receipts/{}", then.hash))
                .context("an acknowledged receipt is lost")?;
            let now = self.verified(&body)?;
            ensure!(
                now.payload == then.payload && now.signature == then.signature,
                "{} was changed",
                then.hash
            );
        }
        Ok(())
    }
}

/// The binary, running.
struct Service {
    child: Child,
    address: String,
    /// Kept open: a service that cannot write what it has to say would end by itself.
    _said: BufReader<ChildStdout>,
}

impl Service {
    /// Starts it, and waits until it listens.
    fn start(binary: &Path, data: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(binary)
            .arg("dev")
            .env("TOUCHSTONE_DATA_DIR", data)
            .env("TOUCHSTONE_LISTEN", "127.0.0.1:0")
            .env("TOUCHSTONE_BASE_URL", "http://localhost:8402")
            .env("TOUCHSTONE_LIMITS", "off")
            // By default it takes no free calls where 5% of the disk are not free.
            .env("TOUCHSTONE_STORAGE_RESERVE_MIB", "64")
            .env("TOUCHSTONE_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("start {}", binary.display()))?;
        let mut said = BufReader::new(child.stdout.take().context("its output is piped")?);
        let mut line = String::new();
        loop {
            line.clear();
            if said.read_line(&mut line)? == 0 {
                bail!("the service ended instead of listening: {}", child.wait()?);
            }
            if let Some(address) = line.trim().strip_prefix("listening on http://") {
                return Ok(Self { child, address: address.to_owned(), _said: said });
            }
        }
    }

    /// SIGKILL.
    fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the service ended by itself: {status}");
        }
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have been killed already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One connection, one request at a time.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(HANG))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// The body of a 200.
    fn get(&mut self, target: &str) -> anyhow::Result<Vec<u8>> {
        let (status, body) = self.exchange(&format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"))?;
        ensure!(status == 200, "{target}: {status} {}", String::from_utf8_lossy(&body));
        Ok(body)
    }

    fn post(&mut self, target: &str, body: &str) -> anyhow::Result<(u16, Vec<u8>)> {
        let length = body.len();
        self.exchange(&format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn exchange(&mut self, request: &str) -> anyhow::Result<(u16, Vec<u8>)> {
        self.0.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (None, None);
        loop {
            let mut line = String::new();
            ensure!(self.0.read_line(&mut line)? > 0, "the connection ended");
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            match line.split_once(':') {
                None if status.is_none() => {
                    status = line.split(' ').nth(1).and_then(|code| code.parse().ok())
                }
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().ok()
                }
                _ => {}
            }
        }
        let mut body = vec![0; length.context("an answer without a length")?];
        self.0.read_exact(&mut body)?;
        Ok((status.context("an answer without a status")?, body))
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the moments of a run are those of its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("less than a length")
    }
}
