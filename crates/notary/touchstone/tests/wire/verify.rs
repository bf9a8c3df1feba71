//! GET and POST /verify: each kind of tampering is flagged by its own check.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::KEY_RECORDS;
use crate::support::claims::{signed, with, without};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, payload, text};
use crate::support::service::{Launch, Service, dev};
use crate::support::thief::Thief;

const CHECKS: [&str; 5] = ["hash", "signature", "key", "inclusion", "timestamp"];

/// The checks that do not hold, in their order.
fn failed(answer: &Value) -> Vec<&'static str> {
    let checks = answer["checks"].as_object().unwrap();
    assert_eq!(checks.len(), CHECKS.len(), "{answer}");
    for check in checks.values() {
        assert!(check["ok"].is_boolean() && !text(check, "detail").is_empty(), "{check}");
    }
    let failed: Vec<_> = CHECKS.into_iter().filter(|name| checks[*name]["ok"] == false).collect();
    assert_eq!(answer["valid"], failed.is_empty());
    failed
}

fn verified(service: &Service, receipt: &Value) -> Value {
    service.ask("/verify", receipt).expect(200).json()
}

/// The receipt with its hash made to fit what it says now, as a forger would.
fn rehashed(receipt: Value) -> Value {
    let hash = hex::encode(crate::support::log::sha256(&payload(&receipt)));
    with(receipt, "/receipt_hash", json!(hash))
}

#[test]
fn a_receipt_of_this_notary_holds_by_its_hash_and_as_a_whole() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let by_hash = service.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json();
    for answer in [by_hash, verified(&service, &receipt)] {
        assert!(failed(&answer).is_empty(), "{answer}");
        assert_eq!(payload(&answer["receipt"]), payload(&receipt));
        assert_eq!((&answer["disputes"], &answer["superseded_by"]), (&json!([]), &Value::Null));
        assert_eq!(answer.as_object().unwrap().len(), 5, "{answer}");
    }
}

#[test]
fn a_receipt_without_its_proof_gets_the_logs() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    assert!(failed(&verified(&service, &without(receipt, "/proof"))).is_empty());
}

#[test]
fn an_unknown_hash_is_404_with_valid_false() {
    let problem = dev().get(&format!("/verify?hash={}", "ab".repeat(32))).problem(404);
    assert_eq!(problem["valid"], false);
}

#[test]
fn a_missing_or_malformed_hash_is_named() {
    let service = dev();
    service.get("/verify").names("hash", "missing");
    service.get("/verify?Hash=00").names("hash", "missing");
    let good = "ab".repeat(32);
    for bad in [
        "",
        "x",
        &good[1..],
        &format!("{good}0"),
        &good.to_uppercase(),
        &format!("sha256:{good}"),
        &format!("%20{good}"),
    ] {
        let answer = service.get(&format!("/verify?hash={bad}"));
        answer.names("hash", "malformed");
        assert_eq!(answer.json()["pointer"], "/hash");
    }
    let twice = service.get(&format!("/verify?hash={good}&hash={good}"));
    twice.names("hash", "duplicate_key");
    assert_eq!(twice.json()["pointer"], "/hash");
}

#[test]
fn a_changed_payload_fails_the_hash_the_signature_and_the_log() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    for (pointer, value) in [
        ("/verdict", json!("REFUTED")),
        ("/agent", json!("b")),
        ("/claim", json!("another")),
        ("/resolver_confidence", json!(0)),
        ("/request_hash", json!("00".repeat(32))),
        ("/salt", json!("00".repeat(16))),
        ("/scope", json!("all")),
        ("/evidence", json!({})),
        ("/method", json!("x/1")),
        ("/added", json!(null)),
    ] {
        let changed = with(receipt.clone(), pointer, value);
        assert_eq!(failed(&verified(&service, &changed)), ["hash", "signature", "inclusion"], "{pointer}");
        let forged = rehashed(changed);
        assert_eq!(failed(&verified(&service, &forged)), ["signature", "inclusion"], "{pointer}");
    }
    let shorter = without(receipt, "/method");
    assert_eq!(failed(&verified(&service, &shorter)), ["hash", "signature", "inclusion"]);
}

#[test]
fn a_changed_hash_fails_the_hash_alone() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    for value in ["00".repeat(32), String::new(), hash(&receipt).to_uppercase()] {
        let changed = with(receipt.clone(), "/receipt_hash", json!(value));
        assert_eq!(failed(&verified(&service, &changed)), ["hash"]);
    }
}

#[test]
fn a_changed_signature_fails_the_signature_alone() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let other = service.claim(&signed("a"));
    let mut bytes = URL_SAFE_NO_PAD.decode(text(&receipt, "signature")).unwrap();
    bytes[63] ^= 0x80;
    for value in [
        text(&other, "signature").to_owned(),
        URL_SAFE_NO_PAD.encode(&bytes),
        URL_SAFE_NO_PAD.encode(&bytes[..63]),
        String::new(),
        format!("{}==", text(&receipt, "signature")),
        hex::encode(&bytes),
    ] {
        let changed = with(receipt.clone(), "/signature", json!(value));
        assert_eq!(failed(&verified(&service, &changed)), ["signature"]);
    }
}

#[test]
fn another_notarys_receipt_fails_by_its_key() {
    let service = dev();
    let other = crate::support::service::production().claim(&signed("a"));
    let answer = verified(&service, &other);
    assert!(failed(&answer).contains(&"key") && failed(&answer).contains(&"signature"), "{answer}");
    // A key of ours does not speak for somebody else.
    let receipt = with(service.claim(&signed("a")), "/iss", json!("https://notary.example"));
    assert!(failed(&verified(&service, &rehashed(receipt))).contains(&"key"));
}

#[test]
fn a_proof_of_another_leaf_or_with_a_changed_line_fails_the_inclusion_alone() {
    let service = dev();
    let (first, receipt) = (service.claim(&signed("a")), service.claim(&signed("b")));
    let proof = text(&receipt, "proof");
    let lines: Vec<&str> = proof.lines().collect();
    let index: u64 = lines[1].strip_prefix("index ").unwrap().parse().unwrap();
    let changed = |line: usize, by: &str| {
        let mut lines: Vec<&str> = lines.clone();
        lines[line] = by;
        lines.join("\n") + "\n"
    };
    let empty = lines.iter().position(|line| line.is_empty()).unwrap();
    for proof in [
        text(&first, "proof").to_owned(),
        changed(1, &format!("index {}", index + 1)),
        changed(2, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        changed(empty + 1, "notary.example/log"),
        changed(empty + 2, "999999"),
        changed(empty + 3, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        proof.replace("— ", "-- "),
        String::new(),
    ] {
        let answer = verified(&service, &with(receipt.clone(), "/proof", json!(proof)));
        let failed = failed(&answer);
        // Where the index is gone or lies before log_head, the times have nothing to be held against.
        assert!(failed == ["inclusion"] || failed == ["inclusion", "timestamp"], "{failed:?} {proof}");
    }
}

#[test]
fn an_impossible_time_fails_the_timestamp() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    for (pointer, value) in [
        ("/signed_at", json!("2999-01-01T00:00:00.000Z")),
        ("/signed_at", json!("yesterday")),
        ("/log_head/size", json!(9_999_999)),
        ("/log_head/root", json!("x")),
    ] {
        let changed = with(receipt.clone(), pointer, value);
        assert!(failed(&verified(&service, &changed)).contains(&"timestamp"), "{pointer}");
    }
}

#[test]
fn a_head_that_the_log_never_had_fails_the_timestamp() {
    let service = Launch::dev().without_limits().start();
    let notary = Notary::of(&service);
    let receipts: Vec<Value> = (0..4).map(|number| service.claim(&signed(&format!("a{number}")))).collect();
    let head = |receipt: &Value| {
        let checkpoint = crate::support::receipt::verify(receipt, &notary).checkpoint;
        json!({"size": checkpoint.size, "root": hex::encode(checkpoint.root)})
    };
    let last = &receipts[3];
    let naming = |head: Value| {
        verified(&service, &with(last.clone(), "/log_head", head))["checks"]["timestamp"].clone()
    };
    // Any head before the leaf will do, however old, as long as the log had it.
    for receipt in &receipts[..3] {
        let check = naming(head(receipt));
        assert!(check["ok"] == true && text(&check, "detail").contains("root is the log's"), "{check}");
    }
    let check = naming(with(head(&receipts[0]), "/root", head(&receipts[1])["root"].clone()));
    assert!(check["ok"] == false && text(&check, "detail").contains("never had"), "{check}");
    // A head that the log may come to have, of a leaf that it may come to have.
    let proof = text(last, "proof").replace(&format!("index {}", KEY_RECORDS + 3), "index 99");
    let ahead = with(with(last.clone(), "/log_head/size", json!(99)), "/proof", json!(proof));
    let check = &verified(&service, &ahead)["checks"]["timestamp"];
    assert!(check["ok"] == false && text(check, "detail").contains("never had"), "{check}");
    // The page of a receipt says the same as its verification.
    let page = service.get(&format!("/r/{}", hash(last))).expect(200).text();
    assert!(page.contains("root is the log&#39;s"), "{page}");
}

#[test]
fn a_receipt_of_a_tree_that_the_log_never_had_fails_the_inclusion() {
    let service = Launch::dev().without_limits().start();
    let receipt = service.claim(&signed("a"));
    let forged = Thief::of(&service).sign(with(receipt.clone(), "/verdict", json!("REFUTED")));
    // It has all that can be checked offline.
    crate::support::receipt::verify(&forged, &Notary::of(&service));
    service.get(&format!("/verify?hash={}", hash(&forged))).problem(404);
    let answer = verified(&service, &forged);
    assert_eq!(failed(&answer), ["inclusion"], "{answer}");
    let detail = |answer: &Value| text(&answer["checks"]["inclusion"], "detail").to_owned();
    assert!(detail(&answer).contains("this log never had the checkpoint"), "{answer}");
    // Old trees of the log itself are as good as its newest.
    service.claim(&signed("b"));
    let answer = verified(&service, &receipt);
    assert!(failed(&answer).is_empty() && detail(&answer).contains("the log's own"), "{answer}");
    assert_eq!(failed(&verified(&service, &forged)), ["inclusion"]);
    // The service with the same keys and an emptier log.
    let other = Launch::dev().without_limits();
    std::fs::create_dir(other.data().path().join("keys")).unwrap();
    for name in ["receipt.pem", "log.pem", "rerun.pem"] {
        std::fs::copy(service.path("keys").join(name), other.data().path().join("keys").join(name)).unwrap();
    }
    let other = other.set("BASE_URL", &Notary::of(&service).iss).flag("--new-log").start();
    let answer = verified(&other, &receipt);
    assert!(
        failed(&answer).contains(&"inclusion") && detail(&answer).contains("fewer than 5 leaves"),
        "{answer}"
    );
}

#[test]
fn what_is_no_receipt_is_a_400_that_names_the_member() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    for member in [
        "v",
        "class",
        "iss",
        "kid",
        "agent",
        "request_hash",
        "verdict",
        "salt",
        "log_head",
        "signed_at",
        "receipt_hash",
        "signature",
    ] {
        service.ask("/verify", &without(receipt.clone(), &format!("/{member}"))).names(member, "missing");
        service
            .ask("/verify", &with(receipt.clone(), &format!("/{member}"), json!([])))
            .names(member, "malformed");
    }
    service.ask("/verify", &with(receipt.clone(), "/v", json!(2))).names("v", "unsupported_version");
    service.ask("/verify", &without(receipt.clone(), "/log_head/root")).names("log_head.root", "missing");
    service
        .ask("/verify", &with(receipt.clone(), "/log_head/size", json!(-1)))
        .names("log_head.size", "malformed");
    service.ask("/verify", &json!({})).names("v", "missing");
    service.post("/verify", "").names("body", "malformed");
    service.post("/verify", "[]").names("body", "wrong_type");
    let twice = receipt.to_string().replacen('{', r#"{"verdict":"REFUTED","#, 1);
    service.post("/verify", twice).names("verdict", "duplicate_key");
}

#[test]
fn a_receipt_holds_however_it_is_spelled() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let pretty = serde_json::to_string_pretty(&receipt).unwrap();
    assert!(failed(&service.post("/verify", pretty).expect(200).json()).is_empty());
    let escaped = receipt.to_string().replace("CONFIRMED", r"\u0043ONFIRMED");
    assert!(failed(&service.post("/verify", escaped).expect(200).json()).is_empty());
}
