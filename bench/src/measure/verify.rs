//! `GET /verify?hash=`: receipts chosen at random from a big store, all five checks recomputed for each.

use super::{Bench, latency, rate};
use crate::http;
use crate::report::{Report, Target};

/// Distinct receipts that are asked for.
const ASKED: usize = 50_000;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let store = bench.store()?;
    let hashes = store.random_hashes(ASKED);
    let requests: Vec<Vec<u8>> =
        hashes.iter().map(|hash| http::get(&format!("/verify?hash={hash}"))).collect();
    let notary = bench.notary(&store.folder)?;
    let outcomes = bench.repeat(&bench.plan(&notary, &requests, r#""valid":true"#))?;
    notary.stop()?;
    let mut figure = rate("/verify by hash", "verify", &outcomes, Target::AtLeast(15_000.0));
    figure.note.push_str(&format!("; {} receipts in the store", store.hashes.len()));
    report.add(figure);
    report.add(latency("/verify by hash, p99", "verify", &outcomes, 99.0, Target::None));
    Ok(())
}
