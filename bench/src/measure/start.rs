//! A start over a big store: from before the process is made to the first `/health` that says 200, the memory that it rests with
//! after a few requests, and how long one client alone waits for a proof.

use std::time::Duration;

use super::{Bench, latency};
use crate::report::{Figure, Report, Target, median};
use crate::{http, questions};

/// Questions and verifications before the memory is read.
const REQUESTS: usize = 50;
/// Proofs that are asked for in turn.
const PROOFS: usize = 20_000;
const REST: Duration = Duration::from_secs(3);
const MEGABYTE: f64 = 1e6;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let store = bench.store()?;
    let asked = questions::requests(REQUESTS as u32);
    let verified = store.random_hashes(REQUESTS);
    let (mut starts, mut fresh, mut rested) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds() {
        let (notary, took) = crate::process::Server::notary_timed(&bench.touchstone, &store.folder)?;
        starts.push(took.as_secs_f64());
        fresh.push(notary.resident_bytes()? as f64 / MEGABYTE);
        for (question, hash) in asked.iter().zip(&verified) {
            notary.ask(question)?;
            notary.ask(&http::get(&format!("/verify?hash={hash}")))?;
        }
        std::thread::sleep(REST);
        rested.push(notary.resident_bytes()? as f64 / MEGABYTE);
        notary.stop()?;
    }
    let (value, spread) = median(starts);
    let note = format!("{spread}; {} receipts in the store", store.hashes.len());
    let figure =
        |name, value, unit, target, note| Figure { name, command: "start", value, unit, target, note };
    report.add(figure("start to the first /health", value, "s", Target::AtMost(1.0), note));
    let ((value, spread), (first, _)) = (median(rested), median(fresh));
    let note = format!("{spread}; {first:.1} MB right after the start");
    report.add(figure("resident memory at rest", value, "MB", Target::AtMost(100.0), note));
    let proof = |hash| http::get(&format!("/receipts/{hash}.tlog-proof"));
    let proofs: Vec<_> = store.random_hashes(PROOFS).into_iter().map(proof).collect();
    let notary = bench.notary(&store.folder)?;
    let mut plan = bench.plan(&notary, &proofs, "c2sp.org/tlog-proof@v1");
    plan.connections = 1;
    let outcomes = bench.repeat(&plan)?;
    report.add(latency("a proof for one client, p99", "start", &outcomes, 99.0, Target::AtMost(1.0)));
    notary.stop()
}
