//! Payers that are contracts (EIP-1271, EIP-6492) or have code for a while (EIP-7702).

use alloy_sol_types::SolValue;
use payment::eip712::Domain;
use payment::{Address, Authorization, B256, Bytes, Code, Network, Settler, SignedAuthorization, U256};
use serde_json::json;

use super::settling::code;
use crate::support::anvil::{
    Anvil, PRICE, assert_settled, broadcast, initializeCall, mintCall, outcome, pay_to, payer,
};

const WALLET: Address = Address::repeat_byte(0x1c);

/// A chain with a contract wallet that has 1 USDC and is owned by the payer's key.
async fn start(untested: &str) -> Option<Anvil> {
    let anvil = Anvil::start(untested).await?;
    anvil.set_code(WALLET, "Wallet1271").await;
    anvil.send(WALLET, initializeCall { newOwner: payer().address() }).await;
    anvil.send(Network::base().token, mintCall { to: WALLET, amount: U256::from(1_000_000) }).await;
    Some(anvil)
}

/// Signed by the wallet's owner, with whatever is to follow the signature.
async fn signed(anvil: &Anvil, tail: &[u8]) -> SignedAuthorization {
    let authorization = Authorization { from: WALLET, ..anvil.authorization().await };
    let signed = payer().authorize(&Domain::new(&Network::base()), authorization);
    let signature = Bytes::from([signed.signature.as_ref(), tail].concat());
    SignedAuthorization { signature, ..signed }
}

fn wrapped(signature: &Bytes) -> Bytes {
    let wrapping = (Address::repeat_byte(1), Bytes::from(vec![1]), signature.clone()).abi_encode_params();
    let magic = hex::decode("6492".repeat(16)).unwrap();
    Bytes::from([wrapping, magic].concat())
}

#[tokio::test]
async fn a_contract_wallet_pays_with_whatever_signature_it_takes() {
    let Some(anvil) = start("contract wallets").await else { return };
    let settler = anvil.settler(1);
    for tail in [&b""[..], b"and more"] {
        let signed = signed(&anvil, tail).await;
        let prepared = broadcast(&settler, &signed).await;
        assert_settled(&outcome(&settler, &signed, &prepared).await, &signed, prepared.transaction);
    }
    let plain = signed(&anvil, b"").await;
    let signed = SignedAuthorization { signature: wrapped(&plain.signature), ..plain };
    let prepared = broadcast(&settler, &signed).await;
    assert_settled(&outcome(&settler, &signed, &prepared).await, &signed, prepared.transaction);
    assert_eq!(anvil.balance(pay_to()).await, 3 * PRICE);
}

#[tokio::test]
async fn a_signature_that_the_wallet_does_not_take_is_refused() {
    let Some(anvil) = start("signatures of contract wallets").await else { return };
    let settler = anvil.settler(1);
    let good = signed(&anvil, b"").await;
    let mut altered = good.signature.to_vec();
    altered[3] ^= 1;
    for wrong in [Bytes::new(), altered.into(), good.signature.slice(..64)] {
        let signed = SignedAuthorization { signature: wrong, ..good.clone() };
        assert_eq!(code(settler.verify(&signed).await), Code::InvalidSignature);
    }
    // The token is a contract and no wallet.
    let mut signed = good;
    signed.authorization.from = Network::base().token;
    assert_eq!(code(settler.verify(&signed).await), Code::InvalidSignature);
}

#[tokio::test]
async fn a_wallet_that_is_not_deployed_is_refused() {
    let Some(anvil) = start("wallets that are not deployed").await else { return };
    let mut signed = signed(&anvil, b"").await;
    signed.authorization.from = Address::repeat_byte(0x1d);
    signed.signature = wrapped(&signed.signature);
    assert_eq!(code(anvil.settler(1).verify(&signed).await), Code::InvalidSignature);
}

#[tokio::test]
async fn an_account_with_delegated_code_is_asked_as_a_contract() {
    let Some(anvil) = start("delegated accounts").await else { return };
    let settler = anvil.settler(1);
    let signed = anvil.signed().await;
    settler.verify(&signed).await.unwrap();
    // EIP-7702: delegated to the wallet's code, in which the account has no owner.
    let delegation = format!("0xef0100{}", hex::encode(WALLET));
    anvil.call("anvil_setCode", json!([payer().address().to_string(), delegation])).await;
    assert_eq!(code(settler.verify(&signed).await), Code::InvalidSignature);
}

#[tokio::test]
async fn a_statement_is_signed_by_an_accounts_key_or_its_contract() {
    let Some(anvil) = start("signatures over statements").await else { return };
    let (settler, digest) = (anvil.settler(1), B256::repeat_byte(5));
    let signature = payer().sign(&digest);
    let is_signed =
        async |account, signature: &Bytes| settler.is_signed_by(account, digest, signature).await.unwrap();
    assert!(is_signed(payer().address(), &signature).await);
    assert!(is_signed(WALLET, &signature).await);
    assert!(is_signed(WALLET, &wrapped(&signature)).await);
    for (account, signature) in [
        (pay_to(), signature.clone()),
        (Network::base().token, signature.clone()),
        (WALLET, payer().sign(&B256::repeat_byte(6))),
        (WALLET, Bytes::new()),
        (payer().address(), Bytes::new()),
    ] {
        assert!(!is_signed(account, &signature).await, "{account}");
    }
}
