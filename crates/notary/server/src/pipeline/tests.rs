//! The memory of a subject, from the receipt that stores it to the next judgement.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use ledger::{MemoryKey, Owner};
use payment::eip712::Domain;
use payment::local::faucet_wallet;
use payment::{Authorization, B256, Network, U256, local_payee, payer};
use receipt::hash::sha256;
use serde_json::{Value, json};
use verdict::{
    Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext,
    MAX_MEMORY_BYTES, Memory, Question, Remember, Timestamp, Unavailable,
};

use crate::payment_gate::{PaymentGate, open_faucet};
use crate::testing::{Answer, PlaceQuestion, Service};

/// A judge that remembers how often it was asked about a place, in a text of as many stars.
struct Visitor;

impl Judge for Visitor {
    type Question = PlaceQuestion;
    type Finding = Value;

    const EFFECT: EffectKind = EffectKind::Remember;

    fn effect(&self, question: &PlaceQuestion, finding: &Value) -> Option<Effect> {
        let stars = finding["stars"].as_str().unwrap();
        let memory =
            if question.0 == "the Library of Babel" { &"*".repeat(MAX_MEMORY_BYTES + 1) } else { stars };
        let subject = hex::encode(question.subject_sha256()?);
        Some(Effect::Remember(Remember { subject, memory: memory.to_owned() }))
    }

    async fn judge(
        &self,
        _: &PlaceQuestion,
        JudgeContext { memory, .. }: JudgeContext,
    ) -> Result<EvidencedFinding<Value>, Unavailable> {
        let (before, at) = memory.map(|Memory { text, at }| (text, at.to_string())).unzip();
        let stars = format!("{}*", before.unwrap_or_default());
        let finding = json!({"verdict": "CONFIRMED", "stars": stars, "at": at, "evidence": {}, "scope": "A place.", "method": "visit/1"});
        Ok(EvidencedFinding { finding, evidence: Vec::new() })
    }

    fn replay(&self, _: &PlaceQuestion, _: &[EvidenceBlob], _: Timestamp) -> Result<Value, EvidenceMissing> {
        Err(EvidenceMissing("the memory".to_owned()))
    }
}

fn service() -> Service {
    Service::judging(Visitor, |ledger| Some(PaymentGate::local(ledger, Owner([1; 16]))))
}

async fn ask(service: &Service, place: &str, proof: Option<Value>) -> Answer {
    let mut request = Request::builder().method(Method::POST).uri("/claim-verdict");
    if let Some(proof) = proof {
        request = request.header("X-PAYMENT", payer::header(&proof));
    }
    let body = json!({"agent": "scout", "place": place}).to_string();
    service.send(request.body(Body::from(body)).unwrap()).await
}

/// A payment of a call.
fn paid(now: Timestamp) -> Value {
    let authorization = Authorization {
        from: faucet_wallet().address(),
        to: local_payee(),
        value: U256::from(50_000),
        valid_after: U256::ZERO,
        valid_before: U256::from(now.unix_seconds() + 60),
        nonce: B256::repeat_byte(1),
    };
    let network = Network::local();
    let signed = faucet_wallet().authorize(&Domain::new(&network), authorization);
    json!({"x402Version": 1, "scheme": "exact", "network": network.name, "payload": signed.payload()})
}

#[tokio::test]
async fn free_and_paid_calls_are_told_the_memory_that_the_receipt_before_has_stored() {
    let service = service();
    open_faucet(&*service.app.notary.ledger).await.unwrap();
    let mut last = Value::Null;
    for stars in ["*", "**"] {
        let answer = ask(&service, "Rome", None).await.json();
        assert_eq!((&answer["stars"], &answer["at"]), (&json!(stars), &last), "{answer}");
        last = answer["signed_at"].clone();
    }
    let other = ask(&service, "Carthage", None).await.json();
    assert_eq!((&other["stars"], &other["at"]), (&json!("*"), &Value::Null), "another subject");
    let paid = ask(&service, "Rome", Some(paid(service.app.notary.now().unwrap()))).await;
    assert_eq!(paid.status, 200, "{}", paid.text());
    let paid = paid.json();
    assert_eq!((&paid["stars"], &paid["at"]), (&json!("***"), &last), "{paid}");
    assert!(!paid["payment"].is_null(), "{paid}");
    let key = |class| MemoryKey::new(class, &sha256(b"Rome"));
    let ledger = Arc::clone(&service.app.notary.ledger);
    assert_eq!(ledger.memory(key("claim-verdict")).await.unwrap().unwrap().text, "***");
    assert_eq!(ledger.memory(key("trust-score")).await.unwrap(), None);
}

#[tokio::test]
async fn a_memory_that_is_too_long_is_not_stored_and_the_receipt_is_issued() {
    let service = service();
    for _ in 0..2 {
        let answer = ask(&service, "the Library of Babel", None).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["stars"]), (200, &json!("*")));
    }
}

/// A judge that tells what it was told of the caller's priority.
struct Told;

impl Judge for Told {
    type Question = PlaceQuestion;
    type Finding = Value;

    async fn judge(
        &self,
        _: &PlaceQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<Value>, Unavailable> {
        let finding = json!({"verdict": "CONFIRMED", "has_priority": context.has_priority, "evidence": {},
            "scope": "A priority.", "method": "told/1"});
        Ok(EvidencedFinding { finding, evidence: Vec::new() })
    }

    fn replay(&self, _: &PlaceQuestion, _: &[EvidenceBlob], _: Timestamp) -> Result<Value, EvidenceMissing> {
        Err(EvidenceMissing("the priority".to_owned()))
    }
}

#[tokio::test]
async fn a_grants_priority_holds_for_its_calls_and_for_those_that_its_holder_pays_for() {
    let service = Service::judging(Told, |ledger| Some(PaymentGate::local(ledger, Owner([1; 16]))));
    open_faucet(&*service.app.notary.ledger).await.unwrap();
    let now = service.app.notary.now().unwrap();
    let grant = ledger::NewGrant {
        name: "operator".to_owned(),
        agent: "scout".to_owned(),
        class: None,
        calls: 1,
        period: ledger::Period::Month,
        until: now.saturating_add_millis(60_000),
        networks: Vec::new(),
        priority: true,
        request_id: None,
        at: now,
    };
    service.grant(grant);
    let has_priority = async |proof| {
        let answer = ask(&service, "Rome", proof).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let receipt = answer.json();
        (receipt["has_priority"].as_bool().unwrap(), !receipt["payment"].is_null())
    };
    assert_eq!(has_priority(None).await, (true, false), "the granted call");
    for _ in 0..3 {
        assert_eq!(has_priority(None).await, (false, false), "a free call like everybody's");
    }
    assert_eq!(has_priority(Some(paid(now))).await, (true, true));
}
