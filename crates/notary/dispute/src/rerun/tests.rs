//! The parent's side with programs that misbehave, and what is signed. The real program's own tests are the binary's.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ledger::StoredBlob;
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::sha256;
use receipt::json::{Json, Object, parse};
use receipt::key::{KeyId, SigningKey, VerifyingKey};
use receipt::time::Timestamp;
use tokio::task::JoinSet;

use super::*;
use crate::testing::{BASE_URL, QUESTION, route_table};

mod case;

const SANDBOX: &[&str] = &["seccomp"];

fn key() -> SigningKey {
    SigningKey::from_seed(&[9; 32])
}

fn kid() -> KeyId {
    key().id(BASE_URL).unwrap()
}

fn verifying() -> VerifyingKey {
    VerifyingKey::new(key().public_key()).unwrap()
}

fn at() -> Timestamp {
    "2026-11-21T02:00:00.250Z".parse().unwrap()
}

/// The payload of a receipt for a request.
fn payload(class: &str, request: &[u8]) -> Vec<u8> {
    let envelope = Envelope::<Json> {
        class,
        iss: BASE_URL,
        kid: "did:web:notary.example#k",
        agent: "scout-7",
        request_hash: sha256(request),
        is_request_redacted: false,
        verdict: "CONFIRMED",
        payment: None,
        reference: None,
        salt: [0; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: at(),
    };
    envelope.payload(&Object::new()).unwrap()
}

fn stored(role: &str, bytes: &[u8]) -> StoredBlob {
    StoredBlob { role: role.to_owned(), sha256: sha256(bytes), bytes: Some(bytes.to_vec()) }
}

/// A claim that is confirmed by its question alone.
fn case() -> RerunCase {
    let request = parse(QUESTION.as_bytes()).unwrap().canonical();
    let payload = payload("claim-verdict", &request);
    RerunCase { payload, judged_at: at(), request: Some(request), evidence: vec![stored("note", b"kept")] }
}

/// The line that the process would write.
fn answered(case: &RerunCase) -> Vec<u8> {
    answer(&route_table(), case.clone(), SANDBOX, &key(), &kid()).unwrap()
}

fn outcome(case: &RerunCase) -> ReplayOutcome {
    verify(&answered(case), case, &kid(), &verifying()).unwrap().outcome
}

/// A shell with a script for the program.
fn shell(script: &str) -> Reruns {
    Reruns::new(PathBuf::from("/bin/sh"), vec!["-c".into(), script.into()], kid(), verifying())
}

/// A script that reads the case to its end, as the program does, and writes this.
fn says(text: &str) -> Reruns {
    assert!(!text.contains('\''));
    shell(&format!("cat >/dev/null; printf '%s\\n' '{text}'"))
}

async fn said(answer: &[u8]) -> Result<Rerun, RerunError> {
    says(std::str::from_utf8(answer).unwrap()).run(&case()).await
}

/// The answer with one change, still signed as it was.
fn changed(answer: &[u8], change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let mut value = serde_json::from_slice(answer).unwrap();
    change(&mut value);
    value.to_string().into_bytes()
}

#[test]
fn a_question_is_found_on_again_and_evidence_that_was_altered_is_no_evidence() {
    let mut case = case();
    let ReplayOutcome::Found(finding) = outcome(&case) else { panic!("{:?}", outcome(&case)) };
    assert_eq!(finding.get("verdict"), Some(&"CONFIRMED".into()));
    case.evidence[0].bytes = Some(b"other".to_vec());
    let rerun = verify(&answered(&case), &case, &kid(), &verifying()).unwrap();
    assert_eq!(rerun.replay.get("evidence"), Some(&Json::Array(Vec::new())));
}

#[test]
fn a_request_that_is_not_kept_or_not_the_one_signed_for_is_missing() {
    let missing = ReplayOutcome::Missing("the request".to_owned());
    assert_eq!(outcome(&RerunCase { request: None, ..case() }), missing);
    assert_eq!(outcome(&RerunCase { request: Some(b"{}".to_vec()), ..case() }), missing);
}

#[test]
fn a_request_that_no_judge_takes_is_refused() {
    for (class, request) in [
        ("claim-verdict", r#"{"agent":"a"}"#),
        ("claim-verdict", "[]"),
        ("claim-verdict", "{"),
        ("nothing", "{}"),
    ] {
        let case = RerunCase {
            payload: payload(class, request.as_bytes()),
            request: Some(request.as_bytes().to_vec()),
            ..case()
        };
        assert!(matches!(outcome(&case), ReplayOutcome::Refused(_)), "{class} {request}");
    }
}

#[tokio::test]
async fn an_answer_is_believed_under_the_key_and_over_the_case_that_was_sent() {
    let good = answered(&case());
    let rerun = said(&good).await.unwrap();
    assert!(matches!(rerun.outcome, ReplayOutcome::Found(_)));
    assert_eq!(rerun.rerun.get("kid"), Some(&kid().as_str().into()));
    assert_eq!(Json::Object(rerun.replay).get("sandbox"), Some(&Json::Array(vec!["seccomp".into()])));
}

#[tokio::test]
async fn an_answer_that_was_altered_or_signed_by_another_key_is_not_believed() {
    let good = answered(&case());
    let refused = async |answer: Vec<u8>| match said(&answer).await {
        Err(RerunError::Signed(error)) => error,
        other => panic!("{other:?}"),
    };
    let alter = |pointer: &'static str, value: &'static str| {
        changed(&good, |answer| *answer.pointer_mut(pointer).unwrap() = value.into())
    };
    assert_eq!(refused(alter("/replay/finding/verdict", "REFUTED")).await, SignedError::Signature);
    assert_eq!(refused(alter("/replay/sandbox", "none")).await, SignedError::Signature);
    assert_eq!(refused(alter("/rerun/signature", "AAAA")).await, SignedError::Signature);
    assert_eq!(refused(alter("/rerun/signature", "=")).await, SignedError::Signature);
    assert_eq!(refused(alter("/rerun/kid", "did:web:notary.example#other")).await, SignedError::OtherKey);
    let other = SigningKey::from_seed(&[10; 32]);
    let route_table = &route_table();
    let forged = answer(route_table, case(), SANDBOX, &other, &kid()).unwrap();
    assert_eq!(refused(forged).await, SignedError::Signature);
    let named = answer(route_table, case(), SANDBOX, &other, &other.id(BASE_URL).unwrap()).unwrap();
    assert_eq!(refused(named).await, SignedError::OtherKey);
}

#[tokio::test]
async fn an_answer_by_the_key_that_is_to_come_is_believed_and_one_by_a_dropped_key_is_not() {
    let other = SigningKey::from_seed(&[10; 32]);
    let (named, checks) = (other.id(BASE_URL).unwrap(), VerifyingKey::new(other.public_key()).unwrap());
    let answered = answer(&route_table(), case(), SANDBOX, &other, &named).unwrap();
    let reruns = says(std::str::from_utf8(&answered).unwrap());
    let keys = reruns.keys();
    let accepted = || keys.accepted().into_iter().map(|(kid, _)| kid).collect::<Vec<_>>();
    keys.expect(named.clone(), checks.clone());
    keys.expect(named.clone(), checks.clone());
    assert_eq!((keys.kid(), accepted()), (Some(kid()), vec![kid(), named.clone()]));
    reruns.run(&case()).await.unwrap();
    keys.replace(named.clone(), checks.clone(), false);
    assert_eq!(accepted(), [named.clone(), kid()]);
    keys.keep_only(|known| *known != named);
    assert_eq!(accepted(), [kid()]);
    let refused = reruns.run(&case()).await;
    assert!(matches!(refused, Err(RerunError::Signed(SignedError::OtherKey))), "{refused:?}");
    keys.replace(named.clone(), checks, true);
    assert_eq!(accepted(), [named]);
}

#[tokio::test]
async fn an_answer_about_another_case_is_not_believed() {
    let request = case().request.unwrap();
    let others = [
        RerunCase { payload: payload("commit", &request), ..case() },
        RerunCase { judged_at: at().saturating_add_millis(1), ..case() },
        RerunCase { evidence: Vec::new(), ..case() },
        RerunCase { evidence: vec![stored("note", b"other")], ..case() },
        RerunCase { evidence: vec![stored("other", b"kept")], ..case() },
    ];
    for other in others {
        let error = said(&answered(&other)).await.unwrap_err();
        assert!(matches!(error, RerunError::Signed(SignedError::OtherCase)), "{other:?}: {error}");
    }
}

#[tokio::test]
async fn garbage_is_not_believed() {
    for garbage in ["", "garbage", "[]", "{}", r#"{"replay":{},"rerun":{}}"#, r#"{"replay":[],"rerun":7}"#] {
        let error = said(garbage.as_bytes()).await.unwrap_err();
        assert!(matches!(error, RerunError::Signed(SignedError::Malformed)), "{garbage}: {error}");
    }
}

#[tokio::test]
async fn a_process_that_fails_or_is_not_there_or_says_too_much_decides_nothing() {
    let good = String::from_utf8(answered(&case())).unwrap();
    let failed = shell(&format!("cat >/dev/null; printf '%s\\n' '{good}'; exit 3")).run(&case()).await;
    assert!(matches!(failed, Err(RerunError::Failed(status)) if status.code() == Some(3)), "{failed:?}");
    let killed = shell("kill -9 $$").run(&case()).await;
    assert!(matches!(killed, Err(RerunError::Failed(status)) if status.code().is_none()), "{killed:?}");
    let endless = shell("cat >/dev/null; while :; do printf '%065536d' 0; done").run(&case()).await;
    assert!(matches!(endless, Err(RerunError::TooLong)), "{endless:?}");
    let nobody = Reruns::new(PathBuf::from("/nonexistent"), Vec::new(), kid(), verifying());
    assert!(matches!(nobody.run(&case()).await, Err(RerunError::Process(_))));
}

#[tokio::test]
async fn a_process_that_does_not_read_its_case_decides_by_its_answer_alone() {
    let good = String::from_utf8(answered(&case())).unwrap();
    assert!(shell(&format!("printf '%s\\n' '{good}'")).run(&case()).await.is_ok());
}

#[tokio::test]
async fn a_process_gets_nothing_of_the_environment() {
    let tells =
        shell(r#"cat >/dev/null; test -z "$(tr -d '\0' </proc/$$/environ)" && exit 7"#).run(&case()).await;
    assert!(matches!(tells, Err(RerunError::Failed(status)) if status.code() == Some(7)), "{tells:?}");
}

/// A process that never ends, known by its command line.
fn endless(marker: &str) -> Reruns {
    shell(&format!("kill -STOP $$ # {marker}"))
}

/// Counts the processes that have this in their command lines.
fn count(marker: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
}

fn wait_for(processes: usize, marker: &str) {
    for _ in 0..6000 {
        if count(marker) == processes {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{} instead of {processes}", count(marker));
}

// Time is paused in these: it jumps to the next bound as soon as there is nothing else to do.

#[tokio::test(start_paused = true)]
async fn a_process_that_never_ends_is_killed() {
    let marker = format!("never-ends of {}", std::process::id());
    let outcome = endless(&marker).run(&case()).await;
    assert!(matches!(outcome, Err(RerunError::TimedOut)), "{outcome:?}");
    wait_for(0, &marker);
}

#[tokio::test(start_paused = true)]
async fn two_run_at_once_and_others_wait_for_a_bounded_time_in_a_bounded_number() {
    let marker = format!("at-once of {}", std::process::id());
    let reruns = Arc::new(endless(&marker));
    let run = || {
        let reruns = Arc::clone(&reruns);
        async move { reruns.run(&case()).await }
    };
    let mut in_hand: JoinSet<_> = (0..MAX_IN_HAND).map(|_| run()).collect();
    // Each is polled once before this goes on.
    tokio::task::yield_now().await;
    wait_for(MAX_AT_ONCE, &marker);
    assert!(matches!(run().await, Err(RerunError::Busy)), "one more than may be in hand");
    for _ in MAX_AT_ONCE..MAX_IN_HAND {
        let waited = in_hand.join_next().await.unwrap().unwrap();
        assert!(matches!(waited, Err(RerunError::Busy)), "{waited:?}");
    }
    in_hand.shutdown().await;
    wait_for(0, &marker);
    assert!(
        matches!(run().await, Err(RerunError::TimedOut)),
        "the places of callers that went away are free"
    );
}
