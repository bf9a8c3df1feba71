//! `migrate-store`, `backup` and `restore`, with the service that they are about.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use peers::postgres::Server;
use tempfile::TempDir;

use super::{Said, said};
use crate::support::KEY_RECORDS;
use crate::support::claims::signed;
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, touchstone};

/// Runs a command with the keys of this data folder.
fn run(data: &Arc<TempDir>, arguments: &[&str]) -> Said {
    let mut command = touchstone(arguments);
    command.env("TOUCHSTONE_DATA_DIR", data.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
    said(command, "")
}

#[track_caller]
fn done(data: &Arc<TempDir>, arguments: &[&str]) -> String {
    let said = run(data, arguments);
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

#[track_caller]
fn refused(data: &Arc<TempDir>, arguments: &[&str]) -> String {
    let said = run(data, arguments);
    assert_eq!((said.code, &*said.out), (Some(1), ""), "{said:?}");
    said.err
}

fn path(data: &Arc<TempDir>, name: &str) -> String {
    data.path().join(name).to_str().unwrap().to_owned()
}

/// The service on another store, with the keys of this data folder.
fn on(data: &Arc<TempDir>, store: &str) -> Launch {
    Launch::serve().on(data).set("STORE", store)
}

#[test]
fn a_backup_is_made_beside_the_service_and_is_an_archive_unless_a_checkpoint_says_more() {
    let service = Launch::serve().start();
    let data = service.data.clone();
    let receipt = service.claim(&signed("a"));
    let (backup, note) = (path(&data, "backup"), path(&data, "checkpoint"));
    let out = done(&data, &["backup", "--to", &backup, "--verify"]);
    assert!(out.contains("5 receipts") && out.contains("all verified") && out.contains("keys"), "{out}");
    fs::write(&note, service.get("/log/checkpoint").expect(200).text()).unwrap();
    service.claim(&signed("b"));
    let at = format!("http://{}/log/checkpoint", service.address);
    let archive = path(&data, "archive");
    let out =
        done(&data, &["restore", &backup, "--to", &archive, "--checkpoint", &note, "--checkpoint", &at]);
    assert!(out.contains("archive") && out.contains("6 leaves") && out.contains("has 5"), "{out}");
    assert!(refused(&data, &["restore", &backup, "--to", &archive]).contains("not empty"));
    service.stop();

    let archive = on(&data, &format!("{archive}/store.sqlite")).with_name_server().start();
    let hash = text(&receipt, "receipt_hash");
    assert_eq!(archive.get(&format!("/verify?hash={hash}")).expect(200).json()["valid"], true);
    for path in [&format!("/receipts/{hash}"), "/log/checkpoint", "/log/tile/0/000.p/1", "/stats"] {
        archive.get(path).expect(200);
    }
    let no_verdict = archive.ask("/claim-verdict", &signed("c")).expect(503);
    assert_eq!(no_verdict.json()["module"], "store", "{no_verdict:?}");
    assert_eq!(archive.get("/health").expect(503).json()["modules"]["store"], "away");
    archive.stop();
    let store = path(&data, "archive/store.sqlite");
    for command in [
        &["grant", "a", "--plan", "operator"][..],
        &["grant", "revoke", "1"],
        &["refunds", "pay", "1", "--transaction", &format!("0x{}", "1".repeat(64))],
        &["erase", hash],
        &["keys", "rotate", "receipt"],
        &["keys", "rotate", "log"],
    ] {
        let mut refused = touchstone(command);
        refused.env("TOUCHSTONE_DATA_DIR", data.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
        refused.env("TOUCHSTONE_STORE", &store);
        let refused = said(refused, "");
        assert!(refused.code == Some(1) && refused.err.contains("is an archive"), "{command:?}: {refused:?}");
    }
    assert!(!data.path().join("keys/receipt.next.pem").exists());

    let live = path(&data, "live");
    let out = done(&data, &["restore", &backup, "--to", &live, "--checkpoint", &note]);
    assert!(out.contains("goes on"), "{out}");
    let service = on(&data, &format!("{live}/store.sqlite")).start();
    service.claim(&signed("d"));
    assert_eq!(service.get("/stats").json()["log"]["size"], KEY_RECORDS + 2);
    service.stop();

    let cut = fs::read(&backup).unwrap();
    fs::write(&backup, &cut[..cut.len() / 2]).unwrap();
    assert!(refused(&data, &["restore", &backup, "--to", &path(&data, "none")]).contains("cut off"));
    assert!(!Path::new(&path(&data, "none")).exists());
}

#[test]
fn a_store_is_moved_to_postgresql_and_back_and_is_served_in_one_place_alone() {
    let database = Server::shared().database();
    let service = Launch::serve().start();
    let data = service.data.clone();
    let receipt = service.claim(&signed("a"));
    let (here, there) = (data.path().to_str().unwrap().to_owned(), database.address());
    let in_use = refused(&data, &["migrate-store", "--from", &here, "--to", &there]);
    assert!(in_use.contains("another process has it open"), "{in_use}");
    service.stop();
    let out = done(&data, &["migrate-store", "--from", &here, "--to", &there]);
    assert!(out.contains("moved 5 receipts") && out.contains("all verified"), "{out}");
    let moved = Launch::serve().on(&data).refused();
    assert!(moved.contains("was moved to") && moved.contains("migrate-store --from"), "{moved}");
    assert!(run(&data, &["config", "check"]).err.contains("was moved to"));

    let service = on(&data, &there).start();
    service.claim(&signed("b"));
    let hash = text(&receipt, "receipt_hash");
    assert_eq!(service.get(&format!("/verify?hash={hash}")).expect(200).json()["valid"], true);
    service.stop();
    let out = done(&data, &["migrate-store", "--from", &there, "--to", &here]);
    assert!(out.contains("moved 6 receipts"), "{out}");
    assert!(on(&data, &there).refused().contains("was moved to"));
    let service = Launch::serve().on(&data).start();
    service.claim(&signed("c"));
    assert_eq!(service.get("/stats").json()["log"]["size"], KEY_RECORDS + 3);
}

#[test]
fn a_successor_log_begins_with_a_receipt_that_names_the_one_before() {
    let service = Launch::serve().start();
    let data = service.data.clone();
    service.claim(&signed("a"));
    let backup = path(&data, "backup");
    done(&data, &["backup", "--to", &backup]);
    service.stop();
    let (archive, next) = (path(&data, "archive"), path(&data, "next"));
    let begin = |url: &str| {
        run(&data, &["restore", &backup, "--to", &archive, "--successor", &next, "--successor-url", url])
    };
    let same = begin(BASE_URL);
    assert!(same.code == Some(1) && same.err.contains("fork"), "{same:?}");
    let url = "https://next.example";
    // It fails once the archive is made: its folder cannot be made. Then it is killed before its store is there.
    std::os::unix::fs::symlink(path(&data, "nowhere"), &next).unwrap();
    let failed = begin(url);
    assert!(failed.code == Some(1) && failed.out.contains("as an archive"), "{failed:?}");
    fs::remove_file(&next).unwrap();
    let begun = begin(url);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    let other = begin(url);
    assert!(other.code == Some(1) && other.err.contains("has a notary already"), "{other:?}");
    let keys = Path::new(&next).join("keys");
    let key = receipt::key::SigningKey::load(&keys.join("log.pem")).unwrap().public_key().0;
    let unused: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(keys.join("log.new"), unused).unwrap();
    for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
        drop(fs::remove_file(Path::new(&next).join(file)));
    }
    let begun = begin(url);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    let hash = begun.out.split("receipt is ").nth(1).unwrap().lines().next().unwrap().to_owned();

    let service = Launch::serve().set("BASE_URL", url).set("DATA_DIR", &next).start();
    let verified = service.get(&format!("/verify?hash={hash}")).expect(200).json();
    assert_eq!(verified["valid"], true, "{verified}");
    let receipt = service.get(&format!("/receipts/{hash}")).expect(200).json();
    assert_eq!(receipt["predecessor"]["origin"], "notary.example/log");
    for path in [&format!("/r/{hash}"), "/stats", "/log/checkpoint"] {
        service.get(path).expect(200);
    }
    service.claim(&signed("b"));
    assert_eq!(service.get("/stats").json()["log"]["size"], KEY_RECORDS + 2);
}
