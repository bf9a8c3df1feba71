//! Screening on a real list: how long a publication takes from its file to the store, how soon a notary that starts
//! over it answers, the memory that it rests with, and a million names through `touchstone judge`.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::Bench;
use crate::cli::ScreeningArgs;
use crate::process::{Server, touchstone};
use crate::report::{Figure, Report, Target, median, number};
use crate::{http, usage};

const COMMAND: &str = "screening";
const PATH: &str = "/screen-entity";
/// Screens before the memory is read.
const SCREENS: usize = 1000;
/// The number of threads on which names are judged.
const THREADS: &str = "2";

/// Measures it and adds the figures.
pub fn run(bench: &Bench, args: &ScreeningArgs, report: &mut Report) -> anyhow::Result<()> {
    let queries = queries(&args.queries)?;
    let scratch = bench.scratch()?;
    imports(bench, args, report)?;
    let mut import = importing(bench, scratch.path(), args);
    anyhow::ensure!(
        import.status().context("run touchstone lists import")?.success(),
        "the list was refused"
    );
    starts(bench, scratch.path(), &queries, report)?;
    million(bench, scratch.path(), &queries, args.names, report)
}

/// The texts of the `query` members of a file of JSON Lines.
fn queries(file: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let query = |line: &str| {
        let row: Value = serde_json::from_str(line)?;
        row["query"].as_str().map(str::to_owned).context("a line has no text `query`")
    };
    let queries: Vec<String> = text.lines().map(query).collect::<anyhow::Result<_>>()?;
    anyhow::ensure!(!queries.is_empty(), "{} has no query", file.display());
    Ok(queries)
}

fn importing(bench: &Bench, data_folder: &Path, args: &ScreeningArgs) -> Command {
    let mut command = touchstone(&bench.touchstone, data_folder);
    command.args(["lists", "import"]).args(&args.lists).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn imports(bench: &Bench, args: &ScreeningArgs, report: &mut Report) -> anyhow::Result<()> {
    let mut took = Vec::new();
    for _ in 0..bench.rounds() {
        let folder = bench.scratch()?;
        let started = Instant::now();
        let status = importing(bench, folder.path(), args).status().context("run touchstone lists import")?;
        anyhow::ensure!(status.success(), "the list was refused");
        took.push(started.elapsed().as_secs_f64());
    }
    let (value, note) = median(took);
    let target = Target::AtMost(3.0);
    report.add(Figure { name: "a publication imported", command: COMMAND, value, unit: "s", target, note });
    Ok(())
}

fn starts(bench: &Bench, folder: &Path, queries: &[String], report: &mut Report) -> anyhow::Result<()> {
    let request = |query: &String| {
        let body = json!({"agent": "bench", "entity": query}).to_string();
        http::post(PATH, body.as_bytes())
    };
    let (mut firsts, mut resident) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds() {
        let started = Instant::now();
        let (notary, _) = Server::notary_timed(&bench.touchstone, folder)?;
        let answer = notary.ask(&request(&queries[0]))?;
        firsts.push(started.elapsed().as_secs_f64());
        let answer: Value = serde_json::from_slice(&answer)?;
        anyhow::ensure!(answer["lists"][0]["demo"] != json!(true), "the notary answered from the demo list");
        for query in queries.iter().cycle().take(SCREENS) {
            // One that is nothing but legal forms is refused, which is an answer too.
            drop(notary.ask(&request(query)));
        }
        resident.push(notary.resident_bytes()? as f64 / 1e6);
        notary.stop()?;
    }
    let figure =
        |name, value, unit, target, note| Figure { name, command: COMMAND, value, unit, target, note };
    let (value, note) = median(firsts);
    report.add(figure("start to the first screen", value, "s", Target::AtMost(2.0), note));
    let (value, note) = median(resident);
    let note = format!("{note}; after {SCREENS} screens");
    report.add(figure("resident memory with the list", value, "MB", Target::AtMost(300.0), note));
    Ok(())
}

fn million(
    bench: &Bench,
    folder: &Path,
    queries: &[String],
    names: u32,
    report: &mut Report,
) -> anyhow::Result<()> {
    let input = folder.join("names.jsonl");
    let mut file = BufWriter::new(File::create(&input)?);
    for query in queries.iter().cycle().take(names as usize) {
        writeln!(file, "{}", json!({"agent": "bench", "entity": query}))?;
    }
    file.into_inner()?.sync_all()?;
    let (started, before) = (Instant::now(), usage::of_children()?);
    let mut judge = touchstone(&bench.touchstone, folder);
    judge.args(["judge", "screen-entity", "--threads", THREADS, "--in"]).arg(&input);
    let mut child = judge.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut output = child.stdout.take().context("the output is piped")?;
    let bytes = std::io::copy(&mut output, &mut std::io::sink())?;
    let status = child.wait()?;
    let seconds = started.elapsed().as_secs_f64();
    anyhow::ensure!(matches!(status.code(), Some(0 | 2)), "touchstone judge ended with {status}");
    let cores = usage::of_children()? - before;
    let note = format!(
        "{names} names on {THREADS} threads, {}/s of wall clock, {} core-seconds, {} bytes a finding",
        number(f64::from(names) / seconds),
        number(cores),
        bytes / u64::from(names)
    );
    let target = Target::AtMost(240.0 * f64::from(names) / 1e6);
    report.add(Figure {
        name: "names through judge",
        command: COMMAND,
        value: seconds,
        unit: "s",
        target,
        note,
    });
    Ok(())
}
