//! Payments through the ledger, without HTTP and signatures: racing claims, then paid calls.
//!
//! `cargo bench -p ledger --bench claims -- [CLAIMS] [NONCES] [CALLS]`, by default a million racing claims of 10,000
//! nonces, then 100,000 paid calls by 64 callers.

mod common;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ledger::{
    ClaimId, ClaimOutcome, ClaimRef, Judgement, Ledger, LedgerRecord, LocalPayment, NewClaim, Owner,
    Payments as _, ProofKey,
};
use ledger_sqlite::SqliteLedger;
use receipt::hash::sha256;
use receipt::time::Timestamp;
use tokio::runtime::{Builder, Runtime};
use verdict::KeptRequest;

use common::{Outcome, nanos, open, record, report};

const OWNER: Owner = Owner([1; 16]);
const PAYER: [u8; 20] = [2; 20];
const PAYEE: [u8; 20] = [3; 20];
/// A cent.
const PRICE: u64 = 10_000;
const CALLERS: u64 = 64;
const RACERS: u64 = 100;

fn main() -> Outcome {
    let arguments: Vec<u64> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(|n| n.parse())
        .collect::<Result<_, _>>()?;
    let number = |position: usize, default| arguments.get(position).copied().unwrap_or(default);
    let (claims, nonces, calls) = (number(0, 1_000_000), number(1, 10_000), number(2, 100_000));
    let temporary = tempfile::tempdir()?;
    let store = open(&temporary.path().join("ledger.sqlite"))?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(store.local_open(PAYER, ledger::MAX_CLAIM_AMOUNT))?;
    race(&runtime, &store, claims, nonces)?;
    pay(&runtime, &store, nonces, calls)?;
    let settled =
        runtime.block_on(store.revenue())?.iter().map(|revenue| revenue.income / PRICE).sum::<u64>();
    let paid = runtime.block_on(store.local_balance(&PAYEE))? / PRICE;
    println!("receipts {}, settled {settled}, paid {paid}: all equal", store.head().size);
    assert_eq!([settled, paid], [store.head().size; 2]);
    Ok(())
}

/// Each racer claims every nonce; whoever is granted one pays and has its receipt logged.
fn race(runtime: &Runtime, store: &Arc<SqliteLedger>, claims: u64, nonces: u64) -> Outcome {
    let start = Instant::now();
    let racers: Vec<_> = (0..RACERS)
        .map(|_| {
            let store = Arc::clone(store);
            runtime.spawn(async move {
                let mut granted = 0;
                let mut latencies = Vec::new();
                for step in 0..claims / RACERS {
                    let nonce = step % nonces;
                    let start = Instant::now();
                    let claiming = store.claim(new_claim(nonce)).await?;
                    latencies.push(nanos(start.elapsed()));
                    if let ClaimOutcome::Mine(id) = claiming {
                        granted += 1;
                        finish(&store, id, nonce).await?;
                    }
                }
                Ok::<_, Box<dyn Error + Send + Sync>>((granted, latencies))
            })
        })
        .collect();
    let (mut grants, mut latencies) = (0_u64, Vec::new());
    for racer in racers {
        let (granted, mut its) = runtime.block_on(racer)??;
        grants += granted;
        latencies.append(&mut its);
    }
    report(
        &format!("{} racing claims of {nonces} nonces, {grants} grants", latencies.len()),
        start.elapsed(),
        latencies,
    );
    assert_eq!(grants, nonces, "exactly one grant a nonce");
    Ok(())
}

/// Paid calls as the gate makes them: is the proof known, claim, judged, settle, deliver.
fn pay(runtime: &Runtime, store: &Arc<SqliteLedger>, first: u64, calls: u64) -> Outcome {
    let next = Arc::new(AtomicU64::new(first));
    let start = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (store, next) = (Arc::clone(store), Arc::clone(&next));
            runtime.spawn(async move {
                let mut latencies = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= first + calls {
                        return Ok::<_, Box<dyn Error + Send + Sync>>(latencies);
                    }
                    let start = Instant::now();
                    let new = new_claim(number);
                    assert_eq!(store.find_claim(&new.key, None).await?, None);
                    let ClaimOutcome::Mine(id) = store.claim(new).await? else {
                        return Err("not granted".into());
                    };
                    finish(&store, id, number).await?;
                    latencies.push(nanos(start.elapsed()));
                }
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for caller in callers {
        latencies.append(&mut runtime.block_on(caller)??);
    }
    report(&format!("paid calls, {CALLERS} callers"), start.elapsed(), latencies);
    Ok(())
}

fn new_claim(number: u64) -> NewClaim {
    NewClaim {
        key: ProofKey::Authorization {
            chain_id: 8453,
            asset: [4; 20],
            payer: PAYER,
            nonce: sha256(&number.to_be_bytes()),
        },
        identifier: None,
        fingerprint: sha256(&number.to_le_bytes()),
        class: "commit",
        agent: format!("agent-{}", number % 1000),
        payer: PAYER,
        symbol: "USDC".to_owned(),
        amount: PRICE,
        bond: false,
        about: None,
        proof: vec![b'p'; 250],
        deferred: None,
        most_of_payer: u32::MAX,
        balance: None,
        owner: OWNER,
        lease_until: Timestamp::MAX,
    }
}

async fn finish(store: &SqliteLedger, id: ClaimId, number: u64) -> Outcome {
    let LedgerRecord { signed_at: at, request, .. } = record(number);
    let request = KeptRequest::as_sent(request);
    let judgement = Judgement { finding: vec![b'f'; 900], evidence: Vec::new(), request, at };
    store.judged(id, OWNER, judgement).await?;
    let transaction = sha256(&id.0.to_be_bytes());
    store.settle_local(id, OWNER, LocalPayment { payee: PAYEE, transaction, at }).await?;
    let claim = Some(ClaimRef { id, owner: OWNER });
    std::hint::black_box(store.append(LedgerRecord { claim, ..record(number) }).await?.inclusion.to_text());
    Ok(())
}
