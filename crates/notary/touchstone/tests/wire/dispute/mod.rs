//! `POST /dispute`: a receipt judged again for a bond, by the real process of reruns.

mod admission;
mod chain;
mod crashes;
mod erased;
mod forged;
mod inconclusive;
mod open;
mod overturned;
mod refunds;
mod shown;
mod source;
mod stakes;
mod upheld;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use payment::Address;
use payment::local::{INITIAL_BALANCE, faucet_wallet, payee};
use serde_json::{Value, json};

use crate::command::said;
use crate::support::chain::until;
use crate::support::claims::at;
use crate::support::http::Request;
use crate::support::money::{is_in_progress, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::peer::{Peer, document};
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{BASE_URL, Launch, Service};
use crate::support::store::Store;

/// The bond.
pub const BOND: u64 = 1_000_000;
/// The price of `claim-verdict`.
const CLAIM: u64 = 50_000;
/// What the faucet has at first.
const WEALTH: u64 = INITIAL_BALANCE.atomic();
/// A configuration in which no claim is free.
const CLAIMS_COST: &str = "[routes.claim-verdict]\nfree = 0\n";

/// A development service without limits, at an address that stays the same.
fn launch() -> Launch {
    Launch::dev().without_limits().set("BASE_URL", BASE_URL)
}

/// A document that says that all is well.
fn peer() -> Peer {
    Peer::http(|_| document(r#"{"status":"ok"}"#))
}

/// A receipt for what the document says.
fn confirmed(service: &Service, peer: &Peer) -> Value {
    let receipt = service.claim(&at(&peer.url("/"), "status", "ok"));
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    receipt
}

/// The same, where it costs, paid by the faucet.
fn bought(service: &Service, peer: &Peer) -> Value {
    let claim = Request::json("/claim-verdict", &at(&peer.url("/"), "status", "ok"));
    let receipt = service.send(&with_proof(claim, &pays(CLAIM))).expect(200).json();
    assert_eq!(text(&receipt["payment"], "amount"), "0.05");
    receipt
}

/// Lets a receipt's evidence say that its document said otherwise.
fn tamper(store: &Store, receipt: &Value) {
    store.tamper(receipt, br#"{"status":"down"}"#);
}

/// The service again, after something was done to its data in between.
fn restarted(service: Service, change: impl FnOnce(&Store)) -> Service {
    let data = Arc::clone(&service.data);
    service.stop();
    change(&Store::of(data.path()));
    launch().on(&data).start()
}

fn question(hash: &str) -> Value {
    json!({"agent": "disputer", "receipt_hash": hash, "reason": "The document says otherwise."})
}

/// A dispute that nobody has paid for.
fn dispute(receipt: &Value) -> Request {
    Request::json("/dispute", &question(hash(receipt)))
}

/// A dispute with a fresh bond.
fn with_bond(receipt: &Value) -> Request {
    with_proof(dispute(receipt), &pays(BOND))
}

/// The dispute's receipt, which holds and is about the receipt.
#[track_caller]
fn disputed(service: &Service, receipt: &Value) -> Value {
    let request = with_bond(receipt);
    let dispute = loop {
        let answer = service.send(&request);
        // A rerun that found no place, or was too slow, is made again.
        if !is_in_progress(&answer) {
            break answer.expect(200).json();
        }
        thread::sleep(Duration::from_millis(100));
    };
    assert_holds(service, receipt, &dispute);
    dispute
}

/// That a dispute's receipt is sound and about this receipt, in P and in the log.
#[track_caller]
fn assert_holds(service: &Service, receipt: &Value, dispute: &Value) {
    verify(dispute, &Notary::of(service));
    assert_eq!((text(dispute, "class"), text(dispute, "ref")), ("dispute", hash(receipt)));
    assert_eq!(text(&dispute["disputed"], "receipt_hash"), hash(receipt));
    let answer = service.ask("/verify", dispute).expect(200).json();
    assert_eq!(
        (&answer["valid"], &answer["checks"]["rerun"]["ok"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
}

/// That a dispute ended so, for this reason.
#[track_caller]
fn assert_ended(dispute: &Value, verdict: &str, reason: &str) {
    assert_eq!((text(dispute, "verdict"), text(dispute, "reason")), (verdict, reason), "{dispute}");
}

/// What `touchstone refunds` writes with these arguments, JSON Lines.
#[track_caller]
fn listed(service: &Service, arguments: &[&str]) -> Vec<Value> {
    let said = said(service.command([&["refunds", "list"], arguments].concat()), "");
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All refunds, by kind, payee and amount, once there are so many and all are paid.
#[track_caller]
fn refunded(service: &Service, refunds: usize) -> Vec<(String, Address, String)> {
    let store = Store::of(service.data.path());
    until("the refunds", || store.unpaid() == 0);
    let listed = listed(service, &[]);
    assert_eq!(listed.len(), refunds, "{listed:?}");
    assert!(self::listed(service, &["--owed"]).is_empty());
    let summary = |refund: &Value| {
        assert_eq!((text(refund, "state"), text(refund, "token")), ("paid", "USDC"), "{refund}");
        assert!(refund["transaction"].is_string() && refund["paid_at"].is_string(), "{refund}");
        (
            text(refund, "kind").to_owned(),
            text(refund, "payee").parse().unwrap(),
            text(refund, "amount").to_owned(),
        )
    };
    listed.iter().map(summary).collect()
}

/// A refund as [`refunded`] has it.
fn refund(kind: &str, payee: Address, amount: &str) -> (String, Address, String) {
    (kind.to_owned(), payee, amount.to_owned())
}

fn faucet() -> Address {
    faucet_wallet().address()
}

/// An account that nothing was ever paid to or from.
fn stranger() -> Address {
    Address::repeat_byte(0x77)
}

/// That the faucet is poorer by so much, of which the stranger got this much and the notary has the rest.
#[track_caller]
fn assert_balances(service: &Service, spent: u64, strangers: u64) {
    let store = Store::of(service.data.path());
    let balances = [faucet(), stranger(), payee()].map(|account| store.balance(account));
    assert_eq!(balances, [WEALTH - spent, strangers, spent - strangers]);
}
