//! `/scan-url` against labelled addresses, without a feed: `safety/urls.jsonl`, `phish_urls.jsonl` and
//! `benign_deep_urls.jsonl`; and with one: `crypto_scam_domains.jsonl`.
//!
//! A row is on the right side where a phishing address is at least `WARN`, and any other is not.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;
use std::time::Instant;

use safety::{ScanVerdict, scan_url};
use serde::Deserialize;
use serde_json::Value;
use threat_feeds::{FeedSettings, Feeds};
use verdict::Timestamp;

use crate::json_lines;
use crate::outcome::Outcome;
use crate::safety_figures::{Scores, Tally};

#[derive(Deserialize)]
struct Row {
    url: String,
    label: Value,
    #[serde(default)]
    src: String,
    #[serde(default)]
    domain_in_other_halfs_urls: bool,
}

/// An address, its source, and whether it is one of phishing.
struct Labelled {
    url: String,
    source: String,
    is_bad: bool,
}

/// Runs the suites of addresses whose data lies in `dir/safety`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("safety");
    let mut rows = Vec::new();
    for file in ["urls.jsonl", "phish_urls.jsonl", "benign_deep_urls.jsonl"] {
        let read: Vec<Row> = json_lines::read(&folder.join(file)).unwrap_or_default();
        // Homepages of these stand in the other half.
        let read = read.into_iter().filter(|row| !row.domain_in_other_halfs_urls);
        rows.extend(read.map(|row| Labelled {
            is_bad: row.label == 1 || row.label == "phish",
            source: if row.src.is_empty() { file.trim_end_matches(".jsonl").to_owned() } else { row.src },
            url: row.url,
        }));
    }
    let listed = json_lines::read(&folder.join("crypto_scam_domains.jsonl"));
    let without_feed = (!rows.is_empty()).then(|| urls(&rows));
    let with_feed = listed.map(|rows| listed_domains(rows, &folder));
    without_feed.into_iter().chain(with_feed).collect()
}

/// The entry of a feed.
#[derive(Deserialize)]
struct Entry {
    domain: String,
}

/// Each entry of a feed, a page below it and a name below it are `BLOCK`; a platform that hosts some of them is not.
fn listed_domains(rows: Vec<Entry>, folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "safety/crypto_scam_domains".to_owned(), ..Outcome::default() };
    let feeds = Feeds::open(&[FeedSettings::Path(folder.join("crypto_scam_domains.jsonl"))]);
    let feeds = feeds.expect("the feed can be read");
    let is_blocked = |url: &str| {
        scan_url(url, &feeds, Timestamp::EPOCH).is_ok_and(|scan| scan.verdict == ScanVerdict::Block)
    };
    for Entry { domain } in &rows {
        let mut all = vec![format!("https://{domain}/"), format!("{domain}/a?b=c")];
        if domain.parse::<IpAddr>().is_err() {
            all.push(format!("http://www2.{domain}/"));
        }
        outcome.check(all.iter().all(|url| is_blocked(url)), || domain.clone());
    }
    let listed: BTreeSet<&str> = rows.iter().map(|row| &*row.domain).collect();
    let platforms = std::fs::read_to_string(folder.join("crypto_allow_hosting.json")).unwrap_or_default();
    let platforms: Vec<String> = serde_json::from_str(&platforms).unwrap_or_default();
    for platform in platforms.iter().map(|name| name.trim_start_matches("*.")) {
        let is_right = listed.contains(platform) || !is_blocked(&format!("https://{platform}/"));
        outcome.check(is_right, || format!("the platform {platform} is blocked"));
    }
    outcome
}

fn urls(rows: &[Labelled]) -> Outcome {
    let mut outcome = Outcome { name: "safety/urls".to_owned(), ..Outcome::default() };
    let mut by_source: BTreeMap<(&str, bool), (Tally, Tally, Vec<f64>)> = BTreeMap::new();
    let none = Feeds::open(&[]).expect("there is nothing to read");
    let started = Instant::now();
    for row in rows {
        let scan = scan_url(&row.url, &none, Timestamp::EPOCH);
        let (score, verdict) = scan.map_or((0.0, ScanVerdict::Unknown), |scan| (scan.score, scan.verdict));
        let warned = verdict >= ScanVerdict::Warn;
        let (warnings, blocks, scores) = by_source.entry((&row.source, row.is_bad)).or_default();
        warnings.add(warned);
        blocks.add(verdict == ScanVerdict::Block);
        scores.push(score);
        outcome.total += 1;
        outcome.passed += usize::from(warned == row.is_bad);
    }
    let per_second = rows.len() as f64 / started.elapsed().as_secs_f64();
    let bad: Vec<f64> = of(&by_source, true).flat_map(|(_, _, scores)| scores.clone()).collect();
    let (mut all, mut holds) = (Scores::default(), true);
    bad.iter().for_each(|score| all.add(true, *score));
    for ((source, _), (warnings, blocks, scores)) in by_source.iter().filter(|((_, is_bad), _)| !is_bad) {
        let mut own = Scores::default();
        bad.iter().for_each(|score| own.add(true, *score));
        scores.iter().for_each(|score| own.add(false, *score));
        scores.iter().for_each(|score| all.add(false, *score));
        let recall = own.recall_at_1pct();
        holds &= recall >= 0.45 && blocks.share() <= 0.001;
        outcome.details.push(format!(
            "benign {source}: recall_at_1pct_fpr={recall:.4} auc={:.4}; WARN or worse {warnings}, BLOCK {blocks}",
            own.auc()
        ));
    }
    for ((source, _), (warnings, blocks, _)) in by_source.iter().filter(|((_, is_bad), _)| *is_bad) {
        outcome.details.push(format!("phishing {source}: WARN or worse {warnings}, BLOCK {blocks}"));
    }
    let (recall, alarms) = (warned(&by_source, true), warned(&by_source, false));
    outcome.figures = format!(
        "recall_at_1pct_fpr={:.4} auc={:.4} recall={:.4} fpr={:.4} urls_per_s={per_second:.0}",
        all.recall_at_1pct(),
        all.auc(),
        recall.share(),
        alarms.share()
    );
    outcome.bar = Some(holds);
    outcome
}

type BySource<'a> = BTreeMap<(&'a str, bool), (Tally, Tally, Vec<f64>)>;

fn of<'a>(by_source: &'a BySource<'_>, bad: bool) -> impl Iterator<Item = &'a (Tally, Tally, Vec<f64>)> {
    by_source.iter().filter(move |((_, is_bad), _)| *is_bad == bad).map(|(_, counted)| counted)
}

fn warned(by_source: &BySource<'_>, bad: bool) -> Tally {
    of(by_source, bad).fold(Tally::default(), |sum, (warnings, _, _)| Tally {
        warned: sum.warned + warnings.warned,
        total: sum.total + warnings.total,
    })
}
