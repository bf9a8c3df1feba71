//! What the payer or a third party does on the chain while a call is being settled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use payment::{Address, Network, SignedAuthorization, U256};
use peers::contracts::{cancellation, transferCall};
use peers::{Reply, Service as Peer};

use super::settling::assert_bought;
use crate::support::chain::{
    Chain, WEALTH, attested, authorization, paying, sign, until, used_by_another, wait, wallet,
};
use crate::support::http::Request;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit, with_proof};
use crate::support::service::Service;

/// A service, and its node, which lets `first` happen right before our transaction reaches the chain.
fn preceded(chain: &Chain, first: impl Fn() + Send + Sync + 'static) -> (Service, Peer) {
    let node = chain.node(move |method, _| {
        if method == "eth_sendRawTransaction" {
            first();
        }
        None
    });
    (chain.launch_by(&node.url()).start(), node)
}

#[test]
fn a_third_party_that_settles_first_is_credited_once() {
    let Some(chain) = Chain::start("a third party that is faster") else { return };
    let signed = sign(authorization(PRICE));
    let (anvil, theirs) = (Arc::clone(&chain.anvil), Arc::new(Mutex::new(None)));
    let (faster, kept) = (signed.clone(), Arc::clone(&theirs));
    let (service, _node) = preceded(&chain, move || {
        kept.lock().unwrap().get_or_insert_with(|| used_by_another(&anvil, &faster));
    });
    let request = paying(commit("a"), &signed);
    let answer = service.send(&request);
    let transaction = assert_bought(&answer, &service, "chain");
    let theirs = theirs.lock().unwrap().unwrap().to_string();
    assert_eq!((&transaction, chain.transfers()), (&theirs, vec![theirs.clone()]));
    assert_eq!(service.send(&request).expect(200).text(), answer.text());

    // The transaction is no second payment for him who shows it.
    let body = br#"{"agent":"payer","content":"b"}"#;
    let shown = attested(&wallet(), transaction.parse().unwrap(), None, "/commit", body);
    service.send(&with_proof(Request::post("/commit", body), &shown)).problem(409);
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

/// That a payment which becomes impossible while it is sent buys nothing and is refused for this reason.
#[track_caller]
fn assert_spoilt(
    chain: &Chain,
    signed: &SignedAuthorization,
    code: &str,
    spoil: impl Fn() + Send + Sync + 'static,
) {
    let (service, _node) = preceded(chain, spoil);
    let request = paying(commit("a"), signed);
    assert_refused(&service.send(&request), code);
    // The proof stays bound to its request.
    assert_refused(&service.send(&request), "settlement_failed");
    service.send(&paying(commit("b"), signed)).problem(409);
    assert_eq!(chain.paid(), 0);
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn a_balance_that_is_drained_between_verification_and_settlement_buys_nothing() {
    let Some(chain) = Chain::start("a balance that is drained") else { return };
    let anvil = Arc::clone(&chain.anvil);
    let elsewhere = Address::repeat_byte(0x99);
    let drain = move || {
        let all = transferCall { to: elsewhere, value: U256::from(WEALTH) };
        wait(anvil.send_as(wallet().address(), Network::base().token, all));
    };
    assert_spoilt(&chain, &sign(authorization(PRICE)), "insufficient_funds", drain);
}

#[test]
fn a_nonce_that_goes_to_another_transfer_meanwhile_buys_nothing() {
    let Some(chain) = Chain::start("a nonce that is used elsewhere") else { return };
    let anvil = Arc::clone(&chain.anvil);
    let ours = authorization(PRICE);
    let mut theirs = ours.clone();
    theirs.to = Address::repeat_byte(0x99);
    let theirs = sign(theirs);
    let spend = move || {
        used_by_another(&anvil, &theirs);
    };
    assert_spoilt(&chain, &sign(ours), "nonce_used", spend);
}

#[test]
fn an_authorization_that_is_cancelled_meanwhile_buys_nothing() {
    let Some(chain) = Chain::start("an authorization that is cancelled") else { return };
    let anvil = Arc::clone(&chain.anvil);
    let ours = sign(authorization(PRICE));
    let cancelled = cancellation(&wallet(), &ours.authorization);
    let cancel = move || {
        wait(anvil.send(Network::base().token, cancelled.clone()));
    };
    assert_spoilt(&chain, &ours, "nonce_used", cancel);
    // One that was cancelled before is refused at once.
    let service = chain.launch().start();
    let before = sign(authorization(PRICE));
    wait(chain.anvil.send(Network::base().token, cancellation(&wallet(), &before.authorization)));
    assert_refused(&service.send(&paying(commit("a"), &before)), "nonce_used");
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn a_nonce_that_was_used_before_buys_nothing() {
    let Some(chain) = Chain::start("nonces that were used before") else { return };
    let service = chain.launch().start();
    let signed = sign(authorization(PRICE));
    let transaction = chain.used_by_another(&signed);
    assert_refused(&service.send(&paying(commit("a"), &signed)), "nonce_used");
    assert_earned(&service, "0.00", 0, 0);
    // What it paid is not lost: the payer shows the transaction.
    let body = br#"{"agent":"payer","content":"a"}"#;
    let shown = attested(&wallet(), transaction, None, "/commit", body);
    let answer = service.send(&with_proof(Request::post("/commit", body), &shown));
    assert_eq!(assert_bought(&answer, &service, "chain"), transaction.to_string());
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transfer_that_its_payer_has_shown_for_another_request_is_not_credited_again() {
    let Some(chain) = Chain::start("a transfer that is shown twice") else { return };
    let signed = sign(authorization(PRICE));
    let blind = Arc::new(AtomicBool::new(true));
    let (anvil, faster, is_blind) = (Arc::clone(&chain.anvil), signed.clone(), Arc::clone(&blind));
    let used = Mutex::new(false);
    let node = chain.node(move |method, _| {
        if method == "eth_sendRawTransaction" && !std::mem::replace(&mut *used.lock().unwrap(), true) {
            used_by_another(&anvil, &faster);
        }
        // Whoever used the authorization is found by its event; a transaction that is named is not looked for so.
        (method == "eth_getLogs" && is_blind.load(Ordering::SeqCst)).then_some(Reply::Cut)
    });
    let service = chain.launch_by(&node.url()).start();
    let request = paying(commit("a"), &signed);
    thread::scope(|scope| {
        let first = scope.spawn(|| service.send(&request));
        chain.wait_until_paid(PRICE);
        let transaction = chain.transfers().remove(0);
        let body = br#"{"agent":"payer","content":"b"}"#;
        let shown = attested(&wallet(), transaction.parse().unwrap(), None, "/commit", body);
        let shown = with_proof(Request::post("/commit", body), &shown);
        let bought = service.send(&shown);
        assert_eq!(assert_bought(&bought, &service, "chain"), transaction);
        blind.store(false, Ordering::SeqCst);
        let first = first.join().unwrap();
        assert!([402, 503].contains(&first.status), "{}", first.text());
        until("the first request has failed", || service.send(&request).status != 503);
        assert_refused(&service.send(&request), "settlement_failed");
        assert_eq!(service.send(&shown).expect(200).text(), bought.text());
    });
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}
