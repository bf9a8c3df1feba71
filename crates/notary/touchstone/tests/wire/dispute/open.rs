//! Disputes at once: one is open at a time, and no receipt has more than two.

use std::sync::{Barrier, mpsc};
use std::thread;

use super::*;
use crate::support::HANG;
use crate::support::gate::Gate;
use crate::support::http::Answer;

const CROWD: usize = 20;

/// How the disputes of a receipt are shown.
fn shown(service: &Service, receipt: &Value) -> Value {
    service.get(&format!("/verify?hash={}", hash(receipt))).expect(200).json()["disputes"].clone()
}

#[track_caller]
fn assert_conflict(answer: &Answer, code: &str) {
    assert_eq!(text(&answer.problem(409), "error"), code);
}

/// Sends a crowd's disputes of a receipt at once, each with a bond of its own. While the one whose turn it is waits,
/// all others are answered; then it is let pass. Its answer, and theirs.
fn at_once(service: &Service, gate: &Gate<'_>, receipt: &Value) -> (Answer, Vec<Answer>) {
    let barrier = Barrier::new(CROWD);
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..CROWD {
            let (barrier, tell) = (&barrier, tell.clone());
            scope.spawn(move || {
                let (mut connection, request) = (service.connect(), with_bond(receipt));
                barrier.wait();
                tell.send(connection.exchange(&request)).unwrap();
            });
        }
        let others = (1..CROWD).map(|_| told.recv_timeout(HANG).unwrap()).collect();
        gate.let_pass();
        (told.recv_timeout(HANG).unwrap(), others)
    })
}

#[test]
fn of_twenty_disputes_at_once_one_is_heard_and_after_two_none() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let gate = Gate::shut(&service);
    for heard in 1..=2 {
        let (answer, others) = at_once(&service, &gate, &receipt);
        let dispute = answer.expect(200).json();
        assert_holds(&service, &receipt, &dispute);
        assert_ended(&dispute, "UPHELD", "same_verdict");
        others.iter().for_each(|other| assert_conflict(other, "dispute_open"));
        assert_balances(&service, heard * BOND, 0);
    }
    for _ in 0..CROWD {
        assert_conflict(&service.send(&with_bond(&receipt)), "dispute_limit");
    }
    assert_balances(&service, 2 * BOND, 0);
    assert_eq!(shown(&service, &receipt).as_array().unwrap().len(), 2);
}

#[test]
fn disputes_at_once_that_nothing_holds_up_are_never_more_than_two() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let barrier = Barrier::new(CROWD);
    let answers: Vec<Answer> = thread::scope(|scope| {
        let disputers: Vec<_> = (0..CROWD)
            .map(|_| {
                scope.spawn(|| {
                    let (mut connection, request) = (service.connect(), with_bond(&receipt));
                    barrier.wait();
                    connection.exchange(&request)
                })
            })
            .collect();
        disputers.into_iter().map(|disputer| disputer.join().unwrap()).collect()
    });
    let (heard, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert!(matches!(heard.len(), 1 | 2), "{heard:?}");
    refused.iter().for_each(|answer| drop(answer.problem(409)));
    assert_balances(&service, heard.len() as u64 * BOND, 0);
    assert_eq!(shown(&service, &receipt).as_array().unwrap().len(), heard.len());
}

#[test]
fn an_open_dispute_is_shown_and_in_the_way_of_others_until_it_has_ended() {
    let (service, peer) = (launch().start(), peer());
    let [receipt, other] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let first = disputed(&service, &receipt);
    let first = json!({
        "status": "ended", "receipt_hash": hash(&first), "verdict": "UPHELD", "signed_at": first["signed_at"],
    });
    let gate = Gate::shut(&service);
    let page = || service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    let waiting = with_bond(&receipt);
    thread::scope(|scope| {
        let second = scope.spawn(|| service.send(&waiting));
        gate.wait();
        assert_eq!(shown(&service, &receipt), json!([first, {"status": "open"}]));
        assert!(page().contains("is being disputed"));
        // It is the last one that there can be; but it may yet come to nothing, and then another can be opened.
        let late = with_bond(&receipt);
        assert_conflict(&service.send(&late), "dispute_open");
        // The bond of the one that is heard has settled already; the late one's has not.
        assert_balances(&service, 2 * BOND, 0);
        gate.let_pass();
        second.join().unwrap().expect(200);
        assert_conflict(&service.send(&late), "dispute_limit");
    });
    assert!(!page().contains("is being disputed"));
    assert_eq!(shown(&service, &receipt)[1]["status"], "ended");
    assert_eq!(shown(&service, &other), json!([]));
    assert_balances(&service, 2 * BOND, 0);
}

#[test]
fn disputes_of_different_receipts_do_not_wait_for_each_other() {
    let (service, peer) = (launch().start(), peer());
    let receipts: Vec<Value> = (0..4).map(|_| confirmed(&service, &peer)).collect();
    thread::scope(|scope| {
        let heard: Vec<_> =
            receipts.iter().map(|receipt| scope.spawn(|| disputed(&service, receipt))).collect();
        heard.into_iter().for_each(|heard| assert_ended(&heard.join().unwrap(), "UPHELD", "same_verdict"));
    });
    assert_balances(&service, 4 * BOND, 0);
}

#[test]
fn a_disputer_who_goes_away_is_heard_all_the_same_and_has_paid() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let gate = Gate::shut(&service);
    let mut connection = service.connect();
    connection.send(&with_bond(&receipt).bytes()).unwrap();
    gate.wait();
    drop(connection);
    // By now the service has seen it go.
    (0..20).for_each(|_| drop(service.get("/health").expect(200)));
    // Whoever could open disputes for nothing could keep everybody else from disputing.
    gate.let_pass();
    until("the end of the dispute", || shown(&service, &receipt)[0]["status"] == "ended");
    assert_balances(&service, BOND, 0);
}
