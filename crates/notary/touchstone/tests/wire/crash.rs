//! A crash between any two states of a paid call: the identical retry gets its answer, and pays once.
//!
//! The fault points are there in builds with debug assertions only, which tests are.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::claims::at;
use crate::support::http::{Answer, Request};
use crate::support::money::{assert_earned, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::peer::{Peer, document};
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service};

/// The price of `claim-verdict`.
const PRICE: u64 = 50_000;
/// How often a caller comes again that is told to.
const RETRIES: u32 = 300;

fn launch() -> Launch {
    Launch::dev().without_limits().set("BASE_URL", BASE_URL)
}

/// A paid question about a document of the peer.
fn question(peer: &Peer) -> Request {
    let claim = Request::json("/claim-verdict", &at(&peer.url("/"), "a", "b"));
    with_proof(claim, &pays(PRICE))
}

/// A data folder whose service has crashed at this point of answering the request.
fn crashed(point: &str, request: &Request) -> Arc<TempDir> {
    crash(launch().configured("[routes.claim-verdict]\nfree = 0\n"), point, request)
}

/// Starts a service that crashes at this point of answering the request; its data folder.
pub fn crash(launch: Launch, point: &str, request: &Request) -> Arc<TempDir> {
    let launch = launch.set("FAULT", point);
    let data = launch.data().clone();
    let mut service = launch.start();
    let mut connection = service.connect();
    connection.send(&request.bytes()).unwrap();
    connection.answer("POST").expect_err("the service is gone before it answers");
    let status = service.wait();
    assert_eq!(status.signal(), Some(Signal::ABORT.as_raw()), "{status}: {}", service.said());
    data
}

/// Sends a request again for as long as the answer says to come again.
pub fn persist(service: &Service, request: &Request) -> Answer {
    for _ in 0..RETRIES {
        let answer = service.send(request);
        if answer.status != 503 {
            return answer;
        }
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
        thread::sleep(Duration::from_millis(100));
    }
    panic!("503 after {RETRIES} retries: {}", service.send(request).text())
}

/// That the retry of what crashed at a point is answered, paid once and logged once. The receipt.
#[track_caller]
fn assert_made_good(point: &str, peer: &Peer, judged: usize) -> Value {
    let request = question(peer);
    let data = crashed(point, &request);
    let service = launch().on(&data).start();
    let answer = persist(&service, &request);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let receipt = answer.json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    assert_eq!((text(&receipt["payment"], "amount"), peer.asked().len()), ("0.05", judged));
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    assert_earned(&service, "0.05", 1, 1);
    service.stop();
    // Whatever was left behind stays settled: another start finds nothing to do, and a sound log.
    let service = launch().on(&data).start();
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    assert_earned(&service, "0.05", 1, 1);
    receipt
}

fn peer() -> Peer {
    Peer::http(|_| document(r#"{"a": "b"}"#))
}

#[test]
fn after_a_crash_at_the_claim_the_proof_is_free_and_the_retry_pays_once() {
    assert_made_good("claimed", &peer(), 1);
}

#[test]
fn after_a_crash_before_the_settlement_the_proof_is_free_and_the_retry_pays_once() {
    assert_made_good("judged", &peer(), 2);
}

#[test]
fn after_a_crash_past_the_settlement_the_stored_finding_is_signed() {
    assert_made_good("settled", &peer(), 1);
}

#[test]
fn after_a_crash_past_the_delivery_the_stored_answer_is_given() {
    assert_made_good("delivered", &peer(), 1);
}

#[test]
fn what_was_settled_is_delivered_without_its_caller() {
    let peer = peer();
    let request = question(&peer);
    let data = crashed("settled", &request);
    let service = launch().on(&data).start();
    let issued = |service: &Service| service.get("/stats").expect(200).json()["receipts_issued"].as_u64();
    let delivered = (0..RETRIES).any(|_| {
        thread::sleep(Duration::from_millis(100));
        issued(&service) == Some(1)
    });
    assert!(delivered, "{}", service.said());
    assert_earned(&service, "0.05", 1, 1);
    assert_eq!(peer.asked().len(), 1);
}

#[test]
fn what_was_not_settled_is_free_for_another_request() {
    for point in ["claimed", "judged"] {
        let peer = peer();
        let proof = pays(PRICE);
        let ask = |expect: &str| {
            with_proof(Request::json("/claim-verdict", &at(&peer.url("/"), "a", expect)), &proof)
        };
        let data = crashed(point, &ask("b"));
        let service = launch().on(&data).start();
        // Until the claim was taken over it is the first request's.
        let answer = (0..RETRIES).find_map(|_| {
            let answer = service.send(&ask("other"));
            if answer.status == 200 {
                return Some(answer);
            }
            answer.problem(409);
            thread::sleep(Duration::from_millis(100));
            None
        });
        let receipt = answer.expect("the proof is free").json();
        assert_eq!(text(&receipt, "verdict"), "REFUTED");
        assert_earned(&service, "0.05", 1, 1);
    }
}

#[test]
fn crashes_in_a_row_are_one_payment() {
    let peer = peer();
    let request = question(&peer);
    let data = crashed("settled", &request);
    // The recovery itself crashes, after it has delivered.
    let mut service = launch().on(&data).set("FAULT", "delivered").start();
    assert_eq!(service.wait().signal(), Some(Signal::ABORT.as_raw()));
    let service = launch().on(&data).start();
    assert_eq!(text(&persist(&service, &request).expect(200).json(), "verdict"), "CONFIRMED");
    assert_earned(&service, "0.05", 1, 1);
    assert_eq!(peer.asked().len(), 1);
}
