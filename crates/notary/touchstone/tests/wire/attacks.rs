//! Proofs that do not pay: each is refused for what is wrong with it, and buys nothing.

use payment::eip712::{Domain, SettlementStatement};
use payment::local::{faucet_wallet, payee};
use payment::payer::{self, settlement};
use payment::{
    Address, Authorization, B256, Bytes, Network, RequestIdentity, SettlementProof, SignedAuthorization,
    U256, Wallet,
};
use serde_json::{Value, json};

use crate::support::claims::with;
use crate::support::http::Request;
use crate::support::money::{
    PRICE, assert_earned, assert_refused, authorization, commit, now, pays, sign, v1, v2, with_proof,
};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

fn unlimited() -> Service {
    Launch::dev().without_limits().start()
}

/// That none of these proofs buys anything, each for its reason.
#[track_caller]
fn assert_none_pays(proofs: impl IntoIterator<Item = (Value, &'static str)>) {
    let service = unlimited();
    for (at, (proof, code)) in proofs.into_iter().enumerate() {
        let answer = service.send(&with_proof(commit("a"), &proof));
        assert_eq!(answer.status, 402, "{at}: {proof:#} {}", answer.text());
        assert_eq!(text(&answer.json(), "error"), code, "{at}: {proof:#}");
        assert_refused(&answer, code);
    }
    assert_earned(&service, "0.00", 0, 0);
}

/// An authorization of one price after this change, signed as it then is.
fn changed(change: impl FnOnce(&mut Authorization)) -> SignedAuthorization {
    let mut authorization = authorization(PRICE);
    change(&mut authorization);
    sign(authorization)
}

#[test]
fn every_term_must_be_ours() {
    let (one, two) = (pays(PRICE), v2(&sign(authorization(PRICE))));
    let mut refused = Vec::new();
    for version in [0, 3] {
        refused.push((with(one.clone(), "/x402Version", json!(version)), "invalid_x402_version"));
    }
    for scheme in ["upto", "EXACT", ""] {
        refused.push((with(one.clone(), "/scheme", json!(scheme)), "invalid_scheme"));
        refused.push((with(two.clone(), "/accepted/scheme", json!(scheme)), "invalid_scheme"));
    }
    for network in ["base-sepolia", "eip155:8453", "Base", ""] {
        refused.push((with(one.clone(), "/network", json!(network)), "invalid_network"));
    }
    for network in ["base", "eip155:84532", "eip155:1", ""] {
        refused.push((with(two.clone(), "/accepted/network", json!(network)), "invalid_network"));
    }
    for asset in [Network::base().token, Address::ZERO] {
        refused.push((with(two.clone(), "/accepted/asset", json!(asset.to_string())), "invalid_asset"));
    }
    for pay_to in [faucet_wallet().address(), Address::ZERO, Address::repeat_byte(9)] {
        let signed = changed(|authorization| authorization.to = pay_to);
        refused.extend([v1(&signed), v2(&signed)].map(|proof| (proof, "invalid_pay_to")));
        refused.push((with(two.clone(), "/accepted/payTo", json!(pay_to.to_string())), "invalid_pay_to"));
    }
    refused.push((with(two.clone(), "/accepted/amount", json!("1")), "invalid_amount"));
    let nobody = json!(Address::ZERO.to_string());
    refused.push((with(one.clone(), "/payload/authorization/from", nobody), "invalid_signature"));
    for (member, wrong) in
        [("from", "0x12"), ("nonce", "0x00"), ("validAfter", "-1"), ("validBefore", "soon")]
    {
        let pointer = format!("/payload/authorization/{member}");
        refused.push((with(one.clone(), &pointer, json!(wrong)), "invalid_payload"));
    }
    assert_none_pays(refused);
}

#[test]
fn the_payee_cannot_be_its_own_payer() {
    let mut proof = pays(PRICE);
    proof["payload"]["authorization"]["from"] = json!(payee().to_string());
    assert_none_pays([(proof, "invalid_pay_to")]);
}

#[test]
fn what_was_signed_for_another_domain_is_not_signed_for_this_one() {
    let local = Network::local();
    let others = [
        Network { chain_id: 1, ..local.clone() },
        Network { chain_id: 84532, ..local.clone() },
        Network { token_name: "USD Coin".to_owned(), ..local.clone() },
        Network { token_version: "1".to_owned(), ..local.clone() },
        Network { token: Network::base().token, ..local },
        Network::base(),
    ];
    assert_none_pays(others.map(|network| {
        let signed = faucet_wallet().authorize(&Domain::new(&network), authorization(PRICE));
        (v1(&signed), "invalid_signature")
    }));
}

#[test]
fn the_value_must_be_exactly_the_price_in_its_one_spelling() {
    let mut refused: Vec<(Value, &str)> = [PRICE - 1, PRICE + 1, 0, 10_000, 1]
        .into_iter()
        .flat_map(|value| [pays(value), v2(&sign(authorization(value)))])
        .map(|proof| (proof, "invalid_amount"))
        .collect();
    let most = changed(|authorization| authorization.value = U256::MAX);
    refused.push((v1(&most), "invalid_amount"));
    let wrapped = changed(|authorization| authorization.value = U256::from(PRICE) + (U256::ONE << 64));
    refused.push((v1(&wrapped), "invalid_amount"));
    let above = "115792089237316195423570985008687907853269984665640564039457584007913129739936";
    for spelling in [
        "-100000", "+100000", "0100000", "1e5", "0.10", "100000.0", "0x186a0", " 100000", "100_000", "",
        above,
    ] {
        let proof = with(pays(PRICE), "/payload/authorization/value", json!(spelling));
        refused.push((proof, "invalid_amount"));
    }
    assert_none_pays(refused);
}

#[test]
fn the_window_must_be_open_long_enough_and_not_absurdly_long() {
    let until = |valid_before: U256| v1(&changed(|authorization| authorization.valid_before = valid_before));
    let from = |valid_after: U256| v1(&changed(|authorization| authorization.valid_after = valid_after));
    let at = |seconds: u64| U256::from(seconds);
    assert_none_pays([
        (until(U256::ZERO), "expired"),
        (until(at(now() - 3600)), "expired"),
        (until(at(now())), "expired"),
        (until(at(now() + 6)), "expired"),
        (until(at(now() + 2 * 86_400)), "valid_too_long"),
        (until(U256::MAX), "valid_too_long"),
        (from(at(now() + 30)), "not_yet_valid"),
        (from(U256::MAX), "not_yet_valid"),
    ]);
}

#[test]
fn the_signature_must_be_the_payers_in_its_one_form() {
    let signed = sign(authorization(PRICE));
    let with_signature = |signature: Vec<u8>| {
        let signature = Bytes::from(signature);
        (v1(&SignedAuthorization { signature, ..signed.clone() }), "invalid_signature")
    };
    let good = signed.signature.to_vec();
    let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut signature = good.clone();
        edit(&mut signature);
        with_signature(signature)
    };
    let stranger = Wallet::from_bytes([7; 32]).unwrap();
    let strangers = stranger.authorize(&Domain::new(&Network::local()), signed.authorization.clone());
    let mut refused = vec![
        (v1(&strangers), "invalid_signature"),
        with_signature(Vec::new()),
        with_signature(vec![0; 65]),
        with_signature(vec![0xff; 65]),
        with_signature(high_s(&good)),
        edited(&|signature| signature[10] ^= 1),
        edited(&|signature| signature[40] ^= 1),
        edited(&|signature| signature[64] = 55 - signature[64]),
        edited(&|signature| signature[64] -= 27),
        edited(&|signature| signature.truncate(64)),
        edited(&|signature| signature.truncate(32)),
        edited(&|signature| signature.push(0)),
    ];
    for text in ["", "0x", "0xzz", "0x1", "signed"] {
        refused.push((with(v1(&signed), "/payload/signature", json!(text)), "invalid_signature"));
    }
    // Any other word of what was signed makes it a signature of nothing.
    for (member, other) in [
        ("nonce", B256::repeat_byte(1).to_string()),
        ("validAfter", "1".to_owned()),
        ("validBefore", (now() + 90).to_string()),
    ] {
        let pointer = format!("/payload/authorization/{member}");
        refused.push((with(v1(&signed), &pointer, json!(other)), "invalid_signature"));
    }
    assert_none_pays(refused);
}

/// The other signature that anyone can make of one: `n - s`, with the other parity.
fn high_s(signature: &[u8]) -> Vec<u8> {
    let order = U256::from_str_radix(
        "115792089237316195423570985008687907852837564279074904382605163141518161494337",
        10,
    );
    let s = order.unwrap() - U256::from_be_slice(&signature[32..64]);
    [&signature[..32], &s.to_be_bytes::<32>(), &[55 - signature[64]]].concat()
}

#[test]
fn payment_signature_is_for_version_2() {
    let service = unlimited();
    let answer = service.send(&commit("a").header("PAYMENT-SIGNATURE", &payer::header(&pays(PRICE))));
    assert_eq!(text(&answer.problem(402), "error"), "invalid_x402_version");
    assert!(answer.header("payment-response").is_some() && answer.header("x-payment-response").is_none());
    assert_earned(&service, "0.00", 0, 0);
}

/// A wallet's word that a transaction paid for this request.
fn attested(wallet: &Wallet, transaction: B256, index: Option<u64>, body: &[u8]) -> Value {
    let network = Network::local();
    let request = RequestIdentity::new("POST", "/commit", "", body);
    let statement = SettlementStatement {
        transaction,
        method: request.method.to_owned(),
        target: request.target(),
        body_hash: B256::new(request.body_hash),
        pay_to: payee(),
    };
    let signature = wallet.attest(&Domain::new(&network), &statement);
    let proof = SettlementProof { transaction, payer: wallet.address(), log_index: index, signature };
    settlement(&network, &proof)
}

const BODY: &[u8] = br#"{"agent":"payer","content":"a"}"#;
const OTHER: &[u8] = br#"{"agent":"payer","content":"b"}"#;

/// A service that was paid once for [`BODY`], the receipt, and the transaction.
fn paid_once() -> (Service, Value, B256) {
    let service = unlimited();
    let receipt = service.send(&with_proof(Request::post("/commit", BODY), &pays(PRICE))).expect(200).json();
    let transaction = text(&receipt["payment"], "transaction").parse().unwrap();
    (service, receipt, transaction)
}

#[test]
fn a_transaction_that_was_credited_is_not_credited_again() {
    let (service, receipt, transaction) = paid_once();
    for index in [None, Some(0)] {
        let again = attested(&faucet_wallet(), transaction, index, OTHER);
        service.send(&with_proof(Request::post("/commit", OTHER), &again)).problem(409);
        let same = attested(&faucet_wallet(), transaction, index, BODY);
        let answer = service.send(&with_proof(Request::post("/commit", BODY), &same)).expect(200);
        assert_eq!(answer.json()["receipt_hash"], receipt["receipt_hash"]);
        // The word is for one request only.
        let moved = with_proof(Request::post("/commit", OTHER), &same);
        assert_refused(&service.send(&moved), "invalid_signature");
    }
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transaction_that_is_not_there_pays_nothing() {
    let (service, _, transaction) = paid_once();
    for (transaction, index) in [(B256::repeat_byte(5), None), (B256::ZERO, Some(0)), (transaction, Some(1))]
    {
        let proof = attested(&faucet_wallet(), transaction, index, OTHER);
        assert_refused(
            &service.send(&with_proof(Request::post("/commit", OTHER), &proof)),
            "invalid_transaction",
        );
    }
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_transaction_of_another_payer_pays_nothing() {
    let (service, _, transaction) = paid_once();
    let stranger = Wallet::from_bytes([7; 32]).unwrap();
    let proof = attested(&stranger, transaction, None, OTHER);
    assert_refused(
        &service.send(&with_proof(Request::post("/commit", OTHER), &proof)),
        "invalid_transaction",
    );
    let mut claimed = attested(&stranger, transaction, None, OTHER);
    claimed["payload"]["payer"] = json!(faucet_wallet().address().to_string());
    assert_refused(
        &service.send(&with_proof(Request::post("/commit", OTHER), &claimed)),
        "invalid_signature",
    );
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_stranger_who_saw_the_transaction_does_not_get_what_it_bought() {
    let (service, _, transaction) = paid_once();
    let stranger = Wallet::from_bytes([7; 32]).unwrap();
    for index in [None, Some(0)] {
        let proof = attested(&stranger, transaction, index, BODY);
        let answer = service.send(&with_proof(Request::post("/commit", BODY), &proof));
        assert_refused(&answer, "invalid_transaction");
    }
}
