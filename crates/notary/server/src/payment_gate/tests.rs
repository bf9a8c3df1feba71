//! The conditions under which a caller gets the stored answer of a payment.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use ledger::Owner;
use payment::eip712::{Domain, SettlementStatement};
use payment::local::faucet_wallet;
use payment::{
    Authorization, B256, Network, RequestIdentity, SettlementProof, SignedAuthorization, U256, local_payee,
    payer,
};
use serde_json::{Value, json};
use verdict::Clock;

use super::{ANSWERED_AGAIN_MS, PaymentGate, open_faucet};
use crate::testing::{Answer, Hand, QUESTION, Service};

/// A payment of a claim, good for a minute from now on.
fn signed(clock: &Hand, nonce: u8) -> SignedAuthorization {
    let authorization = Authorization {
        from: faucet_wallet().address(),
        to: local_payee(),
        value: U256::from(50_000),
        valid_after: U256::ZERO,
        valid_before: U256::from(clock.now().unix_seconds() + 60),
        nonce: B256::repeat_byte(nonce),
    };
    faucet_wallet().authorize(&Domain::new(&Network::local()), authorization)
}

/// The same proof with a payment identifier.
fn named(signed: &SignedAuthorization) -> Value {
    let network = Network::local();
    json!({
        "x402Version": 2,
        "accepted": {
            "scheme": "exact",
            "network": network.caip2(),
            "amount": signed.authorization.value.to_string(),
            "asset": network.token.to_string(),
            "payTo": signed.authorization.to.to_string(),
            "maxTimeoutSeconds": 60,
            "extra": {"name": network.token_name, "version": network.token_version},
        },
        "payload": signed.payload(),
        "extensions": {"payment-identifier": {"info": {"required": false, "id": "claim_0123456789abcdef"}}},
    })
}

/// The payer's word over the transaction that a 409 names, for this body.
fn attested(unproven: &Value, body: &str) -> Value {
    let transaction: B256 = unproven["transaction"].as_str().unwrap().parse().unwrap();
    let request = RequestIdentity::new("POST", "/claim-verdict", "", body.as_bytes());
    let statement = SettlementStatement {
        transaction,
        method: request.method.to_owned(),
        target: request.target(),
        body_hash: B256::new(request.body_hash),
        pay_to: local_payee(),
    };
    let wallet = faucet_wallet();
    let signature = wallet.attest(&Domain::new(&Network::local()), &statement);
    let log_index = unproven["log_index"].as_u64();
    payer::settlement(
        &Network::local(),
        &SettlementProof { transaction, payer: wallet.address(), log_index, signature },
    )
}

async fn send(service: &Service, body: &str, proof: &Value) -> Answer {
    let request = Request::builder().method(Method::POST).uri("/claim-verdict");
    let request = request.header("X-PAYMENT", payer::header(proof)).body(Body::from(body.to_owned()));
    service.send(request.unwrap()).await
}

/// Checks that an answer says that only the payer is answered, whatever else was asked.
#[track_caller]
fn unproven(answer: &Answer) -> Value {
    let mut problem = answer.json();
    assert_eq!((answer.status.as_u16(), &problem["error"]), (409, &json!("payer_unproven")), "{problem}");
    assert_eq!(answer.header("payment-required"), "", "nobody is asked to pay again");
    problem.as_object_mut().unwrap().remove("request_id");
    problem
}

/// A service on which a claim was paid for by the first authorization; and what was answered.
async fn paid(clock: &Arc<Hand>) -> (Service, Value, Answer) {
    let service = Service::at(Arc::clone(clock) as Arc<dyn Clock>, |ledger| {
        Some(PaymentGate::local(ledger, Owner([1; 16])))
    });
    open_faucet(&*service.app.notary.ledger).await.unwrap();
    for _ in 0..3 {
        assert_eq!(service.post("/claim-verdict", QUESTION).await.status, 200, "free");
    }
    let proof = named(&signed(clock, 1));
    let first = send(&service, QUESTION, &proof).await;
    assert_eq!(first.status, 200, "{}", first.text());
    (service, proof, first)
}

async fn income(service: &Service) -> Value {
    service.get("/stats").await.json()["revenue"]["USDC"]["total"].clone()
}

#[tokio::test]
async fn for_ten_minutes_after_the_first_answer_the_identical_request_is_answered_again() {
    let clock = Hand::at("2026-11-21T12:00:00.000Z");
    let (service, proof, first) = paid(&clock).await;
    clock.advance(ANSWERED_AGAIN_MS);
    let again = send(&service, QUESTION, &proof).await;
    assert_eq!((again.status.as_u16(), again.text()), (200, first.text()), "though its window is over");
    clock.advance(1);
    unproven(&send(&service, QUESTION, &proof).await);
    assert_eq!(income(&service).await, "0.05");
}

#[tokio::test]
async fn a_clock_that_cannot_be_right_does_not_judge_the_time_of_a_retry() {
    let clock = Hand::at("2026-11-21T12:00:00.000Z");
    let (service, proof, first) = paid(&clock).await;
    clock.advance(-6_000);
    let answer = send(&service, QUESTION, &proof).await;
    let problem = answer.json();
    assert_eq!((answer.status.as_u16(), &problem["module"]), (503, &json!("clock")), "{problem}");
    clock.advance(6_000);
    let again = send(&service, QUESTION, &proof).await;
    assert_eq!((again.status.as_u16(), again.text()), (200, first.text()));
    assert_eq!(income(&service).await, "0.05");
}

#[tokio::test]
async fn later_the_bearer_of_the_authorization_is_told_the_same_whatever_he_asks() {
    let clock = Hand::at("2026-11-21T12:00:00.000Z");
    let (service, proof, _) = paid(&clock).await;
    clock.advance(ANSWERED_AGAIN_MS + 1);
    let right = unproven(&send(&service, QUESTION, &proof).await);
    let wrong = unproven(&send(&service, &format!("{QUESTION} "), &proof).await);
    assert_eq!(right, wrong, "nobody can guess at the body");
    assert_eq!(income(&service).await, "0.05");
}

#[tokio::test]
async fn later_the_payer_is_answered_by_either_way_to_show_himself_and_pays_nothing() {
    let clock = Hand::at("2026-11-21T12:00:00.000Z");
    let (service, proof, first) = paid(&clock).await;
    clock.advance(30 * 24 * 3_600_000);
    let told = unproven(&send(&service, QUESTION, &proof).await);
    let statement = attested(&told, QUESTION);
    for shown in [&statement, &named(&signed(&clock, 2))] {
        let answer = send(&service, QUESTION, shown).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (200, first.text()));
    }
    // For another request he learns that it is another.
    let other = format!("{QUESTION} ");
    for shown in [&attested(&told, &other), &named(&signed(&clock, 3))] {
        assert_eq!(send(&service, &other, shown).await.json()["error"], "payment_used");
    }
    // The statement is for its request alone.
    assert_eq!(send(&service, &other, &statement).await.json()["error"], "invalid_signature");
    assert_eq!(income(&service).await, "0.05");
}

#[tokio::test]
async fn an_identifier_is_answered_only_with_an_authorization_that_would_pay_now() {
    let clock = Hand::at("2026-11-21T12:00:00.000Z");
    let (service, _, first) = paid(&clock).await;
    let public = signed(&clock, 2);
    let domain = Domain::new(&Network::local());
    let other = |change: &dyn Fn(&mut Authorization)| {
        let mut authorization = public.authorization.clone();
        change(&mut authorization);
        named(&faucet_wallet().authorize(&domain, authorization))
    };
    let spoilt = [
        (other(&|it| it.to = payment::Address::repeat_byte(9)), "invalid_pay_to"),
        (other(&|it| it.value = U256::from(1)), "invalid_amount"),
        (other(&|it| it.valid_before = U256::from(1)), "expired"),
        (other(&|it| it.valid_after = it.valid_before), "not_yet_valid"),
    ];
    for (proof, code) in spoilt {
        let answer = send(&service, QUESTION, &proof).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["error"]), (402, &json!(code)));
    }
    assert_eq!(send(&service, QUESTION, &named(&public)).await.text(), first.text());
    assert_eq!(income(&service).await, "0.05");
}
