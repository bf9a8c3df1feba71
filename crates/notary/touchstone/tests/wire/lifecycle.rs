//! Starting, refusing to start, stopping, and starting again.

use std::fs::{self, Permissions};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::KEY_RECORDS;
use crate::support::claims::{at, signed};
use crate::support::http::Request;
use crate::support::log::{hash_from, leaf_hash, root};
use crate::support::notary::Notary;
use crate::support::peer::{Peer, Step};
use crate::support::receipt::{entry, hash, payload, text, verify};
use crate::support::service::{BASE_URL, Launch, Service, read, run, touchstone};

/// The files of private keys.
pub const KEYS: [&str; 4] = ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"];

#[test]
fn serve_without_a_base_address_refuses_and_says_why() {
    let said = Launch::serve().set("BASE_URL", "not an address").refused();
    assert!(said.contains("base_url"), "{said}");
    let mut bare = crate::support::service::touchstone(["serve", "--listen", "127.0.0.1:0"]);
    let folder = tempfile::tempdir().unwrap();
    bare.env("TOUCHSTONE_DATA_DIR", folder.path());
    let output = crate::support::service::run(bare, b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("TOUCHSTONE_BASE_URL"));
    assert!(!folder.path().join("store.sqlite").exists(), "nothing was made");
}

#[test]
fn dev_listens_on_loopback_only() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let said = Launch::dev().set("LISTEN", address).refused();
        assert!(said.contains("loopback"), "{said}");
    }
}

#[test]
fn limits_are_lifted_on_loopback_only() {
    let said = Launch::serve().without_limits().set("LISTEN", "0.0.0.0:0").refused();
    assert!(said.contains("limits"), "{said}");
}

#[test]
fn the_first_run_makes_keys_that_only_their_owner_may_read_and_a_commented_configuration() {
    let service = Launch::dev().start();
    let mode = |name: &str| fs::metadata(service.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("keys"), 0o700);
    for name in KEYS {
        assert_eq!(mode(&format!("keys/{name}")), 0o600, "{name}");
    }
    let written = String::from_utf8(read(&service.path("touchstone.toml"))).unwrap();
    for name in [
        "TOUCHSTONE_LISTEN",
        "TOUCHSTONE_BASE_URL",
        "TOUCHSTONE_LIMITS",
        "TOUCHSTONE_KEYS_DIR",
        "TOUCHSTONE_STORE",
        "[routes.",
    ] {
        assert!(written.contains(name), "{name}");
    }
    assert!(
        written.lines().all(|line| line.is_empty() || line.starts_with('#')),
        "all of it is comment: {written}"
    );
    service.claim(&signed("a"));
    let keys = KEYS.map(|name| String::from_utf8(read(&service.path("keys").join(name))).unwrap());
    let said = service.stop();
    assert!(said.contains("Development notary") && said.contains("first call"), "{said}");
    for secret in keys {
        assert!(!said.contains(secret.lines().nth(1).unwrap()), "a key was printed");
    }
}

#[test]
fn the_first_run_makes_a_data_folder_and_a_configuration_that_only_their_owner_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let (above, data) = (folder.path().join("new"), folder.path().join("new/data"));
    let service = Launch::serve().set("DATA_DIR", data.to_str().unwrap()).start();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&above), mode(&data)], [0o700; 2]);
    let configuration = data.join("touchstone.toml");
    assert_eq!(mode(&configuration), 0o600);
    service.stop();
    // What an operator has made of it stays so.
    fs::write(&configuration, "log = \"warn\"\n").unwrap();
    fs::set_permissions(&configuration, Permissions::from_mode(0o640)).unwrap();
    Launch::serve().set("DATA_DIR", data.to_str().unwrap()).start().stop();
    assert_eq!((read(&configuration), mode(&configuration)), (b"log = \"warn\"\n".to_vec(), 0o640));
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    launch.start().stop();
    for name in KEYS {
        let path = data.path().join("keys").join(name);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let said = Launch::serve().on(&data).refused();
        assert!(said.contains("0644") && said.contains("chmod 600") && said.contains(name), "{said}");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }
    Launch::serve().on(&data).start().stop();
}

#[test]
fn a_store_of_other_keys_or_of_another_base_address_is_refused() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    service.claim(&signed("a"));
    service.stop();
    let said = Launch::serve().on(&data).set("BASE_URL", "https://other.example").refused();
    assert!(said.contains("notary.example") && said.contains("other.example"), "{said}");
    assert!(said.contains("set base_url as it was"), "what to do: {said}");
    let stranger = Launch::serve();
    let others = stranger.data().clone();
    stranger.start().stop();
    for name in ["receipt.pem", "log.pem"] {
        let other = tempfile::tempdir().unwrap();
        for key in ["receipt.pem", "log.pem"] {
            let of = if key == name { &others } else { &data };
            fs::copy(of.path().join("keys").join(key), other.path().join(key)).unwrap();
        }
        for said in refused_by_start_and_check(&data, other.path()) {
            assert!(said.contains("another") && said.contains("key") && said.contains("backup"), "{said}");
        }
    }
    Launch::serve().on(&data).start().stop();
}

#[test]
fn where_the_keys_of_a_store_are_gone_none_are_made_in_their_place() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    launch.start().stop();
    let keys = data.path().join("keys");
    for lost in [&KEYS[..], &["receipt.pem"], &["log.pem"]] {
        let other = tempfile::tempdir().unwrap();
        for key in KEYS.iter().filter(|key| !lost.contains(key)) {
            fs::copy(keys.join(key), other.path().join(key)).unwrap();
        }
        let files = || fs::read_dir(other.path()).unwrap().count();
        let before = files();
        for said in refused_by_start_and_check(&data, other.path()) {
            assert!(said.contains(lost[0]) && said.contains("backup"), "{lost:?}: {said}");
        }
        assert_eq!(files(), before, "nothing was made");
    }
    // What any start may make anew.
    fs::remove_file(keys.join("rerun.pem")).unwrap();
    fs::remove_file(keys.join("webhook.pem")).unwrap();
    Launch::serve().on(&data).start().stop();
}

/// What `serve` and `config check` say of a store with the keys of a folder, where both must refuse.
pub fn refused_by_start_and_check(data: &Arc<TempDir>, keys: &Path) -> [String; 2] {
    let mut check = touchstone(["config", "check"]);
    check.env("TOUCHSTONE_DATA_DIR", data.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
    check.env("TOUCHSTONE_KEYS_DIR", keys);
    let checked = run(check, b"");
    let said = String::from_utf8(checked.stderr).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{said}");
    [Launch::serve().on(data).set("KEYS_DIR", keys.to_str().unwrap()).refused(), said]
}

#[test]
fn a_store_that_is_open_is_not_opened_twice() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    let said = Launch::serve().on(&data).refused();
    assert!(said.contains("another process"), "{said}");
    service.claim(&signed("a"));
}

#[test]
fn a_store_whose_log_was_changed_is_refused() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    let receipt = service.claim(&signed("tampered-with"));
    service.stop();
    let store = data.path().join("store.sqlite");
    let mut bytes = read(&store);
    let rebuilt = entry(&receipt);
    let places: Vec<usize> =
        (0..bytes.len() - rebuilt.len()).filter(|&at| bytes[at..].starts_with(&rebuilt)).collect();
    assert_eq!(places.len(), 1, "the entry stands in the store once");
    // Another millisecond.
    let digit = places[0] + rebuilt.windows(2).rposition(|pair| pair == b"Z\"").unwrap() - 1;
    bytes[digit] = if bytes[digit] == b'0' { b'1' } else { b'0' };
    fs::write(&store, bytes).unwrap();
    let said = Launch::serve().on(&data).refused();
    assert!(said.contains("not sound") && said.contains("root"), "{said}");
}

#[test]
fn a_stop_answers_what_is_in_flight_and_ends_well() {
    let mut service = Launch::dev().start();
    let notary = Notary::of(&service);
    let peer = Peer::http(|_| {
        let body = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}";
        vec![Step::Gate, Step::Send(body.to_vec())]
    });
    let mut idle = service.connect();
    idle.exchange(&Request::get("/health")).expect(200);
    let mut busy = service.connect();
    busy.send(&Request::json("/claim-verdict", &at(&peer.url("/"), "status", "ok")).bytes()).unwrap();
    peer.wait_for(1);
    service.terminate();
    // An idle connection is closed, and nobody new is let in.
    idle.wait_for_the_end().unwrap();
    assert!(TcpStream::connect(service.address).is_err(), "the door is closed");
    peer.open_gate();
    let receipt = busy.answer("POST").unwrap().expect(200).json();
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    verify(&receipt, &notary);
    let status = service.wait();
    assert!(status.success(), "{status}");
}

#[test]
fn a_restart_goes_on_with_the_same_log_and_serves_the_same_receipts() {
    let launch = Launch::serve().without_limits();
    let data = launch.data().clone();
    let service = launch.start();
    let notary = Notary::of(&service);
    let mut receipts: Vec<_> =
        (0..3).map(|number| service.claim(&signed(&format!("before-{number}")))).collect();
    let before = service.get("/log/checkpoint").text();
    service.stop();
    let service = Launch::serve().without_limits().on(&data).start();
    assert_eq!(service.get("/log/checkpoint").text(), before, "a restart signs nothing");
    assert_eq!(Notary::of(&service).jwks, notary.jwks);
    receipts.extend((0..2).map(|number| service.claim(&signed(&format!("after-{number}")))));
    let records = service.get("/keys").expect(200).json()["receipts"].as_array().unwrap().clone();
    let leaves: Vec<_> = records.iter().chain(&receipts).map(|receipt| leaf_hash(&entry(receipt))).collect();
    for (index, receipt) in (KEY_RECORDS..).zip(&receipts) {
        let at = verify(receipt, &notary);
        assert_eq!(at.index, index);
        assert_eq!(at.checkpoint.root, root(&leaves[..at.checkpoint.size as usize]));
        let again = service.get(&format!("/receipts/{}", hash(receipt))).expect(200).json();
        assert_eq!(payload(&again), payload(receipt));
        verify(&again, &notary);
    }
    let newest = service.get("/log/checkpoint").text();
    assert_eq!(hash_from(newest.lines().nth(2).unwrap()), root(&leaves));
    assert_eq!(service.get("/stats").json()["receipts_issued"], 5, "counts go on");
}

#[test]
fn a_retired_key_still_verifies_what_it_signed() {
    let former = Launch::serve().start();
    let notary = Notary::of(&former);
    let old = former.claim(&signed("a"));
    let data = Arc::clone(&former.data);
    former.stop();
    let keys = data.path().join("keys");
    fs::write(keys.join("retired.jwks"), json!({"keys": [notary.jwks["keys"][0]]}).to_string()).unwrap();
    fs::remove_file(keys.join("receipt.pem")).unwrap();
    let service = Launch::serve().on(&data).start();
    let jwks = service.get("/.well-known/jwks.json").json();
    // The third is the key of reruns, and the last the log's.
    assert_eq!(jwks["keys"].as_array().unwrap().len(), 4);
    assert!(jwks["keys"][1]["kid"] == notary.kid && jwks["keys"][1]["status"] == "retired", "{jwks}");
    let checks = service.ask("/verify", &old).expect(200).json()["checks"].clone();
    assert!(checks["signature"]["ok"] == true && checks["key"]["ok"] == true, "{checks}");
    // The key could not sign its own end.
    let record =
        service.get(&format!("/keys?from={}", KEY_RECORDS + 1)).expect(200).json()["receipts"][0].clone();
    assert_eq!((&record["verdict"], &record["replaces"]), (&json!("REVOKED"), &json!(notary.kid)));
    assert_eq!(
        (&jwks["keys"][1]["leaf_from"], &jwks["keys"][1]["leaf_until"]),
        (&json!(0), &json!(KEY_RECORDS + 1))
    );
    assert_eq!(text(&service.claim(&signed("a")), "iss"), BASE_URL);
}

/// A service that makes one of its keys anew, and the keys that it had: the whole set is kept, as docs/operations.md and
/// docs/disputes.md have it.
fn after_replacing(key: &str) -> (Value, Service) {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    let former = Notary::of(&service).jwks;
    service.stop();
    let keys = data.path().join("keys");
    fs::write(keys.join("retired.jwks"), former.to_string()).unwrap();
    fs::remove_file(keys.join(key)).unwrap();
    (former, Launch::serve().on(&data).start())
}

#[test]
fn after_the_receipt_key_was_replaced_the_key_of_reruns_is_published_once() {
    let (former, service) = after_replacing("receipt.pem");
    let keys = Notary::of(&service).jwks["keys"].as_array().unwrap().clone();
    let retired = keys.iter().filter(|key| key["status"] == "retired").map(|key| &key["kid"]);
    assert_eq!(retired.collect::<Vec<_>>(), [&former["keys"][0]["kid"]]);
    assert_eq!((keys.len(), &keys[2]), (4, &former["keys"][1]), "{keys:?}");
    assert_eq!(keys[0]["leaf_from"], keys[1]["leaf_until"], "{keys:?}");
}

#[test]
fn after_the_key_of_reruns_was_replaced_the_receipt_key_is_published_once_and_is_not_retired() {
    let (former, service) = after_replacing("rerun.pem");
    let notary = Notary::of(&service);
    let keys = notary.jwks["keys"].as_array().unwrap();
    assert_eq!((keys.len(), &keys[0]), (4, &former["keys"][0]), "{keys:?}");
    assert_eq!((&keys[1]["kid"], &keys[1]["leaf_until"]), (&former["keys"][1]["kid"], &keys[2]["leaf_from"]));
    let receipts = service.get("/catalog").expect(200).json()["receipts"].clone();
    assert_eq!((&receipts["key_ids"], &receipts["retired_key_ids"]), (&json!([notary.kid]), &json!([])));
    let did = service.get("/.well-known/did.json").expect(200).json();
    let methods = did["verificationMethod"].as_array().unwrap();
    assert_eq!(methods.iter().filter(|method| method["id"] == *notary.kid).count(), 1, "{did}");
    let checks = service.ask("/verify", &service.claim(&signed("a"))).expect(200).json()["checks"].clone();
    assert!(checks["key"]["ok"] == true && !text(&checks["key"], "detail").contains("retired"), "{checks}");
}

#[test]
fn a_log_that_is_no_terminal_has_no_colours() {
    let said = Launch::serve().start().stop();
    assert!(said.contains("stopped") && !said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_receipt_key_that_is_the_key_of_reruns_too_is_refused() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    launch.start().stop();
    fs::copy(data.path().join("keys/receipt.pem"), data.path().join("keys/rerun.pem")).unwrap();
    let said = Launch::serve().on(&data).refused();
    assert!(said.contains("rerun.pem") && said.contains("its own"), "{said}");
}
