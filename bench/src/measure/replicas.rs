//! Receipts a second of three replicas over one PostgreSQL, with limits on: each question comes from another agent and another
//! network. All of it, the load and the database too, runs on this machine's cores. In turn with it: a loop that does
//! nothing but insert rows of the same bytes, as many at once, under the lock of the same row; and three ledgers that append
//! records which were signed before, without replicas: what the ledger itself adds to the loop.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use ledger::{Ledger as _, LedgerRecord};
use ledger_postgres::{PostgresConfig, PostgresLedger};
use peers::postgres::{Database, Server as Postgres};
use receipt::envelope::LogHead;
use receipt::sign::Signer;
use tempfile::TempDir;
use tokio_postgres::NoTls;
use verdict::{Clock, SystemClock};

use super::{Bench, REPLICAS, latency, rate, runtime};
use crate::identity::Identity;
use crate::load::{self, Plan};
use crate::process::{Server, touchstone};
use crate::report::{Figure, Report, Target, median, number};
use crate::store::Case;
use crate::{questions, usage};

/// The next seed of random bytes: no two loops insert the same.
static SEED: AtomicU64 = AtomicU64::new(1);

const COMMAND: &str = "replicas";
/// As an operator would set them for a server of this size; durability as it is by default.
pub(super) const SETTINGS: [&str; 3] =
    ["shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=30min"];

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let postgres = Postgres::start(&SETTINGS);
    let database = postgres.database();
    let folder = bench.scratch()?;
    let replicas = (0..REPLICAS).map(|number| replica(bench, &folder, &database, number));
    let replicas = replicas.collect::<anyhow::Result<Vec<_>>>()?;
    let (mut ours, mut bares, mut ledgers, mut batches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..u32::from(bench.options.rounds) {
        // Agents of its own: each has but a few free calls.
        let count = bench.options.questions;
        let requests = questions::requests_from_everywhere(round * count, count);
        let mut plan = bench.plan(&replicas[0], &requests, r#""proof""#);
        plan.addresses = replicas.iter().map(|replica| replica.address).collect();
        plan.servers = replicas.iter().map(Server::id).collect();
        let before = Shape::of(&database)?;
        ours.push(load::run(&plan)?);
        let shape = Shape::of(&database)?.since(&before);
        batches.push(shape.rows_a_batch);
        // In databases of their own, which go with their garbage: cleaning up after them must not fall into the next round.
        let (bare, alone) = (postgres.database(), postgres.database());
        prepare(&folder, &bare)?;
        bares.push(insert(&bare, &shape, &plan)?);
        ledgers.push(append(&folder, &alone, &plan)?);
        drop((bare, alone));
        postgres.sql("postgres", "CHECKPOINT");
    }
    let resident = replicas.iter().map(|replica| usage::resident_bytes(replica.id()));
    let resident: u64 = resident.sum::<anyhow::Result<u64>>()? / REPLICAS as u64;
    let (batch, _) = median(batches);

    let mut figure = rate("receipts, three replicas", COMMAND, &ours, Target::AtLeast(3000.0));
    figure.note.push_str(&format!(
        "; {} receipts a batch; {} MB resident each",
        number(batch),
        resident >> 20
    ));
    report.add(figure);
    report.add(latency("receipts, three replicas, p99", COMMAND, &ours, 99.0, Target::AtMost(100.0)));
    let (value, spread) = median(bares.clone());
    let name = "rows of the same bytes, inserted alone";
    report.add(Figure { name, command: COMMAND, value, unit: "/s", target: Target::None, note: spread });
    let (value, spread) = median(ledgers.clone());
    let name = "signed records, appended by three ledgers alone";
    report.add(Figure { name, command: COMMAND, value, unit: "/s", target: Target::None, note: spread });
    let ours = ours.iter().map(load::Outcome::rate).collect();
    for (name, rates) in
        [("three replicas / rows inserted alone", ours), ("three ledgers / rows inserted alone", ledgers)]
    {
        let rates: Vec<f64> = rates;
        let (value, spread) = median(rates.iter().zip(&bares).map(|(rate, bare)| rate / bare).collect());
        let note = format!("{spread}, round by round");
        report.add(Figure { name, command: COMMAND, value, unit: "", target: Target::AtLeast(0.7), note });
    }
    Ok(())
}

/// Records that each ledger has before its writer at a time.
const IN_FLIGHT: usize = 512;
/// Records that were signed for one round; a round in which they run out fails.
const SIGNED: u32 = 300_000;

/// Appends records to three ledgers, for as long as a round; receipts a second.
fn append(folder: &TempDir, database: &Database, plan: &Plan<'_>) -> anyhow::Result<f64> {
    let keys = folder.path().join("0");
    let Identity { receipt, kid, .. } = Identity::of(&keys)?;
    let signer = Signer::new(receipt, kid);
    let config: PostgresConfig = database.address().parse()?;
    runtime()?.block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let mut ledgers = Vec::with_capacity(REPLICAS);
        for _ in 0..REPLICAS {
            let identity = Identity::of(&keys)?;
            let binding = identity.binding();
            ledgers.push(PostgresLedger::open(&config, identity.log, &binding, Arc::clone(&clock)).await?);
        }
        let head = ledgers[0].head();
        let log_head = LogHead { size: head.size, root: head.root };
        let at = clock.now().max(head.latest);
        let first = SEED.fetch_add(u64::from(SIGNED), Ordering::Relaxed);
        let first = u32::try_from(first).context("too many rounds")?;
        let records =
            (first..first + SIGNED).map(|number| Ok(Case::new(number, at, log_head, &signer)?.into_record()));
        let records = records.collect::<anyhow::Result<Vec<LedgerRecord>>>()?;
        let records = Arc::new(std::sync::Mutex::new(records));
        let ledgers = Arc::new(ledgers);
        let counted_from = Instant::now() + plan.warm_up;
        let until = counted_from + plan.measured;
        let appending: Vec<_> = (0..REPLICAS * IN_FLIGHT)
            .map(|task| {
                let (ledgers, records) = (Arc::clone(&ledgers), Arc::clone(&records));
                tokio::spawn(async move {
                    let mut counted = 0_u64;
                    while Instant::now() < until {
                        let record = records.lock().ok().and_then(|mut records| records.pop());
                        ledgers[task % REPLICAS]
                            .append(record.context("too few records were signed")?)
                            .await?;
                        counted += u64::from((counted_from..until).contains(&Instant::now()));
                    }
                    anyhow::Ok(counted)
                })
            })
            .collect();
        let mut appended = 0;
        for task in appending {
            appended += task.await??;
        }
        for ledger in Arc::into_inner(ledgers).context("a ledger is still in use")? {
            ledger.close().await;
        }
        Ok(appended as f64 / plan.measured.as_secs_f64())
    })
}

/// Starts a replica, with the keys of the first.
fn replica(bench: &Bench, folder: &TempDir, database: &Database, number: usize) -> anyhow::Result<Server> {
    let own = folder.path().join(number.to_string());
    let keys = own.join("keys");
    std::fs::create_dir_all(&keys)?;
    if number > 0 {
        for key in std::fs::read_dir(folder.path().join("0/keys"))? {
            let key = key?;
            std::fs::copy(key.path(), keys.join(key.file_name()))?;
        }
    }
    let mut command: Command = touchstone(&bench.touchstone, &own);
    command.env("TOUCHSTONE_LIMITS", "on").env("TOUCHSTONE_PROXIES", "127.0.0.0/8");
    command.env("TOUCHSTONE_STORE", database.address()).args(["dev", "--listen", "127.0.0.1:0"]);
    Server::start(&mut command).context("start a replica")
}

/// Makes the tables of a store in an empty database.
fn prepare(folder: &TempDir, database: &Database) -> anyhow::Result<()> {
    let identity = Identity::of(&folder.path().join("0"))?;
    let binding = identity.binding();
    let config: PostgresConfig = database.address().parse()?;
    runtime()?.block_on(async {
        let clock = Arc::new(SystemClock::start());
        PostgresLedger::open(&config, identity.log, &binding, clock).await?.close().await;
        anyhow::Ok(())
    })
}

/// The size of what a store has: receipts, runs of leaves, and the bytes of each table's rows.
struct Shape {
    receipts: f64,
    runs: f64,
    rows_a_batch: f64,
    payload: f64,
    request: f64,
    entry: f64,
}

impl Shape {
    fn of(database: &Database) -> anyhow::Result<Self> {
        let sizes = "SELECT (SELECT count(*) FROM receipts), (SELECT count(*) FROM leaves),
            (SELECT coalesce(avg(length(payload)), 0) FROM receipts), (SELECT coalesce(avg(length(body)), 0) FROM requests),
            (SELECT coalesce(sum(length(entries)) / sum(width), 0) FROM leaves)";
        let line = database.sql(sizes);
        let numbers: Vec<f64> = line.split('|').filter_map(|field| field.parse().ok()).collect();
        let [receipts, runs, payload, request, entry] = numbers[..] else {
            anyhow::bail!("the sizes of the store are {line:?}");
        };
        Ok(Self { receipts, runs, rows_a_batch: 0.0, payload, request, entry })
    }

    fn since(self, before: &Self) -> Self {
        let (receipts, runs) = (self.receipts - before.receipts, self.runs - before.runs);
        Self { rows_a_batch: (receipts / runs.max(1.0)).max(1.0), ..self }
    }
}

/// Inserts rows over as many connections as there are replicas, for as long as a round; rows a second.
fn insert(database: &Database, shape: &Shape, plan: &Plan<'_>) -> anyhow::Result<f64> {
    let address = database.address();
    let rows = shape.rows_a_batch.round() as usize;
    let sizes = [shape.payload, shape.request, shape.entry].map(|bytes| bytes as usize);
    let until = Instant::now() + plan.warm_up + plan.measured;
    let counted_from = Instant::now() + plan.warm_up;
    let inserted = runtime()?.block_on(async {
        let loops = (0..REPLICAS)
            .map(|_| tokio::spawn(insert_rows(address.clone(), rows, sizes, counted_from, until)));
        let mut sum = 0;
        for inserting in loops.collect::<Vec<_>>() {
            sum += inserting.await??;
        }
        anyhow::Ok(sum)
    })?;
    Ok(inserted as f64 / plan.measured.as_secs_f64())
}

async fn insert_rows(
    address: String,
    rows: usize,
    [payload, request, entry]: [usize; 3],
    counted_from: Instant,
    until: Instant,
) -> anyhow::Result<usize> {
    let (client, connection) = tokio_postgres::connect(&address, NoTls).await?;
    let moving = tokio::spawn(connection);
    let lock = client.prepare("SELECT size FROM head FOR UPDATE").await?;
    let receipts = client
        .prepare(
            "INSERT INTO receipts (leaf, key, hash, signature, payload)
             SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[], $4::BYTEA[], $5::BYTEA[])",
        )
        .await?;
    let requests = client
        .prepare(
            "INSERT INTO requests (leaf, body, judged_at) SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[], $1::BIGINT[])",
        )
        .await?;
    let leaves = client.prepare("INSERT INTO leaves (leaf, width, entries) VALUES ($1, $2, $3)").await?;
    let grow = client.prepare("UPDATE head SET size = size + $1").await?;
    let mut random = questions::Random::new(SEED.fetch_add(1, Ordering::Relaxed));
    let mut counted = 0;
    while Instant::now() < until {
        let bytes = |random: &mut questions::Random, length: usize| -> Vec<u8> {
            (0..length.div_ceil(8)).flat_map(|_| random.next().to_le_bytes()).take(length).collect()
        };
        let hashes: Vec<Vec<u8>> = (0..rows).map(|_| bytes(&mut random, 32)).collect();
        let keys: Vec<i64> = (0..rows).map(|_| random.next().cast_signed()).collect();
        let signatures: Vec<Vec<u8>> = (0..rows).map(|_| bytes(&mut random, 64)).collect();
        let payloads: Vec<Vec<u8>> = (0..rows).map(|_| bytes(&mut random, payload)).collect();
        let bodies: Vec<Vec<u8>> = (0..rows).map(|_| bytes(&mut random, request)).collect();
        let entries = bytes(&mut random, entry * rows);
        client.batch_execute("BEGIN").await?;
        let size: i64 = client.query_one(&lock, &[]).await?.try_get(0)?;
        let numbers: Vec<i64> = (size..).take(rows).collect();
        let count = i64::try_from(rows)?;
        type Params<'a> = &'a [&'a (dyn tokio_postgres::types::ToSql + Sync)];
        let of_receipts: Params<'_> = &[&numbers, &keys, &hashes, &signatures, &payloads];
        let (of_requests, of_leaves): (Params<'_>, Params<'_>) =
            (&[&numbers, &bodies], &[&size, &count, &entries]);
        let of_head: Params<'_> = &[&count];
        tokio::try_join!(
            client.execute(&receipts, of_receipts),
            client.execute(&requests, of_requests),
            client.execute(&leaves, of_leaves),
            client.execute(&grow, of_head),
        )?;
        client.batch_execute("COMMIT").await?;
        if Instant::now() >= counted_from {
            counted += rows;
        }
    }
    moving.abort();
    Ok(counted)
}
