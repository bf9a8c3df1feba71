//! `touchstone verify --quiet FILE`: receipts verified a core-second, by the processor time of the whole process.

use std::process::Stdio;
use std::time::Instant;

use anyhow::Context as _;

use super::Bench;
use crate::report::{Figure, Report, Target, median, number};
use crate::usage::{self, Usage};
use crate::{archive, process};

/// Measures it and adds the figure.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let scratch = bench.scratch()?;
    let file = scratch.path().join("receipts.jsonl");
    let count = bench.options.archive;
    archive::write(&file, scratch.path(), count)?;
    let (mut rates, mut walls, mut noise) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds() {
        let (started, before, all_before) =
            (Instant::now(), usage::of_children()?, Usage::now(&[std::process::id()])?);
        let mut command = process::touchstone(&bench.touchstone, scratch.path());
        command.args(["verify", "--quiet"]).arg(&file).stdin(Stdio::null());
        let output = command.output().context("run touchstone verify")?;
        let said = String::from_utf8_lossy(&output.stdout);
        anyhow::ensure!(
            output.status.success() && said.contains(&format!("{count} valid")),
            "it said: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let seconds = usage::of_children()? - before;
        rates.push(f64::from(count) / seconds);
        noise.push(Usage::now(&[std::process::id()])?.since(all_before).others_than(seconds));
        walls.push(started.elapsed().as_secs_f64());
    }
    let ((value, spread), (wall, _), (others, _)) = (median(rates), median(walls), median(noise));
    let note = format!(
        "{spread}; {count} receipts, {} a checkpoint, in {} s of wall clock; others used {:.0} %",
        archive::A_CHECKPOINT,
        number(wall),
        others * 100.0
    );
    let target = Target::AtLeast(15_000.0);
    let name = "offline verification a core";
    report.add(Figure { name, command: "offline", value, unit: "/s", target, note });
    Ok(())
}
