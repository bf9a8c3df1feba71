//! Through a facilitator that settles several payments in one transaction: everybody who has paid gets an answer, once.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;

use payment::eip712::Domain;
use payment::{Address, Authorization, B256, Network, SignedAuthorization, Wallet};
use peers::contracts::{SolCall as _, batchCall, usage};
use peers::{Reply, Service as Peer};
use serde_json::{Value, json};

use super::facilitator::of;
use super::settling::assert_bought;
use crate::support::chain::{
    Chain, attested, authorization, paying, persist, serve, sign, until, wait, wallet,
};
use crate::support::facilitator::{failure, scripted, settling, success};
use crate::support::http::Request;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit, is_in_progress, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};

/// The one transaction that everything settles in.
const TRANSACTION: B256 = B256::repeat_byte(0x77);

/// Finds every payment valid, and says of each that it has settled in this transaction.
fn batching(transaction: B256) -> Peer {
    scripted(
        |_| Reply::Json(200, json!({"isValid": true})),
        move |_| {
            let transaction = transaction.to_string();
            Reply::Json(200, json!({"success": true, "transaction": transaction, "network": "eip155:8453"}))
        },
    )
}

/// An authorization of the price by the wallet with this key.
fn signed_by(key: u8) -> SignedAuthorization {
    let payer = Wallet::from_bytes([key; 32]).unwrap();
    let authorization = Authorization { from: payer.address(), ..authorization(PRICE) };
    payer.authorize(&Domain::new(&Network::base()), authorization)
}

/// A commit with the payer's word that a transaction has paid for it.
fn shown(transaction: B256, log_index: Option<u64>, content: &str) -> Request {
    let body = json!({"agent": "payer", "content": content}).to_string();
    let proof = attested(&wallet(), transaction, log_index, "/commit", body.as_bytes());
    with_proof(Request::post("/commit", &body), &proof)
}

#[test]
fn payments_that_are_settled_in_one_transaction_get_each_an_answer_of_its_own() {
    let stub = batching(TRANSACTION);
    let service = serve().set("FACILITATOR", &stub.url()).start();
    // Three payers, and the first of them once more.
    let mut hashes = BTreeSet::new();
    for (at, key) in [7, 8, 9, 7].into_iter().enumerate() {
        let signed = signed_by(key);
        let request = paying(commit(&format!("{at}")), &signed);
        let answer = service.send(&request);
        let receipt = answer.clone().expect(200).json();
        verify(&receipt, &Notary::of(&service));
        let payment = &receipt["payment"];
        assert_eq!(text(payment, "transaction"), TRANSACTION.to_string());
        assert_eq!(text(payment, "payer"), signed.authorization.from.to_string());
        assert!(hashes.insert(hash(&receipt).to_owned()), "a receipt of its own");
        // Its proof is good for nothing else, and brings the same answer again.
        assert_eq!(service.send(&request).expect(200).text(), answer.text());
        service.send(&paying(commit("another"), &signed)).problem(409);
    }
    assert_earned(&service, "0.40", 4, 4);
    // Nobody buys a second answer by showing the transaction: it is known, or nobody can look at it.
    service.send(&shown(TRANSACTION, None, "shown")).problem(409);
    for log_index in 0..4 {
        let problem = service.send(&shown(TRANSACTION, Some(log_index), "shown")).problem(503);
        assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None), "{problem}");
    }
    assert_earned(&service, "0.40", 4, 4);
}

#[test]
fn what_was_settled_unseen_buys_no_second_answer_once_a_node_is_there_to_look() {
    let Some(chain) = Chain::start("a transaction that is shown after it was settled unseen") else { return };
    let splitter = Address::repeat_byte(0x51);
    wait(chain.anvil.set_code(splitter, "Splitter"));
    let signed = [(); 2].map(|()| sign(authorization(PRICE)));
    let calls = signed.iter().map(|signed| usage(signed).abi_encode().into()).collect();
    let batch = batchCall { targets: vec![Network::base().token; 2], calls };
    let mined = wait(chain.anvil.send(splitter, batch));
    let transaction = peers::anvil::hash(&mined["transactionHash"]);
    assert_eq!(chain.paid(), 2 * PRICE);

    let stub = batching(transaction);
    let launch = serve().set("FACILITATOR", &stub.url());
    let data = launch.data().clone();
    let service = launch.start();
    let requests = ["a", "b"].map(commit);
    let requests: Vec<_> =
        requests.into_iter().zip(&signed).map(|(call, signed)| paying(call, signed)).collect();
    let bought: Vec<_> = requests.iter().map(|request| service.send(request).expect(200).text()).collect();
    service.stop();

    let service = serve().set("FACILITATOR", &stub.url()).set("RPC", chain.anvil.url()).on(&data).start();
    for log_index in [None, Some(1), Some(3)] {
        service.send(&shown(transaction, log_index, "c")).problem(409);
    }
    for (request, bought) in requests.iter().zip(&bought) {
        assert_eq!(&service.send(request).expect(200).text(), bought);
    }
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn a_payment_whose_transfer_may_be_another_claims_stays_open_and_is_never_asked_for_again() {
    let Some(chain) = Chain::start("a payment in doubt") else { return };
    let pending = settling(|_| failure(200, "settlement_pending"));
    let launch = serve().set("FACILITATOR", &pending.url()).set("RPC", chain.anvil.url());
    let data = launch.data().clone();
    let service = launch.start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let transaction = thread::scope(|scope| {
        let first = scope.spawn(|| service.send(&request));
        // The payer has paid for another request by a transaction of its own.
        let transaction = chain.transfer(PRICE);
        let bought = service.send(&shown(transaction, None, "b"));
        assert_eq!(assert_bought(&bought, &service, "facilitator"), transaction.to_string());
        assert!(is_in_progress(&first.join().unwrap()));
        transaction
    });
    service.stop();

    // Now nobody looks at the chain, and the facilitator says that the payment has settled in that very transaction.
    let stub = settling(move |_| success(transaction));
    let service = serve().set("FACILITATOR", &stub.url()).on(&data).start();
    until("the line in the log", || service.said().contains("a payment may have been made"));
    let line = service.said();
    let line = line.lines().find(|line| line.contains("a payment may have been made")).unwrap();
    for part in ["ERROR", &transaction.to_string(), &wallet().address().to_string()] {
        assert!(line.contains(part), "{part} is not in: {line}");
    }
    let answer = service.send(&request);
    assert!(is_in_progress(&answer), "{}", answer.text());
    assert!(answer.header("payment-required").is_none(), "{answer:?}");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn payments_that_are_settled_in_one_transaction_at_once_are_each_credited_once() {
    let Some(chain) = Chain::start("a facilitator that batches, beside a node") else { return };
    let splitter = Address::repeat_byte(0x51);
    wait(chain.anvil.set_code(splitter, "Splitter"));
    let anvil = std::sync::Arc::clone(&chain.anvil);
    let waiting: Mutex<Vec<SignedAuthorization>> = Mutex::default();
    let settled = Mutex::new(None);
    // It sends when it has two, and says until then that it is at it.
    let stub = settling(move |request: &Value| {
        let mut waiting = waiting.lock().unwrap();
        let signed = of(request);
        if !waiting.contains(&signed) {
            waiting.push(signed);
        }
        if waiting.len() < 2 {
            return failure(200, "settlement_pending");
        }
        let transaction = *settled.lock().unwrap().get_or_insert_with(|| {
            let calls = waiting.iter().map(|signed| usage(signed).abi_encode().into()).collect();
            let batch = batchCall { targets: vec![Network::base().token; 2], calls };
            peers::anvil::hash(&wait(anvil.send(splitter, batch))["transactionHash"])
        });
        success(transaction)
    });
    let service = serve().set("FACILITATOR", &stub.url()).set("RPC", chain.anvil.url()).start();
    let requests = ["a", "b"].map(|content| paying(commit(content), &sign(authorization(PRICE))));
    let answers: Vec<_> = thread::scope(|scope| {
        let service = &service;
        let senders: Vec<_> =
            requests.iter().map(|request| scope.spawn(move || persist(service, request))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    let transactions: BTreeSet<String> =
        answers.iter().map(|answer| assert_bought(answer, &service, "facilitator")).collect();
    assert_eq!((transactions.len(), chain.paid()), (1, 2 * PRICE));
    let transaction = transactions.first().unwrap().parse().unwrap();
    assert_refused(&service.send(&shown(transaction, None, "c")), "invalid_transaction");
    for log_index in [1, 3] {
        service.send(&shown(transaction, Some(log_index), "c")).problem(409);
    }
    assert_earned(&service, "0.20", 2, 2);
}
