//! The index against a scan of every name with the same scorer.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use name_match::{Index, Query, Scratch, ScreenResult, Verdict};
use proptest::prelude::*;
use serde_json::Value;
use watchlist::{Entry, List, Publication, PublicationBounds, Quality};

use super::{also, organisation, person, vessel};
use crate::Listed;

/// Hits as far as they can differ.
fn hits(screened: &ScreenResult) -> Vec<(usize, usize, u32)> {
    screened.hits.iter().map(|hit| (hit.entry, hit.name, hit.score.to_bits())).collect()
}

/// Words that share letters, spellings and beginnings, so that made-up names collide in every way there is.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(vec![
            "mohammed", "muhammad", "mohamed", "yusuf", "yousef", "sergei", "sergey", "aleksandr", "alexander", "al", "bin",
            "abd", "de", "la", "kim", "jong", "un", "company", "ltd", "llc", "trading", "bank", "star", "7628", "ii", "2", "g",
            "s", "k", "m", "a", "t.d.g.", "spc", "v1ktor", "5adam", "a1i", "b0ut", "bout", "ali", "the", "haji", "gen", "محمد", "يوسف", "الرحمن", "Сергей", "王", "伟", "김",
        ]).prop_map(str::to_owned),
        2 => "[a-d]{2,9}",
        1 => "[a-z]{1,12}",
        1 => "[ksh]{1,2}[aeiou]{1,2}[rnm]{1,2}[aeiouy]{0,2}[vz]?",
    ]
}

fn text() -> impl Strategy<Value = String> {
    (proptest::collection::vec(word(), 1..6), any::<bool>())
        .prop_map(|(words, comma)| if comma { words.join(", ") } else { words.join(" ") })
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    proptest::collection::vec((text(), proptest::option::of(text()), 0..3_u8), 1..25).prop_map(|names| {
        let entry = |(at, (primary, alias, kind)): (usize, (String, Option<String>, u8))| {
            let uid = at.to_string();
            let entry = match kind {
                0 => person(&uid, &primary),
                1 => organisation(&uid, &primary),
                _ => vessel(&uid, &primary),
            };
            alias.iter().fold(entry, |entry, alias| also(entry, alias, Quality::Strong))
        };
        names.into_iter().enumerate().map(entry).collect()
    })
}

proptest! {
    #[test]
    fn the_index_loses_nothing_on_made_up_lists(entries in entries(), queries in proptest::collection::vec(text(), 8)) {
        let listed = Listed::new(entries);
        let mut scratch = Scratch::default();
        for name in &queries {
            let query = Query { name, ..Query::default() };
            let by_index = listed.index.screen(&listed.list, &query, usize::MAX, &mut scratch);
            let by_scan = listed.index.screen_every(&listed.list, &query, usize::MAX, &mut scratch);
            prop_assert_eq!(hits(&by_index), hits(&by_scan), "{}", name);
        }
    }
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data")
}

fn real_list() -> Option<List> {
    let file = shared().join("ofac/current/ofac-sdn.json.gz");
    if !file.exists() {
        println!("skipped: there is no {}", file.display());
        return None;
    }
    let import = Publication::open(&[file], PublicationBounds::default())
        .and_then(|publication| publication.read(None))
        .expect("the shared list is readable");
    import.lists.into_iter().next().map(|parsed| parsed.list)
}

/// Looks at all of them, on all processors.
fn for_each<T: Sync>(all: &[T], look: impl Fn(&T, &mut Scratch) + Sync) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for first in 0..threads {
            let part = all.iter().skip(first).step_by(threads);
            let look = &look;
            scope.spawn(move || {
                let mut scratch = Scratch::default();
                part.for_each(|one| look(one, &mut scratch));
            });
        }
    });
}

#[test]
fn the_index_loses_nothing_on_the_real_list() {
    let Some(list) = real_list() else { return };
    let Ok(rows) = std::fs::read_to_string(shared().join("screening-eval/list.jsonl")) else {
        println!("skipped: there are no labelled queries");
        return;
    };
    let index = Index::build(&list);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    // A scan of all names takes long: every fourth query, which are of all kinds of mistakes that the rows have.
    let mut queries: Vec<_> =
        rows.iter().step_by(4).map(|row| row["query"].as_str().unwrap().to_owned()).collect();
    let names = list.entries.iter().step_by(100).map(|entry| &entry.names[0].text);
    queries.extend(names.map(|name| format!("Invoice 4471: pay {name}, Hamburg branch, born 1970")));
    for_each(&queries, |name, scratch| {
        let query = Query { name, ..Query::default() };
        let by_index = index.screen(&list, &query, usize::MAX, scratch);
        let by_scan = index.screen_every(&list, &query, usize::MAX, scratch);
        assert_eq!(hits(&by_index), hits(&by_scan), "{}", query.name);
    });
}

#[test]
fn every_name_of_the_real_list_finds_its_entry() {
    let Some(list) = real_list() else { return };
    let index = Index::build(&list);
    let entries = list.entries.iter().enumerate();
    let names: Vec<_> =
        entries.flat_map(|(at, entry)| entry.names.iter().map(move |name| (at, name))).collect();
    for_each(&names, |(entry, name), scratch| {
        let query = Query { name: &name.text, ..Query::default() };
        let screened = index.screen(&list, &query, usize::MAX, scratch);
        let hit = screened.hits.iter().find(|hit| hit.entry == *entry);
        let least = if name.quality == Quality::Weak { Verdict::PossibleMatch } else { Verdict::Match };
        assert!(hit.is_some_and(|hit| hit.verdict >= least), "{}: {:?}", name.text, hit);
    });
}
