//! Proofs of settlement: the transfer that a transaction holds, or why it does not count.

use alloy_sol_types::SolCall;
use payment::{Address, B256, Code, Network, Outcome, Settler, U256, Wanted};
use serde_json::{Value, json};

use super::settling::code;
use crate::support::anvil::{
    Anvil, PRICE, assert_settled, batchCall, broadcast, forgeCall, hash, outcome, pay_to, payer, setLogsCall,
    sign, transferCall, usage,
};

fn wanted(receipt: &Value) -> Wanted {
    Wanted {
        transaction: hash(&receipt["transactionHash"]),
        log_index: None,
        payer: payer().address(),
        pay_to: pay_to(),
        values: vec![U256::from(PRICE)],
        not_before: 0,
    }
}

async fn paid(anvil: &Anvil) -> Value {
    let transfer = transferCall { to: pay_to(), value: U256::from(PRICE) };
    anvil.send_as(payer().address(), Network::base().token, transfer).await
}

#[tokio::test]
async fn a_plain_transfer_is_found_where_it_fits() {
    let Some(anvil) = Anvil::start("proofs of settlement").await else { return };
    let settler = anvil.settler(1);
    let good = wanted(&paid(&anvil).await);
    let found = settler.find(&good).await.unwrap();
    assert_eq!((found.transaction, found.payer), (good.transaction, good.payer));
    assert_eq!((found.value, found.log_index), (U256::from(PRICE), Some(0)));
    let both = Wanted { values: vec![U256::from(1), U256::from(PRICE)], ..good.clone() };
    assert_eq!(settler.find(&both).await.unwrap(), found);
    for wrong in [
        Wanted { payer: pay_to(), ..good.clone() },
        Wanted { pay_to: payer().address(), ..good.clone() },
        Wanted { values: vec![U256::from(PRICE + 1)], ..good.clone() },
        Wanted { values: Vec::new(), ..good.clone() },
        Wanted { log_index: Some(1), ..good.clone() },
        Wanted { transaction: B256::repeat_byte(1), ..good.clone() },
    ] {
        assert_eq!(code(settler.find(&wrong).await), Code::InvalidTransaction, "{wrong:?}");
    }
}

#[tokio::test]
async fn a_transaction_counts_with_its_confirmations_and_not_before_its_time() {
    let Some(anvil) = Anvil::start("confirmations and age of proofs").await else { return };
    let settler = anvil.settler(3);
    anvil.mine(3).await;
    let good = wanted(&paid(&anvil).await);
    let time = anvil.now().await;
    for _ in 0..2 {
        assert_eq!(code(settler.find(&good).await), Code::Unconfirmed);
        anvil.mine(1).await;
    }
    settler.find(&good).await.unwrap();
    settler.find(&Wanted { not_before: time, ..good.clone() }).await.unwrap();
    let late = Wanted { not_before: time + 1, ..good.clone() };
    assert_eq!(code(settler.find(&late).await), Code::TransactionTooOld);
    anvil.call("anvil_reorg", json!([3, []])).await;
    assert_eq!(code(settler.find(&good).await), Code::InvalidTransaction);
}

#[tokio::test]
async fn a_transaction_that_failed_is_none() {
    let Some(anvil) = Anvil::start("failed transactions").await else { return };
    let too_much = transferCall { to: pay_to(), value: U256::from(PRICE) };
    let receipt = anvil.send(Network::base().token, too_much).await;
    assert_eq!(receipt["status"], json!("0x0"));
    assert_eq!(code(anvil.settler(1).find(&wanted(&receipt)).await), Code::InvalidTransaction);
}

#[tokio::test]
async fn of_several_transfers_in_one_transaction_each_counts_by_its_index() {
    let Some(anvil) = Anvil::start("several transfers in one transaction").await else { return };
    let (settler, splitter) = (anvil.settler(1), Address::repeat_byte(0x51));
    anvil.set_code(splitter, "Splitter").await;
    let (first, second) = (anvil.signed().await, anvil.signed().await);
    let mut other = anvil.authorization().await;
    other.value = U256::from(PRICE + 5);
    let ready = settler.prepare(&first).await.unwrap();
    let calls = [&sign(other), &first, &second].map(|signed| usage(signed).abi_encode().into());
    let batch = batchCall { targets: vec![Network::base().token; 3], calls: calls.to_vec() };
    let receipt = anvil.send(splitter, batch).await;
    let transaction = hash(&receipt["transactionHash"]);

    let settled = outcome(&settler, &first, &ready).await;
    assert_settled(&settled, &first, Some(transaction));
    let Outcome::Settled(transfer) = settled else { unreachable!() };
    assert_eq!(transfer.log_index, Some(3));
    let Outcome::Settled(transfer) = outcome(&settler, &second, &ready).await else { panic!() };
    assert_eq!(transfer.log_index, Some(5));

    let any = wanted(&receipt);
    assert_eq!(code(settler.find(&any).await), Code::InvalidTransaction);
    for index in [3, 5] {
        let found = settler.find(&Wanted { log_index: Some(index), ..any.clone() }).await.unwrap();
        assert_eq!(found.log_index, Some(index));
    }
    // One is another amount's, the others are no transfers.
    for index in [0, 1, 2, 4, 6] {
        let named = Wanted { log_index: Some(index), ..any.clone() };
        assert_eq!(code(settler.find(&named).await), Code::InvalidTransaction, "{index}");
    }
    let dearer = Wanted { values: vec![U256::from(PRICE + 5)], ..any };
    assert_eq!(settler.find(&dearer).await.unwrap().log_index, Some(1));
}

#[tokio::test]
async fn another_tokens_transfer_is_none() {
    let Some(anvil) = Anvil::start("a fake token's transfer").await else { return };
    let (settler, fake) = (anvil.settler(1), Address::repeat_byte(0xfa));
    anvil.set_code(fake, "FakeToken").await;
    let signed = anvil.signed().await;
    let forged = forgeCall {
        from: payer().address(),
        to: pay_to(),
        value: U256::from(PRICE),
        nonce: signed.authorization.nonce,
    };
    let receipt = anvil.send(fake, forged).await;
    assert_eq!(receipt["logs"].as_array().unwrap().len(), 2);
    assert_eq!(code(settler.find(&wanted(&receipt)).await), Code::InvalidTransaction);
    let ready = settler.prepare(&signed).await.unwrap();
    assert_eq!(settler.outcome(&signed, &ready).await, Ok(Outcome::Unknown));
}

#[tokio::test]
async fn a_token_that_does_not_log_the_exact_transfer_has_not_paid() {
    let Some(anvil) = Anvil::start("a token that lies").await else { return };
    let (settler, token) = (anvil.settler(1), Network::base().token);
    anvil.set_code(token, "FakeToken").await;
    // The real token's storage means something else to it.
    anvil.call("anvil_setStorageAt", json!([token.to_string(), "0x0", B256::ZERO.to_string()])).await;
    for lie in 1..=7 {
        anvil.send(token, setLogsCall { newLogs: lie }).await;
        let signed = anvil.signed().await;
        let ready = broadcast(&settler, &signed).await;
        let receipt = anvil.receipt(&json!(ready.transaction.unwrap().to_string())).await;
        assert_eq!(receipt["status"], json!("0x1"));
        let said = settler.outcome(&signed, &ready).await;
        assert_eq!(said, Ok(Outcome::Unknown), "lie {lie}");
    }
}
