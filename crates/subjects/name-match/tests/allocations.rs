//! What a screen allocates: nothing while it looks for candidates and scores them, and for its answer what the hits say.

use std::path::{Path, PathBuf};

use allocation_counter::{AllocationInfo, measure};
use name_match::{Index, Query, Scratch, ScreenResult, Verdict};
use serde_json::Value;
use watchlist::{List, Publication, PublicationBounds, demo};

/// Asked where there are no labelled queries: names that are on the demo list, in other spellings and scripts too, and
/// names that are not.
const NAMES: [&str; 16] = [
    "Viktor Anatolyevich Bout",
    "Bout, Viktor",
    "V1ktor B0ut",
    "Vik\u{200d}tor Bout",
    "Путин Владимир Владимирович",
    "Владимир Πутин",
    "محمد حسن علي",
    "김정은",
    "王伟",
    "Γεώργιος Παπαδόπουλος",
    "Jose\u{301} Ga\u{308}rtner",
    "Mr. Mohammed Ahmad Hassan al-Rashid bin Yusuf",
    "Limited Liability Company Vector Trading & Sons",
    "Nobody Of That Kind",
    "",
    "x",
];

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data")
}

/// The real list, or else the demo list.
fn list() -> List {
    let file = shared().join("ofac/current/ofac-sdn.json.gz");
    let Ok(publication) = Publication::open(&[file], PublicationBounds::default()) else {
        println!("on the demo list: there is no list in ../shared/data/ofac/current");
        return demo::list();
    };
    let import = publication.read(None).expect("the shared list is readable");
    import.lists.into_iter().next().expect("it has a list").list
}

/// The labelled queries, and those above.
fn queries() -> Vec<String> {
    let rows = std::fs::read_to_string(shared().join("screening-eval/list.jsonl")).unwrap_or_default();
    let labelled = rows.lines().map(|row| {
        let row: Value = serde_json::from_str(row).expect("a row is JSON");
        row["query"].as_str().expect("a row has a query").to_owned()
    });
    labelled.chain(NAMES.map(str::to_owned)).collect()
}

#[test]
fn nothing_is_allocated_for_candidates_and_scores_whatever_is_asked() {
    let list = list();
    let index = Index::build(&list);
    let (queries, mut scratch) = (queries(), Scratch::default());
    let mut screen = |name: &str, limit: usize| -> (ScreenResult, AllocationInfo) {
        let query = Query { name, ..Query::default() };
        let mut screened = None;
        let allocated = measure(|| screened = Some(index.screen(&list, &query, limit, &mut scratch)));
        (screened.expect("it was screened"), allocated)
    };
    // The buffers grow to what the longest of them needs.
    for query in &queries {
        screen(query, 0);
    }
    let (mut hits, mut for_hits) = (0, 0);
    for query in &queries {
        let (screened, allocated) = screen(query, 0);
        assert_eq!(allocated.count_total, 0, "candidates and scores of {query:?}");
        let (explained, allocated) = screen(query, 10);
        assert_eq!(explained.verdict, screened.verdict);
        if explained.verdict == Verdict::NoMatch {
            assert_eq!(allocated.count_total, 0, "the answer to {query:?}");
        }
        hits += explained.hits.len() as u64;
        for_hits += allocated.count_total;
    }
    assert!(hits > 0 && for_hits >= hits, "{for_hits} allocations for {hits} hits");
    println!(
        "{} queries on {} entries: no allocation for candidates and scores, {for_hits} for what {hits} hits say",
        queries.len(),
        list.entries.len()
    );
}
