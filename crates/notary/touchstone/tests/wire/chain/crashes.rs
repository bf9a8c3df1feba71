//! A crash between any two states of a settlement: the next start finishes it without the caller, in one transfer.
//!
//! The fault points are there in builds with debug assertions only, which tests are.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;

use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use super::settling::assert_bought;
use crate::crash::crash;
use crate::support::chain::{Chain, attested, authorization, paying, persist, sign, until, wait, wallet};
use crate::support::http::Request;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit, with_proof};
use crate::support::service::Service;

/// A data folder whose service has crashed at this point of answering the request.
fn crashed(chain: &Chain, point: &str, request: &Request) -> Arc<TempDir> {
    crash(chain.launch(), point, request)
}

fn has_issued(service: &Service, receipts: u64) -> bool {
    service.get("/stats").expect(200).json()["receipts_issued"] == json!(receipts)
}

/// That a restart delivers what was broadcast before anybody asks, and that the retry gets it.
#[track_caller]
fn assert_finished(point: &str, paid_before: u64) {
    let Some(chain) = Chain::start(&format!("a crash at {point}")) else { return };
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let data = crashed(&chain, point, &request);
    assert_eq!(chain.paid(), paid_before);
    let service = chain.launch().on(&data).start();
    until("the receipt", || has_issued(&service, 1));
    let answer = service.send(&request);
    let transaction = assert_bought(&answer, &service, "chain");
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    service.stop();

    // Nothing is left to do for the start after that.
    let service = chain.launch().on(&data).start();
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    assert_eq!((chain.paid(), chain.transfers()), (PRICE, vec![transaction]));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_crash_between_storing_and_broadcasting_is_finished() {
    assert_finished("broadcasting", 0);
}

#[test]
fn a_crash_past_the_broadcast_is_finished() {
    assert_finished("broadcast", PRICE);
}

#[test]
fn a_crash_past_the_settlement_is_finished() {
    assert_finished("settled", PRICE);
}

#[test]
fn a_crash_past_the_delivery_leaves_nothing_to_do() {
    assert_finished("delivered", PRICE);
}

#[test]
fn a_crash_before_the_settlement_frees_the_proof_and_nothing_was_sent() {
    let Some(chain) = Chain::start("crashes before the settlement") else { return };
    for (number, point) in (1..).zip(["claimed", "judged"]) {
        let signed = sign(authorization(PRICE));
        let data = crashed(&chain, point, &paying(commit("a"), &signed));
        assert_eq!(chain.paid(), (number - 1) * PRICE);
        let service = chain.launch().on(&data).start();
        // Once the claim is taken over, the proof is good for any request.
        let request = paying(commit("b"), &signed);
        until("the proof is free", || service.send(&request).status != 409);
        assert_bought(&service.send(&request), &service, "chain");
        assert_eq!(chain.paid(), number * PRICE);
        assert_earned(&service, "0.10", 1, 1);
    }
}

#[test]
fn while_the_service_is_down_a_third_party_settles_and_it_is_credited_once() {
    let Some(chain) = Chain::start("a third party while the service is down") else { return };
    let signed = sign(authorization(PRICE));
    let request = paying(commit("a"), &signed);
    let data = crashed(&chain, "broadcasting", &request);
    let theirs = chain.used_by_another(&signed);
    let service = chain.launch().on(&data).start();
    until("the receipt", || has_issued(&service, 1));
    let transaction = assert_bought(&service.send(&request), &service, "chain");
    assert_eq!((transaction, chain.paid()), (theirs.to_string(), PRICE));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn what_was_stored_and_not_broadcast_in_time_has_failed() {
    let Some(chain) = Chain::start("a crash that outlasts the authorization") else { return };
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let data = crashed(&chain, "broadcasting", &request);
    wait(chain.anvil.call("evm_increaseTime", json!([400])));
    wait(chain.anvil.mine(1));
    let service = chain.launch().on(&data).start();
    assert_refused(&persist(&service, &request), "settlement_failed");
    assert_eq!(chain.paid(), 0);
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn a_recovery_that_crashes_as_well_is_one_payment() {
    let Some(chain) = Chain::start("crashes in a row") else { return };
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let data = crashed(&chain, "broadcast", &request);
    for point in ["settled", "delivered"] {
        let mut service = chain.launch().on(&data).set("FAULT", point).start();
        assert_eq!(service.wait().signal(), Some(Signal::ABORT.as_raw()), "{point}");
    }
    let service = chain.launch().on(&data).start();
    let transaction = assert_bought(&persist(&service, &request), &service, "chain");
    assert_eq!((chain.paid(), chain.transfers()), (PRICE, vec![transaction]));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transfer_that_was_shown_is_delivered_for_though_nobody_comes_back_in_time() {
    let Some(chain) = Chain::start("a crash between a shown transfer and its answer") else { return };
    let body = br#"{"agent":"payer","content":"a"}"#;
    let proof = attested(&wallet(), chain.transfer(PRICE), None, "/commit", body);
    let request = with_proof(Request::post("/commit", body), &proof);
    let data = crashed(&chain, "judged", &request);
    let service = chain.launch().on(&data).start();
    // By the service itself: an hour later the caller could not show the transfer any more.
    until("the receipt", || has_issued(&service, 1));
    assert_earned(&service, "0.10", 1, 1);
    service.send(&request).expect(200);
    assert_earned(&service, "0.10", 1, 1);
}
