//! Functions that the benchmarks share: a store, records, and the report of a figure.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ledger::{Identity, Ledger, LedgerRecord};
use ledger_sqlite::SqliteLedger;
use receipt::hash::{ReceiptHash, sha256};
use receipt::sign::SignedPayload;
use tlog::SigningKey;
use verdict::{Clock, SystemClock};

pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

pub fn open(path: &Path) -> Result<Arc<SqliteLedger>, Box<dyn Error + Send + Sync>> {
    let key = SigningKey::from_seed("bench.example/log", &[7; 32])?;
    let identity = Identity {
        receipt_kid: "bench".to_owned(),
        log_vkey: key.verifier().to_string(),
        ..Identity::default()
    };
    let start = Instant::now();
    let ledger = SqliteLedger::open(path, key, &identity, Arc::new(SystemClock::start()))?;
    println!("open: {:.1} ms at {} receipts", millis(start.elapsed()), ledger.head().size);
    Ok(Arc::new(ledger))
}

pub fn hash_of(number: u64) -> ReceiptHash {
    ReceiptHash(sha256(&number.to_be_bytes()))
}

pub fn record(number: u64) -> LedgerRecord {
    let filled = |length: usize| {
        let mut bytes = vec![b'x'; length];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    let signed = SignedPayload { hash: hash_of(number), payload: filled(1300), signature: [1; 64] };
    let signed_at = SystemClock::start().now();
    LedgerRecord::new(signed, "bench", "claim-verdict", filled(250), signed_at, filled(400))
}

pub fn report(name: &str, took: Duration, mut latencies: Vec<u32>) {
    latencies.sort_unstable();
    let at = |share: f64| {
        let position = (latencies.len() as f64 * share) as usize;
        f64::from(latencies.get(position).or(latencies.last()).copied().unwrap_or_default()) / 1e6
    };
    let rate = latencies.len() as f64 / took.as_secs_f64();
    println!(
        "  {name}: {rate:.0}/s, p50 {:.3} ms, p99 {:.3} ms, p99.9 {:.3} ms, most {:.3} ms",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

/// Four bytes a figure, so that the figures do not show in the resident set. At most 4.3 s.
pub fn nanos(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos()).unwrap_or(u32::MAX)
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
