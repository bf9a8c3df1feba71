//! The name engine against labelled queries: `screening-eval/list.jsonl`, each screened against the whole list of
//! `ofac/current`, and `screening-eval/pairs.jsonl`, two names compared by themselves.
//!
//! A query that should match is right only where one of its uids is among the ten best hits; one that should not, only
//! where there is no hit. Rows of weak aliases are counted apart, since the list of `current` does not hold these.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use name_match::{Facts, Index, Query, Scratch, ScreenResult, Verdict, compare};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use watchlist::{EntityKind, Entry, List, Publication, PublicationBounds};

use crate::outcome::Outcome;
use crate::screening_figures::Figures;

/// Hits that are looked at, as many as a caller is given by default.
pub const LIMIT: usize = 10;
/// The class that is counted apart.
const WEAK: &str = "weak-aka";

#[derive(Deserialize)]
struct Row {
    id: String,
    query: String,
    #[serde(default)]
    schema: String,
    expected: Expected,
    class: String,
    uid: Option<u64>,
    #[serde(default)]
    uids: Vec<u64>,
}

#[derive(Deserialize)]
struct PairRow {
    query: String,
    target: String,
    #[serde(default)]
    schema: String,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Expected {
    Match,
    NoMatch,
}

/// Runs the suites whose data lies in `dir/screening-eval`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("screening-eval");
    let rows: Option<Vec<Row>> = lines(&folder.join("list.jsonl"));
    let pairs: Option<Vec<PairRow>> = lines(&folder.join("pairs.jsonl"));
    let mut outcomes = Vec::new();
    if let Some(rows) = rows {
        match list_of(dir, &["ofac/current/ofac-sdn.json.gz".to_owned()]) {
            Some(list) => outcomes.extend(against_list(&rows, &list)),
            None => eprintln!("screening-eval/list.jsonl is passed over: there is no ofac/current"),
        }
    }
    outcomes.extend(pairs.map(|pairs| one_by_one(&pairs)));
    outcomes
}

/// The rows of a file; a line that is none is left out and said.
fn lines<R: DeserializeOwned>(path: &Path) -> Option<Vec<R>> {
    let text = fs::read_to_string(path).ok()?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(row) => rows.push(row),
            Err(error) => eprintln!("{}: line {}: {error}", path.display(), number + 1),
        }
    }
    Some(rows)
}

/// The list of a publication's files, from the folder itself, from beside it, or from the project's data.
pub fn list_of(dir: &Path, files: &[String]) -> Option<List> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    let roots = [dir.to_owned(), dir.join(".."), dir.join("../data"), shared];
    let there = |root: &PathBuf| files.iter().all(|file| root.join(file).exists());
    let root = roots.iter().find(|root| there(root))?;
    let paths: Vec<PathBuf> = files.iter().map(|file| root.join(file)).collect();
    let read = Publication::open(&paths, PublicationBounds::default())
        .and_then(|publication| publication.read(None));
    match read {
        Ok(import) => import.lists.into_iter().next().map(|parsed| parsed.list),
        Err(error) => {
            eprintln!("{}: {error}", files[0]);
            None
        }
    }
}

fn against_list(rows: &[Row], list: &List) -> Vec<Outcome> {
    let index = Index::build(list);
    let mut scratch = Scratch::default();
    let mut strong = (outcome("list"), Figures::default());
    let mut weak = (outcome("list, weak aliases"), Figures::default());
    for row in rows {
        let facts = Facts { kind: kind(&row.schema), ..Facts::default() };
        let started = Instant::now();
        let screened =
            index.screen(list, &Query { name: &row.query, facts, ..Query::default() }, LIMIT, &mut scratch);
        let took = started.elapsed();
        let (outcome, figures) = if row.class == WEAK { &mut weak } else { &mut strong };
        figures.took(took);
        judge(row, list, &screened, outcome, figures);
    }
    let (mut outcome, figures) = strong;
    outcome.figures = format!("{} {}", figures.overall(), figures.speed());
    let (bars, hold) = figures.bars();
    outcome.details = bars;
    outcome.details.extend(figures.by_class());
    outcome.bar = Some(hold);
    let (mut weak, weak_figures) = weak;
    weak.details = weak_figures.by_class();
    weak.bar = Some(true);
    vec![outcome, weak].into_iter().filter(|outcome| outcome.total > 0).collect()
}

fn judge(row: &Row, list: &List, screened: &ScreenResult, outcome: &mut Outcome, figures: &mut Figures) {
    let counts = |entry: &Entry| row.uid.iter().chain(&row.uids).any(|uid| *entry.uid == uid.to_string());
    outcome.total += 1;
    let right = if row.expected == Expected::Match {
        let hit = screened.hits.iter().find(|hit| list.entries.get(hit.entry).is_some_and(counts));
        figures.listed(&row.class, hit.map(|hit| (hit.score, hit.verdict == Verdict::Match)));
        hit.is_some()
    } else {
        figures.unlisted(&row.class, screened.score, screened.verdict);
        screened.verdict == Verdict::NoMatch
    };
    if right {
        outcome.passed += 1;
    } else {
        let best =
            screened.hits.first().and_then(|hit| list.entries.get(hit.entry)).map_or("", Entry::primary);
        outcome
            .failures
            .push(format!("{} ({}): {:?}, score {:.3} {best}", row.id, row.class, row.query, screened.score));
    }
}

fn one_by_one(pairs: &[PairRow]) -> Outcome {
    let mut scratch = Scratch::default();
    let mut figures = Figures::default();
    let mut outcome = outcome("pairs");
    for pair in pairs {
        let kind = kind(&pair.schema).unwrap_or_default();
        let screened = compare(&pair.query, &pair.target, kind, &mut scratch);
        let hit = screened.verdict > Verdict::NoMatch;
        if pair.expected == Expected::Match {
            figures.listed("pairs", hit.then_some((screened.score, screened.verdict == Verdict::Match)));
        } else {
            figures.unlisted("pairs", screened.score, screened.verdict);
        }
        outcome.total += 1;
        if hit == (pair.expected == Expected::Match) {
            outcome.passed += 1;
        } else {
            outcome
                .failures
                .push(format!("{:?} and {:?}: score {:.3}", pair.query, pair.target, screened.score));
        }
    }
    outcome.figures = figures.overall();
    let (bars, hold) = figures.bars_of_pairs();
    outcome.details = bars;
    outcome.bar = Some(hold);
    outcome
}

fn outcome(name: &str) -> Outcome {
    Outcome { name: format!("screening-eval/{name}"), ..Outcome::default() }
}

/// The kind of party that a schema of `FollowTheMoney` stands for.
pub fn kind(schema: &str) -> Option<EntityKind> {
    match schema {
        "Person" | "person" => Some(EntityKind::Person),
        "Organization" | "Company" | "Entity" | "entity" => Some(EntityKind::Entity),
        "Vessel" | "vessel" => Some(EntityKind::Vessel),
        "Airplane" => Some(EntityKind::Aircraft),
        _ => None,
    }
}
