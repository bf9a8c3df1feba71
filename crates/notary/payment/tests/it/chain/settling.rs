//! A settlement from verification to outcome, and all that can come between.

use payment::{
    Authorization, Code, Network, Outcome, Prepared, SettleError, Settler, SignedAuthorization, U256,
};
use serde_json::json;

use crate::support::anvil::{
    Anvil, OTHER, PRICE, assert_settled, blacklistCall, broadcast, cancellation, hash, outcome, pauseCall,
    pay_to, payer, setNameCall, sign, transferCall, unpauseCall, usage,
};

/// The code for which a step is refused.
pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, SettleError>) -> Code {
    match result {
        Err(SettleError::Refused(refused)) => refused.code,
        other => panic!("not refused: {other:?}"),
    }
}

fn assert_failed(outcome: &Outcome, code: Code) {
    match outcome {
        Outcome::Failed(refused) => assert_eq!(refused.code, code),
        other => panic!("not failed: {other:?}"),
    }
}

async fn prepared(settler: &impl Settler, signed: &SignedAuthorization) -> Prepared {
    settler.verify(signed).await.unwrap();
    settler.prepare(signed).await.unwrap()
}

async fn cancel(anvil: &Anvil, authorization: &Authorization) {
    anvil.send(Network::base().token, cancellation(&payer(), authorization)).await;
}

#[tokio::test]
async fn an_authorization_settles_once_and_cannot_be_replayed() {
    let Some(anvil) = Anvil::start("settling, replay").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    let prepared = broadcast(&settler, &signed).await;
    let settled = outcome(&settler, &signed, &prepared).await;
    assert_settled(&settled, &signed, prepared.transaction);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);

    assert_eq!(code(settler.verify(&signed).await), Code::NonceUsed);
    assert_eq!(code(settler.prepare(&signed).await), Code::NonceUsed);
    settler.broadcast(&signed, &prepared).await.unwrap();
    assert_eq!(outcome(&settler, &signed, &prepared).await, settled);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn settlements_at_once_do_not_collide() {
    let Some(anvil) = Anvil::start("parallel settlements").await else { return };
    let settler = std::sync::Arc::new(anvil.settler(1));
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let (settler, signed) = (settler.clone(), anvil.signed().await);
        tasks.push(tokio::spawn(async move {
            let prepared = broadcast(&settler, &signed).await;
            assert_settled(&outcome(&settler, &signed, &prepared).await, &signed, prepared.transaction);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(anvil.balance(pay_to()).await, 20 * PRICE);
}

#[tokio::test]
async fn what_would_not_settle_is_refused_before_anything_is_sent() {
    let Some(anvil) = Anvil::start("verification").await else { return };
    let token = Network::base().token;
    let (settler, good) = (anvil.settler(1), anvil.authorization().await);

    let rich = sign(Authorization { value: U256::from(1_000_001), ..good.clone() });
    assert_eq!(code(settler.verify(&rich).await), Code::InsufficientFunds);
    assert_eq!(code(settler.prepare(&rich).await), Code::InsufficientFunds);
    let elsewhere = sign(Authorization { to: token, ..good.clone() });
    assert_eq!(code(settler.verify(&elsewhere).await), Code::InvalidPayee);
    assert_eq!(code(settler.prepare(&elsewhere).await), Code::InvalidPayee);
    let past = sign(Authorization { valid_before: U256::from(1), ..good.clone() });
    assert_eq!(code(settler.verify(&past).await), Code::Expired);
    let future = sign(Authorization { valid_after: U256::from(u64::MAX), ..good.clone() });
    assert_eq!(code(settler.verify(&future).await), Code::NotYetValid);

    cancel(&anvil, &good).await;
    assert_eq!(code(settler.verify(&sign(good)).await), Code::NonceUsed);

    let signed = anvil.signed().await;
    anvil.send(token, pauseCall {}).await;
    assert_eq!(code(settler.verify(&signed).await), Code::TransferRefused);
    anvil.send(token, unpauseCall {}).await;
    settler.verify(&signed).await.unwrap();
    anvil.send(token, blacklistCall { account: payer().address() }).await;
    assert_eq!(code(settler.verify(&signed).await), Code::TransferRefused);
    assert_eq!(anvil.balance(pay_to()).await, 0);
}

#[tokio::test]
async fn a_signature_that_is_not_the_payers_is_refused() {
    let Some(anvil) = Anvil::start("signatures of accounts").await else { return };
    let (settler, good) = (anvil.settler(1), anvil.signed().await);
    let with = |signature: Vec<u8>| SignedAuthorization { signature: signature.into(), ..good.clone() };
    let mut altered = good.signature.to_vec();
    altered[10] ^= 1;
    let mut parity = good.signature.to_vec();
    parity[64] -= 27;
    let longer = [good.signature.as_ref(), &[0]].concat();
    for wrong in [Vec::new(), altered, parity, longer, good.signature[..64].to_vec()] {
        assert_eq!(code(settler.verify(&with(wrong)).await), Code::InvalidSignature);
    }
}

#[tokio::test]
async fn what_happens_between_verification_and_settlement_fails_it_for_good() {
    let Some(anvil) = Anvil::start("pause, balance and nonce changed after the verification").await else {
        return;
    };
    let token = Network::base().token;

    // Each as after a start: a payer whose payment was reverted waits.
    let settler = anvil.settler(1);
    let signed = anvil.signed().await;
    let ready = prepared(&settler, &signed).await;
    anvil.send(token, pauseCall {}).await;
    settler.broadcast(&signed, &ready).await.unwrap();
    assert_failed(&outcome(&settler, &signed, &ready).await, Code::TransferRefused);
    anvil.send(token, unpauseCall {}).await;

    let settler = anvil.settler(1);
    let signed = anvil.signed().await;
    let ready = prepared(&settler, &signed).await;
    cancel(&anvil, &signed.authorization).await;
    settler.broadcast(&signed, &ready).await.unwrap();
    assert_failed(&outcome(&settler, &signed, &ready).await, Code::NonceUsed);

    let settler = anvil.settler(1);
    let signed = anvil.signed().await;
    let ready = prepared(&settler, &signed).await;
    let drained = anvil.balance(payer().address()).await;
    let all = transferCall { to: OTHER.parse().unwrap(), value: U256::from(drained) };
    anvil.send_as(payer().address(), token, all).await;
    settler.broadcast(&signed, &ready).await.unwrap();
    assert_failed(&outcome(&settler, &signed, &ready).await, Code::InsufficientFunds);
    assert_eq!(anvil.balance(pay_to()).await, 0);
}

#[tokio::test]
async fn an_authorization_that_a_third_party_used_first_is_credited_once() {
    let Some(anvil) = Anvil::start("a third party first").await else { return };
    let token = Network::base().token;
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    let ready = prepared(&settler, &signed).await;
    let theirs = anvil.send(token, usage(&signed)).await;
    for _ in 0..2 {
        // Before and after our own transaction is reverted.
        let settled = outcome(&settler, &signed, &ready).await;
        assert_settled(&settled, &signed, Some(hash(&theirs["transactionHash"])));
        settler.broadcast(&signed, &ready).await.unwrap();
        anvil.receipt(&json!(ready.transaction.unwrap().to_string())).await;
    }
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn a_nonce_that_went_to_another_payment_pays_nothing() {
    let Some(anvil) = Anvil::start("one nonce, two authorizations").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    let ready = prepared(&settler, &signed).await;
    let less = sign(Authorization { value: U256::from(PRICE - 1), ..signed.authorization.clone() });
    anvil.send(Network::base().token, usage(&less)).await;
    assert_failed(&outcome(&settler, &signed, &ready).await, Code::NonceUsed);
    settler.broadcast(&signed, &ready).await.unwrap();
    assert_failed(&outcome(&settler, &signed, &ready).await, Code::NonceUsed);
}

#[tokio::test]
async fn an_authorization_is_failed_when_a_block_after_its_window_has_it_unused() {
    let Some(anvil) = Anvil::start("expiry by the chain's time").await else { return };
    let (settler, signed) = (anvil.settler(3), anvil.signed().await);
    let ready = prepared(&settler, &signed).await;
    anvil.mine(2).await;
    assert_eq!(settler.outcome(&signed, &ready).await, Ok(Outcome::Unknown));
    anvil.call("evm_increaseTime", json!([301])).await;
    anvil.mine(2).await;
    // The first block past the window has two confirmations yet.
    assert_eq!(settler.outcome(&signed, &ready).await, Ok(Outcome::Unknown));
    anvil.mine(1).await;
    assert_failed(&settler.outcome(&signed, &ready).await.unwrap(), Code::Expired);
}

#[tokio::test]
async fn nothing_is_settled_before_it_has_its_confirmations() {
    let Some(anvil) = Anvil::start("confirmations").await else { return };
    let (settler, signed) = (anvil.settler(3), anvil.signed().await);
    let ready = broadcast(&settler, &signed).await;
    anvil.receipt(&json!(ready.transaction.unwrap().to_string())).await;
    for _ in 0..2 {
        assert_eq!(settler.outcome(&signed, &ready).await, Ok(Outcome::Unknown));
        anvil.mine(1).await;
    }
    assert_settled(&settler.outcome(&signed, &ready).await.unwrap(), &signed, ready.transaction);
}

#[tokio::test]
async fn a_node_of_another_chain_or_token_is_not_asked_anything_else() {
    let Some(anvil) = Anvil::start_with("another chain", &["--chain-id", "1"]).await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    let unavailable = |result: Result<(), SettleError>| match result {
        Err(SettleError::Unavailable(why)) => why,
        other => panic!("{other:?}"),
    };
    let nothing = Prepared { raw: Vec::new(), transaction: None };
    assert_eq!(unavailable(settler.verify(&signed).await.map(drop)), "the node is of chain 1, not 8453");
    unavailable(settler.prepare(&signed).await.map(drop));
    unavailable(settler.broadcast(&signed, &nothing).await);
    unavailable(settler.outcome(&signed, &nothing).await.map(drop));

    let Some(anvil) = Anvil::start("a token of another domain").await else { return };
    anvil.send(Network::base().token, setNameCall { newName: "USDC".to_owned() }).await;
    let why = unavailable(anvil.settler(1).verify(&anvil.signed().await).await.map(drop));
    assert!(why.ends_with("is no token of the configured name and version"), "{why}");
}

#[tokio::test]
async fn a_gas_account_without_gas_prepares_nothing() {
    let Some(anvil) = Anvil::start("an empty gas account").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    let (account, _) = settler.gas_account().await.unwrap();
    anvil.set_ether(account, 1000).await;
    // It is found out before anybody judges.
    assert!(matches!(settler.verify(&signed).await, Err(SettleError::Unavailable(_))));
    assert!(matches!(settler.prepare(&signed).await, Err(SettleError::Unavailable(_))));
    assert_eq!(settler.gas_account().await.unwrap(), (account, U256::from(1000)));
}
