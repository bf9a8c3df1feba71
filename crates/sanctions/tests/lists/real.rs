//! The real publications: what their README counts, counted again.

use std::path::PathBuf;

use sanctions::lists::Doubt;
use sanctions::snapshot::Counts;
use sanctions::{Coverage, Diff, List, ListName};

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
    let counts = Counts::of(&parsed.list);
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
fn the_complete_legacy_set_of_2021() {
    let Some(folder) = real_data() else { return };
    let parsed = only(read_paths(&[folder.join("raw-2021-07")]));
    let counts = Counts::of(&parsed.list);
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
    let counts = Counts::of(&parsed.list);
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
fn aliases_without_their_list_are_refused() {
    let Some(folder) = real_data() else { return };
    let error = read_paths(&[folder.join("raw-2026-06-02")]).unwrap_err();
    assert!(matches!(error, sanctions::ListError::MainFileMissing { .. }), "{error}");
}

#[test]
fn files_of_two_days_make_no_list() {
    let Some(folder) = real_data() else { return };
    let paths: Vec<PathBuf> = vec![
        folder.join("older/ofac-sdn-2026-08-18.json.gz"),
        folder.join("crypto/addresses-2026-08-20.jsonl"),
    ];
    let error = read_paths(&paths).unwrap_err();
    assert!(matches!(error, sanctions::ListError::DatesDiffer { .. }), "{error}");
    let error = read_paths(&[folder.join("older")]).unwrap_err();
    assert!(matches!(error, sanctions::ListError::DatesDiffer { .. }), "{error}");
    let lossy = folder.join("crypto/sanctioned-addresses-2026-08-20.json");
    let error = read_paths(&[lossy]).unwrap_err();
    assert!(matches!(error, sanctions::ListError::UnknownForm { .. }), "{error}");
}

#[test]
fn wallets_join_the_entries_of_the_same_publication() {
    let Some(folder) = real_data() else { return };
    let wallets = folder.join("crypto/addresses-2026-08-20.jsonl");
    let alone = only(read_paths(std::slice::from_ref(&wallets)));
    assert_eq!(alone.list.coverage, Coverage::WalletsOnly);
    assert_eq!(Counts::of(&alone.list).wallets, 976);

    let joined = only(read_paths(&[wallets, folder.join("current/ofac-sdn.json.gz")]));
    assert_eq!(joined.list.coverage, Coverage::Names);
    let counts = Counts::of(&joined.list);
    assert_eq!((counts.entries, counts.wallets), (19_249, 976));
    assert!(!joined.doubts.iter().any(|doubt| matches!(doubt, Doubt::Orphans { .. })));
}
