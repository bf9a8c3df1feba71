//! A paid call from the proof to the receipt, when nothing goes wrong.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use payment::payer::Demand;
use payment::{Network, Wallet};
use serde_json::{Value, json};

use crate::command::said;
use crate::races::at_once;
use crate::support::chain::{Chain, authorization, paying, sign, sign_in_a_crowd, wait, wallet};
use crate::support::http::Answer;
use crate::support::money::{PRICE, PRICE_TEXT, assert_earned, assert_refused, commit, decoded, nonce, now};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{Service, touchstone};

/// That an answer is a sound receipt of one price, paid by the payer through this back end. Its transaction.
#[track_caller]
pub fn assert_bought(answer: &Answer, service: &Service, settlement: &str) -> String {
    assert_bought_by(&wallet(), answer, service, settlement)
}

/// The same of any payer.
#[track_caller]
pub fn assert_bought_by(payer: &Wallet, answer: &Answer, service: &Service, settlement: &str) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let receipt = answer.json();
    verify(&receipt, &Notary::of(service));
    let payment = &receipt["payment"];
    let transaction = text(payment, "transaction").to_owned();
    let paid = json!({
        "network": "base", "asset": "USDC", "amount": PRICE_TEXT, "payer": payer.address().to_string(),
        "transaction": transaction, "settlement": settlement,
    });
    assert_eq!(*payment, paid);
    let response = decoded(answer, "x-payment-response");
    assert_eq!((&response["success"], text(&response, "transaction")), (&json!(true), &*transaction));
    transaction
}

#[test]
fn a_paid_commit_settles_on_the_chain_and_its_receipt_holds() {
    let Some(chain) = Chain::start("serve with its own transactions") else { return };
    let service = chain.launch().start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let answer = service.send(&request);
    let transaction = assert_bought(&answer, &service, "chain");

    let mined = wait(chain.anvil.receipt(&json!(transaction)));
    assert_eq!(
        (&mined["status"], mined["to"].as_str().unwrap().parse()),
        (&json!("0x1"), Ok(Network::base().token))
    );
    assert_eq!((chain.paid(), chain.transfers()), (PRICE, vec![transaction]));
    let checked = said(service.command(["verify", "-"]), answer.text());
    assert_eq!(checked.code, Some(0), "{checked:?}");

    for _ in 0..2 {
        assert_eq!(service.send(&request).expect(200).text(), answer.text());
    }
    let other = paying(commit("b"), &sign(authorization(PRICE)));
    let moved = other.clone().body(r#"{"agent":"payer","content":"c"}"#);
    service.send(&other).expect(200);
    assert_eq!(text(&service.send(&moved).problem(409), "error"), "payment_used");
    assert_eq!(chain.paid(), 2 * PRICE);
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn what_the_402_asks_for_settles_on_the_chain() {
    let Some(chain) = Chain::start("the terms of serve") else { return };
    let service = chain.launch().start();
    let quoted = service.send(&commit("a")).expect(402);
    let demand = Demand::decode(quoted.header("payment-required").unwrap().as_bytes()).unwrap();
    assert_eq!((demand.network.chain_id, demand.network.token), (8453, Network::base().token));
    let proof = demand.pay(&wallet(), now(), nonce(), None);
    let receipt = service.send(&commit("a").header("PAYMENT-SIGNATURE", &proof)).expect(200).json();
    assert_eq!(vec![text(&receipt["payment"], "transaction").to_owned()], chain.transfers());
}

#[test]
fn touchstone_call_pays_on_the_chain() {
    let Some(chain) = Chain::start("touchstone call") else { return };
    let service = chain.launch().start();
    let key = service.path("wallet");
    fs::write(&key, "07".repeat(32)).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let question = r#"{"agent":"me","content":"hello"}"#;
    let mut call = touchstone(["call", "commit", question, "--wallet", key.to_str().unwrap()]);
    call.env("TOUCHSTONE_SERVER", format!("http://{}", service.address));
    let said = said(call, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let receipt: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(text(&receipt["payment"], "settlement"), "chain");
    assert_eq!(vec![text(&receipt["payment"], "transaction").to_owned()], chain.transfers());
    assert_eq!(chain.paid(), PRICE);
}

#[test]
fn fifty_identical_requests_at_once_are_one_transaction() {
    let Some(chain) = Chain::start("identical requests at once") else { return };
    let service = chain.launch().start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let answers = at_once(&service, |_| request.clone());
    let bodies: BTreeSet<String> = answers.into_iter().map(|answer| answer.expect(200).text()).collect();
    assert_eq!(bodies.len(), 1);
    assert_eq!((chain.paid(), chain.transfers().len()), (PRICE, 1));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn fifty_different_requests_at_once_with_one_proof_are_one_transaction() {
    let Some(chain) = Chain::start("one proof for many requests at once") else { return };
    let service = chain.launch().start();
    let signed = sign(authorization(PRICE));
    let answers = at_once(&service, |at| paying(commit(&format!("content {at}")), &signed));
    let (granted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!(granted.len(), 1);
    refused.iter().for_each(|answer| drop(answer.problem(409)));
    assert_eq!((chain.paid(), chain.transfers().len()), (PRICE, 1));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn fifty_payments_at_once_are_fifty_transactions() {
    // A block a second as well: where many transactions of one account come at once, anvil's mining by transaction can
    // miss some that are ready (foundry issue 10122).
    let mining = ["--mixed-mining", "--block-time", "1"];
    let Some(chain) = Chain::start_with("payments at once", &mining) else { return };
    let chain = chain.with_a_crowd(50);
    let service = chain.launch().start();
    let answers = at_once(&service, |at| paying(commit(&format!("{at}")), &sign_in_a_crowd(at, PRICE)));
    let receipts: BTreeSet<String> =
        answers.into_iter().map(|answer| hash(&answer.expect(200).json()).to_owned()).collect();
    assert_eq!(receipts.len(), 50);
    assert_eq!((chain.paid(), chain.transfers().len()), (50 * PRICE, 50));
    assert_earned(&service, "5.00", 50, 50);
}

#[test]
fn what_was_signed_for_the_local_token_or_another_chain_buys_nothing() {
    let Some(chain) = Chain::start("proofs for other chains") else { return };
    let service = chain.launch().start();
    let others = [
        Network::local(),
        Network::base_sepolia(),
        Network { chain_id: 1, ..Network::base() },
        Network { token_name: "USDC".to_owned(), ..Network::base() },
    ];
    for network in others {
        let domain = payment::eip712::Domain::new(&network);
        let signed = wallet().authorize(&domain, authorization(PRICE));
        assert_refused(&service.send(&paying(commit("a"), &signed)), "invalid_signature");
    }
    assert_eq!(chain.paid(), 0);
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn what_the_token_refuses_buys_nothing() {
    let Some(chain) = Chain::start("a token that refuses") else { return };
    let service = chain.launch().start();
    let token = Network::base().token;
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    wait(chain.anvil.send(token, peers::contracts::pauseCall {}));
    assert_refused(&service.send(&request), "transfer_refused");
    wait(chain.anvil.send(token, peers::contracts::unpauseCall {}));
    assert_bought(&service.send(&request), &service, "chain");
    wait(chain.anvil.send(token, peers::contracts::blacklistCall { account: wallet().address() }));
    assert_refused(&service.send(&paying(commit("b"), &sign(authorization(PRICE)))), "transfer_refused");
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}
