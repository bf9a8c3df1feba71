//! Snapshots: their ids, their durability, which of them is live, and when an operator is asked.

use std::fs;

use receipt::time::Timestamp;
use watchlist::lists::Doubt;
use watchlist::snapshot::SnapshotStatus;
use watchlist::{Age, Diff, ListName, ParsedList, Snapshot, Store, StoreError, demo};

use crate::common::{ADVANCED_XML, SDN_XML, only, read, read_paths, real_data};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000 + seconds * 1000).expect("a time in 2026")
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path().join("lists")).expect("an empty store");
    (folder, store)
}

fn parsed(xml: &str) -> ParsedList {
    only(read(&[("sdn.xml", xml)]))
}

/// The fixture's publication, with so many organisations more.
fn larger(date: &str, organisations: std::ops::Range<u32>) -> ParsedList {
    let count = 4 + organisations.len();
    let entries: String = organisations
        .map(|n| format!("<sdnEntry><uid>{}</uid><lastName>ORG {n}</lastName></sdnEntry>", 1000 + n))
        .collect();
    let xml = SDN_XML
        .replace("08/20/2026", date)
        .replace("<Record_Count>4<", &format!("<Record_Count>{count}<"))
        .replace("</sdnList>", &format!("{entries}</sdnList>"));
    let parsed = parsed(&xml);
    assert_eq!(parsed.doubts, []);
    parsed
}

#[test]
fn the_id_is_the_hash_of_the_unpacked_content() {
    let (folder, store) = store();
    let admitted = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap();
    let packed = fs::read(store.snapshot_folder(&admitted.id).join("content.jsonl.gz")).unwrap();
    let mut content = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut content).unwrap();
    let digest: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(&content).into();
    assert_eq!(&digest, admitted.id.as_bytes());
    assert_eq!(content.split(|byte| *byte == b'\n').count(), 1 + 4 + 1);
    // Its form is part of its name for good: a change of either changes every id.
    insta::assert_snapshot!("content", String::from_utf8(content).unwrap());
    insta::assert_json_snapshot!("record", store.record(&admitted.id).unwrap());
    drop(folder);
}

#[test]
fn a_snapshot_comes_back_as_it_was() {
    let (_folder, store) = store();
    for parsed in [parsed(SDN_XML), only(read(&[("sdn_advanced.xml", ADVANCED_XML)]))] {
        let admitted = store.admit(&parsed, "a test", at(0)).unwrap();
        let snapshot = store.load(&admitted.id).unwrap();
        assert_eq!(snapshot.list, parsed.list);
        assert_eq!(Snapshot::of(snapshot.list).id, admitted.id);
    }
    let id = Snapshot::of(demo::list()).id;
    assert!(matches!(store.load(&id), Err(StoreError::Unknown(unknown)) if unknown == id));
}

#[test]
fn the_same_publication_confirms_what_is_live() {
    let (_folder, store) = store();
    let sdn = ListName::new(ListName::OFAC_SDN);
    let parsed = parsed(SDN_XML);
    let id = Snapshot::of(parsed.list.clone()).id;
    let other = Snapshot::of(demo::list()).id;
    assert!(matches!(store.confirm(&sdn, &id, at(0)), Err(StoreError::NotLive(_))));
    assert_eq!(store.admit(&parsed, "a test", at(0)).unwrap().standing, SnapshotStatus::Live);
    assert!(matches!(store.confirm(&sdn, &other, at(50)), Err(StoreError::NotLive(_))));
    assert_eq!(store.admit(&parsed, "a test", at(60)).unwrap().standing, SnapshotStatus::Confirmed);
    let age = |now| store.live().unwrap()[&sdn].age(at(now));
    assert_eq!(age(100), Age::Millis(40_000));
    store.confirm(&sdn, &id, at(90)).unwrap();
    assert_eq!(age(100), Age::Millis(10_000));
    assert!(age(90 + 86_401).is_stale());
    // The snapshot itself still says when it was first had.
    let record = store.record(&store.live().unwrap()[&sdn].snapshot).unwrap();
    assert_eq!(record.fetched_at, at(0));
}

#[test]
fn a_doubtful_list_waits_for_an_operator() {
    let (_folder, store) = store();
    let first = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap();
    let wrong = parsed(&SDN_XML.replace("<Record_Count>4<", "<Record_Count>9<").replace("VANYA", "VANJA"));
    let held = store.admit(&wrong, "a test", at(60)).unwrap();
    assert_eq!(held.standing, SnapshotStatus::Held(vec![Doubt::RecordCount { declared: 9, parsed: 4 }]));
    let sdn = ListName::new(ListName::OFAC_SDN);
    assert_eq!(store.live().unwrap()[&sdn].snapshot, first.id);
    assert_eq!(store.live().unwrap()[&sdn].confirmed_at, at(0));
    assert_eq!(store.record(&held.id).unwrap().doubts.len(), 1);
    // Seen again, it is still doubtful.
    assert!(matches!(store.admit(&wrong, "a test", at(90)).unwrap().standing, SnapshotStatus::Held(_)));
    store.accept(&held.id, at(120)).unwrap();
    assert_eq!(store.live().unwrap()[&sdn].snapshot, held.id);
    assert_eq!(store.records().unwrap().len(), 2);
}

#[test]
fn more_than_one_entry_in_twenty_is_not_lost_without_a_question() {
    let (_folder, store) = store();
    store.admit(&larger("08/20/2026", 0..96), "a test", at(0)).unwrap();
    let five = store.admit(&larger("08/21/2026", 5..96), "a test", at(1)).unwrap();
    assert_eq!(five.standing, SnapshotStatus::Live);
    let (_folder, store) = self::store();
    store.admit(&larger("08/20/2026", 0..96), "a test", at(0)).unwrap();
    let six = store.admit(&larger("08/21/2026", 6..96), "a test", at(1)).unwrap();
    assert_eq!(six.standing, SnapshotStatus::Held(vec![Doubt::EntriesLost { lost: 6, of: 100 }]));
}

#[test]
fn a_form_without_wallets_does_not_replace_one_with_them_unasked() {
    let (_folder, store) = store();
    store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap();
    let without = SDN_XML.replace("Digital Currency Address - XBT", "Other");
    let held = store.admit(&parsed(&without), "a test", at(1)).unwrap();
    assert_eq!(held.standing, SnapshotStatus::Held(vec![Doubt::WalletsLost { lost: 1, of: 1 }]));
}

#[test]
fn an_older_publication_is_kept_and_not_live() {
    let (_folder, store) = store();
    let newer = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap();
    let older = store.admit(&parsed(&SDN_XML.replace("08/20", "08/18")), "a test", at(1)).unwrap();
    assert_eq!(older.standing, SnapshotStatus::Older);
    let sdn = ListName::new(ListName::OFAC_SDN);
    assert_eq!(store.live().unwrap()[&sdn].snapshot, newer.id);
    assert_eq!(store.live().unwrap()[&sdn].confirmed_at, at(0));
    assert!(store.load(&older.id).is_ok());
    let dates: Vec<_> = store.records().unwrap().into_iter().filter_map(|record| record.published).collect();
    assert_eq!(dates, ["2026-08-20", "2026-08-18"]);
}

#[test]
fn a_damaged_snapshot_is_not_used() {
    let (_folder, store) = store();
    let id = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap().id;
    let path = store.snapshot_folder(&id).join("content.jsonl.gz");
    let whole = fs::read(&path).unwrap();
    let other = store.admit(&parsed(&SDN_XML.replace("VANYA", "VANJA")), "a test", at(1)).unwrap().id;
    let other = fs::read(store.snapshot_folder(&other).join("content.jsonl.gz")).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for damaged in [&whole[..whole.len() - 1], &whole[..whole.len() / 2], &flipped, &other, &[]] {
        fs::write(&path, damaged).unwrap();
        assert!(matches!(store.load(&id), Err(StoreError::Damaged { .. })));
        assert!(matches!(store.accept(&id, at(2)), Err(StoreError::Damaged { .. })));
    }
    // The same publication, read again, heals it.
    assert_eq!(store.admit(&parsed(SDN_XML), "a test", at(3)).unwrap().id, id);
    assert!(store.load(&id).is_ok());
}

#[test]
fn a_write_that_was_interrupted_leaves_nothing_that_is_used() {
    let (folder, store) = store();
    let half = folder.path().join("lists/snapshots/.new-half");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("content.jsonl.gz"), "half").unwrap();
    let live = folder.path().join("lists/.new-live.json-half");
    fs::write(&live, "{").unwrap();
    // What is written under another lock may be in use.
    let note = folder.path().join("lists/.new-fetched-sdn.json-half");
    fs::write(&note, "{").unwrap();
    let id = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap().id;
    assert_eq!(store.records().unwrap().len(), 1);
    assert!(store.load(&id).is_ok());
    assert_eq!((half.exists(), live.exists(), note.exists()), (false, false, true));
}

#[test]
fn a_damaged_live_snapshot_keeps_no_later_publication_away() {
    let damaged = |remains: Option<&str>| {
        let (folder, store) = store();
        let id = store.admit(&larger("08/20/2026", 0..96), "a test", at(0)).unwrap().id;
        let content = store.snapshot_folder(&id).join("content.jsonl.gz");
        match remains {
            Some(text) => fs::write(content, text).unwrap(),
            None => fs::remove_file(content).unwrap(),
        }
        (folder, store)
    };
    let standing =
        |store: &Store, parsed: &ParsedList| store.admit(parsed, "a test", at(1)).unwrap().standing;
    for remains in [Some("damaged"), None] {
        // By its record: the date, how many entries, and whether there were wallets.
        let (_folder, store) = damaged(remains);
        assert_eq!(standing(&store, &larger("08/19/2026", 0..96)), SnapshotStatus::Older);
        let lost = Doubt::EntriesLost { lost: 6, of: 100 };
        assert_eq!(standing(&store, &larger("08/21/2026", 6..96)), SnapshotStatus::Held(vec![lost]));
        let mut without = larger("08/21/2026", 0..96);
        without.list.entries.iter_mut().for_each(|entry| entry.wallets.clear());
        assert_eq!(
            standing(&store, &without),
            SnapshotStatus::Held(vec![Doubt::WalletsLost { lost: 1, of: 1 }])
        );
        assert_eq!(standing(&store, &larger("08/21/2026", 5..96)), SnapshotStatus::Live);
    }
}

#[test]
fn a_record_that_cannot_be_read_hides_no_other() {
    let (_folder, store) = store();
    let first = store.admit(&parsed(SDN_XML), "a test", at(0)).unwrap().id;
    let second = store.admit(&parsed(&SDN_XML.replace("VANYA", "VANJA")), "a test", at(1)).unwrap().id;
    let record = store.snapshot_folder(&first).join("record.json");
    let ids = || store.records().unwrap().iter().map(|record| record.id).collect::<Vec<_>>();
    assert_eq!(ids().len(), 2);
    fs::write(&record, "{").unwrap();
    assert_eq!(ids(), [second]);
    fs::remove_file(&record).unwrap();
    assert_eq!(ids(), [second]);
}

#[test]
fn a_difference_says_what_changed() {
    let before = parsed(SDN_XML).list;
    let changed = SDN_XML
        .replace("VANYA", "VANJA")
        .replace("CL2192", "CL9")
        .replace("<uid>104</uid><lastName>EP-EXA", "<uid>105</uid><lastName>EP-NEW");
    insta::assert_json_snapshot!("difference", Diff::between(&before, &parsed(&changed).list));
    assert_eq!(Diff::between(&before, &before), Diff::default());
}

#[test]
fn the_real_publication_is_stored_and_comes_back() {
    let Some(folder) = real_data() else { return };
    let (_folder, store) = store();
    let paths = [folder.join("current/ofac-sdn.json.gz"), folder.join("crypto/addresses-2026-08-20.jsonl")];
    let parsed = only(read_paths(&paths));
    let admitted = store.admit(&parsed, "a test", at(0)).unwrap();
    assert_eq!(admitted.standing, SnapshotStatus::Live);
    assert_eq!(store.load(&admitted.id).unwrap().list, parsed.list);
    let older = only(read_paths(&[folder.join("older/ofac-sdn-2026-08-18.json.gz")]));
    assert_eq!(store.admit(&older, "a test", at(1)).unwrap().standing, SnapshotStatus::Older);
}
