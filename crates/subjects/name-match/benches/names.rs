//! The name engine on the real list: building the index, and screening one name after another.
//!
//! `cargo bench -p name-match --bench names`. Without `../shared/data` it has nothing to measure and says so.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use name_match::{Index, Query, Scratch};
use watchlist::{List, Publication, PublicationBounds};

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data")
}

fn real_list() -> Option<List> {
    let file = shared().join("ofac/current/ofac-sdn.json.gz");
    let publication = Publication::open(&[file], PublicationBounds::default()).ok()?;
    publication.read(None).ok()?.lists.into_iter().next().map(|parsed| parsed.list)
}

/// The labelled queries.
fn queries() -> Vec<String> {
    let rows = std::fs::read_to_string(shared().join("screening-eval/list.jsonl")).unwrap_or_default();
    let query = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).ok()?;
        row["query"].as_str().map(str::to_owned)
    };
    rows.lines().filter_map(query).collect()
}

fn names(criterion: &mut Criterion) {
    let (Some(list), queries) = (real_list(), queries()) else {
        println!("skipped: there is no list in ../shared/data/ofac/current");
        return;
    };
    criterion.bench_function("build", |bencher| bencher.iter(|| Index::build(black_box(&list))));
    let index = Index::build(&list);
    let mut scratch = Scratch::default();
    let mut screen = |bencher: &mut criterion::Bencher<'_>, queries: &[&str]| {
        let mut next = queries.iter().cycle();
        bencher.iter(|| {
            let name = next.next().copied().unwrap_or("");
            index.screen(&list, &Query { name, ..Query::default() }, 10, &mut scratch)
        });
    };
    let all: Vec<&str> = queries.iter().map(String::as_str).collect();
    let foreign: Vec<&str> = all.iter().copied().filter(|query| !query.is_ascii()).collect();
    criterion.bench_function("screen, all labelled queries in turn", |bencher| screen(bencher, &all));
    criterion.bench_function("screen, those not in ASCII", |bencher| screen(bencher, &foreign));
    for query in
        ["Boris Johnson", "Mohammed Ahmad Hassan", "Limited Liability Company Vector", "محمد حسن علي"]
    {
        criterion.bench_function(&format!("screen, {query}"), |bencher| screen(bencher, &[query]));
    }
}

criterion_group!(benches, names);
criterion_main!(benches);
