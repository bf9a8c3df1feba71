//! `touchstone export` and `touchstone verify FILE` of the whole big store, each once: together they take minutes.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::Context as _;

use super::Bench;
use crate::process;
use crate::report::{Figure, Report, Target, number};
use crate::usage::{self, Usage};

/// The longest time that both may take for [`OF`] receipts, in seconds.
const MOST_SECONDS: f64 = 300.0;
const OF: f64 = 1e6;
const MEGABYTE: f64 = 1e6;

/// Measures it and adds the figure.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let store = bench.store()?;
    let scratch = bench.scratch()?;
    let archive = scratch.path().join("audit.tar");
    let before = (usage::of_children()?, Usage::now(&[std::process::id()])?);
    let exported = timed(bench, &store.folder, &["export", "--quiet", "--to"], &archive, "bytes")?;
    let bytes = std::fs::metadata(&archive).context("the archive")?.len();
    let count = store.hashes.len();
    let verify = &["verify", "--json"];
    let verified = timed(bench, &store.folder, verify, &archive, "\"is_whole\":true")?;
    let seconds = usage::of_children()? - before.0;
    let others = Usage::now(&[std::process::id()])?.since(before.1).others_than(seconds);
    let note = format!(
        "one run: export {} s, verify {} s; {count} receipts, {:.0} MB; {} s of processor time; others used {:.0} %",
        number(exported),
        number(verified),
        bytes as f64 / MEGABYTE,
        number(seconds),
        others * 100.0
    );
    let target = Target::AtMost(MOST_SECONDS * count as f64 / OF);
    let name = "export and full verification";
    report.add(Figure { name, command: "archive", value: exported + verified, unit: "s", target, note });
    Ok(())
}

/// Runs a command on a file, and returns its time in seconds. It must succeed, and say this.
fn timed(
    bench: &Bench,
    data_folder: &Path,
    arguments: &[&str],
    file: &Path,
    must_say: &str,
) -> anyhow::Result<f64> {
    let started = Instant::now();
    let mut command = process::touchstone(&bench.touchstone, data_folder);
    let output = command.args(arguments).arg(file).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("run touchstone {}", arguments[0]))?;
    let said = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success() && said.contains(must_say),
        "it said: {said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(started.elapsed().as_secs_f64())
}
