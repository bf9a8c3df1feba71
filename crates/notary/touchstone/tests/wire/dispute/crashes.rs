//! A crash between any two states of a dispute: one receipt or a free proof, and what is owed is owed once.
//!
//! The fault points are there in builds with debug assertions only, which tests are.

use super::*;
use crate::crash::{crash, persist};

/// A service that will crash at this point of a dispute, the receipt that its evidence does not bear out, and a
/// request to dispute it.
fn prepared(peer: &Peer) -> (Arc<tempfile::TempDir>, Value, Request) {
    let service = launch().configured(CLAIMS_COST).start();
    let receipt = bought(&service, peer);
    let data = Arc::clone(&service.data);
    service.stop();
    tamper(&Store::of(data.path()), &receipt);
    let request = with_bond(&receipt);
    (data, receipt, request)
}

/// How the disputes of a receipt are shown.
fn shown(service: &Service, receipt: &Value) -> Value {
    service.get(&format!("/verify?hash={}", hash(receipt))).expect(200).json()["disputes"].clone()
}

/// That after a crash at a point the identical retry gets the one receipt, and all is owed and paid once.
#[track_caller]
fn assert_made_good(point: &str) {
    let peer = peer();
    let (data, receipt, request) = prepared(&peer);
    crash(launch().on(&data), point, &request);
    let service = launch().on(&data).start();
    let answer = persist(&service, &request).expect(200);
    let dispute = answer.json();
    assert_holds(&service, &receipt, &dispute);
    assert_ended(&dispute, "OVERTURNED", "other_verdict");
    let owed = [refund("fee", faucet(), "0.05"), refund("bond", faucet(), "1.00")];
    assert_eq!(refunded(&service, 2), owed);
    assert_balances(&service, 0, 0);
    // Whatever was left behind stays settled.
    let service = restarted(service, |_| ());
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    assert_eq!(refunded(&service, 2), owed);
    assert_balances(&service, 0, 0);
    let shown = shown(&service, &receipt);
    assert_eq!((shown.as_array().unwrap().len(), &shown[0]["receipt_hash"]), (1, &dispute["receipt_hash"]));
    let stats = service.get("/stats").expect(200).json();
    assert_eq!((&stats["receipts_issued"], &stats["revenue"]["USDC"]["bonds"]), (&json!(2), &json!("1.00")));
}

#[test]
fn a_crash_at_the_claim_of_the_bond_is_made_good() {
    assert_made_good("claimed");
}

#[test]
fn a_crash_between_the_settlement_of_the_bond_and_the_rerun_is_made_good() {
    assert_made_good("settled");
}

#[test]
fn a_crash_past_the_rerun_is_made_good() {
    assert_made_good("judged");
}

#[test]
fn a_crash_past_the_end_of_the_dispute_is_made_good() {
    assert_made_good("delivered");
}

#[test]
fn what_was_settled_ends_without_its_disputer() {
    let peer = peer();
    let (data, receipt, request) = prepared(&peer);
    crash(launch().on(&data), "settled", &request);
    // Nothing was found yet when it crashed.
    assert_eq!(Store::of(data.path()).balance(faucet()), WEALTH - CLAIM - BOND);
    let service = launch().on(&data).start();
    until("the end of the dispute", || shown(&service, &receipt)[0]["status"] == "ended");
    assert_eq!(refunded(&service, 2), [refund("fee", faucet(), "0.05"), refund("bond", faucet(), "1.00")]);
    assert_balances(&service, 0, 0);
}

#[test]
fn what_was_not_settled_leaves_the_proof_and_the_receipt_free_for_another_dispute() {
    let peer = peer();
    let (data, receipt, request) = prepared(&peer);
    crash(launch().on(&data), "claimed", &request);
    let service = launch().on(&data).start();
    assert_eq!(shown(&service, &receipt), json!([]), "what has not settled is no dispute");
    let other = disputed(&service, &receipt);
    // The proof of the one that crashed buys the second dispute, and there is no third.
    let second = persist(&service, &request).expect(200).json();
    assert_ne!(hash(&other), hash(&second));
    assert_eq!(text(&service.send(&with_bond(&receipt)).problem(409), "error"), "dispute_limit");
    assert_eq!(refunded(&service, 3).len(), 3);
    assert_balances(&service, 0, 0);
}
