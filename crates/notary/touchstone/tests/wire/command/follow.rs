//! `touchstone monitor` and `mirror`, of the log of a real service.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use tempfile::TempDir;

use super::{Said, said};
use crate::support::claims::signed;
use crate::support::notary::Notary;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, touchstone};

fn url(service: &Service) -> String {
    format!("http://{}/log", service.address)
}

fn monitor(service: &Service, vkey: &str, state: &Path, more: &[&str]) -> Said {
    let url = url(service);
    let arguments = ["monitor", &url, "--log-key", vkey, "--state", state.to_str().unwrap()];
    said(touchstone(arguments.iter().chain(more)), "")
}

#[test]
fn a_log_is_monitored_from_one_run_to_the_next() {
    let service = Launch::dev().start();
    let (vkey, folder) = (Notary::of(&service).vkey, TempDir::new().unwrap());
    let state = folder.path().join("state");
    service.claim(&signed("a"));
    let first = monitor(&service, &vkey, &state, &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.out.contains("verified: 5 leaves, 5 of them new"), "{first:?}");
    assert!(first.out.contains("first entry of the class claim-verdict"), "{first:?}");
    service.claim(&signed("b"));
    let second = monitor(&service, &vkey, &state, &["--json"]);
    assert_eq!(second.out, "{\"event\":\"verified\",\"from\":5,\"size\":6}\n", "{second:?}");
    let third = monitor(&service, &vkey, &state, &["--quiet"]);
    assert_eq!((third.code, &*third.out), (Some(0), "unchanged: 6 leaves\n"));
    // Another log under the same state, or another key of the same log.
    let other = Launch::dev().start();
    let refused = monitor(&other, &Notary::of(&other).vkey, &state, &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("another log"), "{refused:?}");
    let alarm = monitor(&other, &vkey, &state, &["--json"]);
    assert_eq!(alarm.code, Some(1), "{alarm:?}");
    assert!(alarm.out.contains("\"code\":\"checkpoint\""), "{alarm:?}");
}

#[test]
fn what_could_not_be_printed_is_told_by_the_next_run() {
    let service = Launch::dev().start();
    let (vkey, folder) = (Notary::of(&service).vkey, TempDir::new().unwrap());
    service.claim(&signed("a"));
    let (url, state) = (url(&service), folder.path().join("state"));
    let mut command =
        touchstone(["monitor", &url, "--log-key", &vkey, "--state", state.to_str().unwrap(), "--quiet"]);
    command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    let full = Said::from(command.output().unwrap());
    assert_eq!(full.code, Some(2), "{full:?}");
    assert!(full.err.contains("write to the standard output"), "{full:?}");
    let again = monitor(&service, &vkey, &state, &[]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.out.contains("first entry of the class claim-verdict"), "{again:?}");
    assert!(again.out.ends_with("unchanged: 5 leaves\n"), "{again:?}");
    assert_eq!(monitor(&service, &vkey, &state, &[]).out, "unchanged: 5 leaves\n");
}

#[test]
fn keys_that_are_not_known_are_an_alarm_and_a_server_that_is_gone_is_not() {
    let service = Launch::dev().start();
    let (vkey, folder) = (Notary::of(&service).vkey, TempDir::new().unwrap());
    service.claim(&signed("a"));
    let jwks = folder.path().join("jwks.json");
    fs::write(&jwks, service.get("/.well-known/jwks.json").expect(200).text()).unwrap();
    let with = |state: &str| {
        monitor(&service, &vkey, &folder.path().join(state), &["--keys", jwks.to_str().unwrap()])
    };
    assert_eq!(with("one").code, Some(0));
    fs::write(&jwks, r#"{"keys":[]}"#).unwrap();
    let alarm = with("two");
    assert_eq!(alarm.code, Some(1), "{alarm:?}");
    assert!(alarm.out.contains("ALARM: leaf 0"), "{alarm:?}");
    let (closed, state) =
        (TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(), folder.path().join("three"));
    let arguments =
        ["monitor", &format!("http://{closed}/log"), "--log-key", &vkey, "--state", state.to_str().unwrap()];
    assert_eq!(said(touchstone(arguments), "").code, Some(2));
}

#[test]
fn a_rotation_is_followed_and_records_of_another_notary_are_an_alarm() {
    let service = Launch::dev().start();
    let (vkey, folder) = (Notary::of(&service).vkey, TempDir::new().unwrap());
    service.claim(&signed("a"));
    let state = folder.path().join("state");
    assert_eq!(monitor(&service, &vkey, &state, &[]).code, Some(0));
    let rotated = said(service.command(["keys", "rotate", "receipt"]), "");
    assert_eq!(rotated.code, Some(0), "{rotated:?}");
    service.claim(&signed("b"));
    let followed = monitor(&service, &vkey, &state, &[]);
    assert!(followed.code == Some(0) && followed.out.contains("first entry of the key"), "{followed:?}");
    let anew = monitor(&service, &vkey, &folder.path().join("anew"), &[]);
    assert_eq!(anew.code, Some(0), "{anew:?}");
    // A log that says other things of its keys than the notary does.
    let other = Launch::dev().start();
    let notary = ["--notary", &format!("http://{}", other.address), "--json"];
    let alarm = monitor(&service, &vkey, &folder.path().join("other"), &notary);
    assert_eq!(alarm.code, Some(1), "{alarm:?}");
    for code in ["key_record", "key_refused"] {
        assert!(alarm.out.contains(&format!("\"code\":\"{code}\"")), "{alarm:?}");
    }
}

#[test]
fn a_mirror_gives_the_proof_of_a_receipt_when_the_notary_is_gone() {
    let service = Launch::dev().start();
    let (vkey, folder) = (Notary::of(&service).vkey, TempDir::new().unwrap());
    let (first, second) = (service.claim(&signed("a")), service.claim(&signed("b")));
    let jwks = folder.path().join("jwks.json");
    fs::write(&jwks, service.get("/.well-known/jwks.json").expect(200).text()).unwrap();
    let to = folder.path().join("mirror");
    let to = to.to_str().unwrap();
    let copied = said(touchstone(["mirror", &url(&service), "--log-key", &vkey, "--to", to]), "");
    assert_eq!(copied.code, Some(0), "{copied:?}");
    drop(service);
    for (index, receipt) in ["4", "5"].into_iter().zip([&first, &second]) {
        let hash = text(receipt, "receipt_hash");
        let by_hash = said(touchstone(["mirror", "--to", to, "--log-key", &vkey, "--proof", hash]), "");
        let by_index = said(touchstone(["mirror", "--to", to, "--proof", index]), "");
        assert_eq!((by_hash.code, &by_hash.out), (Some(0), &by_index.out), "{by_hash:?}");
        let mut receipt = receipt.clone();
        receipt["proof"] = by_hash.out.into();
        let keys = ["verify", "-", "--keys", jwks.to_str().unwrap(), "--log-key", &vkey];
        let verified = said(touchstone(keys), receipt.to_string());
        assert_eq!(verified.code, Some(0), "{verified:?}");
    }
    let none = said(touchstone(["mirror", "--to", to, "--proof", &"0".repeat(64)]), "");
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("no entry"), "{none:?}");
}
