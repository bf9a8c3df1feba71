//! `touchstone keys`: the public halves, and nothing of the private ones.

use super::said;
use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::notary::Notary;
use crate::support::service::{Launch, dev, read, touchstone};

#[test]
fn the_public_keys_are_printed_as_discovery_publishes_them() {
    let service = dev();
    let notary = Notary::of(&service);
    let keys = |action: &str| {
        let said = said(service.command(["keys", action]), "");
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    };
    let jwks: serde_json::Value = serde_json::from_str(&keys("jwks")).unwrap();
    assert_eq!(jwks, notary.jwks);
    assert_eq!(keys("log").trim(), notary.vkey);
    let shown = keys("show");
    assert!(shown.contains(&notary.kid) && shown.contains(&notary.vkey), "{shown}");
    for name in ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"] {
        let secret = String::from_utf8(read(&service.path("keys").join(name))).unwrap();
        assert!(!shown.contains(secret.lines().nth(1).unwrap()));
    }
}

#[test]
fn keys_that_are_not_there_are_not_made_by_asking_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = touchstone(["keys", "show"]);
    command.env("TOUCHSTONE_DATA_DIR", folder.path());
    assert_eq!(said(command, "").code, Some(1));
    assert!(!folder.path().join("keys").exists());
}

#[test]
fn a_key_that_was_in_use_before_is_refused_at_once_and_no_other_change_waits_for_it() {
    // Its own: the shared one keeps its keys, since other tests verify by them.
    let service = Launch::dev().without_limits().start();
    let keys = |arguments: &[&str]| said(service.command([&["keys"], arguments].concat()), "");
    let (receipt, next) = (service.path("keys/receipt.pem"), service.path("keys/receipt.next.pem"));
    let former = service.path("former.pem");
    std::fs::copy(&receipt, &former).unwrap();
    assert_eq!(keys(&["rotate", "receipt"]).code, Some(0));
    for (wrong, role) in [(&former, "receipt"), (&service.path("keys/rerun.pem"), "rerun")] {
        std::fs::copy(wrong, &next).unwrap();
        let kid = service.claim(&signed(role))["kid"].clone();
        for arguments in [&["rotate", "receipt"][..], &["revoke", kid.as_str().unwrap(), "--reason", "lost"]]
        {
            let refused = keys(arguments);
            assert_eq!(refused.code, Some(1), "{role}: {refused:?}");
            assert!(refused.err.contains("no key comes into use twice"), "{role}: {refused:?}");
            assert!(refused.err.contains("receipt.next.pem"), "{role}: {refused:?}");
        }
        until("health names it", || service.get("/health").json()["modules"]["keys"] == "out_of_step");
        assert_eq!(keys(&["rotate", "webhook"]).code, Some(0), "{role}");
        assert_eq!(service.claim(&signed(role))["kid"], kid, "{role}");
        std::fs::remove_file(&next).unwrap();
    }
    assert_eq!(keys(&["rotate", "receipt"]).code, Some(0));
}

#[test]
fn a_log_key_that_has_ended_is_refused_at_once() {
    let service = Launch::dev().without_limits().start();
    let keys = |arguments: &[&str]| said(service.command([&["keys"], arguments].concat()), "");
    let former = read(&service.path("keys/log.pem"));
    assert_eq!(keys(&["rotate", "log"]).code, Some(0));
    assert_eq!(keys(&["finish", "log"]).code, Some(0));
    let next = service.path("keys/log.next.pem");
    std::fs::copy(service.path("keys/log.pem"), &next).unwrap();
    std::fs::write(&next, former).unwrap();
    let refused = keys(&["rotate", "log"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("no key comes into use twice"), "{refused:?}");
    assert!(refused.err.contains("log.next.pem"), "{refused:?}");
}
