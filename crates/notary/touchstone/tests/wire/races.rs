//! Requests at once with one proof: one answer is bought, once.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use serde_json::json;

use crate::support::claims::at;
use crate::support::http::{Answer, Request};
use crate::support::money::{
    PRICE, assert_earned, authorization, commit, is_in_progress, pays, sign, v2, with_proof,
};
use crate::support::peer::{Peer, Step, document};
use crate::support::receipt::{hash, text};
use crate::support::service::{Launch, Service};

const CROWD: usize = 50;
/// How often the order to send again is followed.
const ORDERS: usize = 12;

fn unlimited() -> Service {
    Launch::dev().without_limits().start()
}

/// The answers to requests that are sent at the same time, each on a connection of its own. A settlement that outlasts
/// the wait, as on a busy machine, is answered with the order to send the identical request again, which is done.
pub fn at_once(service: &Service, request: impl Fn(usize) -> Request + Sync) -> Vec<Answer> {
    let barrier = Barrier::new(CROWD);
    let ask = |at| {
        let (mut connection, request) = (service.connect(), request(at));
        barrier.wait();
        let mut answer = connection.exchange(&request);
        for _ in 0..ORDERS {
            if is_in_progress(&answer) {
                answer = connection.exchange(&request);
            }
        }
        answer
    };
    thread::scope(|scope| {
        let ask = &ask;
        let senders: Vec<_> = (0..CROWD).map(|at| scope.spawn(move || ask(at))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    })
}

#[test]
fn fifty_identical_requests_at_once_are_one_grant_and_one_transfer() {
    let service = unlimited();
    let request = with_proof(commit("a"), &pays(PRICE));
    let answers = at_once(&service, |_| request.clone());
    let bodies: BTreeSet<String> = answers.into_iter().map(|answer| answer.expect(200).text()).collect();
    assert_eq!(bodies.len(), 1);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn fifty_requests_at_once_with_one_proof_are_one_grant_and_one_transfer() {
    let service = unlimited();
    let proof = pays(PRICE);
    let answers = at_once(&service, |at| with_proof(commit(&format!("content {at}")), &proof));
    let granted = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(granted, 1);
    answers.iter().filter(|answer| answer.status != 200).for_each(|answer| drop(answer.problem(409)));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn fifty_nonces_at_once_under_one_identifier_are_one_grant_and_one_transfer() {
    let service = unlimited();
    let answers = at_once(&service, |_| {
        let mut proof = v2(&sign(authorization(PRICE)));
        proof["extensions"]["payment-identifier"] = json!({"info": {"id": "pay_0123456789abcdef"}});
        with_proof(commit("a"), &proof)
    });
    let hashes: BTreeSet<String> =
        answers.into_iter().map(|answer| hash(&answer.expect(200).json()).to_owned()).collect();
    assert_eq!(hashes.len(), 1);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_wallet_that_has_one_price_pays_one_of_fifty() {
    let toml = "[routes.commit]\nprice = \"600000\"\n";
    let service = Launch::dev().without_limits().configured(toml).start();
    let dear = 600_000_000_000;
    let answers = at_once(&service, |at| with_proof(commit(&format!("content {at}")), &pays(dear)));
    let granted = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(granted, 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(text(&answer.problem(402), "error"), "insufficient_funds");
    }
    assert_earned(&service, "600000.00", 1, 1);
}

#[test]
fn what_is_paid_for_is_judged_once() {
    let peer = Peer::http(|_| document(r#"{"a": "b"}"#));
    let service = Launch::dev().without_limits().configured("[routes.claim-verdict]\nfree = 0\n").start();
    let claim = at(&peer.url("/"), "a", "b");
    let request = with_proof(Request::json("/claim-verdict", &claim), &pays(50_000));
    for answer in at_once(&service, |_| request.clone()) {
        assert_eq!(text(&answer.expect(200).json(), "verdict"), "CONFIRMED");
    }
    assert_eq!(peer.asked().len(), 1);
    assert_earned(&service, "0.05", 1, 1);
}

/// How many fetches one host answers at a time.
const PER_HOST: usize = 4;

#[test]
fn a_judge_that_fails_leaves_the_proof_as_it_was() {
    let peer = Peer::http(|_| [vec![Step::Gate], document(r#"{"a": "b"}"#)].concat());
    let service = Launch::dev().without_limits().configured("[routes.claim-verdict]\nfree = 0\n").start();
    let question = || {
        let claim = Request::json("/claim-verdict", &at(&peer.url("/"), "a", "b"));
        with_proof(claim, &pays(50_000))
    };
    thread::scope(|scope| {
        let busy: Vec<_> = (0..PER_HOST).map(|_| scope.spawn(|| service.send(&question()))).collect();
        peer.wait_for(PER_HOST);
        let request = question();
        // It waits for a place at the host, and gets none.
        assert_eq!(text(&service.send(&request).problem(503), "module"), "claim");
        assert_earned(&service, "0.00", 0, 0);
        peer.open_gate();
        busy.into_iter().for_each(|sender| drop(sender.join().unwrap().expect(200)));
        service.send(&request).expect(200);
    });
    assert_earned(&service, "0.25", 5, 5);
}
