//! Pages for people: how long a reader waits for each, and what readers cost those who call for verdicts.
//!
//! The time to the last byte is measured, which the first byte cannot be later than. Readers ask for [`READERS_A_SECOND`]
//! pages, each of another kind than the one before, while one client calls; rounds with and without them take turns.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Bench, latency};
use crate::report::{Figure, Report, Target, median, number};
use crate::{http, load, questions};

/// Pages that are asked for in a second while the API is measured.
const READERS_A_SECOND: u32 = 50;
const FIRST_BUFFER_BYTES: usize = 64 << 10;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let requests = questions::requests(bench.options.questions);
    let scratch = bench.scratch()?;
    let notary = bench.notary(scratch.path())?;
    let plan = load::Plan { connections: 1, ..bench.plan(&notary, &requests, r#""proof""#) };
    let few = load::Plan { keep_each: 1, measured: Duration::from_millis(100), ..plan.clone() };
    let first = load::run(&few)?.kept;
    let hash = first.first().and_then(|receipt| hash_of(receipt)).context("a receipt has a hash")?;
    let pages = pages(&hash);

    let mut slowest: Option<Figure> = None;
    for page in &pages {
        let one = [page.clone()];
        let mut alone = bench.plan(&notary, &one, "</html>");
        alone.connections = 1;
        let path = String::from_utf8_lossy(page.split(|byte| *byte == b' ').nth(1).unwrap_or_default());
        let outcomes = bench.repeat(&alone).with_context(|| path.to_string())?;
        let mut figure = latency("slowest page, p99", "pages", &outcomes, 99.0, Target::AtMost(20.0));
        figure.note = format!("{}: {}", path.replace(&hash, "HASH"), figure.note);
        if slowest.as_ref().is_none_or(|slowest| slowest.value < figure.value) {
            slowest = Some(figure);
        }
    }
    report.add(slowest.context("there are pages")?);

    let mut ratios = Vec::new();
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..bench.options.rounds {
        without.push(load::run(&plan)?);
        with.push(beside_readers(notary.address, &pages, || load::run(&plan))?);
        let p99 = |outcomes: &[load::Outcome]| outcomes.last().map_or(0.0, |last| last.latency_ms(99.0));
        ratios.push(p99(&with) / p99(&without));
    }
    let (value, spread) = median(ratios);
    let of = |outcomes: &[load::Outcome]| {
        let (value, _) = median(outcomes.iter().map(|outcome| outcome.latency_ms(99.0)).collect());
        number(value)
    };
    report.add(Figure {
        name: "one client's p99 beside readers",
        command: "pages",
        value,
        unit: "times that without",
        target: Target::AtMost(1.1),
        note: format!(
            "{spread}; {} ms beside {READERS_A_SECOND} pages a second, {} ms without",
            of(&with),
            of(&without)
        ),
    });
    Ok(())
}

/// One page of each kind, asked for as a browser does.
fn pages(hash: &str) -> Vec<Vec<u8>> {
    let receipt = format!("/r/{hash}");
    let paths = [
        "/",
        &receipt,
        "/verify",
        "/try",
        "/docs",
        "/docs/calling",
        "/pricing",
        "/lists",
        "/log",
        "/status",
        "/agents/reader",
    ];
    paths.iter().map(|path| http::with_header(&http::get(path), "accept: text/html")).collect()
}

fn hash_of(receipt: &[u8]) -> Option<String> {
    let receipt: serde_json::Value = serde_json::from_slice(receipt).ok()?;
    Some(receipt.get("receipt_hash")?.as_str()?.to_owned())
}

/// Runs something while readers ask for pages.
fn beside_readers<T>(
    address: SocketAddr,
    pages: &[Vec<u8>],
    run: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers = scope.spawn(|| read_pages(address, pages, &ended));
        let done = run();
        ended.store(true, Ordering::Relaxed);
        readers.join().map_err(|_| anyhow::anyhow!("the readers panicked"))??;
        done
    })
}

/// Asks for one page after the other at a steady pace, until it is ended.
fn read_pages(address: SocketAddr, pages: &[Vec<u8>], ended: &AtomicBool) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    let mut buffer = vec![0; FIRST_BUFFER_BYTES];
    let mut due = Instant::now();
    for page in pages.iter().cycle() {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        stream.write_all(page)?;
        read_answer(&mut stream, &mut buffer)?;
        due += Duration::from_secs(1) / READERS_A_SECOND;
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    Ok(())
}

/// Reads a whole answer, which must be a 200.
fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> anyhow::Result<()> {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        let read = stream.read(&mut buffer[filled..])?;
        anyhow::ensure!(read > 0, "the connection ended");
        filled += read;
        if let Some(head) = http::head(&buffer[..filled])?
            && filled >= head.end
        {
            anyhow::ensure!(head.status == 200, "a page was answered {}", head.status);
            return Ok(());
        }
    }
}
