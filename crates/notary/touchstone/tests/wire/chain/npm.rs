//! Through the facilitator of npm `@x402/core` and `@x402/evm`, unmodified, on a real chain.

use payment::eip712::Domain;
use payment::{Network, U256, Wallet};
use serde_json::json;

use super::settling::assert_bought;
use crate::command::said;
use crate::support::chain::{Chain, attested, authorization, paying, serve, sign, wait, wallet};
use crate::support::facilitator::Npm;
use crate::support::http::Request;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit, with_proof};
use crate::support::service::Launch;

/// A chain, the facilitator on it, and a production service that settles through it, with and without a node of its
/// own.
fn start(untested: &str) -> Option<(Chain, Npm, [Launch; 2])> {
    let chain = Chain::start(untested)?;
    let npm = Npm::start(&chain, untested)?;
    let alone = || serve().set("FACILITATOR", &npm.url);
    let launches = [alone(), alone().set("RPC", chain.anvil.url())];
    Some((chain, npm, launches))
}

#[test]
fn a_paid_commit_settles_through_it_and_its_receipt_holds() {
    let Some((chain, _npm, launches)) = start("settling through a real facilitator") else { return };
    for (number, launch) in (1..).zip(launches) {
        let service = launch.start();
        let signed = sign(authorization(PRICE));
        let request = paying(commit("a"), &signed);
        let answer = service.send(&request);
        let transaction = assert_bought(&answer, &service, "facilitator");
        let mined = wait(chain.anvil.receipt(&json!(transaction)));
        assert_eq!(mined["status"], "0x1");
        assert_eq!((chain.paid(), chain.transfers().len()), (number * PRICE, number as usize));
        let checked = said(service.command(["verify", "-"]), answer.text());
        assert_eq!(checked.code, Some(0), "{checked:?}");
        assert_eq!(service.send(&request).expect(200).text(), answer.text());
        service.send(&paying(commit("b"), &signed)).problem(409);
        assert_eq!(chain.paid(), number * PRICE);
        assert_earned(&service, "0.10", 1, 1);
    }
}

#[test]
fn what_it_refuses_buys_nothing() {
    let Some((chain, _npm, launches)) = start("what a real facilitator refuses") else { return };
    let poor = Wallet::from_bytes([8; 32]).unwrap();
    // Alone it gives one reason for all: it finds the others by a contract that this chain does not have.
    let reasons = [["transfer_refused"; 2], ["insufficient_funds", "nonce_used"]];
    for (launch, [short, replayed]) in launches.into_iter().zip(reasons) {
        let service = launch.start();
        let mut unfunded = authorization(PRICE);
        unfunded.from = poor.address();
        let unfunded = poor.authorize(&Domain::new(&Network::base()), unfunded);
        assert_refused(&service.send(&paying(commit("a"), &unfunded)), short);
        let used = sign(authorization(PRICE));
        let before = chain.paid();
        chain.used_by_another(&used);
        assert_refused(&service.send(&paying(commit("a"), &used)), replayed);
        let mut forged = sign(authorization(PRICE));
        forged.authorization.valid_before += U256::ONE;
        let answer = service.send(&paying(commit("a"), &forged));
        // Without a node, nobody here can say that the payer is no contract wallet.
        assert!([402, 503].contains(&answer.status), "{}", answer.text());
        assert_eq!(chain.paid(), before + PRICE);
        assert_earned(&service, "0.00", 0, 0);
    }
}

#[test]
fn a_transaction_of_the_payers_counts_beside_it_where_there_is_a_node() {
    let Some((chain, _npm, [alone, with_node])) = start("proofs of settlement beside a facilitator") else {
        return;
    };
    let transaction = chain.transfer(PRICE);
    let body = br#"{"agent":"payer","content":"a"}"#;
    let shown = attested(&wallet(), transaction, None, "/commit", body);
    let request = with_proof(Request::post("/commit", body), &shown);
    let service = alone.start();
    service.send(&request).problem(503);
    assert_earned(&service, "0.00", 0, 0);
    let service = with_node.start();
    let answer = service.send(&request);
    assert_eq!(assert_bought(&answer, &service, "facilitator"), transaction.to_string());
    assert_eq!(service.send(&request).expect(200).text(), answer.text());
    assert_earned(&service, "0.10", 1, 1);
}
