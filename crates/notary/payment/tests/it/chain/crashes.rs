//! Crashes, nodes that lose transactions, blocks that go away: what was prepared, stored and perhaps broadcast.

use std::time::Duration;

use alloy_consensus::{Signed, TxEip1559};
use payment::chain::ChainSettler;
use payment::{Outcome, Prepared, SettleError, Settler, SignedAuthorization, Wallet};
use serde_json::json;

use crate::support::anvil::{Anvil, GAS_KEY, PRICE, assert_settled, broadcast, outcome, pay_to, usage};

fn transaction(prepared: &Prepared) -> serde_json::Value {
    json!(prepared.transaction.unwrap().to_string())
}

async fn assert_unknown(settler: &ChainSettler, signed: &SignedAuthorization, prepared: &Prepared) {
    assert_eq!(settler.outcome(signed, prepared).await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn a_restart_finishes_what_was_stored_whether_it_was_broadcast_or_not() {
    let Some(anvil) = Anvil::start("restarts").await else { return };
    let signed = anvil.signed().await;
    let stored = anvil.settler(1).prepare(&signed).await.unwrap();
    let restarted = anvil.settler(1);
    assert_unknown(&restarted, &signed, &stored).await;
    restarted.broadcast(&signed, &stored).await.unwrap();
    assert_settled(&outcome(&restarted, &signed, &stored).await, &signed, stored.transaction);
    // A crash right after the broadcast.
    let restarted = anvil.settler(1);
    restarted.broadcast(&signed, &stored).await.unwrap();
    assert_settled(&outcome(&restarted, &signed, &stored).await, &signed, stored.transaction);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn a_transaction_whose_account_nonce_went_to_another_is_stalled_and_prepared_again() {
    let Some(anvil) = Anvil::start("a taken account nonce").await else { return };
    let (first, second) = (anvil.signed().await, anvil.signed().await);
    let dead = anvil.settler(1).prepare(&first).await.unwrap();
    // A crash before the broadcast; the next process begins with something new.
    let settler = anvil.settler(1);
    let lucky = broadcast(&settler, &second).await;
    assert_settled(&outcome(&settler, &second, &lucky).await, &second, lucky.transaction);
    assert!(matches!(settler.broadcast(&first, &dead).await, Err(SettleError::Unavailable(_))));
    assert_eq!(settler.outcome(&first, &dead).await, Ok(Outcome::Stalled));
    let again = settler.prepare_again(&first, &dead).await.unwrap();
    assert_ne!(again.transaction, dead.transaction);
    settler.broadcast(&first, &again).await.unwrap();
    assert_settled(&outcome(&settler, &first, &again).await, &first, again.transaction);
    // Who still asks by the dead one hears of the same transfer.
    assert_settled(&outcome(&settler, &first, &dead).await, &first, again.transaction);
    assert_eq!(anvil.balance(pay_to()).await, 2 * PRICE);
}

#[tokio::test]
async fn a_transaction_that_is_too_cheap_by_now_is_stalled_and_replaced_in_its_place() {
    let Some(anvil) = Anvil::start("a base fee that rose").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    anvil.automine(false).await;
    let cheap = broadcast(&settler, &signed).await;
    assert_unknown(&settler, &signed, &cheap).await;
    anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x174876e800"])).await;
    anvil.mine(1).await;
    assert_eq!(settler.outcome(&signed, &cheap).await, Ok(Outcome::Stalled));
    let dear = settler.prepare_again(&signed, &cheap).await.unwrap();
    let [before, after] = [&cheap, &dear].map(|prepared| {
        Signed::<TxEip1559>::eip2718_decode(&mut prepared.raw.as_slice()).unwrap().strip_signature()
    });
    assert_eq!(before.nonce, after.nonce);
    assert!(after.max_fee_per_gas * 10 >= before.max_fee_per_gas * 11);
    assert!(after.max_priority_fee_per_gas * 10 >= before.max_priority_fee_per_gas * 11);
    settler.broadcast(&signed, &dear).await.unwrap();
    anvil.mine(1).await;
    assert_settled(&outcome(&settler, &signed, &dear).await, &signed, dear.transaction);
    assert_settled(&outcome(&settler, &signed, &cheap).await, &signed, dear.transaction);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn a_transaction_in_no_block_stays_unknown_until_there_is_one() {
    let Some(anvil) = Anvil::start("blocks that do not come").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    anvil.automine(false).await;
    let stored = broadcast(&settler, &signed).await;
    assert_unknown(&settler, &signed, &stored).await;
    settler.broadcast(&signed, &stored).await.unwrap();
    anvil.mine(1).await;
    assert_settled(&outcome(&settler, &signed, &stored).await, &signed, stored.transaction);
}

#[tokio::test]
async fn a_transaction_that_the_node_lost_is_broadcast_again() {
    let Some(anvil) = Anvil::start("a dropped transaction").await else { return };
    let (settler, signed) = (anvil.settler(1), anvil.signed().await);
    anvil.automine(false).await;
    let stored = broadcast(&settler, &signed).await;
    anvil.call("anvil_dropTransaction", json!([transaction(&stored)])).await;
    anvil.mine(1).await;
    assert_unknown(&settler, &signed, &stored).await;
    settler.broadcast(&signed, &stored).await.unwrap();
    anvil.mine(1).await;
    assert_settled(&outcome(&settler, &signed, &stored).await, &signed, stored.transaction);
}

#[tokio::test]
async fn a_reorganisation_takes_an_unconfirmed_settlement_back() {
    let Some(anvil) = Anvil::start("reorganisations").await else { return };
    let (settler, signed) = (anvil.settler(3), anvil.signed().await);
    anvil.mine(3).await;
    let stored = broadcast(&settler, &signed).await;
    anvil.receipt(&transaction(&stored)).await;
    anvil.mine(1).await;
    assert_unknown(&settler, &signed, &stored).await;
    anvil.call("anvil_reorg", json!([2, []])).await;
    assert_eq!(anvil.balance(pay_to()).await, 0);
    anvil.mine(3).await;
    assert_unknown(&settler, &signed, &stored).await;
    settler.broadcast(&signed, &stored).await.unwrap();
    anvil.receipt(&transaction(&stored)).await;
    anvil.mine(2).await;
    assert_settled(&outcome(&settler, &signed, &stored).await, &signed, stored.transaction);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn a_reorganisation_that_lets_a_third_party_in_first_credits_theirs() {
    let Some(anvil) = Anvil::start("reorganisations that favour others").await else { return };
    let (settler, signed) = (anvil.settler(2), anvil.signed().await);
    anvil.mine(3).await;
    let stored = broadcast(&settler, &signed).await;
    anvil.receipt(&transaction(&stored)).await;
    anvil.call("anvil_reorg", json!([1, []])).await;
    let theirs = anvil.send(payment::Network::base().token, usage(&signed)).await;
    assert_unknown(&settler, &signed, &stored).await;
    anvil.mine(1).await;
    let settled = outcome(&settler, &signed, &stored).await;
    assert_settled(&settled, &signed, Some(crate::support::anvil::hash(&theirs["transactionHash"])));
}

#[tokio::test]
async fn a_gap_that_nobody_fills_is_filled_after_a_while() {
    let Some(anvil) = Anvil::start("gaps in the account's nonces").await else { return };
    let settler = anvil.settler(1);
    let (lost, signed) = (anvil.signed().await, anvil.signed().await);
    // Prepared, and lost before it was stored.
    settler.prepare(&lost).await.unwrap();
    let stored = broadcast(&settler, &signed).await;
    for _ in 0..2 {
        settler.broadcast(&signed, &stored).await.unwrap();
        anvil.mine(1).await;
        assert_unknown(&settler, &signed, &stored).await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    tokio::time::resume();
    settler.broadcast(&signed, &stored).await.unwrap();
    assert_settled(&outcome(&settler, &signed, &stored).await, &signed, stored.transaction);
}

#[tokio::test]
async fn a_flood_of_settlements_is_refused_early() {
    let Some(anvil) = Anvil::start("the bound on settlements under way").await else { return };
    let settler = anvil.settler(1);
    anvil.automine(false).await;
    let signed = anvil.signed().await;
    // What is prepared takes a place, whether or not it is sent.
    for _ in 0..64 {
        settler.prepare(&signed).await.unwrap();
    }
    match settler.prepare(&signed).await {
        Err(SettleError::Unavailable(why)) => assert_eq!(why, "too many settlements are under way"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_stored_by_an_earlier_gas_key_is_finished_by_the_next() {
    let Some(anvil) = Anvil::start("a new gas key").await else { return };
    let signed = anvil.signed().await;
    let stored = anvil.settler(1).prepare(&signed).await.unwrap();
    let gas = Wallet::from_bytes([0x6b; 32]).unwrap();
    anvil.set_ether(gas.address(), 1_000_000_000_000_000_000).await;
    let next = ChainSettler::new(anvil.view(1), gas, pay_to(), 1_000_000_000_000);
    let again = next.prepare_again(&signed, &stored).await.unwrap();
    next.broadcast(&signed, &stored).await.unwrap();
    assert_settled(&outcome(&next, &signed, &stored).await, &signed, stored.transaction);
    next.broadcast(&signed, &again).await.unwrap();
    assert_settled(&outcome(&next, &signed, &again).await, &signed, stored.transaction);
    assert_eq!(anvil.balance(pay_to()).await, PRICE);
}

#[tokio::test]
async fn the_gas_key_is_never_printed() {
    let Some(anvil) = Anvil::start("what is printed").await else { return };
    let printed = format!("{:?}", anvil.settler(1));
    assert!(!printed.contains(&hex::encode(GAS_KEY)) && !printed.contains("106, 106"), "{printed}");
}
