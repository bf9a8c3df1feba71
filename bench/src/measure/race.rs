//! Races over three ledgers on one PostgreSQL: each proof of payment is claimed by many at once, and each quota is asked for by
//! many more than it has places. It fails unless each proof buys one receipt and each quota gives exactly its places.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use ledger::{
    ClaimOutcome, ClaimRef, FreeCallKey, Judgement, Ledger as _, LedgerRecord, LocalPayment, NewClaim, Owner,
    Payments as _, ProofKey, QuotaKey, QuotaRequest,
};
use ledger_postgres::{PostgresConfig, PostgresLedger};
use peers::postgres::Server as Postgres;
use receipt::envelope::LogHead;
use receipt::hash::sha256;
use receipt::sign::Signer;
use receipt::time::Timestamp;
use verdict::{Clock, KeptRequest, SystemClock};

use super::{Bench, REPLICAS, runtime};
use crate::identity::Identity;
use crate::report::{Figure, Report, Target};
use crate::store::Case;

const COMMAND: &str = "race";
/// Those who claim one proof at once, over all ledgers.
const CLAIMANTS: u64 = 15;
/// Those who ask for one quota at once, and its places.
const ASKERS: u64 = 45;
const PLACES: u32 = 3;
/// Proofs and quotas that are raced for at a time.
const AT_ONCE: u64 = 96;
const PRICE: u64 = 100_000;
const PAYEE: [u8; 20] = [0xcc; 20];
const LEASE_MS: i64 = 600_000;

/// Runs the races and adds their figures.
pub fn run(bench: &Bench, calls: u64, report: &mut Report) -> anyhow::Result<()> {
    let folder = bench.scratch()?;
    let postgres = Postgres::start(&super::replicas::SETTINGS);
    let database = postgres.database();
    let config: PostgresConfig = database.address().parse()?;
    let started = Instant::now();
    let (claims, asked) = runtime()?.block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let mut ledgers = Vec::with_capacity(REPLICAS);
        let mut signer = None;
        for _ in 0..REPLICAS {
            let identity = Identity::of(folder.path())?;
            let binding = identity.binding();
            ledgers.push(PostgresLedger::open(&config, identity.log, &binding, Arc::clone(&clock)).await?);
            signer = Some(Signer::new(identity.receipt, identity.kid));
        }
        let signer = signer.context("there are replicas")?;
        let race = Arc::new(Race { ledgers, signer, clock, next: AtomicU64::new(0) });
        let claims = race.all(calls / 2 / CLAIMANTS, Race::proof).await? * CLAIMANTS;
        let asked = race.all(calls / 2 / ASKERS, Race::quota).await? * ASKERS;
        race.check(claims / CLAIMANTS, asked / ASKERS).await?;
        anyhow::Ok((claims, asked))
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let note = format!(
        "{claims} claims of {} proofs, {asked} calls of {} quotas",
        claims / CLAIMANTS,
        asked / ASKERS
    );
    let value = (claims + asked) as f64 / seconds;
    let name = "racing claims and free calls, each granted exactly as often as it may";
    report.add(Figure { name, command: COMMAND, value, unit: "/s", target: Target::None, note });
    Ok(())
}

struct Race {
    ledgers: Vec<PostgresLedger>,
    signer: Signer,
    clock: Arc<dyn Clock>,
    /// The next proof or quota.
    next: AtomicU64,
}

impl Race {
    /// Runs so many races, some at a time.
    async fn all<F: Future<Output = anyhow::Result<()>> + Send + 'static>(
        self: &Arc<Self>,
        count: u64,
        one: fn(Arc<Self>, u64) -> F,
    ) -> anyhow::Result<u64> {
        let end = self.next.load(Ordering::SeqCst) + count;
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let race = Arc::clone(self);
                tokio::spawn(async move {
                    loop {
                        let number = race.next.fetch_add(1, Ordering::SeqCst);
                        if number >= end {
                            return anyhow::Ok(());
                        }
                        one(Arc::clone(&race), number).await?;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        self.next.store(end, Ordering::SeqCst);
        Ok(count)
    }

    /// A task for each number, all at once.
    async fn at_once<T: Send + 'static, F: Future<Output = anyhow::Result<T>> + Send + 'static>(
        self: &Arc<Self>,
        tasks: u64,
        task: impl Fn(Arc<Self>, u64) -> F,
    ) -> anyhow::Result<Vec<T>> {
        let running: Vec<_> = (0..tasks).map(|number| tokio::spawn(task(Arc::clone(self), number))).collect();
        let mut given = Vec::with_capacity(running.len());
        for task in running {
            given.push(task.await??);
        }
        Ok(given)
    }

    fn ledger(&self, task: u64) -> &PostgresLedger {
        &self.ledgers[task as usize % REPLICAS]
    }

    fn record(&self, number: u64) -> anyhow::Result<LedgerRecord> {
        let head = self.ledger(number).head();
        let log_head = LogHead { size: head.size, root: head.root };
        let number = u32::try_from(number).context("too many records")?;
        let at = self.clock.now().max(head.latest);
        Ok(Case::new(number, at, log_head, &self.signer)?.into_record())
    }

    /// All claim one proof. Whoever has it pays and buys a receipt, each step at another ledger.
    async fn proof(self: Arc<Self>, number: u64) -> anyhow::Result<()> {
        let payer = payer(number);
        self.ledger(number).local_open(payer, PRICE).await?;
        let claimed = self.at_once(CLAIMANTS, |race, task| race.claim(number, task)).await?;
        let granted = claimed.iter().filter(|is_mine| **is_mine).count();
        ensure!(granted == 1, "proof {number} was granted {granted} times");
        let left = self.ledger(number + 1).local_balance(&payer).await?;
        ensure!(left == 0, "payer {number} has {left} left");
        Ok(())
    }

    async fn claim(self: Arc<Self>, number: u64, task: u64) -> anyhow::Result<bool> {
        let owner = owner(number, task);
        let key = ProofKey::Authorization {
            chain_id: 8453,
            asset: [0xaa; 20],
            payer: payer(number),
            nonce: sha256(&number.to_be_bytes()),
        };
        let now = self.clock.now();
        let new = NewClaim {
            key,
            identifier: None,
            fingerprint: [1; 32],
            class: "claim-verdict",
            agent: format!("bench-{number}"),
            payer: payer(number),
            symbol: "USDC".to_owned(),
            amount: PRICE,
            bond: false,
            about: None,
            proof: b"a signed authorization".to_vec(),
            deferred: None,
            most_of_payer: u32::MAX,
            balance: None,
            owner,
            lease_until: now.saturating_add_millis(LEASE_MS),
        };
        match self.ledger(task).claim(new).await? {
            ClaimOutcome::Known(_) => Ok(false),
            ClaimOutcome::Mine(id) => {
                let judgement = Judgement {
                    finding: b"{}".to_vec(),
                    evidence: Vec::new(),
                    request: KeptRequest::as_sent(b"{}".to_vec()),
                    at: now,
                };
                self.ledger(task + 1).judged(id, owner, judgement).await?;
                let transaction = sha256(&[&b"transfer"[..], &number.to_be_bytes()].concat());
                let payment = LocalPayment { payee: PAYEE, transaction, at: now };
                self.ledger(task + 2).settle_local(id, owner, payment).await?;
                let record = self.record(number)?;
                let claim = Some(ClaimRef { id, owner });
                self.ledger(task).append(LedgerRecord { claim, ..record }).await?;
                Ok(true)
            }
            refused => anyhow::bail!("proof {number}: {refused:?}"),
        }
    }

    /// All ask for a place of one quota. Whoever has one uses it up with a receipt.
    async fn quota(self: Arc<Self>, number: u64) -> anyhow::Result<()> {
        let key = quota(number, self.clock.now())?;
        let asked = self.at_once(ASKERS, |race, task| race.ask(number, key.clone(), task)).await?;
        let granted = asked.iter().filter(|is_granted| **is_granted).count();
        ensure!(granted as u64 == u64::from(PLACES), "quota {number} gave {granted} places");
        let taken = self.ledger(number).taken(&[key]).await?;
        ensure!(taken == [u64::from(PLACES)], "of quota {number} {taken:?} are taken");
        Ok(())
    }

    async fn ask(self: Arc<Self>, number: u64, key: QuotaKey, task: u64) -> anyhow::Result<bool> {
        let ledger = self.ledger(task);
        let Ok(reservation) = ledger.reserve(vec![QuotaRequest::one(key, PLACES)]).await? else {
            return Ok(false);
        };
        let record = self.record(number * ASKERS + task)?;
        ledger.append(LedgerRecord { reservation: Some(reservation), ..record }).await?;
        Ok(true)
    }

    /// The sums of all races, as each ledger has them.
    async fn check(&self, proofs: u64, quotas: u64) -> anyhow::Result<()> {
        for ledger in &self.ledgers {
            let income: u64 = ledger.revenue().await?.iter().map(|revenue| revenue.income).sum();
            ensure!(income == proofs * PRICE, "the income is {income}");
            let earned = ledger.local_balance(&PAYEE).await?;
            ensure!(earned == proofs * PRICE, "the payee has {earned}");
            let receipts = proofs + quotas * u64::from(PLACES);
            // A read first: a head may lag.
            let proven = ledger.inclusion(receipts - 1).await;
            ensure!(proven.is_ok() && ledger.head().size == receipts, "{} receipts", ledger.head().size);
        }
        Ok(())
    }
}

fn payer(number: u64) -> [u8; 20] {
    let mut payer = [0xbb; 20];
    payer[..8].copy_from_slice(&number.to_be_bytes());
    payer
}

fn owner(number: u64, task: u64) -> Owner {
    let mut owner = [0; 16];
    owner[..8].copy_from_slice(&number.to_be_bytes());
    owner[8..].copy_from_slice(&task.to_be_bytes());
    Owner(owner)
}

fn quota(number: u64, at: Timestamp) -> anyhow::Result<QuotaKey> {
    let network = "203.0.113.7/32".parse()?;
    Ok(QuotaKey::Free(FreeCallKey::new(&format!("bench-{number}"), network, "claim-verdict", at)))
}
