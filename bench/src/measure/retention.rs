//! Growth of a store under a steady load whose requests and evidence are deleted after their time: twenty days of receipts,
//! each with a page of evidence, of which the last six are kept. The days pass by the times of the receipts, not by the clock.
//!
//! Receipts and the log stay, so a store grows by them for ever. What must stop growing is all else: the file, and the pages of it
//! that are in use, are compared after the days on which nothing was deleted yet and at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use ledger::{Ledger as _, LedgerRecord, Retention as _, RetentionTerms};
use ledger_sqlite::SqliteLedger;
use receipt::envelope::LogHead;
use receipt::sign::Signer;
use verdict::{Clock, EvidenceBlob, SystemClock, Timestamp};

use super::Bench;
use crate::identity::Identity;
use crate::questions::Random;
use crate::report::{Figure, Report, Target};
use crate::store::Case;

const DAYS: u32 = 20;
const KEPT_DAYS: u32 = 6;
const DAY_MS: i64 = 86_400_000;
/// Bytes of the page behind a receipt.
const PAGE_BYTES: usize = 4096;
/// Appends that wait for the writer at once.
const IN_FLIGHT: u32 = 512;
/// The most receipts a day: the days are measured, not the number.
const MOST_A_DAY: u32 = 5000;
const MEGABYTE: f64 = 1e6;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let a_day = (bench.options.receipts / DAYS).clamp(1, MOST_A_DAY);
    let sizes = super::runtime()?.block_on(days(bench, a_day))?;
    let [full, last] = [sizes[KEPT_DAYS as usize - 1], sizes[DAYS as usize - 1]];
    let receipts = f64::from(a_day * (DAYS - KEPT_DAYS));
    let note = format!(
        "{a_day} receipts a day with {PAGE_BYTES} bytes of evidence each; the file has {:.1} MB after day {KEPT_DAYS}, and {:.1} MB after day \
         {DAYS}",
        full.0 as f64 / MEGABYTE,
        last.0 as f64 / MEGABYTE
    );
    let growth = (last.0 as f64 - full.0 as f64) / receipts;
    let mut figure = |name, value, unit, note: &str| {
        report.add(Figure {
            name,
            command: "retention",
            value,
            unit,
            target: Target::None,
            note: note.to_owned(),
        });
    };
    figure("growth of the file for each receipt, once as many are deleted as come", growth, "B", &note);
    let first = full.0 as f64 / f64::from(a_day * KEPT_DAYS);
    figure("growth of the file for each receipt, before", first, "B", "the first six days");
    figure(
        "requests and evidence at the end / after six days",
        last.1 as f64 / full.1 as f64,
        "",
        "by their bytes",
    );
    Ok(())
}

/// The size of the file and of all requests and evidence after each day.
async fn days(bench: &Bench, a_day: u32) -> anyhow::Result<Vec<(u64, u64)>> {
    let scratch = bench.scratch()?;
    let identity = Identity::of(scratch.path())?;
    let binding = identity.binding();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let path = scratch.path().join("store.sqlite");
    let start = clock.now().saturating_add_millis(-i64::from(DAYS) * DAY_MS);
    let ledger = Arc::new(SqliteLedger::open(&path, identity.log, &binding, clock)?);
    let signer = Arc::new(Signer::new(identity.receipt, identity.kid));
    let terms = RetentionTerms { default_ms: i64::from(KEPT_DAYS) * DAY_MS, classes: BTreeMap::new() };
    let (mut sizes, mut kept) = (Vec::new(), 0);
    for day in 0..DAYS {
        let at = start.saturating_add_millis(i64::from(day) * DAY_MS);
        for first in (0..a_day).step_by(IN_FLIGHT as usize) {
            let numbers = first..a_day.min(first + IN_FLIGHT);
            let tasks: Vec<_> = numbers
                .map(|number| {
                    let (ledger, signer) = (Arc::clone(&ledger), Arc::clone(&signer));
                    tokio::spawn(async move { append(&ledger, &signer, day * a_day + number, at).await })
                })
                .collect();
            for task in tasks {
                kept += task.await.context("a task of the load ended")??;
            }
        }
        // The receipts of the day that is the seventh last are over now.
        loop {
            let expired = ledger.expire_requests(terms.clone(), at).await?;
            kept -= expired.bytes;
            if !expired.more {
                break;
            }
        }
        sizes.push((std::fs::metadata(&path)?.len(), kept));
    }
    Ok(sizes)
}

/// Appends a receipt; the bytes of its request and evidence.
async fn append(ledger: &SqliteLedger, signer: &Signer, number: u32, at: Timestamp) -> anyhow::Result<u64> {
    let head = ledger.head();
    let case = Case::new(number, at, LogHead { size: head.size, root: head.root }, signer)?;
    let mut random = Random::new(u64::from(number));
    let page: Vec<u8> = (0..PAGE_BYTES / 32).flat_map(|_| random.bytes()).collect();
    let record = LedgerRecord { evidence: vec![EvidenceBlob::new("body", page)], ..case.into_record() };
    let bytes = record.request.len() + PAGE_BYTES;
    ledger.append(record).await?;
    Ok(bytes as u64)
}
