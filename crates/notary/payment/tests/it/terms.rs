//! What a 402 and a settlement response say, to the byte.

use crate::common::{NOW, PRICE, terms, wallet};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payment::extensions::{self, DeliveryStatement};
use payment::payer::Demand;
use payment::terms::MAX_REQUIRED_BYTES;
use payment::{Address, B256, Code, Extension, Header, Quote, Terms, Transfer, U256, Version, response};
use receipt::jws;
use receipt::key::{SigningKey, VerifyingKey};
use receipt::sign::Signer;
use serde_json::{Value, json};
use verdict::Usd;

const RESOURCE: &str = "https://notary.example/commit";

fn quote(terms: &Terms) -> Quote<'_> {
    Quote {
        terms,
        price: PRICE,
        error: Code::PaymentRequired,
        resource: RESOURCE,
        description: "Commits to a value that may be shown later.",
    }
}

fn signer() -> Signer {
    let key = SigningKey::from_seed(&[7; 32]);
    let kid = key.id("https://notary.example").unwrap();
    Signer::new(key, kid)
}

fn decoded(header: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// The payload of a JWS that the signer's key has signed, under its name and under no type.
fn verified(signature: &Value) -> Value {
    let key = VerifyingKey::new(signer().key().public_key()).unwrap();
    let jws = jws::verify(signature.as_str().unwrap(), &key).unwrap();
    assert_eq!(Value::from(jws.header), json!({"alg": "EdDSA", "kid": signer().kid().as_str()}));
    serde_json::from_slice(&jws.payload).unwrap()
}

#[test]
fn our_own_terms_name_the_network_shortly_and_the_price_in_dollars() {
    let expected = json!({
        "scheme": "exact",
        "network": "base",
        "asset": "USDC",
        "amount": "0.02",
        "payTo": "0x2020202020202020202020202020202020202020",
    });
    assert_eq!(terms().accept(PRICE), expected);
}

#[test]
fn the_v2_header_has_the_same_terms_in_that_form() {
    let terms = terms();
    let expected = json!({
        "x402Version": 2,
        "error": "payment_required",
        "resource": {
            "url": RESOURCE,
            "description": "Commits to a value that may be shown later.",
            "mimeType": "application/json",
        },
        "accepts": [{
            "scheme": "exact",
            "network": "eip155:8453",
            "amount": "20000",
            "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "payTo": "0x2020202020202020202020202020202020202020",
            "maxTimeoutSeconds": 300,
            "extra": {"name": "USD Coin", "version": "2"},
        }],
    });
    assert_eq!(decoded(&quote(&terms).header(&[])), expected);
}

#[test]
fn the_v1_body_is_what_v1_clients_take() {
    let terms = terms();
    let expected = json!({
        "x402Version": 1,
        "error": "payment_required",
        "accepts": [{
            "scheme": "exact",
            "network": "base",
            "maxAmountRequired": "20000",
            "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "payTo": "0x2020202020202020202020202020202020202020",
            "resource": RESOURCE,
            "description": "Commits to a value that may be shown later.",
            "mimeType": "application/json",
            "maxTimeoutSeconds": 300,
            "extra": {"name": "USD Coin", "version": "2"},
        }],
    });
    assert_eq!(quote(&terms).v1(), expected);
}

fn bazaar(input: &Value) -> Extension {
    let output = json!({"verdict": "COMMITTED", "receipt_hash": "...", "signature": "...", "proof": "..."});
    extensions::bazaar("POST", input, &output)
}

#[test]
fn all_extensions_of_a_common_route_fit_in_the_header() {
    let terms = terms();
    let quote = quote(&terms);
    let all = [
        extensions::payment_identifier(),
        extensions::offer(&signer(), &quote, NOW + 300),
        bazaar(&json!({"agent": "me", "content": "hello"})),
    ];
    let header = quote.header(&all);
    assert!(header.len() <= MAX_REQUIRED_BYTES, "{} bytes", header.len());
    let required = decoded(&header);
    for extension in &all {
        assert_eq!(required["extensions"][extension.name], extension.value);
    }
    let demand = Demand::decode(header.as_bytes()).unwrap();
    assert_eq!(
        (demand.pay_to, demand.amount, demand.max_timeout_seconds),
        (terms.pay_to(), U256::from(20_000), 300)
    );
    assert_eq!((demand.network.chain_id, demand.network.token), (8453, terms.network().token));
}

#[test]
fn an_extension_that_does_not_fit_is_left_out_and_the_others_stay() {
    let terms = terms();
    let long = bazaar(&json!({"agent": "me", "content": "x".repeat(3000)}));
    let header = quote(&terms).header(&[long, extensions::payment_identifier()]);
    assert!(header.len() <= MAX_REQUIRED_BYTES);
    let kept = decoded(&header)["extensions"].clone();
    assert_eq!(kept.as_object().unwrap().keys().collect::<Vec<_>>(), ["payment-identifier"]);
}

#[test]
fn extensions_hold_to_the_schemas_that_they_carry() {
    let terms = terms();
    let delivery = DeliveryStatement {
        network: terms.network(),
        resource: RESOURCE,
        payer: wallet().address(),
        transaction: B256::repeat_byte(1),
        issued_at: NOW,
    };
    for extension in [
        extensions::payment_identifier(),
        extensions::offer(&signer(), &quote(&terms), NOW),
        delivery.receipt(&signer()),
        bazaar(&json!({"agent": "me"})),
        extensions::bazaar("GET", &json!({"q": "a"}), &json!({})),
    ] {
        let schema = jsonschema::validator_for(&extension.value["schema"]).unwrap();
        assert!(schema.is_valid(&extension.value["info"]), "{extension:#?}");
        assert!(!schema.is_valid(&json!({})), "{} has a schema that says nothing", extension.name);
    }
}

#[test]
fn an_offer_is_the_notarys_word_for_the_very_terms() {
    let terms = terms();
    let quote = quote(&terms);
    let extension = extensions::offer(&signer(), &quote, NOW + 300);
    let payload = verified(&extension.value["info"]["offers"][0]["signature"]);
    let accepted = decoded(&quote.header(&[]))["accepts"][0].clone();
    for member in ["scheme", "network", "asset", "payTo", "amount"] {
        assert_eq!(payload[member], accepted[member], "{member}");
    }
    assert_eq!((&payload["resourceUrl"], &payload["validUntil"]), (&json!(RESOURCE), &json!(NOW + 300)));
    assert_eq!(payload["version"], 1);
}

#[test]
fn a_settlement_response_names_the_network_as_its_version_does() {
    let terms = terms();
    let transfer = Transfer {
        transaction: B256::repeat_byte(0xab),
        log_index: Some(7),
        payer: wallet().address(),
        value: U256::from(20_000),
    };
    let delivery = DeliveryStatement {
        network: terms.network(),
        resource: RESOURCE,
        payer: transfer.payer,
        transaction: transfer.transaction,
        issued_at: NOW,
    };
    let receipt = delivery.receipt(&signer());
    for (version, network) in [(Version::V1, "base"), (Version::V2, "eip155:8453")] {
        let settled = response::settled(version, terms.network(), &transfer, std::slice::from_ref(&receipt));
        let mut expected = json!({
            "success": true,
            "transaction": format!("0x{}", "ab".repeat(32)),
            "network": network,
            "payer": wallet().address().to_string(),
            "amount": "20000",
        });
        expected["extensions"]["offer-receipt"] = receipt.value.clone();
        assert_eq!(decoded(&response::header(&settled)), expected);
        let failed = response::failed(version, terms.network(), None, Code::InsufficientFunds, None);
        let expected = json!({
            "success": false,
            "errorReason": "insufficient_funds",
            "transaction": "",
            "network": network,
        });
        assert_eq!(failed, expected);
    }
    let payload = verified(&receipt.value["info"]["receipt"]["signature"]);
    let expected = json!({
        "version": 1,
        "network": "eip155:8453",
        "resourceUrl": RESOURCE,
        "payer": wallet().address().to_string(),
        "issuedAt": NOW,
        "transaction": format!("0x{}", "ab".repeat(32)),
    });
    assert_eq!(payload, expected);
    let payer = Some(Address::ZERO);
    let failed =
        response::failed(Version::V2, terms.network(), payer, Code::SettlementFailed, Some(B256::ZERO));
    assert_eq!(failed["payer"], Address::ZERO.to_string());
    assert_eq!(failed["transaction"], B256::ZERO.to_string());
}

#[test]
fn a_header_that_asks_for_nothing_that_can_be_paid_is_no_demand() {
    let terms = terms();
    let required = decoded(&quote(&terms).header(&[]));
    let decode = |required: &Value| Demand::decode(STANDARD.encode(required.to_string()).as_bytes());
    assert!(decode(&required).is_ok());
    for (pointer, value) in [
        ("/x402Version", json!(1)),
        ("/accepts", json!([])),
        ("/accepts/0/scheme", json!("upto")),
        ("/accepts/0/network", json!("base")),
        ("/accepts/0/network", json!("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")),
        ("/accepts/0/asset", json!("USDC")),
        ("/accepts/0/payTo", json!("me")),
        ("/accepts/0/amount", json!("0.02")),
        ("/accepts/0/extra", Value::Null),
        ("/accepts/0/maxTimeoutSeconds", json!("300")),
    ] {
        let asked = crate::common::with(required.clone(), pointer, value);
        assert!(decode(&asked).is_err(), "{asked:#}");
    }
    assert!(Demand::decode(b"").is_err() && Demand::decode(b"e30=").is_err());
    let cheaper = crate::common::with(required, "/accepts/0/amount", json!("1"));
    assert_eq!(decode(&cheaper).unwrap().amount, U256::from(Usd::from_atomic(1).atomic()));
}

#[test]
fn each_header_has_its_answer() {
    assert_eq!(Header::XPayment.response_name(), "X-PAYMENT-RESPONSE");
    assert_eq!(Header::PaymentSignature.response_name(), "PAYMENT-RESPONSE");
}
