//! A store is exported whole or by a filter, and what is missing is told apart from what is wrong.

use audit_archive::{ExportError, Filter, Published, export, verify};
use receipt::key::{LeafRange, LogKey};

use crate::fixture::{KilledAt, Store, archive, at, members, now, published, verified};

#[test]
fn an_archive_of_all_holds_and_says_what_is_in_it() {
    for size in [1, 255, 256, 257, 1300] {
        let store = Store::of(size);
        let bytes = store.exported(&Filter::default());
        let report = verified(&bytes);
        assert!(report.holds(), "{size}: {report:?}");
        assert_eq!((report.size, report.valid, report.filtered, report.erased), (size, size, 0, 0));
        assert_eq!((&*report.origin, report.has_own_keys), ("notary.example/log", false));
        let with_evidence = size.div_ceil(5);
        assert_eq!((report.kept, report.without_request), (size + 2 * with_evidence, 0));
        assert_eq!((report.missing_evidence, report.unnamed_evidence), (0, with_evidence));
        assert_eq!(bytes, store.exported(&Filter::default()), "the same store gives the same archive");
        assert_eq!(archive(&members(&bytes)), bytes);
    }
}

#[test]
fn a_store_without_receipts_has_an_archive() {
    let report = verified(&Store::of(0).exported(&Filter::default()));
    assert!(report.holds() && report.valid == 0, "{report:?}");
}

#[test]
fn a_filter_is_told_and_what_the_log_can_show_must_be_there() {
    let store = Store::of(400);
    for (filter, expected) in [
        (Filter { class: Some("commit".to_owned()), ..Filter::default() }, 200),
        (Filter { agent: Some("a".to_owned()), ..Filter::default() }, 200),
        (Filter { since: Some(at(100)), until: Some(at(150)), ..Filter::default() }, 50),
        (Filter { since: Some(at(100)), agent: Some("b".to_owned()), ..Filter::default() }, 150),
        (Filter { agent: Some("nobody".to_owned()), ..Filter::default() }, 0),
    ] {
        let report = verified(&store.exported(&filter));
        assert!(report.holds(), "{report:?}");
        assert_eq!((report.valid, report.filtered), (expected, 400 - expected), "{filter:?}");
        assert_eq!(report.filter, filter);
    }
}

#[test]
fn what_is_not_kept_any_more_is_missing_and_not_wrong() {
    let store = Store::of(100);
    store.sql("DELETE FROM requests WHERE leaf < 30; DELETE FROM blobs WHERE sha256 IN (SELECT sha256 FROM evidence WHERE leaf = 50)");
    let report = verified(&store.exported(&Filter::default()));
    assert!(report.holds(), "{report:?}");
    assert_eq!((report.valid, report.without_request), (100, 30));
    // The list of leaf 50 is that of all twenty.
    assert_eq!(report.missing_evidence, 1 + 20);
}

#[test]
fn a_store_that_is_not_sound_gives_no_archive() {
    let store = Store::of(300);
    store.sql("DELETE FROM receipts WHERE leaf = 17");
    let exported =
        export(&mut store.reader(), &published(), &Filter::default(), &store.target(), false, &mut ());
    let error = exported.unwrap_err().to_string();
    assert!(error.contains("leaf 17"), "{error}");
    assert!(!store.target().exists());
}

#[test]
fn without_keys_it_is_checked_with_its_own_and_says_so() {
    let bytes = Store::of(3).exported(&Filter::default());
    let report = verify(&*bytes, None, None, now(), &mut || ()).unwrap();
    assert!(report.holds() && report.has_own_keys && report.valid == 3, "{report:?}");
}

#[test]
fn an_interrupted_export_goes_on_and_gives_the_archive_of_when_it_was_begun() {
    let mut store = Store::of(1300);
    let filter = Filter::default();
    let whole = store.exported(&filter);
    store.grow(40);
    let (target, part) = (store.target(), store.part());
    for cut in (0..whole.len()).step_by(whole.len() / 60) {
        std::fs::write(&part, &whole[..cut]).unwrap();
        let again = export(&mut store.reader(), &published(), &filter, &target, false, &mut ());
        assert!(matches!(again, Err(ExportError::HalfMade(_))));
        export(&mut store.reader(), &published(), &filter, &target, true, &mut ()).unwrap();
        let made = std::fs::read(&target).unwrap();
        if made != whole {
            // So little was there that it was begun again.
            let report = verified(&made);
            assert!(report.holds() && report.size == 1340 && cut < 4096, "cut at {cut}: {report:?}");
        }
        std::fs::remove_file(&target).unwrap();
        assert!(!part.exists());
    }
}

#[test]
fn an_export_that_is_killed_goes_on() {
    let store = Store::of(1300);
    let whole = store.exported(&Filter::default());
    let mut tries = 0;
    loop {
        tries += 1;
        let exported = std::panic::catch_unwind(|| {
            let killed = &mut KilledAt(700 * tries);
            export(&mut store.reader(), &published(), &Filter::default(), &store.target(), tries > 1, killed)
        });
        if exported.is_ok() {
            break;
        }
        assert!(tries < 10);
    }
    assert!(tries > 1);
    assert_eq!(std::fs::read(store.target()).unwrap(), whole);
}

/// The published keys of a log whose key had a second one beside it from leaf 100 on, and has ended at `end`.
fn rotated(end: u64) -> Published {
    let next = tlog::SigningKey::from_seed("notary.example/log", &[4; 32]).unwrap().verifier();
    let former = LeafRange { from: 0, until: Some(end), revoked: None };
    let log_keys = vec![
        LogKey { key: published().log_key, range: Some(former) },
        LogKey { key: next.clone(), range: Some(LeafRange::since(100)) },
    ];
    Published { log_key: next, log_keys, ..published() }
}

#[test]
fn an_export_that_was_begun_before_the_logs_key_was_replaced_goes_on_and_only_of_the_same_log() {
    let mut store = Store::of(1300);
    let filter = Filter::default();
    let whole = store.exported(&filter);
    store.grow(40);
    let goes_on = |store: &Store, published: &Published| {
        std::fs::write(store.part(), &whole[..whole.len() * 2 / 3]).unwrap();
        export(&mut store.reader(), published, &filter, &store.target(), true, &mut ())
    };
    let of_other = |exported: Result<_, ExportError>, named: &str| {
        let error = exported.map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    };
    goes_on(&store, &rotated(1310)).unwrap();
    let made = std::fs::read(store.target()).unwrap();
    assert!(made == whole, "it is the archive of when it was begun");
    std::fs::remove_file(store.target()).unwrap();
    // The former key may not have signed that tree, or is not one of the log.
    of_other(goes_on(&store, &rotated(1200)), "which ended at 1200");
    of_other(goes_on(&store, &Published { log_keys: Vec::new(), ..rotated(1310) }), "another log");
    // Another log of the same keys.
    store.sql(
        "UPDATE leaves SET entries = CAST(substr(entries, 1, 30) || '+' || substr(entries, 32) AS BLOB) WHERE leaf = 0",
    );
    of_other(goes_on(&store, &rotated(1310)), "another root");
    assert!(!store.target().exists());
}

#[test]
fn a_half_made_archive_of_other_arguments_is_not_continued() {
    let store = Store::of(300);
    let whole = store.exported(&Filter::default());
    std::fs::write(store.part(), &whole[..whole.len() / 2]).unwrap();
    let other = Filter { class: Some("commit".to_owned()), ..Filter::default() };
    let exported = export(&mut store.reader(), &published(), &other, &store.target(), true, &mut ());
    assert!(matches!(exported, Err(ExportError::OtherArchive { .. })));
    std::fs::write(store.part(), b"something else".repeat(100)).unwrap();
    let exported = export(&mut store.reader(), &published(), &other, &store.target(), true, &mut ());
    assert!(matches!(exported, Err(ExportError::Damaged { .. })));
    std::fs::write(store.target(), b"").unwrap();
    let exported = export(&mut store.reader(), &published(), &other, &store.target(), true, &mut ());
    assert!(matches!(exported, Err(ExportError::Exists(_))));
}
