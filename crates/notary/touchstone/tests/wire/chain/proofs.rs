//! Proofs of settlement: a transaction that the payer has sent, or somebody for it.

use std::time::{SystemTime, UNIX_EPOCH};

use payment::{Address, B256, Network, Wallet};
use peers::contracts::{SolCall as _, batchCall, forgeCall, usage};
use serde_json::json;

use super::settling::assert_bought;
use crate::support::chain::{Chain, attested, authorization, pay_to, sign, wait, wallet};
use crate::support::claims::with;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, assert_earned, assert_refused, with_proof};
use crate::support::service::Service;

/// A commit of this content, and the payer's word that a transaction paid for it.
fn shown(transaction: B256, log_index: Option<u64>, content: &str) -> Request {
    shown_by(&wallet(), transaction, log_index, content)
}

fn shown_by(wallet: &Wallet, transaction: B256, log_index: Option<u64>, content: &str) -> Request {
    let body = json!({"agent": "payer", "content": content}).to_string();
    let proof = attested(wallet, transaction, log_index, "/commit", body.as_bytes());
    with_proof(Request::post("/commit", body), &proof)
}

#[track_caller]
fn assert_credited(answer: &Answer, service: &Service, transaction: B256) {
    assert_eq!(assert_bought(answer, service, "chain"), transaction.to_string());
}

#[test]
fn a_transfer_of_the_payers_buys_one_answer_and_no_second_one() {
    let Some(chain) = Chain::start("proofs of settlement") else { return };
    let service = chain.launch().start();
    let transaction = chain.transfer(PRICE);
    let answer = service.send(&shown(transaction, None, "a"));
    assert_credited(&answer, &service, transaction);
    let retried = service.send(&shown(transaction, None, "a"));
    assert_eq!(retried.expect(200).text(), answer.text());
    for log_index in [None, Some(0)] {
        service.send(&shown(transaction, log_index, "b")).problem(409);
    }
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transfer_counts_only_with_its_confirmations() {
    let Some(chain) = Chain::start("confirmations of proofs") else { return };
    wait(chain.anvil.mine(3));
    let service = chain.launch().set("CONFIRMATIONS", "3").start();
    let transaction = chain.transfer(PRICE);
    let request = shown(transaction, None, "a");
    for _ in 0..2 {
        assert_refused(&service.send(&request), "unconfirmed");
        wait(chain.anvil.mine(1));
    }
    assert_credited(&service.send(&request), &service, transaction);
    // One that a reorganisation takes back is none.
    let gone = chain.transfer(PRICE);
    wait(chain.anvil.reorganise(1));
    wait(chain.anvil.mine(3));
    assert_refused(&service.send(&shown(gone, None, "b")), "invalid_transaction");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transfer_of_another_payer_payee_amount_or_chain_buys_nothing() {
    let Some(chain) = Chain::start("proofs of other transfers") else { return };
    let service = chain.launch().start();
    let transaction = chain.transfer(PRICE);
    let stranger = Wallet::from_bytes([8; 32]).unwrap();
    let seen = shown_by(&stranger, transaction, None, "a");
    assert_refused(&service.send(&seen), "invalid_transaction");
    for value in [PRICE - 1, PRICE + 1, 1] {
        let other = chain.transfer(value);
        assert_refused(&service.send(&shown(other, None, "a")), "invalid_transaction");
    }
    let mut elsewhere = authorization(PRICE);
    elsewhere.to = Address::repeat_byte(0x99);
    let elsewhere = chain.used_by_another(&sign(elsewhere));
    for nothing in [elsewhere, B256::ZERO, B256::repeat_byte(5)] {
        assert_refused(&service.send(&shown(nothing, None, "a")), "invalid_transaction");
    }
    assert_refused(&service.send(&shown(transaction, Some(1), "a")), "invalid_transaction");
    let body = br#"{"agent":"payer","content":"a"}"#;
    let proof = attested(&wallet(), transaction, None, "/commit", body);
    for network in ["base-sepolia", "eip155:1"] {
        let other = with(proof.clone(), "/network", json!(network));
        let request = with_proof(Request::post("/commit", body), &other);
        assert_refused(&service.send(&request), "invalid_network");
    }
    let claimed = with(proof, "/payload/payer", json!(stranger.address().to_string()));
    let claimed = with_proof(Request::post("/commit", body), &claimed);
    assert_refused(&service.send(&claimed), "invalid_signature");
    assert_earned(&service, "0.00", 0, 0);
    assert_credited(&service.send(&shown(transaction, None, "a")), &service, transaction);
}

#[test]
fn a_transfer_that_is_over_an_hour_old_buys_nothing() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let begin = (now - 7200).to_string();
    let Some(chain) = Chain::start_with("old transfers", &["--timestamp", &begin]) else { return };
    let service = chain.launch().start();
    let transaction = chain.transfer(PRICE);
    assert_refused(&service.send(&shown(transaction, None, "a")), "transaction_too_old");
    assert_earned(&service, "0.00", 0, 0);
    wait(chain.anvil.call("evm_increaseTime", json!([7200])));
    let transaction = chain.transfer(PRICE);
    assert_credited(&service.send(&shown(transaction, None, "a")), &service, transaction);
}

#[test]
fn several_transfers_in_one_transaction_are_as_many_payments_each_by_its_index() {
    let Some(chain) = Chain::start("several transfers in one transaction") else { return };
    let service = chain.launch().start();
    let splitter = Address::repeat_byte(0x51);
    wait(chain.anvil.set_code(splitter, "Splitter"));
    let calls = [(); 2].map(|()| usage(&sign(authorization(PRICE))).abi_encode().into());
    let batch = batchCall { targets: vec![Network::base().token; 2], calls: calls.to_vec() };
    let receipt = wait(chain.anvil.send(splitter, batch));
    let transaction = peers::anvil::hash(&receipt["transactionHash"]);
    assert_eq!(chain.paid(), 2 * PRICE);

    assert_refused(&service.send(&shown(transaction, None, "a")), "invalid_transaction");
    for (log_index, content) in [(1, "a"), (3, "b")] {
        let request = shown(transaction, Some(log_index), content);
        let answer = service.send(&request);
        assert_credited(&answer, &service, transaction);
        assert_eq!(service.send(&request).expect(200).text(), answer.text());
        service.send(&shown(transaction, Some(log_index), "c")).problem(409);
    }
    for log_index in [0, 2, 4] {
        assert_refused(&service.send(&shown(transaction, Some(log_index), "c")), "invalid_transaction");
    }
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn a_fake_tokens_transfer_buys_nothing() {
    let Some(chain) = Chain::start("a fake token's transfer") else { return };
    let service = chain.launch().start();
    let fake = Address::repeat_byte(0xfa);
    wait(chain.anvil.set_code(fake, "FakeToken"));
    let forged = forgeCall {
        from: wallet().address(),
        to: pay_to(),
        value: payment::U256::from(PRICE),
        nonce: authorization(PRICE).nonce,
    };
    let receipt = wait(chain.anvil.send(fake, forged));
    assert_eq!(receipt["status"], "0x1");
    let transaction = peers::anvil::hash(&receipt["transactionHash"]);
    for log_index in [None, Some(0), Some(1)] {
        assert_refused(&service.send(&shown(transaction, log_index, "a")), "invalid_transaction");
    }
    assert_earned(&service, "0.00", 0, 0);
}
