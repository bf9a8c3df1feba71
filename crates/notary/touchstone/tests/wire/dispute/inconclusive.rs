//! Nothing to find on, or no end: the bond goes back.

use std::time::SystemTime;
use std::{fs, thread};

use verdict::Timestamp;

use super::*;
use crate::crash::{crash, persist};
use crate::support::gate::Gate;
use crate::support::store::Forger;

/// That the dispute of a receipt is inconclusive, and the bond given back; the dispute.
#[track_caller]
fn assert_inconclusive(service: &Service, receipt: &Value, reason: &str) -> Value {
    let before = Store::of(service.data.path()).balance(faucet());
    let dispute = disputed(service, receipt);
    assert_ended(&dispute, "INCONCLUSIVE", reason);
    assert_eq!(dispute.get("found"), None);
    assert_eq!(refunded(service, 1), [refund("bond", faucet(), "1.00")]);
    let store = Store::of(service.data.path());
    assert_eq!((store.balance(faucet()), store.reserve()), (before, 0));
    dispute
}

/// That the process itself says so, and which piece it misses.
#[track_caller]
fn assert_missing(dispute: &Value, piece: &str) {
    let replay = &dispute["replay"];
    assert_eq!((text(replay, "outcome"), replay.get("finding")), ("missing", None), "{replay}");
    assert!(text(replay, "detail").contains(piece), "{replay}");
}

/// The dispute of a receipt of which something is gone by the time of the rerun, and how often its source was asked.
fn heard_without(gone: impl FnOnce(&Store, &Value)) -> (Value, Value, usize) {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let data = Arc::clone(&service.data);
    service.stop();
    let request = with_bond(&receipt);
    crash(launch().on(&data), "settled", &request);
    gone(&Store::of(data.path()), &receipt);
    let service = launch().on(&data).start();
    let dispute = persist(&service, &request).expect(200).json();
    assert_holds(&service, &receipt, &dispute);
    assert_ended(&dispute, "INCONCLUSIVE", "evidence_missing");
    assert_eq!(refunded(&service, 1), [refund("bond", faucet(), "1.00")]);
    assert_balances(&service, 0, 0);
    (receipt, dispute, peer.asked().len())
}

#[test]
fn a_body_that_is_gone_by_the_time_of_the_rerun_is_missing() {
    let (receipt, dispute, asked) = heard_without(|store, receipt| store.forget(receipt, "body"));
    assert_missing(&dispute, "the body");
    let kept = json!([{"role": "fetch", "sha256": receipt["evidence"]["record_sha256"]}]);
    assert_eq!(dispute["replay"]["evidence"], kept);
    // What the source says now takes no part's place.
    assert_eq!((&dispute["source_changed"], asked), (&json!(false), 2));
}

#[test]
fn a_request_that_is_gone_by_the_time_of_the_rerun_is_missing() {
    let (_, dispute, asked) = heard_without(|store, receipt| store.forget_request(receipt));
    assert_missing(&dispute, "the request");
    assert_eq!((&dispute["source_changed"], asked), (&Value::Null, 1));
}

#[test]
fn a_request_that_no_judge_takes_is_refused_by_the_process() {
    let data = launch().data().clone();
    let forger = Forger::at(data.path(), BASE_URL, Timestamp::try_from(SystemTime::now()).unwrap());
    let receipt = forger.sign("claim-verdict", &json!({"agent": "liar", "resolver": 7}), "CONFIRMED");
    drop(forger);
    let service = launch().on(&data).start();
    let dispute = assert_inconclusive(&service, &receipt, "request_refused");
    assert_eq!(text(&dispute["replay"], "outcome"), "refused", "{dispute}");
}

#[test]
fn a_process_that_dies_finds_nothing_and_signs_nothing() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let gate = Gate::shut(&service);
    let dispute = thread::scope(|scope| {
        let dispute = scope.spawn(|| assert_inconclusive(&service, &receipt, "rerun_exhausted"));
        gate.kill();
        dispute.join().unwrap()
    });
    assert_eq!((dispute.get("replay"), dispute.get("rerun")), (None, None));
    assert_eq!(dispute["source_changed"], json!(false));
}

#[test]
fn a_rerun_that_cannot_be_made_is_made_later_for_the_bond_that_has_settled() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let key = service.path("keys/rerun.pem");
    let away = service.path("keys/away.pem");
    fs::rename(&key, &away).unwrap();
    let request = with_bond(&receipt);
    let answer = service.send(&request);
    assert_eq!(text(&answer.problem(503), "error"), "payment_in_progress");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    crate::logs::logged(&service, text(&answer.json(), "request_id"), "a rerun failed");
    assert_balances(&service, BOND, 0);
    let shown =
        || service.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json()["disputes"].clone();
    assert_eq!(shown(), json!([{"status": "open"}]));
    assert_eq!(text(&service.send(&with_bond(&receipt)).problem(409), "error"), "dispute_open");
    // Nothing that anybody else has signed will do.
    receipt::key::SigningKey::generate().unwrap().save(&key).unwrap();
    assert_eq!(text(&service.send(&request).problem(503), "error"), "payment_in_progress");
    fs::remove_file(&key).unwrap();
    fs::rename(&away, &key).unwrap();
    until("the end of the dispute", || shown()[0]["status"] == "ended");
    assert_ended(&service.send(&request).expect(200).json(), "UPHELD", "same_verdict");
    assert_balances(&service, BOND, 0);
}

#[test]
fn a_rerun_that_could_not_be_made_for_an_hour_gives_the_bond_back() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    fs::remove_file(service.path("keys/rerun.pem")).unwrap();
    fs::create_dir(service.path("keys/rerun.pem")).unwrap();
    let request = with_bond(&receipt);
    assert_eq!(text(&service.send(&request).problem(503), "error"), "payment_in_progress");
    Store::of(service.data.path()).let_bonds_have_waited(3_600_000);
    until("the end of the dispute", || {
        Store::of(service.data.path()).unpaid() == 0 && !listed(&service, &[]).is_empty()
    });
    let dispute = service.send(&request).expect(200).json();
    assert_holds(&service, &receipt, &dispute);
    assert_ended(&dispute, "INCONCLUSIVE", "rerun_unavailable");
    assert_eq!(refunded(&service, 1), [refund("bond", faucet(), "1.00")]);
    assert_balances(&service, 0, 0);
}
