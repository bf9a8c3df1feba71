//! Payments that fail on the chain, at our expense: seen through where they can be, else waited for, and bounded in a day.

use std::sync::Arc;

use payment::chain::ChainSettler;
use payment::eip712::Domain;
use payment::{
    Address, Authorization, Code, Network, Outcome, Prepared, SettleError, Settler, SignedAuthorization,
    U256, Wallet,
};
use serde_json::json;
use verdict::SystemClock;

use super::settling::code;
use crate::support::anvil::{
    Anvil, GAS_KEY, PRICE, assert_settled, broadcast, mintCall, outcome, pay_to, payer, setRefusesCall,
};

const WALLET: Address = Address::repeat_byte(0x1c);
const CLONE: Address = Address::repeat_byte(0x1d);
const OLD: Address = Address::repeat_byte(0x1e);

/// A contract wallet at an address, with 1 USDC.
async fn deploy(anvil: &Anvil, wallet: Address, contract: &str) {
    anvil.set_code(wallet, contract).await;
    anvil.send(Network::base().token, mintCall { to: wallet, amount: U256::from(1_000_000) }).await;
}

/// A payment by a wallet that takes every signature.
async fn signed_by(anvil: &Anvil, wallet: Address) -> SignedAuthorization {
    let authorization = Authorization { from: wallet, ..anvil.authorization().await };
    payer().authorize(&Domain::new(&Network::base()), authorization)
}

/// How many transactions the gas account has sent.
async fn sent(anvil: &Anvil) -> u64 {
    let gas = Wallet::from_bytes(GAS_KEY).unwrap().address().to_string();
    let count = anvil.call("eth_getTransactionCount", json!([gas, "pending"])).await;
    u64::from_str_radix(&count.as_str().unwrap()[2..], 16).unwrap()
}

/// A payment that its wallet takes back between preparation and broadcast: it is reverted.
async fn reverted(anvil: &Anvil, settler: &ChainSettler, wallet: Address) -> (SignedAuthorization, Prepared) {
    let signed = signed_by(anvil, wallet).await;
    settler.verify(&signed).await.unwrap();
    let prepared = settler.prepare(&signed).await.unwrap();
    anvil.send(wallet, setRefusesCall { newRefuses: true }).await;
    settler.broadcast(&signed, &prepared).await.unwrap();
    let receipt = anvil.receipt(&json!(prepared.transaction.unwrap().to_string())).await;
    assert_eq!(receipt["status"], "0x0");
    anvil.send(wallet, setRefusesCall { newRefuses: false }).await;
    (signed, prepared)
}

/// Asserts that what was broadcast has settled, once it is in a block.
async fn assert_paid(
    anvil: &Anvil,
    settler: &ChainSettler,
    signed: &SignedAuthorization,
    prepared: &Prepared,
) {
    anvil.receipt(&json!(prepared.transaction.unwrap().to_string())).await;
    assert_settled(&outcome(settler, signed, prepared).await, signed, prepared.transaction);
}

/// The seconds that a refused payer is told to wait.
fn wait_of<T: std::fmt::Debug>(result: Result<T, SettleError>) -> u32 {
    match result {
        Err(SettleError::Refused(refused)) => {
            assert_eq!(refused.code, Code::RecentFailures);
            refused.retry_after_s.unwrap()
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_wallet_that_takes_signatures_only_where_gas_has_no_price_is_seen_through() {
    let Some(anvil) = Anvil::start("a wallet that looks at the price of gas").await else { return };
    deploy(&anvil, WALLET, "FreeGasWallet").await;
    let settler = anvil.settler(1);
    let signed = signed_by(&anvil, WALLET).await;
    assert_eq!(code(settler.verify(&signed).await), Code::InvalidSignature);
    assert_eq!(code(settler.prepare(&signed).await), Code::InvalidSignature);
    assert_eq!(sent(&anvil).await, 0);
    // Asked without a price it would pay: the refusal is the simulation's.
    let data = payment_call(&signed);
    let call = json!({"to": Network::base().token.to_string(), "data": data});
    anvil.call("eth_call", json!([call, "latest"])).await;
}

fn payment_call(signed: &SignedAuthorization) -> String {
    use peers::contracts::{SolCall as _, usage};
    format!("0x{}", hex::encode(usage(signed).abi_encode()))
}

#[tokio::test]
async fn a_payer_whose_payment_was_reverted_waits_and_so_do_wallets_of_its_code() {
    let Some(anvil) = Anvil::start("payments that are reverted").await else { return };
    for wallet in [WALLET, CLONE, OLD] {
        deploy(&anvil, wallet, "SwitchWallet").await;
    }
    let settler = anvil.settler(1);
    let paid = signed_by(&anvil, OLD).await;
    let prepared = broadcast(&settler, &paid).await;
    assert_paid(&anvil, &settler, &paid, &prepared).await;

    let (signed, prepared) = reverted(&anvil, &settler, WALLET).await;
    let failed = outcome(&settler, &signed, &prepared).await;
    assert!(matches!(failed, Outcome::Failed(_)), "{failed:?}");
    let before = sent(&anvil).await;
    let next = signed_by(&anvil, WALLET).await;
    assert!((1..=60).contains(&wait_of(settler.admit(WALLET))));
    wait_of(settler.verify(&next).await);
    wait_of(settler.prepare(&next).await);
    // A new wallet of the same code waits; one that has paid does not, and nor does an account without code.
    settler.admit(CLONE).unwrap();
    wait_of(settler.verify(&signed_by(&anvil, CLONE).await).await);
    settler.verify(&signed_by(&anvil, OLD).await).await.unwrap();
    settler.verify(&anvil.signed().await).await.unwrap();
    assert_eq!(sent(&anvil).await, before);
}

#[tokio::test]
async fn an_account_whose_money_is_gone_when_it_is_to_pay_waits_alone() {
    let Some(anvil) = Anvil::start("an account that is drained").await else { return };
    let settler = anvil.settler(1);
    let signed = anvil.signed().await;
    settler.verify(&signed).await.unwrap();
    let prepared = settler.prepare(&signed).await.unwrap();
    let all = anvil.balance(payer().address()).await;
    let drain = crate::support::anvil::transferCall { to: CLONE, value: U256::from(all) };
    anvil.send_as(payer().address(), Network::base().token, drain).await;
    settler.broadcast(&signed, &prepared).await.unwrap();
    anvil.receipt(&json!(prepared.transaction.unwrap().to_string())).await;
    assert!(matches!(outcome(&settler, &signed, &prepared).await, Outcome::Failed(_)));
    wait_of(settler.admit(payer().address()));
    settler.admit(CLONE).unwrap();
}

#[tokio::test]
async fn a_days_gas_bounds_payments_and_keeps_a_share_for_refunds() {
    let Some(anvil) = Anvil::start("the gas of a day").await else { return };
    let hot = Wallet::from_bytes([0x7d; 32]).unwrap();
    anvil.mint(hot.address(), 1_000_000).await;
    let wei = U256::from(1_500_000_000_000_000_u64);
    let settler = anvil.settler(1).paying_from(hot.address());
    let settler = settler.spending_at_most(wei, Arc::new(SystemClock::start()));
    let mut paid = 0;
    let refused = loop {
        let signed = anvil.signed().await;
        if let Err(refused) = settler.admit(payer().address()) {
            break refused;
        }
        let prepared = match settler.prepare(&signed).await {
            Ok(prepared) => prepared,
            Err(SettleError::GasUsedUp { .. }) => continue,
            Err(other) => panic!("{other}"),
        };
        let today = settler.gas_today().unwrap();
        settler.broadcast(&signed, &prepared).await.unwrap();
        assert_eq!(settler.gas_today().unwrap(), today, "what was set aside is what is sent");
        assert_paid(&anvil, &settler, &signed, &prepared).await;
        assert!(settler.gas_today().unwrap().spent < today.spent, "a receipt says what it has cost");
        paid += 1;
        assert!(paid < 100, "the day's gas is never used up");
    };
    assert!(matches!(refused, SettleError::GasUsedUp { retry_after_s: 1..=86_400 }), "{refused:?}");
    assert!(paid > 0);
    assert_eq!((anvil.balance(pay_to()).await, sent(&anvil).await), (paid * PRICE, paid));
    let today = settler.gas_today().unwrap();
    assert!(today.is_used_up && today.spent <= wei * U256::from(4) / U256::from(5), "{today:?}");
    assert_eq!(settler.verify(&anvil.signed().await).await, Err(refused));

    // What is owed is still sent.
    let authorization = Authorization { from: hot.address(), to: CLONE, ..anvil.authorization().await };
    let refund = hot.authorize(&Domain::new(&Network::base()), authorization);
    let prepared = settler.prepare(&refund).await.unwrap();
    settler.broadcast(&refund, &prepared).await.unwrap();
    assert_paid(&anvil, &settler, &refund, &prepared).await;
    assert_eq!(anvil.balance(CLONE).await, PRICE);
}
