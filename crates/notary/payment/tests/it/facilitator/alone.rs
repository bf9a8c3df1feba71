//! Without a chain to look at.

use payment::facilitator::{Facilitator, FacilitatorError};
use payment::{
    Authorization, B256, Code, Network, Outcome, Prepared, Settler, SignedAuthorization, Terms, Transfer,
    U256, Version, Wanted,
};
use serde_json::{Value, json};

use super::stub::{TRANSACTION, assert_unavailable, code, facilitator, failure, settling, signed, success};
use crate::support::anvil::{PRICE, pay_to};
use crate::support::{Reply, Server};

/// What is no answer to any question.
fn nonsense() -> Vec<(&'static str, Reply)> {
    vec![
        ("cut", Reply::Cut),
        ("silence", Reply::Silence),
        ("a redirect", Reply::Redirect(308, "/verify".to_owned())),
        ("not json", Reply::Text(200, "OK".to_owned())),
        ("empty", Reply::Text(200, String::new())),
        ("an empty object", Reply::Json(200, json!({}))),
        ("an array", Reply::Json(200, json!([true]))),
        ("null", Reply::Json(200, Value::Null)),
        ("an error", Reply::Json(500, json!({"error": "internal"}))),
        ("too much", Reply::Text(200, "x".repeat(100_000))),
    ]
}

async fn verifying(reply: Reply) -> Server {
    Server::start(move |_, _| reply.clone()).await
}

#[tokio::test]
async fn both_versions_are_asked_in_their_own_form() {
    let signed = signed();
    for version in [Version::V1, Version::V2] {
        let server = settling(vec![success(&json!({}))]).await;
        let facilitator = facilitator(&server, version, None);
        facilitator.verify(&signed).await.unwrap();
        let prepared = facilitator.prepare(&signed).await.unwrap();
        facilitator.broadcast(&signed, &prepared).await.unwrap();
        let requests = server.requests();
        assert_eq!((requests[0].0.as_str(), requests[1].0.as_str()), ("/verify", "/settle"));
        assert_eq!(requests[0].1, requests[1].1);
        assert_eq!(requests[0].1, expected(version, &signed));
    }
}

fn expected(version: Version, signed: &SignedAuthorization) -> Value {
    let asset = Network::base().token.to_string();
    let extra = json!({"name": "USD Coin", "version": "2"});
    match version {
        Version::V1 => json!({
            "x402Version": 1,
            "paymentPayload": {
                "x402Version": 1,
                "scheme": "exact",
                "network": "base",
                "payload": signed.payload(),
            },
            "paymentRequirements": {
                "scheme": "exact",
                "network": "base",
                "maxAmountRequired": "20000",
                "resource": "https://notary.example",
                "description": "",
                "mimeType": "application/json",
                "payTo": pay_to().to_string(),
                "maxTimeoutSeconds": 300,
                "asset": asset,
                "extra": extra,
            },
        }),
        Version::V2 => {
            let requirements = json!({
                "scheme": "exact",
                "network": "eip155:8453",
                "amount": "20000",
                "asset": asset,
                "payTo": pay_to().to_string(),
                "maxTimeoutSeconds": 300,
                "extra": extra,
            });
            json!({
                "x402Version": 2,
                "paymentPayload": {
                    "x402Version": 2,
                    "resource": {
                        "url": "https://notary.example",
                        "description": "",
                        "mimeType": "application/json",
                    },
                    "accepted": requirements,
                    "payload": signed.payload(),
                },
                "paymentRequirements": requirements,
            })
        }
    }
}

#[tokio::test]
async fn only_a_true_truth_value_is_valid() {
    let mut wrong = nonsense();
    wrong.extend([
        ("a text", Reply::Json(200, json!({"isValid": "true"}))),
        ("a number", Reply::Json(200, json!({"isValid": 1}))),
        ("null", Reply::Json(200, json!({"isValid": null}))),
        ("twice", Reply::Text(200, r#"{"isValid": false, "isValid": true}"#.to_owned())),
        ("with status 500", Reply::Json(500, json!({"isValid": true}))),
        ("with status 402", Reply::Json(402, json!({"isValid": true}))),
        ("of another payer", Reply::Json(200, json!({"isValid": true, "payer": pay_to().to_string()}))),
        ("of no payer", Reply::Json(200, json!({"isValid": true, "payer": ""}))),
    ]);
    for (name, reply) in wrong {
        let server = verifying(reply).await;
        assert_unavailable(&facilitator(&server, Version::V2, None).verify(&signed()).await, name);
    }
    for good in [json!({"isValid": true}), json!({"isValid": true, "payer": null, "more": [1]})] {
        let server = verifying(Reply::Json(200, good)).await;
        facilitator(&server, Version::V2, None).verify(&signed()).await.unwrap();
    }
}

#[tokio::test]
async fn reasons_become_codes_whatever_the_status() {
    for (reason, expected) in [
        ("insufficient_funds", Code::InsufficientFunds),
        ("invalid_exact_evm_insufficient_balance", Code::InsufficientFunds),
        ("invalid_exact_evm_nonce_already_used", Code::NonceUsed),
        ("invalid_exact_evm_payload_authorization_valid_before", Code::Expired),
        ("payment_expired", Code::Expired),
        ("invalid_exact_evm_payload_authorization_valid_after", Code::NotYetValid),
        ("invalid_exact_evm_payload_signature", Code::InvalidSignature),
        ("invalid_exact_evm_signature", Code::InvalidSignature),
        ("invalid_exact_evm_payload_undeployed_smart_wallet", Code::InvalidSignature),
        ("invalid_exact_evm_payload_recipient_mismatch", Code::InvalidPayee),
        ("invalid_exact_evm_payload_authorization_value_mismatch", Code::InvalidAmount),
        ("invalid_exact_evm_network_mismatch", Code::InvalidNetwork),
        ("unsupported_scheme", Code::InvalidScheme),
        ("whatever <b>else</b>", Code::TransferRefused),
    ] {
        for status in [200, 400, 500] {
            let answer = json!({"isValid": false, "invalidReason": reason, "payer": "nobody"});
            let server = verifying(Reply::Json(status, answer)).await;
            let verified = facilitator(&server, Version::V2, None).verify(&signed()).await;
            assert!(!format!("{verified:?}").contains(reason), "{reason}");
            assert_eq!(code(verified), expected, "{reason}");
        }
    }
    let server = verifying(Reply::Json(200, json!({"isValid": false}))).await;
    let verified = facilitator(&server, Version::V2, None).verify(&signed()).await;
    assert_eq!(code(verified), Code::TransferRefused);
}

#[tokio::test]
async fn a_success_settles_and_is_not_asked_for_twice() {
    for network in ["eip155:8453", "base"] {
        let server = settling(vec![success(&json!({"network": network, "payer": null}))]).await;
        let facilitator = facilitator(&server, Version::V1, None);
        let prepared = facilitator.prepare(&signed()).await.unwrap();
        assert_eq!(facilitator.outcome(&signed(), &prepared).await, Ok(Outcome::Unknown));
        for _ in 0..2 {
            facilitator.broadcast(&signed(), &prepared).await.unwrap();
            let settled = Transfer {
                transaction: TRANSACTION,
                log_index: None,
                payer: signed().authorization.from,
                value: U256::from(PRICE),
            };
            assert_eq!(facilitator.outcome(&signed(), &prepared).await, Ok(Outcome::Settled(settled)));
        }
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn whatever_is_no_whole_success_leaves_the_outcome_unknown() {
    let mut wrong = nonsense();
    let changed = |changes: Value| success(&changes);
    wrong.extend([
        ("a text", changed(json!({"success": "true"}))),
        ("a number", changed(json!({"success": 1}))),
        ("no truth value", changed(json!({"success": null}))),
        ("no transaction", changed(json!({"transaction": null}))),
        ("an empty transaction", changed(json!({"transaction": ""}))),
        ("transaction zero", changed(json!({"transaction": B256::ZERO.to_string()}))),
        ("a short transaction", changed(json!({"transaction": "0x77"}))),
        ("a transaction without 0x", changed(json!({"transaction": "77".repeat(32)}))),
        ("a transaction that is no text", changed(json!({"transaction": 7}))),
        ("no network", changed(json!({"network": null}))),
        ("another network", changed(json!({"network": "eip155:1"}))),
        ("another payer", changed(json!({"payer": pay_to().to_string()}))),
        ("a failure without a reason", Reply::Json(200, json!({"success": false}))),
        ("an unknown reason", failure(200, "unexpected_settle_error", "")),
        ("pending", failure(200, "settlement_pending", &TRANSACTION.to_string())),
        ("a failed state", failure(200, "invalid_transaction_state", "")),
        ("a refusal with a transaction", failure(200, "insufficient_funds", &TRANSACTION.to_string())),
        ("a refusal with status 500", failure(500, "insufficient_funds", "")),
        ("a nonce that is used", failure(200, "invalid_exact_evm_nonce_already_used", "")),
    ]);
    for status in [201, 202, 400, 402, 500] {
        let Reply::Json(_, answer) = success(&json!({})) else { unreachable!() };
        wrong.push(("a success with another status", Reply::Json(status, answer)));
    }
    for (name, reply) in wrong {
        let server = settling(vec![reply, success(&json!({}))]).await;
        let facilitator = facilitator(&server, Version::V2, None);
        let prepared = facilitator.prepare(&signed()).await.unwrap();
        assert_unavailable(&facilitator.broadcast(&signed(), &prepared).await, name);
        assert_eq!(facilitator.outcome(&signed(), &prepared).await, Ok(Outcome::Unknown), "{name}");
        // The next attempt may be answered better.
        facilitator.broadcast(&signed(), &prepared).await.unwrap();
        let outcome = facilitator.outcome(&signed(), &prepared).await;
        assert!(matches!(outcome, Ok(Outcome::Settled(_))), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_first_attempt_that_was_refused_before_sending_is_refused() {
    for (status, reason, expected) in [
        (200, "insufficient_funds", Code::InsufficientFunds),
        (400, "invalid_exact_evm_payload_signature", Code::InvalidSignature),
    ] {
        let server = settling(vec![failure(status, reason, ""), success(&json!({}))]).await;
        let facilitator = facilitator(&server, Version::V2, None);
        let prepared = facilitator.prepare(&signed()).await.unwrap();
        assert_eq!(code(facilitator.broadcast(&signed(), &prepared).await), expected);
        assert_eq!(facilitator.outcome(&signed(), &prepared).await, Ok(Outcome::Unknown));
        // The same authorization in a new claim.
        let prepared = facilitator.prepare(&signed()).await.unwrap();
        facilitator.broadcast(&signed(), &prepared).await.unwrap();
    }
}

#[tokio::test]
async fn a_later_attempt_that_is_refused_proves_nothing() {
    let server = settling(vec![Reply::Silence, failure(200, "insufficient_funds", "")]).await;
    let first = facilitator(&server, Version::V2, None);
    let prepared = first.prepare(&signed()).await.unwrap();
    assert_unavailable(&first.broadcast(&signed(), &prepared).await, "silence");
    assert_unavailable(&first.broadcast(&signed(), &prepared).await, "the second attempt");
    // Preparing again does not make it a first attempt.
    let prepared = first.prepare(&signed()).await.unwrap();
    assert_unavailable(&first.broadcast(&signed(), &prepared).await, "the third attempt");
    // Nor does a restart: the stored attempt may have been sent.
    let restarted = facilitator(&server, Version::V2, None);
    assert_unavailable(&restarted.broadcast(&signed(), &prepared).await, "after a restart");
    assert_eq!(restarted.outcome(&signed(), &prepared).await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn a_restart_settles_what_was_stored() {
    let server = settling(vec![success(&json!({}))]).await;
    let prepared = facilitator(&server, Version::V2, None).prepare(&signed()).await.unwrap();
    let restarted = facilitator(&server, Version::V2, None);
    restarted.broadcast(&signed(), &prepared).await.unwrap();
    assert!(matches!(restarted.outcome(&signed(), &prepared).await, Ok(Outcome::Settled(_))));
}

#[tokio::test]
async fn what_another_back_end_has_stored_is_not_sent() {
    let server = settling(vec![success(&json!({}))]).await;
    let facilitator = facilitator(&server, Version::V2, None);
    for raw in [vec![2, 0xf8], Vec::new()] {
        let prepared = Prepared { raw, transaction: None };
        assert_unavailable(&facilitator.broadcast(&signed(), &prepared).await, "a transaction");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn another_payee_is_refused_unasked() {
    let server = settling(vec![success(&json!({}))]).await;
    let facilitator = facilitator(&server, Version::V2, None);
    let mut signed = signed();
    signed.authorization = Authorization { to: Network::base().token, ..signed.authorization };
    assert_eq!(code(facilitator.verify(&signed).await), Code::InvalidPayee);
    assert_eq!(code(facilitator.prepare(&signed).await), Code::InvalidPayee);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn what_only_a_chain_can_say_is_unavailable() {
    let server = settling(vec![success(&json!({}))]).await;
    let facilitator = facilitator(&server, Version::V2, None);
    let wanted = Wanted {
        transaction: TRANSACTION,
        log_index: None,
        payer: pay_to(),
        pay_to: pay_to(),
        values: vec![U256::from(PRICE)],
        not_before: 0,
    };
    assert_unavailable(&facilitator.find(&wanted).await, "find");
    let (wallet, digest) = (crate::support::anvil::payer(), B256::repeat_byte(1));
    let signature = wallet.sign(&digest);
    assert_eq!(facilitator.is_signed_by(wallet.address(), digest, &signature).await, Ok(true));
    assert_unavailable(&facilitator.is_signed_by(pay_to(), digest, &signature).await, "a contract wallet");
}

#[tokio::test]
async fn a_node_of_another_network_is_refused_at_once() {
    let server = settling(vec![success(&json!({}))]).await;
    let endpoint = server.endpoint(Facilitator::limits());
    let rpc = payment::chain::Rpc::new(endpoint.clone());
    let view = payment::chain::ChainView::new(rpc, crate::support::anvil::settings(1));
    let terms = Terms::new(Network::base_sepolia(), pay_to());
    let made = Facilitator::new([&endpoint, &endpoint], Version::V2, terms, String::new(), Some(view));
    assert!(matches!(made, Err(FacilitatorError::Network { .. })));
}
