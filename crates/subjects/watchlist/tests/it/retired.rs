//! Lists that an operator takes out, and how a snapshot stands.

use std::fs;

use receipt::time::Timestamp;
use watchlist::lists::Doubt;
use watchlist::snapshot::SnapshotStatus;
use watchlist::{ListName, ParsedList, Store, StoreError};

use crate::common::{SDN_XML, only, read};

fn at(seconds: i64) -> Timestamp {
    Timestamp::EPOCH.saturating_add_millis(seconds * 1000)
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path()).expect("an empty store");
    (folder, store)
}

fn sdn() -> ListName {
    ListName::new(ListName::OFAC_SDN)
}

/// The publication of that day of August.
fn of(day: u8) -> ParsedList {
    only(read(&[("sdn.xml", &SDN_XML.replace("08/20", &format!("08/{day}")))]))
}

#[test]
fn a_retired_list_is_not_live_stays_loadable_and_comes_back_only_by_accept() {
    let (_folder, store) = store();
    let first = store.admit(&of(20), "a test", at(0)).unwrap().id;
    let consolidated = only(read(&[("consolidated.xml", SDN_XML)]));
    store.admit(&consolidated, "a test", at(0)).unwrap();
    store.retire(&sdn(), at(1)).unwrap();
    assert_eq!(store.live().unwrap().keys().collect::<Vec<_>>(), [&consolidated.list.name]);
    assert_eq!(store.load(&first).unwrap().list, of(20).list);
    assert_eq!(store.standing(&first, &[]).unwrap(), SnapshotStatus::Retired);
    // The same publication again, and a later one: kept, and not live.
    for day in [20, 21] {
        assert_eq!(store.admit(&of(day), "a test", at(2)).unwrap().standing, SnapshotStatus::Retired);
        assert!(!store.live().unwrap().contains_key(&sdn()));
    }
    assert!(matches!(store.confirm(&sdn(), &first, at(3)), Err(StoreError::NotLive(_))));
    store.accept(&first, at(4)).unwrap();
    assert_eq!(store.live().unwrap()[&sdn()].snapshot, first);
    assert_eq!(store.admit(&of(21), "a test", at(5)).unwrap().standing, SnapshotStatus::Live);
    // And it can be taken out again.
    store.retire(&sdn(), at(6)).unwrap();
    assert_eq!(store.admit(&of(21), "a test", at(7)).unwrap().standing, SnapshotStatus::Retired);
}

#[test]
fn only_a_live_list_is_taken_out() {
    let (_folder, store) = store();
    assert!(matches!(store.retire(&sdn(), at(0)), Err(StoreError::NoList(name)) if name == sdn()));
    store.admit(&of(20), "a test", at(0)).unwrap();
    assert!(matches!(store.retire(&ListName::new("OFAC"), at(0)), Err(StoreError::NoList(_))));
    store.retire(&sdn(), at(0)).unwrap();
    assert!(matches!(store.retire(&sdn(), at(0)), Err(StoreError::NoList(_))));
}

#[test]
fn a_note_of_retired_lists_that_cannot_be_read_brings_none_back() {
    let (folder, store) = store();
    store.admit(&of(20), "a test", at(0)).unwrap();
    store.retire(&sdn(), at(1)).unwrap();
    fs::write(folder.path().join("retired.json"), "{").unwrap();
    assert!(matches!(store.admit(&of(21), "a test", at(2)), Err(StoreError::Damaged { .. })));
    assert!(store.live().unwrap().is_empty());
}

#[test]
fn a_retirement_that_was_broken_off_has_not_happened() {
    let (folder, store) = store();
    store.admit(&of(20), "a test", at(0)).unwrap();
    let live = fs::read(folder.path().join("live.json")).unwrap();
    store.retire(&sdn(), at(1)).unwrap();
    // As if the second file had not been written.
    fs::write(folder.path().join("live.json"), live).unwrap();
    assert_eq!(store.admit(&of(21), "a test", at(2)).unwrap().standing, SnapshotStatus::Live);
}

#[test]
fn a_snapshot_stands_as_what_is_live_now_has_it() {
    let (_folder, store) = store();
    let older = store.admit(&of(18), "a test", at(0)).unwrap().id;
    let live = store.admit(&of(20), "a test", at(1)).unwrap().id;
    let held = store.admit(&only(read(&[("sdn.xml", &wrong_count())])), "a test", at(2)).unwrap().id;
    let count = Doubt::RecordCount { declared: 9, parsed: 4 };
    assert_eq!(store.standing(&live, &[]).unwrap(), SnapshotStatus::Confirmed);
    assert_eq!(store.standing(&older, &[]).unwrap(), SnapshotStatus::Older);
    assert_eq!(store.standing(&older, std::slice::from_ref(&count)).unwrap(), SnapshotStatus::Older);
    assert_eq!(store.standing(&held, &[]).unwrap(), SnapshotStatus::Held(vec![count]));
    // Of what it was held for last, its record need say nothing.
    let lost = Doubt::WalletsLost { lost: 1, of: 1 };
    assert_eq!(store.standing(&held, std::slice::from_ref(&lost)).unwrap(), SnapshotStatus::Held(vec![lost]));
    store.admit(&of(22), "a test", at(3)).unwrap();
    assert_eq!(store.standing(&held, &[]).unwrap(), SnapshotStatus::Older);
}

/// A publication of the 21st that says another number of entries than it has.
fn wrong_count() -> String {
    SDN_XML.replace("08/20", "08/21").replace("<Record_Count>4<", "<Record_Count>9<")
}
