//! The lists of other publishers (`lists/`): each file is read, and the same party is found across lists.
//!
//! A pair of `cross_list_pairs.jsonl` is one party on two lists, joined by a number and never by its name. The name that one
//! list has is screened against the other list, and the other way round: the pair is found where either entry is among the ten
//! best hits. It is asked with the kind of party alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use csv::ReaderBuilder;
use flate2::read::GzDecoder;
use name_match::{Facts, Index, Query, Scratch};
use serde::Deserialize;
use watchlist::lists::ColumnMap;
use watchlist::{
    Coverage, EntityKind, Entry, EntryName, List, ListName, Publication, PublicationBounds, Quality, Topic,
};

use crate::outcome::Outcome;
use crate::screening::LIMIT;

/// How the columns of the EU's acts, as transcribed, are read, with the key that the pairs have in `uid`.
const EU_ACTS: &str = r#"{"list": "Acts of the EU", "uid": ["uid"], "name": "name",
    "aliases": ["alias", "previousName"], "weak_aliases": ["weakAlias"], "type": "schema",
    "types": {"Person": "person", "Organization": "entity", "Vessel": "vessel"}, "birth_dates": ["birthDate"],
    "countries": ["country", "nationality", "jurisdiction", "flag"], "programs": ["programKey"], "imo": "imoNumber",
    "identifiers": {"passportNumber": "Passport", "idNumber": "ID", "registrationNumber": "Registration"}}"#;

/// Files that are a list by themselves; the others are parts of one, or of a form that is no publisher's.
const FILES: [&str; 11] = [
    "un/un-consolidated-2024-09-26.xml.gz",
    "un/un-consolidated-2025-04-19.xml.gz",
    "un/un-consolidated-2025-08-02.xml.gz",
    "un/un-consolidated-2026-02-27.xml.gz",
    "un/un-sample-deriv.xml",
    "uk/ofsi-conlist-2025-04.csv.gz",
    "uk/ofsi-conlist-2020-format-sample.csv",
    "ch/seco-xml-trimmed-sample-2026-08-27.xml",
    "us/csl-legacy-format-sample.csv",
    "us/csl-consolidated-format-sample.csv",
    "eu/fsf-xml-1.1-sample-2020-04-15.xml",
];
/// Samples that are broken, and why: they are refused whole.
const REFUSED: [&str; 2] = [
    // Its last record has no line break, as a file that was cut would end.
    "us/csl-consolidated-format-sample.csv",
    // It has one party twice.
    "eu/fsf-xml-1.1-sample-2020-04-15.xml",
];
/// The least share of pairs with a word in common that must be found.
const FOUND: f64 = 0.95;

#[derive(Deserialize)]
struct Pair {
    list_a: String,
    uid_a: String,
    name_a: String,
    list_b: String,
    uid_b: String,
    name_b: String,
    share_a_name_token: bool,
}

/// Runs both suites; what is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("lists");
    let mut outcomes = Vec::new();
    if folder.is_dir() {
        outcomes.push(files(&folder));
    }
    if let Ok(pairs) = fs::read_to_string(folder.join("cross_list_pairs.jsonl")) {
        let pairs: Vec<Pair> = pairs.lines().map(|row| serde_json::from_str(row).expect("a pair")).collect();
        outcomes.push(across(&pairs, &lists(dir)));
    }
    outcomes
}

/// Each file is read, and its names are counted.
fn files(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "lists/files".to_owned(), ..Outcome::default() };
    for file in FILES.iter().filter(|file| folder.join(file).exists()) {
        let read = Publication::open(&[folder.join(file)], PublicationBounds::default())
            .and_then(|publication| publication.read(None));
        match read {
            Ok(import) => {
                for parsed in &import.lists {
                    let List { name, entries, .. } = &parsed.list;
                    let names: usize = entries.iter().map(|entry| entry.names.len()).sum();
                    outcome.details.push(format!("{file}: {name}, {} entries, {names} names", entries.len()));
                }
                outcome
                    .check(!import.lists.is_empty() && !REFUSED.contains(file), || format!("{file}: read"));
            }
            Err(error) => outcome.check(REFUSED.contains(file), || error.to_string()),
        }
    }
    outcome
}

/// The lists that pairs speak of, by the names that they have there.
fn lists(dir: &Path) -> HashMap<&'static str, List> {
    let ofac = [dir.join("ofac/raw-2024-05-03/sdn.csv")];
    let un = [dir.join("lists/un/un-consolidated-2026-02-27.xml.gz")];
    let of = |publication: Result<Publication, watchlist::ListError>| {
        let import = publication.and_then(|publication| publication.read(None));
        let import = import.map_err(|error| eprintln!("{error}")).ok()?;
        import.lists.into_iter().next().map(|parsed| parsed.list)
    };
    let bounds = PublicationBounds::default;
    let there = |paths: &[PathBuf]| paths.iter().all(|path| path.exists());
    let lists = [
        ("OFAC", there(&ofac).then(|| of(Publication::open(&ofac, bounds()))).flatten()),
        ("UN", there(&un).then(|| of(Publication::open(&un, bounds()))).flatten()),
        ("EU", eu(&dir.join("lists/eu/eu-journal-consolidated-2026-08.csv.gz"))),
        ("UK", uk(&dir.join("lists/uk"))),
    ];
    lists.into_iter().filter_map(|(name, list)| Some((name, list?))).collect()
}

/// The rows of a packed table, each by its columns; `None` where it is not there.
fn rows(path: &Path) -> Option<Vec<BTreeMap<String, String>>> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).ok()?).read_to_string(&mut text).ok()?;
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    Some(reader.deserialize().collect::<Result<_, _>>().expect("a table"))
}

/// The parties of the EU's acts, read by a map of the columns as JSON Lines. The first of a key counts.
fn eu(path: &Path) -> Option<List> {
    let mut seen = HashSet::new();
    let mut lines = String::new();
    for mut row in rows(path)? {
        let letters = row["name"].chars().filter(|letter| letter.is_alphanumeric());
        let short: String = letters.flat_map(char::to_uppercase).take(20).collect();
        let record = Some(row["recordId"].clone()).filter(|record| !record.is_empty()).unwrap_or(short);
        let uid = format!("{}:{}:{record}", row["celex"], row["annex"]);
        if seen.insert(uid.clone()) {
            row.insert("uid".to_owned(), uid);
            lines.push_str(&serde_json::to_string(&row).expect("texts"));
            lines.push('\n');
        }
    }
    let map: ColumnMap = serde_json::from_str(EU_ACTS).expect("a map of columns");
    let file = [("eu.jsonl".to_owned(), lines.into_bytes())];
    let publication = Publication::from_bytes_with(file, map, PublicationBounds::default());
    let import = publication.and_then(|publication| publication.read(None)).expect("a list");
    import.lists.into_iter().next().map(|parsed| parsed.list)
}

/// The UK Sanctions List in the tables of a third party: a row a subject, and a row a name.
fn uk(folder: &Path) -> Option<List> {
    let rows = |file: &str| rows(&folder.join(file));
    let name = ListName::new(ListName::UK);
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    for row in rows("uksl-2026-05-subjects.csv.gz")? {
        let kind = match &*row["subject_type"] {
            "individual" => EntityKind::Person,
            "ship" => EntityKind::Vessel,
            _ => EntityKind::Entity,
        };
        let mut entry = Entry::new(&row["unique_id"], &name, kind, "");
        entry.names.clear();
        entries.insert(row["unique_id"].clone(), entry);
    }
    for row in rows("uksl-2026-05-subject_names.csv.gz")? {
        let Some(entry) = entries.get_mut(&row["unique_id"]) else { continue };
        let weak = row["alias_strength"].to_ascii_lowercase().contains("low");
        let quality = if weak { Quality::Weak } else { Quality::Strong };
        entry.names.push(EntryName {
            text: row["full_name"].as_str().into(),
            quality,
            original_script: false,
        });
    }
    let entries = entries.into_values().filter(|entry| !entry.names.is_empty()).collect();
    Some(List {
        name,
        published: None,
        coverage: Coverage::Names,
        topic: Topic::Sanctions,
        demo: false,
        entries,
    })
}

/// The pairs that are found, by the two lists.
fn across(pairs: &[Pair], lists: &HashMap<&'static str, List>) -> Outcome {
    let mut outcome = Outcome { name: "lists/pairs".to_owned(), ..Outcome::default() };
    let indexes: HashMap<&str, Index> =
        lists.iter().map(|(name, list)| (*name, Index::build(list))).collect();
    let mut scratch = Scratch::default();
    let mut is_hit = |list: &str, name: &str, other: Option<&Entry>, uid: &str| {
        let (Some(index), Some(list)) = (indexes.get(list), lists.get(list)) else { return None };
        list.entry(uid)?;
        let facts = Facts { kind: other.map(|entry| entry.kind), ..Facts::default() };
        let screened = index.screen(list, &Query { name, facts, ..Query::default() }, LIMIT, &mut scratch);
        Some(screened.hits.iter().any(|hit| *list.entries[hit.entry].uid == *uid))
    };
    let (mut by_lists, mut unlike) = (BTreeMap::<String, (usize, usize)>::new(), (0, 0));
    for pair in pairs {
        let entry = |list: &str, uid: &str| lists.get(list).and_then(|list| list.entry(uid));
        let (one, other) = (entry(&pair.list_a, &pair.uid_a), entry(&pair.list_b, &pair.uid_b));
        let there = is_hit(&pair.list_b, &pair.name_a, one, &pair.uid_b);
        let back = is_hit(&pair.list_a, &pair.name_b, other, &pair.uid_a);
        let (Some(there), Some(back)) = (there, back) else { continue };
        let is_found = there || back;
        if !pair.share_a_name_token {
            unlike = (unlike.0 + usize::from(is_found), unlike.1 + 1);
            continue;
        }
        let (found, total) = by_lists.entry(format!("{} and {}", pair.list_a, pair.list_b)).or_default();
        (*found, *total) = (*found + usize::from(is_found), *total + 1);
        outcome.check(is_found, || {
            format!("{} {:?} and {} {:?}", pair.list_a, pair.name_a, pair.list_b, pair.name_b)
        });
    }
    let share = outcome.passed as f64 / outcome.total.max(1) as f64;
    outcome.figures = format!("found={share:.4} (at least {FOUND})");
    outcome.details =
        by_lists.iter().map(|(lists, (found, total))| format!("{lists}: {found} of {total}")).collect();
    outcome.details.push(format!("without a word in common: {} of {}", unlike.0, unlike.1));
    outcome.bar = Some(share >= FOUND);
    outcome
}
