//! Published vectors, where the folder that holds them is there. The suites are those of the crate `suites`.

#[path = "../../../../testing/suites/src/jcs.rs"]
#[allow(unreachable_pub)]
mod jcs;
#[path = "../../../../testing/suites/src/jws.rs"]
#[allow(unreachable_pub)]
mod jws;
#[path = "../../../../testing/suites/src/outcome.rs"]
#[allow(unreachable_pub)]
mod outcome;

use receipt::json::{Json, parse};
use receipt::key::{PublicKey, VerifyingKey};
use std::path::PathBuf;

#[test]
fn every_published_vector_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    for outcome in jcs::run(&folder).into_iter().chain(jws::run(&folder)) {
        println!("{}: {} of {}", outcome.name, outcome.passed, outcome.total);
        assert_eq!(outcome.passed, outcome.total, "{}: {:#?}", outcome.name, outcome.failures);
    }
}

#[test]
fn a_missing_folder_is_passed_over() {
    let nowhere = PathBuf::from("nowhere");
    assert!(jcs::run(&nowhere).is_empty() && jws::run(&nowhere).is_empty());
}

/// A signature is accepted exactly where `verify_strict` of ed25519-dalek accepts it.
fn as_strict(key: &str, message: &str, signature: &str) -> bool {
    let bytes = |digits: &str| hex::decode(digits).expect("hexadecimal digits");
    let Ok(key) = <[u8; 32]>::try_from(bytes(key)) else { return false };
    let Ok(signature) = <[u8; 64]>::try_from(bytes(signature)) else { return false };
    let ours =
        VerifyingKey::new(PublicKey(key)).is_ok_and(|key| key.verify(&bytes(message), &signature).is_ok());
    let theirs = ed25519_dalek::VerifyingKey::from_bytes(&key).is_ok_and(|key| {
        key.verify_strict(&bytes(message), &ed25519_dalek::Signature::from_bytes(&signature)).is_ok()
    });
    assert_eq!(ours, theirs);
    ours
}

#[test]
fn signatures_at_the_edges_are_refused_as_verify_strict_refuses_them() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/vectors/ed25519");
    let read = |name: &str| std::fs::read(folder.join(name)).ok().and_then(|text| parse(&text).ok());
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    if let Some(Json::Array(cases)) = read("speccheck_cases.json") {
        for case in &cases {
            as_strict(&text(case, "pub_key"), &text(case, "message"), &text(case, "signature"));
        }
    }
    let groups = read("wycheproof_ed25519_test.json");
    let groups = groups.as_ref().and_then(|document| document.get("testGroups")).and_then(Json::as_array);
    for group in groups.unwrap_or_default() {
        let key = group.get("publicKey").map(|key| text(key, "pk")).unwrap_or_default();
        for test in group.get("tests").and_then(Json::as_array).unwrap_or_default() {
            let accepted = as_strict(&key, &text(test, "msg"), &text(test, "sig"));
            assert_eq!(accepted, text(test, "result") == "valid", "{test}");
        }
    }
}
