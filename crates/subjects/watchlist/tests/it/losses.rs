//! What a new list may lack of the live one's names before an operator is asked.

use receipt::time::Timestamp;
use watchlist::lists::{Doubt, NameKind};
use watchlist::snapshot::SnapshotStatus;
use watchlist::{ParsedList, Quality, Store};

use crate::common::{ADD_CSV, ADVANCED_XML, ALT_CSV, SDN_CSV, SDN_XML, only, read};

fn at(seconds: i64) -> Timestamp {
    Timestamp::EPOCH.saturating_add_millis(seconds * 1000)
}

/// What is asked about the second list where the first is live.
fn asked(first: &ParsedList, second: &ParsedList) -> Vec<Doubt> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("an empty store");
    let standing = |parsed, time| store.admit(parsed, "a test", time).expect("it is kept").standing;
    assert_eq!(standing(first, at(0)), SnapshotStatus::Live);
    match standing(second, at(1)) {
        SnapshotStatus::Live => Vec::new(),
        SnapshotStatus::Held(doubts) => doubts,
        other => panic!("{other:?}"),
    }
}

fn lost(names: NameKind, lost: u64, of: u64) -> Doubt {
    Doubt::NamesLost { names, lost, of }
}

/// The fixture's person a hundred times, each with an alias of every kind, and so many without the strong one.
fn hundred(day: &str, without: usize) -> ParsedList {
    let mut parsed = only(read(&[("sdn_advanced.xml", ADVANCED_XML)]));
    parsed.list.published = Some(day.parse().expect("a day"));
    let person = parsed.list.entry("101").expect("the fixture's person").clone();
    let copy = |n: usize| {
        let mut copy = person.clone();
        copy.uid = format!("{n:03}").into();
        copy.names.retain(|name| n >= without || name.quality != Quality::Strong || name.original_script);
        copy
    };
    parsed.list.entries = (0..100).map(copy).collect();
    parsed
}

#[test]
fn a_publication_without_its_aliases_is_asked_about() {
    let whole = only(read(&[("sdn.csv", SDN_CSV), ("alt.csv", ALT_CSV), ("add.csv", ADD_CSV)]));
    let without = only(read(&[("sdn.csv", SDN_CSV), ("add.csv", ADD_CSV)]));
    let doubts = asked(&whole, &without);
    assert!(doubts.contains(&lost(NameKind::StrongAliases, 1, 1)), "{doubts:?}");
}

#[test]
fn a_form_without_original_scripts_does_not_replace_one_with_them_unasked() {
    let advanced = only(read(&[("sdn_advanced.xml", ADVANCED_XML)]));
    let plain = only(read(&[("sdn.xml", SDN_XML)]));
    let doubts = asked(&advanced, &plain);
    assert!(doubts.contains(&lost(NameKind::OriginalScripts, 1, 1)), "{doubts:?}");
    assert!(asked(&plain, &advanced).is_empty(), "it has more");
    let said = lost(NameKind::OriginalScripts, 1, 1).to_string();
    assert_eq!(said, "1 of the live snapshot's 1 names in their original script are missing");
}

#[test]
fn aliases_that_are_no_longer_weak_are_asked_about() {
    let weak = only(read(&[("sdn.xml", SDN_XML)]));
    let strong = only(read(&[("sdn.xml", &SDN_XML.replace(">weak<", ">strong<"))]));
    assert_eq!(asked(&weak, &strong), [lost(NameKind::WeakAliases, 1, 1)]);
}

#[test]
fn one_name_in_twenty_may_go_and_any_may_be_spelt_otherwise() {
    assert_eq!(hundred("2026-08-20", 0).list.entries[7].names.len(), 4);
    let before = hundred("2026-08-20", 0);
    // Of the strong aliases, half are in Latin letters.
    assert_eq!(asked(&before, &hundred("2026-08-21", 10)), []);
    assert_eq!(asked(&before, &hundred("2026-08-21", 11)), [lost(NameKind::StrongAliases, 11, 200)]);
    let mut other = hundred("2026-08-21", 0);
    for name in other.list.entries.iter_mut().flat_map(|entry| &mut entry.names) {
        name.text = format!("{}I", name.text).into();
    }
    assert_eq!(asked(&before, &other), []);
    // Names that go with their entries are not counted twice.
    let mut fewer = hundred("2026-08-21", 0);
    fewer.list.entries.truncate(94);
    assert_eq!(asked(&before, &fewer), [Doubt::EntriesLost { lost: 6, of: 100 }]);
}

#[test]
fn a_list_whose_file_of_addresses_was_cut_short_is_asked_about() {
    let before = hundred("2026-08-20", 0);
    let cut = |addresses: usize| {
        let mut after = hundred("2026-08-21", 0);
        after.list.entries.iter_mut().take(addresses).for_each(|entry| entry.wallets.clear());
        after
    };
    assert_eq!(asked(&before, &cut(5)), []);
    assert_eq!(asked(&before, &cut(6)), [Doubt::WalletsLost { lost: 6, of: 100 }]);
}

#[test]
fn a_damaged_live_snapshot_still_counts_by_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = store.admit(&hundred("2026-08-20", 0), "a test", at(0)).unwrap().id;
    std::fs::write(store.snapshot_folder(&id).join("content.jsonl.gz"), "damaged").unwrap();
    let held = store.admit(&hundred("2026-08-21", 11), "a test", at(1)).unwrap();
    assert_eq!(held.standing, SnapshotStatus::Held(vec![lost(NameKind::StrongAliases, 11, 200)]));
}
