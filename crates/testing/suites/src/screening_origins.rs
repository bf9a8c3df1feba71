//! Who is stopped and who passes: names of people and firms that are on no list, by their origin
//! (`screening-eval/innocent.jsonl.gz`), and ways to write listed names so that a screen might miss them
//! (`screening-eval/evasion.jsonl`).
//!
//! The innocent are screened against the list of `ofac/current`, which knows no dates of birth, and, with a random one,
//! against that of `ofac/raw-2021-07`, which does. An evasion is found where its party is among the ten best hits.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::thread;

use flate2::read::GzDecoder;
use name_match::{Facts, Index, Query, Scratch, Verdict};
use serde::Deserialize;
use watchlist::List;

use crate::outcome::Outcome;
use crate::screening::{LIMIT, kind, list_of};

/// The largest share of innocent names that may be a `MATCH`, in any group and in the mean of the groups.
const MATCHED: Most = Most { any: 0.001, mean: 0.0005 };
/// The largest share that may be a hit at all.
const ALARMED: Most = Most { any: 0.05, mean: 0.025 };
/// The least share of evasions that must be found.
const FOUND: f64 = 0.88;

/// The largest share in any group, and in the mean of all.
struct Most {
    any: f64,
    mean: f64,
}

#[derive(Deserialize)]
struct Innocent {
    group: String,
    query: String,
    schema: String,
    birth_date: Option<String>,
}

#[derive(Deserialize)]
struct Evasion {
    uid: u64,
    schema: String,
    class: String,
    query: String,
}

/// Names of one origin: how many, and how many of them were told.
#[derive(Clone, Copy, Default)]
struct Counts {
    names: usize,
    matches: usize,
    alarms: usize,
}

/// One of the counts.
type Of = fn(&Counts) -> usize;

/// Runs both suites; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("screening-eval");
    let innocents: Vec<Innocent> = rows(&folder.join("innocent.jsonl.gz"));
    let evasions: Vec<Evasion> = rows(&folder.join("evasion.jsonl"));
    let mut outcomes = Vec::new();
    let Some(current) = list_of(dir, &["ofac/current/ofac-sdn.json.gz".to_owned()]) else { return outcomes };
    if !innocents.is_empty() {
        let dated = ["sdn.csv", "add.csv", "alt.csv", "sdn_comments.csv"]
            .map(|file| format!("ofac/raw-2021-07/{file}"));
        outcomes.push(stopped(&innocents, &current, list_of(dir, &dated).as_ref()));
    }
    if !evasions.is_empty() {
        outcomes.push(passed(&evasions, &current));
    }
    outcomes
}

fn rows<R: for<'a> Deserialize<'a>>(path: &Path) -> Vec<R> {
    let Ok(bytes) = fs::read(path) else { return Vec::new() };
    let mut text = String::new();
    let read = if path.extension().is_some_and(|end| end == "gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text)
    } else {
        (&bytes[..]).read_to_string(&mut text)
    };
    read.expect("the file is text");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect()
}

/// The innocent who are told, by group.
fn stopped(innocents: &[Innocent], current: &List, dated: Option<&List>) -> Outcome {
    let mut outcome = Outcome { name: "screening-eval/innocent".to_owned(), ..Outcome::default() };
    let plain = count(innocents, current, false);
    let mut holds = hold(&mut outcome, "current", &plain, 1.0);
    if let Some(dated) = dated {
        let without = count(innocents, dated, false);
        hold(&mut outcome, "2021", &without, 1.0);
        let with = count(innocents, dated, true);
        holds &= hold(&mut outcome, "2021, a random date of birth", &with, 0.5);
    }
    outcome.total = innocents.len();
    outcome.passed = outcome.total - plain.values().map(|counts| counts.alarms).sum::<usize>();
    outcome.bar = Some(holds);
    outcome
}

/// A line a group, and true if the shares are low enough.
fn hold(outcome: &mut Outcome, list: &str, groups: &BTreeMap<&str, Counts>, of_bar: f64) -> bool {
    let share = |part: usize, counts: &Counts| part as f64 / counts.names as f64;
    let mean =
        |of: Of| groups.values().map(|counts| share(of(counts), counts)).sum::<f64>() / groups.len() as f64;
    let greatest = |of: Of| groups.values().map(|counts| share(of(counts), counts)).fold(0.0, f64::max);
    for (group, counts) in groups {
        outcome.details.push(format!(
            "{list}: {group}: n={} alarms={:.4} match={:.4}",
            counts.names,
            share(counts.alarms, counts),
            share(counts.matches, counts)
        ));
    }
    let mut holds = true;
    let kinds: [(&str, Of, Most); 2] =
        [("match", |counts| counts.matches, MATCHED), ("alarms", |counts| counts.alarms, ALARMED)];
    for (name, of, most) in kinds {
        for (kind, figure, bar) in [("mean", mean(of), most.mean), ("any", greatest(of), most.any)] {
            let is_low = figure <= bar * of_bar;
            holds &= is_low;
            let word = if is_low { "" } else { ": NOT MET" };
            outcome
                .details
                .push(format!("{list}: {name}_{kind}={figure:.5} (at most {}){word}", bar * of_bar));
        }
    }
    holds
}

/// The names of each group that are told against a list, on all cores.
fn count<'a>(innocents: &'a [Innocent], list: &List, has_birth: bool) -> BTreeMap<&'a str, Counts> {
    let index = Index::build(list);
    // Whose name is a listed one, in any order, is not innocent of it.
    let listed: HashSet<Vec<String>> =
        list.entries.iter().flat_map(|entry| &entry.names).map(|name| words(&name.text)).collect();
    let listed = &listed;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let parts = innocents.chunks(innocents.len().div_ceil(cores));
    let of_part = |part: &'a [Innocent]| {
        let mut scratch = Scratch::default();
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for innocent in part {
            let birth = innocent.birth_date.as_deref().filter(|_| has_birth).and_then(|day| day.parse().ok());
            let facts = Facts { kind: kind(&innocent.schema), birth, ..Facts::default() };
            let screened = index.screen(
                list,
                &Query { name: &innocent.query, facts, ..Query::default() },
                LIMIT,
                &mut scratch,
            );
            if listed.contains(&words(&innocent.query)) {
                continue;
            }
            let counts = groups.entry(&*innocent.group).or_default();
            counts.names += 1;
            counts.matches += usize::from(screened.verdict == Verdict::Match);
            counts.alarms += usize::from(screened.verdict > Verdict::NoMatch);
        }
        groups
    };
    let counted = thread::scope(|scope| {
        let workers: Vec<_> = parts.map(|part| scope.spawn(move || of_part(part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("screening does not panic")).collect::<Vec<_>>()
    });
    let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
    for (group, counts) in counted.into_iter().flatten() {
        let sum = groups.entry(group).or_default();
        sum.names += counts.names;
        sum.matches += counts.matches;
        sum.alarms += counts.alarms;
    }
    groups
}

/// The words of a name, in order of the alphabet.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<_> = words.map(str::to_lowercase).collect();
    words.sort_unstable();
    words
}

/// The evasions that are found, by class.
fn passed(evasions: &[Evasion], list: &List) -> Outcome {
    let mut outcome = Outcome { name: "screening-eval/evasion".to_owned(), ..Outcome::default() };
    let index = Index::build(list);
    let mut scratch = Scratch::default();
    let mut classes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in evasions {
        let facts = Facts { kind: kind(&row.schema), ..Facts::default() };
        let screened =
            index.screen(list, &Query { name: &row.query, facts, ..Query::default() }, LIMIT, &mut scratch);
        let is_party =
            |entry: usize| list.entries.get(entry).is_some_and(|entry| *entry.uid == row.uid.to_string());
        let is_found = screened.hits.iter().any(|hit| is_party(hit.entry));
        let (found, total) = classes.entry(&row.class).or_default();
        (*found, *total) = (*found + usize::from(is_found), *total + 1);
        outcome.check(is_found, || {
            format!("{}: {:?} for {}, score {:.3}", row.class, row.query, row.uid, screened.score)
        });
    }
    let share = outcome.passed as f64 / outcome.total as f64;
    outcome.figures = format!("found={share:.4} (at least {FOUND})");
    outcome.details =
        classes.iter().map(|(class, (found, total))| format!("{class}: {found} of {total}")).collect();
    outcome.bar = Some(share >= FOUND);
    outcome
}
