//! A dispute's receipt: its verdict holds where a key of reruns signed what it follows from, and nowhere else.

use crate::common::{BASE_URL, Sample};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::envelope::LogHead;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::parse;
use receipt::key::{KeyId, PublishedKey, SigningKey};
use receipt::sign::{JWS_TYPE, jws_header_of_type, signing_input};
use receipt::verify::{Keys, REASONS_WITHOUT_REPLAY, RERUN_JWS_TYPE, Report, Verifier};
use serde_json::{Value, json};

const REFERENCE: ReceiptHash = ReceiptHash([0x5a; 32]);

fn rerun_key() -> SigningKey {
    SigningKey::from_seed(&[3; 32])
}

fn known() -> PublishedKey {
    PublishedKey::rerun(rerun_key().id(BASE_URL).unwrap(), rerun_key().public_key())
}

fn canonical(value: &Value) -> Vec<u8> {
    parse(value.to_string().as_bytes()).unwrap().canonical()
}

/// The member `rerun` over a replay.
fn signed(replay: &Value, key: &SigningKey, kid: &KeyId, typ: &str) -> Value {
    let header = URL_SAFE_NO_PAD.encode(jws_header_of_type(typ, kid.as_str()));
    let signature = key.sign(&signing_input(&header, &canonical(replay)));
    json!({"kid": kid.as_str(), "signature": URL_SAFE_NO_PAD.encode(signature)})
}

fn evidence() -> Value {
    json!({"body_sha256": "ab"})
}

/// A replay that found this verdict on the evidence that the disputed receipt names.
fn found(verdict: &str) -> Value {
    let finding = json!({"verdict": verdict, "evidence": evidence()});
    json!({"receipt_hash": REFERENCE.to_string(), "outcome": "found", "finding": finding})
}

fn ended(outcome: &str) -> Value {
    json!({"receipt_hash": REFERENCE.to_string(), "outcome": outcome, "detail": "the request"})
}

/// The finding of a dispute of a receipt that says `CONFIRMED`, with a replay that the rerun's key signed.
fn finding(reason: &str, replay: &Value) -> Value {
    let mut finding = json!({
        "reason": reason,
        "disputed": {
            "receipt_hash": REFERENCE.to_string(),
            "verdict": "CONFIRMED",
            "evidence_sha256": hex::encode(sha256(&canonical(&evidence()))),
        },
        "replay": replay,
        "rerun": signed(replay, &rerun_key(), &known().kid, RERUN_JWS_TYPE),
        "method": "dispute/1",
    });
    if let Some(verdict) = replay.pointer("/finding/verdict") {
        finding["found"] = verdict.clone();
    }
    finding
}

fn upheld() -> Value {
    finding("same_verdict", &found("CONFIRMED"))
}

/// Verifies a dispute's receipt that the notary signed and logged, with these known keys besides.
fn report_with(verdict: &str, finding: &Value, known: Vec<PublishedKey>) -> Report {
    let head = LogHead { size: 0, root: tlog::EMPTY_ROOT };
    let sample = Sample::of("dispute", verdict, Some(REFERENCE), head, finding);
    let keys = [vec![sample.published.clone()], known].concat();
    let keys = Keys::new(keys, vec![sample.log_key.verifier()]).unwrap();
    Verifier::new(keys).verify(&sample.receipt).unwrap()
}

#[track_caller]
fn holds(verdict: &str, finding: &Value) {
    let report = report_with(verdict, finding, vec![known()]);
    assert!(report.valid(), "{report:?}");
    assert_eq!(report.checks().last().unwrap().0, "rerun");
    assert_eq!(serde_json::to_value(&report).unwrap()["rerun"]["ok"], true);
}

/// That nothing but `rerun` fails, for this reason.
#[track_caller]
fn fails(verdict: &str, finding: &Value, known: Vec<PublishedKey>, why: &str) {
    let report = report_with(verdict, finding, known);
    assert_eq!(report.failed().collect::<Vec<_>>(), ["rerun"], "{why}: {report:?}");
    let detail = report.rerun.unwrap().detail;
    assert!(detail.contains(why), "{detail}");
}

fn changed(mut finding: Value, pointer: &str, value: Value) -> Value {
    *finding.pointer_mut(pointer).unwrap() = value;
    finding
}

fn without(mut finding: Value, names: &[&str]) -> Value {
    let members = finding.as_object_mut().unwrap();
    names.iter().for_each(|name| drop(members.remove(*name).unwrap()));
    finding
}

/// Every way in which a dispute can end: its verdict and finding.
fn endings() -> Vec<(&'static str, Value)> {
    let other_evidence = changed(found("CONFIRMED"), "/finding/evidence", json!({"body_sha256": "cd"}));
    let no_evidence = changed(found("CONFIRMED"), "/finding", json!({"verdict": "CONFIRMED"}));
    let unheard = |reason| without(finding(reason, &ended("missing")), &["replay", "rerun"]);
    let mut endings = vec![
        ("UPHELD", upheld()),
        ("OVERTURNED", finding("other_verdict", &found("REFUTED"))),
        ("INCONCLUSIVE", finding("evidence_missing", &other_evidence)),
        ("INCONCLUSIVE", finding("evidence_missing", &no_evidence)),
        ("INCONCLUSIVE", finding("evidence_missing", &ended("missing"))),
        ("INCONCLUSIVE", finding("request_refused", &ended("refused"))),
    ];
    endings.extend(REASONS_WITHOUT_REPLAY.map(|reason| ("INCONCLUSIVE", unheard(reason))));
    endings
}

#[test]
fn the_verdict_that_follows_from_the_replay_holds_and_no_other_does() {
    for (right, finding) in endings() {
        holds(right, &finding);
        for verdict in ["UPHELD", "OVERTURNED", "INCONCLUSIVE", "upheld", "CONFIRMED"] {
            if verdict != right {
                fails(verdict, &finding, vec![known()], "the verdict does not follow");
            }
        }
    }
}

#[test]
fn by_the_newer_rules_of_disputes_another_verdict_by_other_rules_decides_nothing() {
    let by = |dispute: &str, method: &str, reason: &str| {
        let mut replay = found("REFUTED");
        replay["finding"]["method"] = json!(method);
        let mut finding = finding(reason, &replay);
        finding["disputed"]["method"] = json!("rules/2");
        changed(finding, "/method", json!(dispute))
    };
    holds("OVERTURNED", &by("dispute/1", "rules/3", "other_verdict"));
    holds("OVERTURNED", &by("dispute/2", "rules/2", "other_verdict"));
    holds("INCONCLUSIVE", &by("dispute/2", "rules/3", "rules_changed"));
    let known = || vec![known()];
    fails("OVERTURNED", &by("dispute/2", "rules/3", "other_verdict"), known(), "the verdict does not follow");
    fails(
        "INCONCLUSIVE",
        &by("dispute/1", "rules/3", "rules_changed"),
        known(),
        "the verdict does not follow",
    );
}

#[test]
fn what_is_said_beside_the_verdict_follows_too() {
    for (verdict, finding) in endings() {
        let unheard = finding.get("replay").is_none();
        let why = if unheard { "does not say why" } else { "reason does not follow" };
        fails(verdict, &changed(finding.clone(), "/reason", json!("because")), vec![known()], why);
        let mut other = finding.clone();
        other["found"] = json!("OTHER");
        fails(verdict, &other, vec![known()], "found is not what the replay found");
        fails(verdict, &changed(finding, "/method", json!("dispute/3")), vec![known()], "method");
    }
    fails("UPHELD", &without(upheld(), &["found"]), vec![known()], "found");
}

#[test]
fn a_replay_that_the_reruns_key_did_not_sign_bears_nothing_out() {
    let other = SigningKey::from_seed(&[4; 32]);
    let sign = |key: &SigningKey, kid: &KeyId, typ| {
        changed(upheld(), "/rerun", signed(&found("CONFIRMED"), key, kid, typ))
    };
    let receipt_key = SigningKey::from_seed(&[7; 32]);
    let receipt_kid = receipt_key.id(BASE_URL).unwrap();
    let verify = "over the replay does not verify";
    for (finding, why) in [
        (changed(upheld(), "/replay/finding/evidence", json!(1)), verify),
        (sign(&other, &known().kid, RERUN_JWS_TYPE), verify),
        (sign(&rerun_key(), &known().kid, JWS_TYPE), verify),
        (sign(&receipt_key, &receipt_kid, RERUN_JWS_TYPE), "not one of the known keys of reruns"),
        (changed(upheld(), "/rerun/signature", json!("!")), "is not the base64url"),
        (changed(upheld(), "/rerun/signature", json!(7)), "is not the base64url"),
        (changed(upheld(), "/rerun/kid", json!(null)), "not one of the known keys of reruns"),
    ] {
        fails("UPHELD", &finding, vec![known()], why);
    }
    // The verdict that would follow from a changed replay is no better.
    let lie = changed(upheld(), "/replay/finding/verdict", json!("REFUTED"));
    let lie = changed(changed(lie, "/found", json!("REFUTED")), "/reason", json!("other_verdict"));
    fails("OVERTURNED", &lie, vec![known()], verify);
}

#[test]
fn who_does_not_know_the_reruns_key_cannot_take_the_dispute() {
    fails("UPHELD", &upheld(), Vec::new(), "not one of the known keys of reruns");
    // The same key, but not as one of reruns; and of reruns of another notary.
    let PublishedKey { kid, key, .. } = known();
    fails("UPHELD", &upheld(), vec![PublishedKey::active(kid, key)], "not one of the known keys of reruns");
    let abroad = rerun_key().id("https://other.example").unwrap();
    let finding =
        changed(upheld(), "/rerun", signed(&found("CONFIRMED"), &rerun_key(), &abroad, RERUN_JWS_TYPE));
    fails("UPHELD", &finding, vec![PublishedKey::rerun(abroad, key)], "not a key of iss");
}

#[test]
fn a_replay_of_another_receipt_or_of_an_unknown_form_bears_nothing_out() {
    let another = json!("6b".repeat(32));
    let replay = changed(found("CONFIRMED"), "/receipt_hash", another.clone());
    let resigned = finding("same_verdict", &replay);
    let odd = |replay: Value| finding("evidence_missing", &replay);
    let form = "outcome is not of the known form";
    for (verdict, finding, why) in [
        ("UPHELD", resigned.clone(), "the replay is of another receipt"),
        ("UPHELD", changed(resigned, "/disputed/receipt_hash", another), "is not ref"),
        ("UPHELD", changed(upheld(), "/disputed/verdict", json!(1)), "disputed is not of the known form"),
        ("UPHELD", without(upheld(), &["disputed"]), "disputed is not of the known form"),
        ("UPHELD", without(upheld(), &["rerun"]), "without its rerun"),
        ("UPHELD", without(upheld(), &["replay"]), "without its rerun"),
        ("UPHELD", changed(upheld(), "/replay", json!([])), "replay is not an object"),
        ("UPHELD", changed(upheld(), "/rerun", json!(null)), "rerun is not an object"),
        ("INCONCLUSIVE", odd(ended("found")), form),
        ("INCONCLUSIVE", odd(ended("other")), form),
        ("INCONCLUSIVE", odd(changed(found("CONFIRMED"), "/outcome", json!("missing"))), form),
    ] {
        fails(verdict, &finding, vec![known()], why);
    }
}

#[test]
fn a_receipt_of_another_class_is_not_held_against_a_rerun() {
    let head = LogHead { size: 0, root: tlog::EMPTY_ROOT };
    let finding = changed(upheld(), "/rerun/signature", json!("!"));
    let sample = Sample::of("claim-verdict", "OVERTURNED", Some(REFERENCE), head, &finding);
    let report = sample.verifier().verify(&sample.receipt).unwrap();
    assert!(report.valid() && report.rerun.is_none(), "{report:?}");
    assert_eq!(report.checks().count(), 5);
}
