//! Proofs that do not pay, each refused for what is wrong with it.

use crate::common::{
    NOW, PRICE, assert_refused, assert_unsigned, authorization, decode, evidence, judge, request, signed,
    terms, v1, v2, wallet, with,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use payment::check::{MAX_SECONDS_LEFT, ProofSigner, new_proof, signature};
use payment::eip712::SettlementStatement;
use payment::proof::MAX_HEADER_BYTES;
use payment::{
    Address, Authorization, B256, Bytes, Code, Header, Network, PaymentEvidence, Proof, ProofKey,
    RequestIdentity, SettlementProof, Terms, U256, payer,
};
use serde_json::{Value, json};
use verdict::{Reason, Usd};

fn malformed(header: Header, value: &[u8]) -> (Header, Reason, String) {
    let error = Proof::decode(header, value).expect_err("it is malformed");
    (error.header, error.reason, error.detail)
}

#[test]
fn a_header_that_is_not_base64_of_i_json_is_malformed() {
    let json_of = |text: &str| STANDARD.encode(text).into_bytes();
    let deep = "[".repeat(100);
    for header in Header::ALL {
        for (value, reason) in [
            (b"".to_vec(), Reason::Json("malformed")),
            (b"%%%".to_vec(), Reason::Malformed),
            (b"eyJ4".repeat(5000), Reason::TooLong),
            (b"e30=e30=".to_vec(), Reason::Malformed),
            (b"a+_-".to_vec(), Reason::Malformed),
            (b"\xff\xfe".to_vec(), Reason::Malformed),
            (json_of("hello"), Reason::Json("malformed")),
            (json_of(r#"{"x402Version":1,"x402Version":2}"#), Reason::Json("duplicate_key")),
            (json_of(&deep), Reason::Json("too_deep")),
            (STANDARD.encode(b"{\"\xff\":1}").into_bytes(), Reason::Json("invalid_utf8")),
        ] {
            let (named, code, detail) = malformed(header, &value);
            assert_eq!((named, code), (header, reason), "{}", String::from_utf8_lossy(&value));
            assert!(detail.starts_with("must "), "{detail}");
        }
    }
    assert!(b"eyJ4".repeat(5000).len() > MAX_HEADER_BYTES);
}

#[test]
fn both_alphabets_of_base64_are_read_with_and_without_padding() {
    let text = with(v2(), "/resource/description", json!("?>?>?>~~~ÿÿ")).to_string();
    for pad in ["", " ", "  "] {
        let text = format!("{text}{pad}");
        let encodings =
            [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD].map(|engine| engine.encode(&text));
        assert_ne!(encodings[0], encodings[2], "the text must tell the alphabets apart");
        for encoded in encodings {
            assert!(Proof::decode(Header::PaymentSignature, encoded.as_bytes()).is_ok(), "{encoded}");
        }
    }
}

#[test]
fn json_of_no_known_form_is_malformed() {
    let forms = [
        json!({}),
        json!([]),
        json!("x402"),
        json!({"x402Version": "1"}),
        json!({"x402Version": 1}),
        json!({"x402Version": 2, "payload": {}}),
        json!({"x402Version": 1, "scheme": "exact", "network": "base", "payload": {}}),
        with(v1(), "/scheme", Value::Null),
        with(v1(), "/network", json!(8453)),
        with(v1(), "/payload", json!("0x")),
        with(v1(), "/payload/signature", Value::Null),
        with(v1(), "/payload/signature", json!(["0x"])),
        with(v1(), "/payload/authorization/nonce", Value::Null),
        with(v1(), "/payload/authorization/value", json!(20_000)),
        with(v1(), "/payload/authorization/validBefore", json!(NOW)),
        with(v2(), "/accepted", Value::Null),
        with(v2(), "/accepted/network", Value::Null),
        with(v2(), "/accepted/amount", json!(20_000)),
        with(
            v2(),
            "/payload",
            json!({"delegationManager": "0x", "permissionContext": "0x", "delegator": "0x"}),
        ),
        with(settlement_json(), "/payload/logIndex", json!(-1)),
        with(settlement_json(), "/payload/logIndex", json!("7")),
        with(settlement_json(), "/payload/payer", Value::Null),
        with(v2(), "/payload", settlement_json()["payload"].clone()),
    ];
    for form in forms {
        for header in Header::ALL {
            assert!(decode(header, &form).is_err(), "{form:#}");
        }
    }
    let mut both = v1();
    both["payload"]["transaction"] = json!(B256::ZERO.to_string());
    assert!(decode(Header::XPayment, &both).is_err(), "an authorization and a transaction");
}

#[test]
fn another_version_or_scheme_is_refused_by_its_code() {
    for version in [json!(0), json!(3), json!(-1), json!(1.5)] {
        assert_refused(&json!({"x402Version": version}), Code::InvalidVersion);
        assert_refused(&with(v1(), "/x402Version", version), Code::InvalidVersion);
    }
    for scheme in ["upto", "EXACT", "", "exact "] {
        assert_refused(&with(v1(), "/scheme", json!(scheme)), Code::InvalidScheme);
        assert_refused(&with(v2(), "/accepted/scheme", json!(scheme)), Code::InvalidScheme);
    }
    let upto = with(v2(), "/accepted/scheme", json!("upto"));
    assert_refused(&with(upto, "/payload", json!({"permit2Authorization": {}})), Code::InvalidScheme);
}

#[test]
fn payment_signature_takes_version_2_only() {
    for proof in [v1(), settlement_json(), json!({"x402Version": 3})] {
        let read = decode(Header::PaymentSignature, &proof).unwrap().evidence(terms().network());
        assert_eq!(read.map_err(|refused| refused.code), Err(Code::InvalidVersion), "{proof:#}");
    }
    let read = |header| decode(header, &v2()).unwrap().evidence(terms().network());
    assert_eq!(read(Header::PaymentSignature), read(Header::XPayment));
}

#[test]
fn another_network_is_refused_by_either_versions_name() {
    for network in ["base-sepolia", "eip155:8453", "Base", "ethereum", ""] {
        assert_refused(&with(v1(), "/network", json!(network)), Code::InvalidNetwork);
    }
    for network in
        ["base", "eip155:84532", "eip155:1", "eip155:08453", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]
    {
        assert_refused(&with(v2(), "/accepted/network", json!(network)), Code::InvalidNetwork);
    }
}

#[test]
fn what_a_v2_payload_says_that_it_accepted_must_be_our_terms_and_what_it_signed() {
    let other = Address::repeat_byte(1).to_string();
    for asset in [&other, &Address::ZERO.to_string(), &Network::local().token.to_string(), "USDC"] {
        assert_refused(&with(v2(), "/accepted/asset", json!(asset)), Code::InvalidAsset);
    }
    for pay_to in [&other, &Address::ZERO.to_string(), "0x20", ""] {
        assert_refused(&with(v2(), "/accepted/payTo", json!(pay_to)), Code::InvalidPayee);
    }
    for amount in ["19999", "20001", "0", "020000", "2e4", "0.02", "-20000", ""] {
        assert_refused(&with(v2(), "/accepted/amount", json!(amount)), Code::InvalidAmount);
    }
    for absent in ["asset", "payTo", "amount"] {
        let unnamed = with(v2(), &format!("/accepted/{absent}"), Value::Null);
        assert_eq!(judge(&unnamed), Ok(ProofSigner::ByAccount), "{absent}");
    }
    let lower = terms().network().token.to_string().to_lowercase();
    assert_eq!(judge(&with(v2(), "/accepted/asset", json!(lower))), Ok(ProofSigner::ByAccount));
}

/// A v1 proof of an authorization that is signed as it is.
fn proof_of(authorization: Authorization) -> Value {
    payer::v1(terms().network(), &signed(authorization))
}

#[test]
fn the_value_must_be_exactly_the_price() {
    for value in [U256::ZERO, U256::ONE, U256::from(19_999), U256::from(20_001), U256::MAX] {
        assert_refused(&proof_of(Authorization { value, ..authorization() }), Code::InvalidAmount);
    }
    let above = format!("{}0", U256::MAX);
    for value in ["-20000", "+20000", "2e4", "0.02", "020000", "20000.0", " 20000", "0x4e20", "", "a", &above]
    {
        assert_refused(&with(v1(), "/payload/authorization/value", json!(value)), Code::InvalidAmount);
    }
}

#[test]
fn any_price_that_is_still_in_force_is_taken_and_no_other() {
    let evidence = evidence(&v1()).unwrap();
    let with_prices = |prices: &[Usd]| new_proof(&evidence, &terms(), prices, NOW, &request());
    assert_eq!(with_prices(&[Usd::from_cents(5), PRICE]), Ok(ProofSigner::ByAccount));
    for prices in [[].as_slice(), &[Usd::from_cents(5), Usd::from_cents(1)]] {
        assert_eq!(with_prices(prices).map_err(|refused| refused.code), Err(Code::InvalidAmount));
    }
}

#[test]
fn the_payee_must_be_ours_and_nobody_pays_themselves() {
    for to in [Address::ZERO, Address::repeat_byte(1), wallet().address()] {
        assert_refused(&proof_of(Authorization { to, ..authorization() }), Code::InvalidPayee);
    }
    assert_refused(&with(v1(), "/payload/authorization/to", json!("0x2020")), Code::InvalidPayee);
    let ours = Terms::new(Network::base(), wallet().address());
    let own = evidence(&proof_of(Authorization { to: wallet().address(), ..authorization() })).unwrap();
    let judged = new_proof(&own, &ours, &[PRICE], NOW, &request());
    assert_eq!(judged.map_err(|refused| refused.code), Err(Code::InvalidPayee));
}

#[test]
fn a_payer_nonce_or_time_that_is_none_is_refused() {
    let zero = Address::ZERO.to_string();
    assert_refused(&with(v1(), "/payload/authorization/from", json!(zero)), Code::InvalidSignature);
    for (name, value) in [
        ("from", "me"),
        ("from", "0x00"),
        ("nonce", "0x09"),
        ("nonce", "0xzz"),
        ("validAfter", "-1"),
        ("validBefore", "soon"),
        ("validBefore", "1e10"),
        ("validBefore", "01795223360"),
    ] {
        let proof = with(v1(), &format!("/payload/authorization/{name}"), json!(value));
        assert_refused(&proof, Code::InvalidPayload);
    }
}

#[test]
fn the_window_must_be_open_now_for_seven_seconds_more_and_for_a_day_at_most() {
    let window = |after: U256, before: U256| Authorization {
        valid_after: after,
        valid_before: before,
        ..authorization()
    };
    let ending = |left: u64| proof_of(window(U256::ZERO, U256::from(NOW + left)));
    let starting = |at: u64| proof_of(window(U256::from(at), U256::from(NOW + 60)));
    for left in [0, 1, 6] {
        assert_refused(&ending(left), Code::Expired);
    }
    assert_refused(&proof_of(window(U256::ZERO, U256::ZERO)), Code::Expired);
    assert_refused(&proof_of(window(U256::ZERO, U256::from(NOW - 1))), Code::Expired);
    assert_eq!(judge(&ending(7)), Ok(ProofSigner::ByAccount));
    assert_eq!(judge(&ending(MAX_SECONDS_LEFT)), Ok(ProofSigner::ByAccount));
    assert_refused(&ending(MAX_SECONDS_LEFT + 1), Code::ValidTooLong);
    assert_refused(&proof_of(window(U256::ZERO, U256::MAX)), Code::ValidTooLong);
    assert_eq!(judge(&starting(NOW - 1)), Ok(ProofSigner::ByAccount));
    for at in [NOW, NOW + 1] {
        assert_refused(&starting(at), Code::NotYetValid);
    }
    assert_refused(&proof_of(window(U256::MAX, U256::from(NOW + 60))), Code::NotYetValid);
}

fn with_signature(signature: &[u8]) -> Value {
    with(v1(), "/payload/signature", json!(Bytes::from(signature.to_vec()).to_string()))
}

#[test]
fn only_the_payers_own_signature_over_these_very_terms_is_its_accounts() {
    assert_eq!(judge(&v1()), Ok(ProofSigner::ByAccount));
    assert_eq!(judge(&v2()), Ok(ProofSigner::ByAccount));
    let good = signed(authorization()).signature.to_vec();
    let mut flipped = good.clone();
    flipped[10] ^= 1;
    let with_v = |v: u8| [&good[..64], &[v]].concat();
    let order =
        U256::from_str_radix("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141", 16).unwrap();
    let high_s = order - U256::from_be_slice(&good[32..64]);
    let high_s = [&good[..32], &high_s.to_be_bytes::<32>(), &[55 - good[64]]].concat();
    let by_another = payment::Wallet::from_bytes([8; 32]).unwrap();
    let by_another = by_another.authorize(terms().domain(), authorization()).signature;
    let compact = payment_compact(&good);
    for bad in [
        &flipped[..],
        &good[..64],
        &good[..40],
        &[],
        &[good.as_slice(), &[0]].concat(),
        &with_v(0),
        &with_v(1),
        &with_v(good[64] - 27),
        &with_v(29),
        &high_s,
        &compact,
        &[0; 65],
        &by_another,
    ] {
        assert_unsigned(&with_signature(bad));
    }
    for text in ["", "0x0", "0xzz", "27", &hex::encode(&good)] {
        assert_refused(&with(v1(), "/payload/signature", json!(text)), Code::InvalidSignature);
    }
}

/// EIP-2098.
fn payment_compact(signature: &[u8]) -> Vec<u8> {
    let mut compact = signature[..64].to_vec();
    compact[32] |= (signature[64] - 27) << 7;
    compact
}

#[test]
fn a_signature_for_another_chain_token_or_domain_name_is_not_the_payers() {
    let base = Network::base();
    for other in [
        Network { chain_id: 1, ..base.clone() },
        Network { token: Network::local().token, ..base.clone() },
        Network { token_name: "USDC".to_owned(), ..base.clone() },
        Network { token_version: "1".to_owned(), ..base.clone() },
        Network::base_sepolia(),
        Network::local(),
    ] {
        let terms = Terms::new(other, terms().pay_to());
        let signed = wallet().authorize(terms.domain(), authorization());
        assert_unsigned(&payer::v1(&base, &signed));
    }
}

#[test]
fn every_member_of_the_authorization_is_signed() {
    let good = signed(authorization()).signature;
    let change =
        |name: &str, value: String| with(v1(), &format!("/payload/authorization/{name}"), json!(value));
    assert_unsigned(&change("from", Address::repeat_byte(5).to_string()));
    assert_unsigned(&change("validAfter", "1".to_owned()));
    assert_unsigned(&change("validBefore", (NOW + 61).to_string()));
    assert_unsigned(&change("nonce", B256::repeat_byte(8).to_string()));
    let dearer = change("value", "50000".to_owned());
    let judged = new_proof(&evidence(&dearer).unwrap(), &terms(), &[Usd::from_cents(5)], NOW, &request());
    assert!(matches!(judged, Ok(ProofSigner::Undecided(_))));
    assert_eq!(evidence(&dearer).unwrap().signature(), &good);
}

#[test]
fn a_known_proof_is_held_to_its_signature_alone() {
    let mut expired = authorization();
    (expired.valid_before, expired.value) = (U256::from(NOW - 1000), U256::from(7));
    let evidence = evidence(&proof_of(expired)).unwrap();
    assert_eq!(signature(&evidence, &terms(), &request()), ProofSigner::ByAccount);
    assert!(new_proof(&evidence, &terms(), &[PRICE], NOW, &request()).is_err());
    let forged = self::evidence(&with_signature(&[1; 65])).unwrap();
    assert!(matches!(signature(&forged, &terms(), &request()), ProofSigner::Undecided(_)));
}

#[test]
fn a_proof_is_unique_by_chain_token_payer_and_nonce_whatever_its_form_signature_and_window() {
    let key = |proof: &Value| evidence(proof).unwrap().key(terms().network());
    let later = Authorization { valid_before: U256::from(NOW + 90), ..authorization() };
    let own = ProofKey::Authorization {
        chain_id: 8453,
        asset: terms().network().token,
        payer: wallet().address(),
        nonce: B256::repeat_byte(9),
    };
    for proof in [v1(), v2(), proof_of(later), with_signature(&[1; 65])] {
        assert_eq!(key(&proof), own);
    }
    let other = Authorization { nonce: B256::ZERO, ..authorization() };
    assert_ne!(key(&proof_of(other)), own);
}

#[test]
fn a_payment_identifier_is_read_where_it_is_and_malformed_outside_its_grammar() {
    let identified = |id: Value| {
        let mut proof = v2();
        proof["extensions"]["payment-identifier"] =
            json!({"info": {"required": false, "id": id}, "schema": {}});
        decode(Header::PaymentSignature, &proof)
    };
    let long = "a".repeat(128);
    for id in ["pay_7d5d747be160e280504c099d984bcfe0", "0123456789ABCD-_", &long] {
        let proof = identified(json!(id)).unwrap();
        assert_eq!(proof.identifier().map(payment::PaymentIdentifier::as_str), Some(id));
    }
    assert_eq!(identified(Value::Null).unwrap().identifier(), None);
    for extensions in [Value::Null, json!({}), json!({"payment-identifier": {"info": {"required": false}}})] {
        let proof = decode(Header::PaymentSignature, &with(v2(), "/extensions", extensions)).unwrap();
        assert_eq!(proof.identifier(), None);
    }
    let longer = "a".repeat(129);
    for id in [
        json!(""),
        json!("0123456789abcde"),
        json!(longer),
        json!("0123456789abcde "),
        json!("0123456789abcdef\n"),
        json!("0123456789abcdé"),
        json!(7),
    ] {
        let error = identified(id.clone()).expect_err("the identifier is malformed");
        assert_eq!((error.header, error.reason), (Header::PaymentSignature, Reason::Malformed), "{id}");
    }
}

const TRANSACTION: B256 = B256::repeat_byte(0xab);

fn settlement_proof() -> SettlementProof {
    let request = request();
    let statement = SettlementStatement {
        transaction: TRANSACTION,
        method: request.method.to_owned(),
        target: request.target(),
        body_hash: B256::new(request.body_hash),
        pay_to: terms().pay_to(),
    };
    SettlementProof {
        transaction: TRANSACTION,
        payer: wallet().address(),
        log_index: Some(7),
        signature: wallet().attest(terms().domain(), &statement),
    }
}

fn settlement_json() -> Value {
    payer::settlement(terms().network(), &settlement_proof())
}

#[test]
fn a_proof_of_settlement_holds_for_the_one_request_that_its_payer_signed() {
    assert_eq!(judge(&settlement_json()), Ok(ProofSigner::ByAccount));
    let evidence = evidence(&settlement_json()).unwrap();
    let body = br#"{"agent":"me","content":"hello"}"#;
    for other in [
        RequestIdentity::new("GET", "/commit", "", body),
        RequestIdentity::new("POST", "/dispute", "", body),
        RequestIdentity::new("POST", "/commit", "a=b", body),
        RequestIdentity::new("POST", "/commit", "", b"{}"),
    ] {
        assert!(matches!(signature(&evidence, &terms(), &other), ProofSigner::Undecided(_)), "{other:?}");
    }
    let to_another = Terms::new(Network::base(), Address::repeat_byte(1));
    assert!(matches!(signature(&evidence, &to_another, &request()), ProofSigner::Undecided(_)));
}

#[test]
fn a_proof_of_settlement_of_another_transaction_payer_chain_or_form_is_not_signed() {
    let other = B256::repeat_byte(1).to_string();
    assert_unsigned(&with(settlement_json(), "/payload/transaction", json!(other)));
    assert_unsigned(&with(settlement_json(), "/payload/payer", json!(Address::repeat_byte(1).to_string())));
    assert_refused(&with(settlement_json(), "/network", json!("base-sepolia")), Code::InvalidNetwork);
    assert_refused(&with(settlement_json(), "/payload/transaction", json!("0xab")), Code::InvalidPayload);
    assert_refused(
        &with(settlement_json(), "/payload/payer", json!(Address::ZERO.to_string())),
        Code::InvalidSignature,
    );
    let by_the_payee = with(settlement_json(), "/payload/payer", json!(terms().pay_to().to_string()));
    assert_refused(&by_the_payee, Code::InvalidPayee);
}

#[test]
fn a_proof_of_settlement_is_unique_by_its_transfer_and_looked_for_on_our_terms() {
    let evidence = evidence(&settlement_json()).unwrap();
    let key = ProofKey::Transfer { chain_id: 8453, transaction: TRANSACTION, log_index: Some(7) };
    assert_eq!(evidence.key(terms().network()), key);
    let PaymentEvidence::Settlement(proof) = evidence else { panic!("a proof of settlement") };
    let wanted = proof.wanted(&terms(), &[PRICE, Usd::from_cents(5)], NOW - 300);
    assert_eq!((wanted.payer, wanted.pay_to), (wallet().address(), terms().pay_to()));
    assert_eq!((wanted.transaction, wanted.log_index, wanted.not_before), (TRANSACTION, Some(7), NOW - 300));
    assert_eq!(wanted.values, [U256::from(20_000), U256::from(50_000)]);
    let unnamed = with(settlement_json(), "/payload/logIndex", Value::Null);
    assert_eq!(
        crate::common::evidence(&unnamed).unwrap().key(terms().network()),
        ProofKey::Transfer { chain_id: 8453, transaction: TRANSACTION, log_index: None }
    );
}

#[test]
fn an_authorizations_signature_is_no_statement_of_settlement() {
    let mut crossed = settlement_json();
    crossed["payload"]["signature"] = json!(signed(authorization()).signature.to_string());
    assert_unsigned(&crossed);
}
