//! Beside a chain, which decides.

use payment::{Authorization, B256, Code, Network, Outcome, Settler, U256, Version};
use serde_json::json;

use super::stub::{assert_unavailable, code, facilitator, failure, settling, success};
use crate::support::Reply;
use crate::support::anvil::{Anvil, assert_settled, hash, pay_to, sign, usage};

#[tokio::test]
async fn a_settlement_is_credited_as_the_chain_has_it() {
    let Some(anvil) = Anvil::start("a facilitator beside a chain").await else { return };
    let signed = anvil.signed().await;
    let receipt = anvil.send(Network::base().token, usage(&signed)).await;
    let answer = success(&json!({"transaction": receipt["transactionHash"]}));
    let server = settling(vec![answer]).await;
    let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
    let prepared = facilitator.prepare(&signed).await.unwrap();
    facilitator.broadcast(&signed, &prepared).await.unwrap();
    let outcome = facilitator.outcome(&signed, &prepared).await.unwrap();
    assert_settled(&outcome, &signed, Some(hash(&receipt["transactionHash"])));
    let Outcome::Settled(transfer) = outcome else { unreachable!() };
    assert_eq!(transfer.log_index, Some(1));
}

#[tokio::test]
async fn a_transaction_that_does_not_show_the_payment_settles_nothing() {
    let Some(anvil) = Anvil::start("a facilitator that lies").await else { return };
    let (signed, other) = (anvil.signed().await, anvil.signed().await);
    let others = anvil.send(Network::base().token, usage(&other)).await;
    for lie in [json!(B256::repeat_byte(1).to_string()), others["transactionHash"].clone()] {
        let server = settling(vec![success(&json!({ "transaction": lie }))]).await;
        let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
        let prepared = facilitator.prepare(&signed).await.unwrap();
        facilitator.broadcast(&signed, &prepared).await.unwrap();
        assert_eq!(facilitator.outcome(&signed, &prepared).await, Ok(Outcome::Unknown));
    }
    anvil.call("evm_increaseTime", json!([301])).await;
    anvil.mine(1).await;
    let server = settling(vec![Reply::Silence]).await;
    let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
    let prepared = facilitator.prepare(&signed).await.unwrap();
    match facilitator.outcome(&signed, &prepared).await.unwrap() {
        Outcome::Failed(refused) => assert_eq!(refused.code, Code::Expired),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_settlement_that_the_facilitator_denies_is_credited_all_the_same() {
    let Some(anvil) = Anvil::start("a facilitator that denies").await else { return };
    for answer in [
        failure(200, "insufficient_funds", ""),
        failure(200, "invalid_exact_evm_nonce_already_used", ""),
        Reply::Silence,
        Reply::Json(200, json!({"success": "false"})),
    ] {
        let signed = anvil.signed().await;
        let server = settling(vec![answer]).await;
        let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
        let prepared = facilitator.prepare(&signed).await.unwrap();
        let receipt = anvil.send(Network::base().token, usage(&signed)).await;
        assert_unavailable(&facilitator.broadcast(&signed, &prepared).await, "denied");
        let outcome = facilitator.outcome(&signed, &prepared).await.unwrap();
        assert_settled(&outcome, &signed, Some(hash(&receipt["transactionHash"])));
    }
}

#[tokio::test]
async fn after_a_crash_the_chain_tells_a_used_nonce_from_a_payment() {
    let Some(anvil) = Anvil::start("a facilitator after a crash").await else { return };
    let signed = anvil.signed().await;
    let used = settling(vec![failure(200, "invalid_exact_evm_nonce_already_used", "")]).await;
    let prepared = facilitator(&used, Version::V2, Some(anvil.view(1))).prepare(&signed).await.unwrap();
    let receipt = anvil.send(Network::base().token, usage(&signed)).await;
    let restarted = facilitator(&used, Version::V2, Some(anvil.view(1)));
    assert_unavailable(&restarted.broadcast(&signed, &prepared).await, "used");
    let outcome = restarted.outcome(&signed, &prepared).await.unwrap();
    assert_settled(&outcome, &signed, Some(hash(&receipt["transactionHash"])));

    let signed = anvil.signed().await;
    let prepared = restarted.prepare(&signed).await.unwrap();
    let less = sign(Authorization { value: U256::from(1), ..signed.authorization.clone() });
    anvil.send(Network::base().token, usage(&less)).await;
    match restarted.outcome(&signed, &prepared).await.unwrap() {
        Outcome::Failed(refused) => assert_eq!(refused.code, Code::NonceUsed),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_refused_and_is_unused_is_refused() {
    let Some(anvil) = Anvil::start("a facilitator that refuses").await else { return };
    let signed = anvil.signed().await;
    let server = settling(vec![failure(200, "insufficient_funds", "")]).await;
    let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
    let prepared = facilitator.prepare(&signed).await.unwrap();
    assert_eq!(code(facilitator.broadcast(&signed, &prepared).await), Code::InsufficientFunds);
    assert_eq!(anvil.balance(pay_to()).await, 0);
}

#[tokio::test]
async fn facilitator_and_chain_must_both_find_it_valid() {
    let Some(anvil) = Anvil::start("verification by both").await else { return };
    let server = settling(vec![Reply::Silence]).await;
    let trusting = facilitator(&server, Version::V2, Some(anvil.view(1)));
    let good = anvil.authorization().await;
    trusting.verify(&sign(good.clone())).await.unwrap();
    let rich = sign(Authorization { value: U256::from(1_000_001), ..good.clone() });
    assert_eq!(code(trusting.verify(&rich).await), Code::InsufficientFunds);

    let server = crate::support::Server::start(|_, _| {
        Reply::Json(200, json!({"isValid": false, "invalidReason": "insufficient_funds"}))
    })
    .await;
    let strict = facilitator(&server, Version::V2, Some(anvil.view(1)));
    assert_eq!(code(strict.verify(&sign(good)).await), Code::InsufficientFunds);
}

#[tokio::test]
async fn transfers_are_found_and_wallets_asked_through_the_node() {
    let Some(anvil) = Anvil::start("proofs beside a facilitator").await else { return };
    let signed = anvil.signed().await;
    let receipt = anvil.send(Network::base().token, usage(&signed)).await;
    let server = settling(vec![Reply::Silence]).await;
    let facilitator = facilitator(&server, Version::V2, Some(anvil.view(1)));
    let wanted = payment::Wanted {
        transaction: hash(&receipt["transactionHash"]),
        log_index: None,
        payer: signed.authorization.from,
        pay_to: pay_to(),
        values: vec![signed.authorization.value],
        not_before: 0,
    };
    assert_eq!(facilitator.find(&wanted).await.unwrap().log_index, Some(1));
    let (digest, nobody) = (B256::repeat_byte(1), B256::repeat_byte(2));
    let signature = crate::support::anvil::payer().sign(&nobody);
    let payer = signed.authorization.from;
    assert_eq!(facilitator.is_signed_by(payer, digest, &signature).await, Ok(false));
}
