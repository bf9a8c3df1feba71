//! The keys are there and the store is gone: no second log is begun under a log key that has signed one.

use std::fs;
use std::io::ErrorKind;

use tempfile::TempDir;

use crate::lifecycle::{KEYS, refused_by_start_and_check};
use crate::support::KEY_RECORDS;
use crate::support::claims::signed;
use crate::support::notary::Notary;
use crate::support::receipt::hash;
use crate::support::service::{BASE_URL, Launch, read};

/// Removes a store whose service does not run.
fn lose_store(data: &TempDir) {
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
        match fs::remove_file(data.path().join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed.unwrap(),
        }
    }
}

#[test]
fn where_the_store_of_a_log_key_is_gone_no_empty_log_is_begun_unless_it_is_asked_for() {
    for launch in [Launch::serve, || Launch::dev().set("BASE_URL", BASE_URL)] {
        let data = launch().data().clone();
        let service = launch().on(&data).start();
        service.claim(&signed("a"));
        service.stop();
        lose_store(&data);
        let keys = data.path().join("keys");
        let mut said = refused_by_start_and_check(&data, &keys).to_vec();
        said.push(launch().on(&data).refused());
        for said in said {
            assert!(said.contains("log.pem") && said.contains("store.sqlite"), "{said}");
            assert!(said.contains("Put the store back") && said.contains("--new-log"), "what to do: {said}");
        }
        assert!(!data.path().join("store.sqlite").exists(), "nothing was made");
        // A copy of the keys alone is no more, whatever else lay beside them.
        let copy = tempfile::tempdir().unwrap();
        for key in KEYS {
            fs::copy(keys.join(key), copy.path().join(key)).unwrap();
        }
        launch().on(&data).set("KEYS_DIR", copy.path().to_str().unwrap()).refused();

        let service = launch().on(&data).flag("--new-log").start();
        assert_eq!(service.get("/stats").json()["log"]["size"], KEY_RECORDS);
        let receipt = service.claim(&signed("a"));
        service.stop();
        // It was for that start alone.
        let said = launch().on(&data).flag("--new-log").refused();
        assert!(said.contains("leave it out"), "{said}");
        let service = launch().on(&data).start();
        service.get(&format!("/receipts/{}", hash(&receipt))).expect(200);
        service.stop();
        lose_store(&data);
        launch().on(&data).refused();
    }
}

#[test]
fn where_the_store_is_gone_a_new_log_key_begins_a_new_log() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    let former = Notary::of(&service).vkey;
    service.stop();
    lose_store(&data);
    fs::remove_file(data.path().join("keys/log.pem")).unwrap();
    let service = Launch::serve().on(&data).start();
    assert_ne!(Notary::of(&service).vkey, former);
    service.stop();
    lose_store(&data);
    Launch::serve().on(&data).refused();
}

/// It has signed nothing that anybody has seen, so the next start goes on with it.
#[test]
fn a_log_key_whose_store_was_never_made_begins_its_log_at_the_next_start() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    // The keys are made before the store, which cannot be.
    let in_the_way = data.path().join("store.sqlite.lock");
    fs::create_dir(&in_the_way).unwrap();
    let said = launch.refused();
    assert!(said.contains("cannot open the store"), "{said}");
    let key = || read(&data.path().join("keys/log.pem"));
    let made = key();
    fs::remove_dir(in_the_way).unwrap();
    Launch::serve().on(&data).start().stop();
    assert_eq!(key(), made);
    lose_store(&data);
    Launch::serve().on(&data).refused();
}
