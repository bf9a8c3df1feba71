//! A start over a big store: from before the process is made to the first `/health` that says 200, and the
//! memory that it rests with after a few requests.

use std::time::Duration;

use super::Bench;
use crate::report::{Figure, Report, Target, median};
use crate::{http, questions};

/// Questions and verifications before the memory is read.
const REQUESTS: usize = 50;
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
    Ok(())
}
