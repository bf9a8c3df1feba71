//! `touchstone keys`: the public halves, and nothing of the private ones.

use super::said;
use crate::support::notary::Notary;
use crate::support::service::{dev, read, touchstone};

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
