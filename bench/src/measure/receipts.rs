//! Receipts a second: `POST /claim-verdict` with signed messages, 64 connections that keep asking. Each answer is
//! one strict Ed25519 verification, one signature, a durable transaction, a leaf of the log and its inclusion
//! proof. In turn with it, on the same cores: the bare server, asked the same.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use receipt::json::{Json, parse};
use receipt::sign::OUTSIDE_PAYLOAD;

use super::{Bench, latency, rate};
use crate::identity::Identity;
use crate::load::{self, Outcome};
use crate::process::Server;
use crate::report::{Figure, Report, Target, median};
use crate::{questions, usage};

/// One answer of this many is verified offline after the run, all five checks.
const VERIFIED_EACH: u64 = 100;

const COMMAND: &str = "receipts";

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let requests = questions::requests(bench.options.questions);
    let scratch = bench.scratch()?;
    let notary = bench.notary(scratch.path())?;
    let bare = start_bare(&notary.ask(&requests[0])?)?;
    let (mut ours, mut bares) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds() {
        let mut plan = bench.plan(&notary, &requests, r#""proof""#);
        plan.keep_each = VERIFIED_EACH;
        ours.push(load::run(&plan)?);
        bares.push(load::run(&bench.plan(&bare, &requests, r#""proof""#))?);
    }
    let resident = usage::resident_bytes(notary.id())?;
    drop(notary);
    let verified = verify(scratch.path(), &ours)?;

    let mut figure = rate("receipts", COMMAND, &ours, Target::AtLeast(8000.0));
    figure.note.push_str(&format!("; {verified} receipts verified offline; {} MB resident", resident >> 20));
    report.add(figure);
    report.add(latency("receipts, p99", COMMAND, &ours, 99.0, Target::AtMost(25.0)));
    report.add(rate("bare server", COMMAND, &bares, Target::None));
    let ratios = ours.iter().zip(&bares).map(|(ours, bare)| ours.rate() / bare.rate()).collect();
    let (value, spread) = median(ratios);
    let note = format!("{spread}, round by round");
    report.add(Figure {
        name: "receipts / bare server",
        command: COMMAND,
        value,
        unit: "",
        target: Target::AtLeast(0.6),
        note,
    });
    Ok(())
}

/// The bare server, with payload and proof as long as those of an answer of the notary.
fn start_bare(answer: &[u8]) -> anyhow::Result<Server> {
    let receipt = parse(answer).context("the notary's answer")?;
    let object = receipt.as_object().context("a receipt is an object")?;
    let payload_bytes = object.canonical_without(&OUTSIDE_PAYLOAD).len();
    // The first proof of a log has no path; one of a tree of a million leaves has twenty lines of 45 bytes.
    let proof = receipt.get("proof").and_then(Json::as_str).context("a receipt has a proof")?;
    let proof_bytes = proof.len() + 16 * 45;
    let mut command = Command::new(std::env::current_exe().context("where this program lies")?);
    command.args([
        "bare",
        "--payload-bytes",
        &payload_bytes.to_string(),
        "--proof-bytes",
        &proof_bytes.to_string(),
    ]);
    Server::start(&mut command).context("start the bare server")
}

/// Verifies the answers that were kept; how many.
fn verify(data_folder: &Path, outcomes: &[Outcome]) -> anyhow::Result<usize> {
    let verifier = Identity::of(data_folder)?.verifier()?;
    let kept: Vec<&Vec<u8>> = outcomes.iter().flat_map(|outcome| &outcome.kept).collect();
    for receipt in &kept {
        let report = verifier.verify(receipt).context("an answer is no receipt")?;
        anyhow::ensure!(report.valid(), "a receipt does not verify: {}", String::from_utf8_lossy(receipt));
    }
    Ok(kept.len())
}
