//! The ledger by itself, without HTTP and signatures: appends, reads and opening, on one store of a given size.
//!
//! `cargo bench -p ledger --bench ledger -- [RECEIPTS] [FOLDER]`, by default a million in a temporary folder. Each
//! line is a figure as measured. It is a plain program and not a criterion bench because what matters is latency under
//! 64 concurrent callers on a large store, which is made only once.

mod common;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ledger::{Grants as _, Ledger};
use ledger_sqlite::SqliteLedger;
use tlog::TilePath;
use tokio::runtime::{Builder, Runtime};
use verdict::{Clock as _, SystemClock};

use common::{Outcome, hash_of, nanos, open, record, report};

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let size: u64 = arguments.first().map_or(Ok(1_000_000), |size| size.parse())?;
    let temporary = tempfile::tempdir()?;
    let folder = arguments.get(1).map_or(temporary.path().to_owned(), PathBuf::from);
    let path = folder.join("ledger.sqlite");
    let threads = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let single = Builder::new_current_thread().enable_all().build()?;

    let mut store = open(&path)?;
    if store.head().size < size {
        println!("appends, new store");
        append(&threads, &store, 64, 200_000.min(size))?;
        println!("appends up to {size} receipts");
        append(&threads, &store, 1024, size.saturating_sub(store.head().size))?;
        drop(store);
        store = open(&path)?;
    }
    println!("resident after opening: {}", resident()?);
    println!("appends at {} receipts", store.head().size);
    append(&threads, &store, 1, 5_000)?;
    append(&threads, &store, 64, 200_000)?;
    println!("resident after appends: {}", resident()?);
    read(&single, &threads, &store)?;
    println!("reads while 16 callers append");
    read_while_appending(&threads, &store)?;
    println!("resident at the end: {}", resident()?);
    drop(store);
    drop(open(&path)?);
    let bytes = std::fs::metadata(&path)?.len();
    println!("file: {} MB", bytes / 1_000_000);
    Ok(())
}

/// Appends `count` receipts from `tasks` concurrent callers, each of which waits for its answer.
fn append(runtime: &Runtime, store: &Arc<SqliteLedger>, tasks: usize, count: u64) -> Outcome {
    let next = Arc::new(AtomicU64::new(store.head().size));
    let end = store.head().size + count;
    let start = Instant::now();
    let callers: Vec<_> = (0..tasks)
        .map(|_| {
            let (store, next) = (Arc::clone(store), Arc::clone(&next));
            runtime.spawn(async move {
                let mut latencies = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return Ok::<_, ledger::LedgerError>(latencies);
                    }
                    let record = record(number);
                    let start = Instant::now();
                    std::hint::black_box(store.append(record).await?.inclusion.to_text());
                    latencies.push(nanos(start.elapsed()));
                }
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for caller in callers {
        latencies.append(&mut runtime.block_on(caller)??);
    }
    report(&format!("{tasks} callers"), start.elapsed(), latencies);
    Ok(())
}

fn read(single: &Runtime, threads: &Runtime, store: &Arc<SqliteLedger>) -> Outcome {
    let size = store.head().size;
    println!("reads at {size} receipts");
    let any = move |step: u64| step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % size;
    let recent = move |step: u64| size - 1 - step % 1000.min(size);
    single.block_on(timed("receipt and proof, any, 1 caller", 200_000, |step| find(store, any(step))))?;
    single.block_on(timed("receipt and proof, the last 1000, 1 caller", 200_000, |step| {
        find(store, recent(step))
    }))?;
    single.block_on(timed("receipt alone, any, 1 caller", 200_000, |step| async move {
        Ok(store.receipt(&hash_of(any(step))).await?.map(drop).ok_or("a receipt is missing")?)
    }))?;
    single.block_on(timed(
        "2,000 short receipts, any, in a blocking task, 1 caller",
        200,
        |step| async move {
            let hashes: Vec<_> = (0..2_000).map(|one| hash_of(any(step * 2_000 + one))).collect();
            let found = store.short_receipts(&hashes).await?;
            Ok(found.iter().all(Option::is_some).then_some(()).ok_or("a receipt is missing")?)
        },
    ))?;
    single.block_on(timed("request, any, in a blocking task, 1 caller", 100_000, |step| async move {
        Ok(store.request(any(step)).await?.map(drop).ok_or("a request is missing")?)
    }))?;
    single.block_on(timed("full hash tile, 1 caller", 100_000, |step| async move {
        let path = TilePath::hashes(0, any(step) % (size / 256), 256)?;
        Ok(store.tile(path).await?.map(drop).ok_or("a tile is missing")?)
    }))?;
    single.block_on(timed("entry bundle, 1 caller", 10_000, |step| async move {
        let path = TilePath::entries(any(step) % (size / 256), 256)?;
        Ok(store.tile(path).await?.map(drop).ok_or("a tile is missing")?)
    }))?;
    single.block_on(timed("checkpoint, 1 caller", 1_000_000, |_| async {
        Ok((store.head().size >= size).then_some(()).ok_or("the log has shrunk")?)
    }))?;
    single.block_on(timed("grants of an agent that has none, 1 caller", 200_000, |step| async move {
        let now = SystemClock::start().now();
        let none = store.grants_of(&format!("agent {}", any(step)), now).await?.is_empty();
        Ok(none.then_some(()).ok_or("an agent has a grant")?)
    }))?;
    let start = Instant::now();
    let callers: Vec<_> = (0..64_u64)
        .map(|caller| {
            let store = Arc::clone(store);
            threads.spawn(async move {
                for step in 0..5_000 {
                    find(&store, any(caller * 5_000 + step)).await?;
                }
                Ok::<_, Box<dyn Error + Send + Sync>>(())
            })
        })
        .collect();
    for caller in callers {
        threads.block_on(caller)??;
    }
    report("receipt and proof, any, 64 callers", start.elapsed(), vec![0; 320_000]);
    Ok(())
}

async fn find(store: &SqliteLedger, number: u64) -> Outcome {
    let found = store.receipt_with_inclusion(&hash_of(number)).await?;
    let (receipt, inclusion) = found.ok_or("a receipt is missing")?;
    assert_eq!((receipt.leaf, inclusion.leaf), (inclusion.leaf, receipt.leaf));
    Ok(())
}

fn read_while_appending(threads: &Runtime, store: &Arc<SqliteLedger>) -> Outcome {
    let size = store.head().size;
    let reader = Arc::clone(store);
    let reads = threads.spawn(async move {
        let any = move |step: u64| step.wrapping_mul(0x9e37_79b9_7f4a_7c15) % size;
        timed("receipt and proof, any, 1 caller", 50_000, |step| find(&reader, any(step))).await
    });
    append(threads, store, 16, 50_000)?;
    threads.block_on(reads)?
}

async fn timed<F: Future<Output = Outcome>>(name: &str, steps: u64, work: impl Fn(u64) -> F) -> Outcome {
    let mut latencies = Vec::new();
    let start = Instant::now();
    for step in 0..steps {
        let start = Instant::now();
        work(step).await?;
        latencies.push(nanos(start.elapsed()));
    }
    report(name, start.elapsed(), latencies);
    Ok(())
}

/// The resident set, where the system tells (Linux).
fn resident() -> Result<String, std::io::Error> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("RssAnon"));
    Ok(lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", "))
}
