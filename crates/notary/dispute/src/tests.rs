//! Tests of disputes: allowed questions, the findings of hearings, and the results of a process that misbehaves.
//! Disputes over the wire, with the real process, are the binary's tests.

use std::path::PathBuf;

use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Object, parse};
use receipt::key::{SigningKey, VerifyingKey};
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::{
    EvidenceBlob, EvidencedFinding, FieldError, Fields, Judge as _, KeptRequest, Objection, Question as _,
    Unavailable,
};

use super::finding::{
    ComparedReceipt, DisputeReason, DisputeVerdict, Hearing, Rerunning, SourceVerdict, find,
};
use super::question::BroughtRequest;
use super::*;
use crate::rerun::Reruns;
use crate::testing::{BASE_URL, Log, QUESTION, route_table};

/// The address in EIP-55's own first example.
const CHECKSUMMED: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

fn at() -> Timestamp {
    "2026-11-21T02:00:00.250Z".parse().unwrap()
}

fn object(value: &Value) -> Object {
    match parse(value.to_string().as_bytes()).unwrap() {
        Json::Object(object) => object,
        other => panic!("{other:?}"),
    }
}

fn body() -> Value {
    json!({"agent": "scout-7", "receipt_hash": "ab".repeat(32), "reason": "it says otherwise"})
}

fn with(name: &str, value: impl Into<Value>) -> Value {
    let mut body = body();
    body[name] = value.into();
    body
}

fn read(body: &Value) -> Result<DisputeQuestion, FieldError> {
    DisputeQuestion::read(&Fields::root(&object(body)))
}

fn question() -> DisputeQuestion {
    read(&body()).unwrap()
}

#[test]
fn a_question_names_a_receipt_a_reason_and_perhaps_a_payee() {
    let question = question();
    assert_eq!(
        (question.receipt_hash, question.about()),
        (ReceiptHash([0xab; 32]), Some(ReceiptHash([0xab; 32])))
    );
    assert_eq!((&*question.reason, question.refund_to), ("it says otherwise", None));
    for text in [CHECKSUMMED, &CHECKSUMMED.to_lowercase(), &format!("0x{}", &CHECKSUMMED[2..].to_uppercase())]
    {
        let refund_to = read(&with("refund_to", text)).unwrap().refund_to.unwrap();
        assert_eq!(refund_to.to_string(), CHECKSUMMED, "{text}");
    }
    assert!(read(&with("reason", "x".repeat(4096))).is_ok());
    assert!(read(&with("reason", "\u{1f4dc}".repeat(4096))).is_ok(), "characters, not bytes");
}

#[test]
fn the_first_field_that_is_wrong_is_named_with_its_reason() {
    let hash = "ab".repeat(32);
    let without = |name: &str| {
        let mut body = body();
        body.as_object_mut().unwrap().remove(name);
        body
    };
    let mut both = with("reason", "");
    both["receipt_hash"] = json!("x");
    let flipped = CHECKSUMMED.replacen('a', "A", 1);
    let cases = [
        (without("receipt_hash"), "receipt_hash", "missing"),
        (with("receipt_hash", 7), "receipt_hash", "wrong_type"),
        (with("receipt_hash", ""), "receipt_hash", "malformed"),
        (with("receipt_hash", hash.to_uppercase()), "receipt_hash", "malformed"),
        (with("receipt_hash", &hash[1..]), "receipt_hash", "malformed"),
        (with("receipt_hash", format!("{hash}0")), "receipt_hash", "malformed"),
        (with("receipt_hash", format!("sha256:{hash}")), "receipt_hash", "malformed"),
        (without("reason"), "reason", "missing"),
        (with("reason", Value::Null), "reason", "wrong_type"),
        (with("reason", ""), "reason", "empty"),
        (with("reason", "x".repeat(4097)), "reason", "too_long"),
        (both, "receipt_hash", "malformed"),
        (with("refund_to", Value::Null), "refund_to", "wrong_type"),
        (with("refund_to", ""), "refund_to", "malformed"),
        (with("refund_to", &CHECKSUMMED[2..]), "refund_to", "malformed"),
        (with("refund_to", &CHECKSUMMED[..41]), "refund_to", "malformed"),
        (with("refund_to", format!("{CHECKSUMMED}0")), "refund_to", "malformed"),
        (with("refund_to", format!("0x{}", "g".repeat(40))), "refund_to", "malformed"),
        (with("refund_to", format!("0x0x{}", "a".repeat(38))), "refund_to", "malformed"),
        (with("refund_to", format!("0x{}", "\u{e4}".repeat(20))), "refund_to", "malformed"),
        (with("refund_to", flipped), "refund_to", "malformed"),
        (with("refund_to", format!("0x{}", "0".repeat(40))), "refund_to", "malformed"),
        (with("request", Value::Null), "request", "wrong_type"),
        (with("request", "{}"), "request", "wrong_type"),
    ];
    for (body, field, reason) in cases {
        let error = read(&body).unwrap_err();
        assert_eq!((&*error.path.dotted(), error.reason.code()), (field, reason), "{body}");
    }
}

fn disputed(verdict: &str) -> ComparedReceipt {
    ComparedReceipt {
        receipt_hash: "ab".repeat(32),
        class: "claim-verdict".to_owned(),
        verdict: verdict.to_owned(),
        signed_at: "2026-11-21T01:00:00.000Z".to_owned(),
        evidence_sha256: finding::evidence_sha256(&object(&json!({"page": 1})).into()),
        method: Some("rules/2".to_owned()),
    }
}

/// The answer of a process, with these members beside those that name its case.
fn answered(members: &Value) -> Rerunning {
    let replay = object(members);
    Rerunning::Answered { replay, rerun: object(&json!({"kid": "k", "signature": "s"})) }
}

fn found(verdict: &str) -> Rerunning {
    answered(&json!({"outcome": "found", "finding": {"verdict": verdict, "evidence": {"page": 1}}}))
}

/// The preserved evidence is not the evidence that the receipt names.
fn on_other_evidence(verdict: &str) -> Rerunning {
    answered(&json!({"outcome": "found", "finding": {"verdict": verdict, "evidence": {"page": 2}}}))
}

fn source(verdict: &str) -> Option<SourceVerdict> {
    Some(SourceVerdict { verdict: verdict.to_owned(), judged_at: at().to_string() })
}

fn hearing(rerun: Rerunning) -> Hearing {
    Hearing { disputed: disputed("CONFIRMED"), rerun, source: None }
}

#[test]
fn the_verdict_and_its_reason_follow_from_what_the_process_found() {
    use DisputeReason::*;
    use DisputeVerdict::*;
    for (rerun, verdict, reason, found) in [
        (found("CONFIRMED"), Upheld, SameVerdict, Some("CONFIRMED")),
        (found("REFUTED"), Overturned, OtherVerdict, Some("REFUTED")),
        (found("confirmed"), Overturned, OtherVerdict, Some("confirmed")),
        (found("CONFIRMED "), Overturned, OtherVerdict, Some("CONFIRMED ")),
        (found(""), Overturned, OtherVerdict, Some("")),
        (on_other_evidence("CONFIRMED"), Inconclusive, EvidenceMissing, Some("CONFIRMED")),
        (on_other_evidence("REFUTED"), Overturned, OtherVerdict, Some("REFUTED")),
        (
            answered(&json!({"outcome": "found", "finding": {"verdict": "CONFIRMED"}})),
            Inconclusive,
            EvidenceMissing,
            Some("CONFIRMED"),
        ),
        (answered(&json!({"outcome": "missing", "detail": "the body"})), Inconclusive, EvidenceMissing, None),
        (answered(&json!({"outcome": "refused", "detail": "no judge"})), Inconclusive, RequestRefused, None),
        (answered(&json!({"outcome": "found", "finding": {}})), Inconclusive, EvidenceMissing, None),
        (Rerunning::Failed(RerunExhausted), Inconclusive, RerunExhausted, None),
        (Rerunning::Failed(TooLarge), Inconclusive, TooLarge, None),
    ] {
        let finding = find(&question(), hearing(rerun.clone()), at());
        assert_eq!((finding.verdict, finding.reason, finding.found.as_deref()), (verdict, reason, found));
        let is_answered = matches!(rerun, Rerunning::Answered { .. });
        assert_eq!((finding.replay.is_some(), finding.rerun.is_some()), (is_answered, is_answered));
    }
}

#[test]
fn newer_rules_overturn_nothing() {
    let by = |verdict: &str, method: &str| {
        let finding = json!({"verdict": verdict, "evidence": {"page": 1}, "method": method});
        answered(&json!({"outcome": "found", "finding": finding}))
    };
    for (rerun, verdict, reason) in [
        (by("REFUTED", "rules/2"), DisputeVerdict::Overturned, DisputeReason::OtherVerdict),
        (by("REFUTED", "rules/3"), DisputeVerdict::Inconclusive, DisputeReason::RulesChanged),
        (by("CONFIRMED", "rules/3"), DisputeVerdict::Upheld, DisputeReason::SameVerdict),
        (found("REFUTED"), DisputeVerdict::Overturned, DisputeReason::OtherVerdict),
    ] {
        let finding = find(&question(), hearing(rerun), at());
        assert_eq!((finding.verdict, finding.reason), (verdict, reason));
    }
}

#[test]
fn a_source_decides_nothing() {
    for (rerun, verdict) in [
        (found("CONFIRMED"), DisputeVerdict::Upheld),
        (found("REFUTED"), DisputeVerdict::Overturned),
        (Rerunning::Failed(DisputeReason::RerunExhausted), DisputeVerdict::Inconclusive),
    ] {
        for (source, changed) in
            [(None, None), (source("CONFIRMED"), Some(false)), (source("REFUTED"), Some(true))]
        {
            let hearing = Hearing { source: source.clone(), ..hearing(rerun.clone()) };
            let finding = find(&question(), hearing, at());
            assert_eq!((finding.verdict, finding.source_changed), (verdict, changed));
            assert_eq!(finding.evidence.source, source);
        }
    }
}

#[test]
fn verifiers_take_each_reason_for_which_there_is_no_re_run() {
    use DisputeReason::*;
    let reasons = [RerunExhausted, TooLarge, AnotherDispute, RerunUnavailable, RequestRedacted];
    let names = reasons.map(|reason| serde_json::to_value(reason).unwrap());
    assert_eq!(names, receipt::verify::REASONS_WITHOUT_REPLAY);
}

#[test]
fn what_was_heard_is_read_back_as_it_was_and_gives_the_same_finding() {
    use DisputeReason::*;
    let reasons = [
        SameVerdict,
        OtherVerdict,
        EvidenceMissing,
        RequestRefused,
        RequestRedacted,
        RerunExhausted,
        TooLarge,
    ];
    let reruns = reasons.map(Rerunning::Failed).into_iter().chain([found("REFUTED"), found("\u{1f4dc}\"\\")]);
    for rerun in reruns {
        for source in [None, source("UNRESOLVED")] {
            let hearing = Hearing { source, ..hearing(rerun.clone()) };
            let evidence = [hearing.to_blob()];
            assert_eq!(Hearing::read(&evidence).unwrap(), hearing);
            let judge = DisputeJudge::without_archive();
            let finding = find(&question(), hearing, at());
            assert_eq!(judge.replay(&question(), &evidence, at()), Ok(finding.clone()));
            assert_eq!(finding.evidence.sha256, hex::encode(evidence[0].sha256()));
        }
    }
}

#[test]
fn what_was_heard_and_cannot_be_read_is_missing() {
    let good = hearing(found("REFUTED")).to_blob();
    let bytes = |bytes: &[u8]| EvidenceBlob::new(good.role().to_owned(), bytes.to_vec());
    let changed = |change: fn(&mut Value)| {
        let mut value: Value = serde_json::from_slice(good.bytes().unwrap()).unwrap();
        change(&mut value);
        bytes(value.to_string().as_bytes())
    };
    let cases = [
        EvidenceBlob::new("other", good.bytes().unwrap().to_vec()),
        bytes(b""),
        bytes(b"{}"),
        bytes(b"[]"),
        changed(|heard| drop(heard.as_object_mut().unwrap().remove("replay"))),
        changed(|heard| heard["replay"] = json!([])),
        changed(|heard| heard["failed"] = json!("out of mood")),
        changed(|heard| heard["source"] = json!({"verdict": 7})),
        changed(|heard| heard["disputed"]["verdict"] = json!(null)),
    ];
    for blob in cases {
        assert!(Hearing::read(std::slice::from_ref(&blob)).is_err(), "{blob:?}");
    }
    assert!(Hearing::read(&[]).is_err());
}

/// A judge over a log's archive whose process of reruns is a shell with this script.
fn judging(log: &Log, script: &str) -> DisputeJudge {
    let key = SigningKey::from_seed(&[9; 32]);
    let verifying = VerifyingKey::new(key.public_key()).unwrap();
    let arguments = vec!["-c".into(), script.into()];
    let reruns = Reruns::new(PathBuf::from("/bin/sh"), arguments, key.id(BASE_URL).unwrap(), verifying);
    DisputeJudge::new(Archive { ledger: log.ledger(), route_table: route_table(), reruns })
}

/// A dispute of a receipt that is in the log.
async fn about(log: &Log) -> DisputeQuestion {
    read(&with("receipt_hash", log.receipt().await.to_string())).unwrap()
}

async fn judged(script: &str) -> Result<EvidencedFinding<DisputeFinding>, Unavailable> {
    let log = Log::new();
    let question = about(&log).await;
    judging(&log, script).judge(&question, at().into()).await
}

#[tokio::test]
async fn a_process_that_is_killed_or_says_too_much_is_inconclusive_and_one_that_fails_is_no_finding() {
    for script in ["kill -9 $$", "cat >/dev/null; while :; do printf '%065536d' 0; done"] {
        let EvidencedFinding { finding, evidence } = judged(script).await.unwrap();
        let said = (finding.verdict, finding.reason);
        assert_eq!(said, (DisputeVerdict::Inconclusive, DisputeReason::RerunExhausted), "{script}");
        assert_eq!((finding.source_changed, finding.found, evidence.len()), (None, None, 1));
    }
    for script in ["exit 3", "echo garbage", "cat", "exec /nonexistent"] {
        let unavailable = judged(script).await.unwrap_err();
        assert_eq!(unavailable.module, "dispute", "{script}");
    }
}

#[tokio::test]
async fn a_process_that_does_not_end_in_time_is_no_finding() {
    let log = Log::new();
    let question = about(&log).await;
    // Time jumps to the next bound as soon as there is nothing else to do.
    tokio::time::pause();
    let judge = judging(&log, "kill -STOP $$");
    let unavailable = judge.judge(&question, at().into()).await.unwrap_err();
    assert_eq!(unavailable.module, "dispute");
}

#[tokio::test]
async fn a_request_that_is_stored_redacted_is_heard_only_as_it_was_sent() {
    let log = Log::new();
    let redacted = |sent: Vec<u8>| KeptRequest::redacted(b"{}".to_vec(), sha256(&sent));
    let hash = log.receipt_of(redacted).await;
    let judge = judging(&log, "exit 3");
    let question = |request: Option<&str>| {
        let mut body = with("receipt_hash", hash.to_string());
        if let Some(request) = request {
            body["request"] = serde_json::from_str(request).unwrap();
        }
        read(&body).unwrap()
    };
    assert_eq!(judge.admit(&question(None), at()).await, Err(REQUEST_REDACTED));
    for other in ["{}", &QUESTION.replace("scout-7", "scout-8")] {
        let refused = judge.admit(&question(Some(other)), at()).await.unwrap_err();
        let Objection::Field(error) = refused else { panic!("{refused:?}") };
        assert_eq!((&*error.path.dotted(), error.reason.code()), ("request", "not_applicable"));
    }
    let brought = question(Some(QUESTION));
    assert_eq!(judge.admit(&brought, at()).await, Ok(()));
    // The process is started for the request that was brought, and for nothing else.
    assert_eq!(judge.judge(&brought, at().into()).await.unwrap_err().module, "dispute");
    let EvidencedFinding { finding, .. } = judge.judge(&question(None), at().into()).await.unwrap();
    let said = (finding.verdict, finding.reason);
    assert_eq!(said, (DisputeVerdict::Inconclusive, DisputeReason::RequestRedacted));
}

#[tokio::test]
async fn a_request_that_is_stored_whole_may_be_brought_and_must_then_be_the_same() {
    let log = Log::new();
    let mut question = about(&log).await;
    let judge = judging(&log, "exit 3");
    question.request = Some(BroughtRequest(parse(QUESTION.as_bytes()).unwrap().canonical()));
    assert_eq!(judge.admit(&question, at()).await, Ok(()));
    question.request = Some(BroughtRequest(b"{}".to_vec()));
    assert!(matches!(judge.admit(&question, at()).await, Err(Objection::Field(_))));
}

#[test]
fn the_request_that_a_dispute_brings_is_not_stored_with_it() {
    let request = object(&with("request", json!({"text": "hunter2"})));
    let judge = DisputeJudge::without_archive();
    let question = DisputeQuestion::read(&Fields::root(&request)).unwrap();
    assert_eq!(judge.kept_request(&question, &request), object(&body()));
    assert!(!format!("{question:?}").contains("hunter2"));
}

#[tokio::test]
async fn what_is_in_the_way_is_told_before_anything_else() {
    let log = Log::new();
    let question = about(&log).await;
    let judge = judging(&log, "exit 3");
    let unknown = DisputeQuestion { receipt_hash: ReceiptHash([0; 32]), ..question.clone() };
    let objection = judge.admit(&unknown, at()).await.unwrap_err();
    assert!(matches!(objection, Objection::Unknown(_)), "{objection:?}");
    let stored = log.ledger().receipt(&question.receipt_hash).await.unwrap().unwrap();
    let payload = parse(&stored.payload).unwrap();
    let signed_at: Timestamp = payload.get("signed_at").and_then(Json::as_str).unwrap().parse().unwrap();
    let window = i64::from(WINDOW_HOURS) * 3_600_000;
    assert_eq!(judge.admit(&question, signed_at.saturating_add_millis(window)).await, Ok(()));
    assert_eq!(judge.admit(&question, signed_at.saturating_add_millis(window + 1)).await, Err(WINDOW_CLOSED));
    let objection = DisputeJudge::without_archive().admit(&question, at()).await.unwrap_err();
    assert!(matches!(objection, Objection::Unavailable(_)), "{objection:?}");
}
