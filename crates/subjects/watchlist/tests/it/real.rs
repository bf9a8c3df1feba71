//! The real publications: what their README counts, counted again.

use std::path::PathBuf;

use receipt::time::Timestamp;
use watchlist::lists::{Doubt, NameKind};
use watchlist::snapshot::{ListCounts, SnapshotStatus};
use watchlist::{Coverage, Diff, List, ListName, ParsedList, Publication, PublicationBounds, Store};

use crate::common::{only, read_paths, real_data};

#[test]
fn the_current_publication_has_the_counts_of_its_readme() {
    let Some(folder) = real_data() else { return };
    let import = read_paths(&[folder.join("current")]).unwrap();
    assert_eq!(import.passed_over, ["metadata.json", "ofac-sdn.csv"]);
    let parsed = only(Ok(import));
    assert_eq!(parsed.list.name.as_str(), ListName::OFAC_SDN);
    assert_eq!(parsed.list.published, Some(jiff::civil::date(2026, 8, 20)));
    assert_eq!(parsed.doubts, []);
    assert_eq!(parsed.declared, Some(19_249));
    let counts = ListCounts::of(&parsed.list);
    assert_eq!(counts.entries, 19_249);
    assert_eq!(
        (counts.organisations, counts.persons, counts.vessels, counts.aircraft, counts.unknown),
        (9_871, 7_502, 1_534, 342, 0)
    );
    let greatest = parsed.list.entries.iter().filter_map(|entry| entry.uid.parse::<u32>().ok()).max();
    assert_eq!(greatest, Some(58_454));
    // Of 20,194, four repeat the primary name or another alias of their entry: each is kept once.
    assert_eq!(counts.strong_aliases, 20_190);
}

#[test]
fn the_nine_publications_differ_as_their_readme_says() {
    let Some(folder) = real_data() else { return };
    let read = |date: &str| -> List {
        let path = match date {
            "2026-08-20" => folder.join("current/ofac-sdn.json.gz"),
            _ => folder.join(format!("older/ofac-sdn-{date}.json.gz")),
        };
        only(read_paths(&[path])).list
    };
    let expected = [
        ("2026-07-24", 0, 97, 17),
        ("2026-07-28", 18, 0, 0),
        ("2026-07-29", 6, 0, 0),
        ("2026-08-04", 0, 3, 0),
        ("2026-08-06", 11, 0, 2),
        ("2026-08-07", 18, 8, 0),
        ("2026-08-18", 3, 0, 0),
        ("2026-08-20", 47, 0, 1),
    ];
    let mut before = read("2026-07-23");
    assert_eq!(before.entries.len(), 19_254);
    for (date, added, removed, changed) in expected {
        let after = read(date);
        let diff = Diff::between(&before, &after);
        let counts = (diff.added.len(), diff.removed.len(), diff.changed.len());
        assert_eq!(counts, (added, removed, changed), "{date}");
        assert!(diff.changed.iter().all(|change| !change.fields.is_empty()), "{date}");
        before = after;
    }
}

#[test]
fn real_publications_follow_one_another_without_a_question_and_one_without_aliases_does_not() {
    let Some(folder) = real_data() else { return };
    let kept = tempfile::tempdir().unwrap();
    let store = Store::open(kept.path()).unwrap();
    let mut time = Timestamp::EPOCH;
    let mut admit = |parsed: &ParsedList| {
        time = time.saturating_add_millis(1_000);
        store.admit(parsed, "a test", time).unwrap().standing
    };
    let read = |path: &str| only(read_paths(&[folder.join(path)]));
    for date in ["07-23", "07-24", "07-28", "07-29", "08-04", "08-06", "08-07", "08-18"] {
        assert_eq!(
            admit(&read(&format!("older/ofac-sdn-2026-{date}.json.gz"))),
            SnapshotStatus::Live,
            "{date}"
        );
    }
    let mut last = read("current/ofac-sdn.json.gz");
    assert_eq!(admit(&last), SnapshotStatus::Live);
    // What alt.csv holds is gone.
    last.list.entries.iter_mut().for_each(|entry| entry.names.truncate(1));
    let lost = Doubt::NamesLost { names: NameKind::StrongAliases, lost: 20_190, of: 20_190 };
    assert_eq!(admit(&last), SnapshotStatus::Held(vec![lost]));
}

#[test]
fn the_complete_legacy_set_of_2021() {
    let Some(folder) = real_data() else { return };
    let parsed = only(read_paths(&[folder.join("raw-2021-07")]));
    let counts = ListCounts::of(&parsed.list);
    assert_eq!(counts.entries, 8_976);
    assert_eq!(parsed.doubts, []);
    assert!(parsed.list.entries.iter().any(|entry| !entry.addresses.is_empty()));
    // Its remarks go over into the comments: the last facts stand there.
    let entry = parsed.list.entry("28264").unwrap();
    assert!(entry.names.iter().any(|name| &*name.text == "khaleesi"));
    assert!(entry.remarks.as_deref().is_some_and(|remarks| remarks.ends_with("LAZARUS GROUP.")));
}

#[test]
fn the_remarks_of_2024_give_what_its_readme_counts() {
    let Some(folder) = real_data() else { return };
    let parsed = only(read_paths(&[folder.join("raw-2024-05-03/sdn.csv")]));
    let counts = ListCounts::of(&parsed.list);
    assert_eq!(counts.entries, 14_965);
    assert_eq!(counts.vessels, 851);
    assert_eq!(counts.aircraft, 376);
    assert_eq!(counts.persons, 6_854);
    let ships = parsed.list.entries.iter().filter(|entry| entry.imo.is_some()).count();
    assert_eq!(ships, 854);
    let births = parsed.list.entries.iter().map(|entry| entry.births.len()).sum::<usize>();
    let born = parsed.list.entries.iter().filter(|entry| !entry.births.is_empty()).count();
    assert_eq!((born, births), (6_736, 7_533));
    assert_eq!(counts.weak_aliases, 3_663);
    // Its aliases, and the ends of its longest remarks, are in files that are not there.
    let doubts = &parsed.doubts[..];
    assert!(
        matches!(doubts, [Doubt::PartMissing { .. }, Doubt::RemarksCut { entries: 18, .. }]),
        "{doubts:?}"
    );
    // Of 295 addresses, six are cut at the end of their remarks, and one comes twice.
    assert_eq!(counts.wallets, 288);
}

#[test]
fn the_consolidated_list() {
    let Some(folder) = real_data() else { return };
    let parsed = only(read_paths(&[folder.join("consolidated")]));
    assert_eq!(parsed.list.name.as_str(), ListName::OFAC_CONSOLIDATED);
    assert_eq!(parsed.list.entries.len(), 442);
    assert_eq!(parsed.doubts, []);
}

#[test]
fn a_real_list_is_told_by_what_it_holds_whatever_its_file_is_called() {
    let Some(folder) = real_data() else { return };
    // A main file, its aliases and its comments, under other names.
    let read_as = |paths: [&str; 3], names: [&str; 3]| {
        let read = |path: &str| std::fs::read(folder.join(path)).unwrap();
        let files = names.into_iter().map(str::to_owned).zip(paths.map(read));
        only(Publication::from_bytes(files, PublicationBounds::default()).unwrap().read(None))
    };
    let [consolidated, sdn] = [
        ["consolidated/cons_prim.csv", "consolidated/cons_alt.csv", "consolidated/cons_comments.csv"],
        ["raw-2021-07/sdn.csv", "raw-2021-07/alt.csv", "raw-2021-07/sdn_comments.csv"],
    ];
    for (paths, list) in [(consolidated, ListName::OFAC_CONSOLIDATED), (sdn, ListName::OFAC_SDN)] {
        let neutral = read_as(paths, ["main.csv", "aliases.csv", "comments.csv"]);
        assert_eq!((neutral.list.name.as_str(), &neutral.doubts[..]), (list, &[][..]));
    }
    let as_sdn = read_as(consolidated, ["sdn.csv", "alt.csv", "sdn_comments.csv"]);
    let as_consolidated = read_as(sdn, ["cons_prim.csv", "cons_alt.csv", "cons_comments.csv"]);
    for (parsed, list) in [(as_sdn, ListName::OFAC_CONSOLIDATED), (as_consolidated, ListName::OFAC_SDN)] {
        assert_eq!(parsed.list.name.as_str(), list);
        assert!(matches!(parsed.doubts[..], [Doubt::AnotherList { .. }]), "{:?}", parsed.doubts);
    }
}

#[test]
fn aliases_without_their_list_are_refused() {
    let Some(folder) = real_data() else { return };
    let error = read_paths(&[folder.join("raw-2026-06-02")]).unwrap_err();
    assert!(matches!(error, watchlist::ListError::MainFileMissing { .. }), "{error}");
}

#[test]
fn files_of_two_days_make_no_list() {
    let Some(folder) = real_data() else { return };
    let paths: Vec<PathBuf> = vec![
        folder.join("older/ofac-sdn-2026-08-18.json.gz"),
        folder.join("crypto/addresses-2026-08-20.jsonl"),
    ];
    let error = read_paths(&paths).unwrap_err();
    assert!(matches!(error, watchlist::ListError::DatesDiffer { .. }), "{error}");
    let error = read_paths(&[folder.join("older")]).unwrap_err();
    assert!(matches!(error, watchlist::ListError::DatesDiffer { .. }), "{error}");
    let lossy = folder.join("crypto/sanctioned-addresses-2026-08-20.json");
    let error = read_paths(&[lossy]).unwrap_err();
    assert!(matches!(error, watchlist::ListError::UnknownForm { .. }), "{error}");
}

#[test]
fn wallets_join_the_entries_of_the_same_publication() {
    let Some(folder) = real_data() else { return };
    let wallets = folder.join("crypto/addresses-2026-08-20.jsonl");
    let alone = only(read_paths(std::slice::from_ref(&wallets)));
    assert_eq!(alone.list.coverage, Coverage::WalletsOnly);
    assert_eq!(ListCounts::of(&alone.list).wallets, 976);

    let joined = only(read_paths(&[wallets, folder.join("current/ofac-sdn.json.gz")]));
    assert_eq!(joined.list.coverage, Coverage::Names);
    let counts = ListCounts::of(&joined.list);
    assert_eq!((counts.entries, counts.wallets), (19_249, 976));
    assert!(!joined.doubts.iter().any(|doubt| matches!(doubt, Doubt::Orphans { .. })));
}
