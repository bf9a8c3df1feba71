//! What `claim-verdict` finds on signatures and on documents.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};

use crate::support::claims::{KEY, SIGNATURE, at, signed, with, without};
use crate::support::peer::{Peer, answer, document};
use crate::support::receipt::text;
use crate::support::service::dev;

/// The verdict, its confidence and its reason.
fn found(receipt: &Value) -> (&str, u64, Option<&str>) {
    (text(receipt, "verdict"), receipt["resolver_confidence"].as_u64().unwrap(), receipt["reason"].as_str())
}

const CONFIRMED: (&str, u64, Option<&str>) = ("CONFIRMED", 1, None);
const REFUTED: (&str, u64, Option<&str>) = ("REFUTED", 0, None);

fn unresolved(reason: &str) -> (&str, u64, Option<&str>) {
    ("UNRESOLVED", 0, Some(reason))
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn pem(key: &SigningKey) -> String {
    let info =
        [&hex::decode("302a300506032b6570032100").unwrap()[..], key.verifying_key().as_bytes()].concat();
    format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(info))
}

#[test]
fn the_defaults_are_utf8_base64_and_pem() {
    let message = "Tokyo 東京 🦊";
    let body = json!({"agent": "a", "claim": "c", "resolver": {
        "type": "ed25519_signature",
        "message": message,
        "signature": STANDARD.encode(key(1).sign(message.as_bytes()).to_bytes()),
        "public_key": pem(&key(1)),
    }});
    let receipt = dev().claim(&body);
    assert_eq!(found(&receipt), CONFIRMED);
    assert_eq!(receipt["evidence"]["public_key"], hex::encode(key(1).verifying_key().as_bytes()));
    let mut named = body;
    for (name, word) in
        [("message_encoding", "utf8"), ("signature_encoding", "base64"), ("public_key_encoding", "pem")]
    {
        named = with(named, &format!("/resolver/{name}"), json!(word));
    }
    assert_eq!(found(&dev().claim(&named)), CONFIRMED);
}

#[test]
fn every_encoding_of_message_signature_and_key_is_read() {
    let service = dev();
    let message = [0xfb, 0xff, 0x00, 0x01];
    let signature = key(2).sign(&message).to_bytes();
    let public = key(2).verifying_key().to_bytes();
    let spellings = |bytes: &[u8]| {
        vec![
            ("hex", hex::encode(bytes)),
            ("hex", hex::encode_upper(bytes)),
            ("base64", STANDARD.encode(bytes)),
            ("base64", STANDARD_NO_PAD.encode(bytes)),
            ("base64", URL_SAFE.encode(bytes)),
            ("base64", URL_SAFE_NO_PAD.encode(bytes)),
        ]
    };
    let body = signed("a");
    let body = with(
        with(body, "/resolver/message", json!(hex::encode(message))),
        "/resolver/message_encoding",
        json!("hex"),
    );
    let body = with(body, "/resolver/signature", json!(hex::encode(signature)));
    let body = with(body, "/resolver/public_key", json!(hex::encode(public)));
    for (name, bytes) in [("message", &message[..]), ("signature", &signature), ("public_key", &public)] {
        for (encoding, text) in spellings(bytes) {
            let body = with(body.clone(), &format!("/resolver/{name}"), json!(text));
            let body = with(body, &format!("/resolver/{name}_encoding"), json!(encoding));
            assert_eq!(found(&service.claim(&body)), CONFIRMED, "{name} {encoding} {text}");
        }
    }
}

#[test]
fn a_raw_key_without_its_encoding_is_unresolved_even_where_the_signature_holds() {
    let service = dev();
    let raw = hex::decode(KEY).unwrap();
    for key in [KEY.to_owned(), STANDARD.encode(&raw), URL_SAFE_NO_PAD.encode(&raw)] {
        let body = with(signed("a"), "/resolver/public_key", json!(key));
        for body in [
            without(body.clone(), "/resolver/public_key_encoding"),
            with(body, "/resolver/public_key_encoding", json!("pem")),
        ] {
            assert_eq!(found(&service.claim(&body)), unresolved("public_key_encoding_required"));
        }
    }
}

#[test]
fn a_signature_of_another_message_or_key_is_refuted() {
    let service = dev();
    let other = hex::encode(key(3).verifying_key().as_bytes());
    for body in [
        with(signed("a"), "/resolver/message", json!("x")),
        with(signed("a"), "/resolver/public_key", json!(other)),
        with(signed("a"), "/resolver/signature", json!(SIGNATURE.replacen('e', "f", 1))),
    ] {
        let receipt = service.claim(&body);
        assert_eq!(
            (text(&receipt, "verdict"), receipt["resolver_confidence"].as_u64()),
            ("REFUTED", Some(0))
        );
    }
}

#[test]
fn keys_that_verify_anything_are_refuted() {
    let service = dev();
    // The eight points of small order by their canonical encodings, and one that is no point at all.
    for key in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0200000000000000000000000000000000000000000000000000000000000000",
    ] {
        // R the identity and S zero: without strictness it verifies under every key of small order.
        let zero = format!("01{}", "00".repeat(63));
        for signature in [SIGNATURE, &zero] {
            let body = with(signed("a"), "/resolver/public_key", json!(key));
            let receipt = service.claim(&with(body, "/resolver/signature", json!(signature)));
            assert_eq!(text(&receipt, "verdict"), "REFUTED", "{key}");
        }
    }
}

#[test]
fn a_signature_whose_s_is_not_canonical_is_refuted() {
    // S + L: the same signature to a verifier that reduces.
    let (r, s) = SIGNATURE.split_at(64);
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let mut carry = 0_u16;
    let sum = hex::decode(s).unwrap().into_iter().zip(hex::decode(order).unwrap()).map(|(a, b)| {
        carry += u16::from(a) + u16::from(b);
        let byte = carry.to_le_bytes()[0];
        carry >>= 8;
        byte
    });
    let malleable = format!("{r}{}", hex::encode(sum.collect::<Vec<u8>>()));
    let receipt = dev().claim(&with(signed("a"), "/resolver/signature", json!(malleable)));
    assert_eq!(found(&receipt), ("REFUTED", 0, Some("signature_not_canonical")));
}

#[test]
fn the_scope_of_a_signature_says_that_the_keys_owner_is_not_proven() {
    let receipt = dev().claim(&signed("a"));
    assert!(
        text(&receipt, "scope").contains("does not prove that the key belongs to any identity"),
        "{receipt}"
    );
}

const DOCUMENT: &str = r#"{"status":"active","n":1.0,"one":1,"big":12345678901234567890,"e":1e3,"yes":true,"no":false,
    "nil":null,"empty":"","a.b":{"c\\d":"dots"},"list":[{"x":"first"},{"x":"second"}],"obj":{"k":"v"},
    "twice":1,"twice":2,"inner":{"twice":1,"twice":2},"accent":"é"}"#;

/// What is found at a path of the document above.
fn looked(path: &str, expect: &str) -> Value {
    let peer = Peer::http(|_| document(DOCUMENT));
    dev().claim(&at(&peer.url("/"), path, expect))
}

#[test]
fn a_scalar_that_equals_what_is_expected_is_confirmed() {
    let _service = dev();
    for (path, expect) in [
        ("status", "active"),
        ("n", "1.0"),
        ("n", "1"),
        ("one", "1"),
        ("big", "12345678901234567890"),
        ("e", "1e3"),
        ("e", "1000"),
        ("yes", "true"),
        ("no", "false"),
        ("nil", "null"),
        ("empty", ""),
        (r"a\.b.c\\d", "dots"),
        ("list.0.x", "first"),
        ("list.1.x", "second"),
        ("accent", "é"),
    ] {
        assert_eq!(found(&looked(path, expect)), CONFIRMED, "{path} {expect}");
    }
}

#[test]
fn another_scalar_is_refuted() {
    let _service = dev();
    for (path, expect) in [
        ("status", "Active"),
        ("status", "active "),
        ("one", "1.0"),
        ("n", "1.00"),
        ("big", "12345678901234567891"),
        ("yes", "True"),
        ("yes", "1"),
        ("nil", ""),
        ("empty", "null"),
        ("accent", "e\u{301}"),
    ] {
        assert_eq!(found(&looked(path, expect)), REFUTED, "{path} {expect}");
    }
}

#[test]
fn a_path_that_leads_to_no_single_scalar_is_unresolved() {
    let _service = dev();
    for (path, reason) in [
        ("missing", "path_missing"),
        ("status.x", "path_missing"),
        ("status.length", "path_missing"),
        ("list.2.x", "path_missing"),
        ("list.00.x", "path_missing"),
        ("list.-1.x", "path_missing"),
        ("list.length", "path_missing"),
        ("__proto__", "path_missing"),
        ("constructor", "path_missing"),
        ("obj", "not_scalar"),
        ("list", "not_scalar"),
        ("list.0", "not_scalar"),
        ("twice", "duplicate_key"),
        ("inner.twice", "duplicate_key"),
    ] {
        assert_eq!(found(&looked(path, "1")), unresolved(reason), "{path}");
    }
}

#[test]
fn evidence_names_what_was_looked_at_with_hashes_and_times() {
    let peer = Peer::http(|_| document(DOCUMENT));
    let receipt = dev().claim(&at(&peer.url("/doc?x=1"), "n", "1"));
    let evidence = &receipt["evidence"];
    assert_eq!(text(evidence, "final_url"), peer.url("/doc?x=1"));
    assert_eq!(evidence["hops"], json!([]));
    assert_eq!(text(evidence, "peer_address"), peer.address.to_string());
    assert_eq!(evidence["tls"], false);
    assert_eq!(evidence["status"], 200);
    assert_eq!(text(evidence, "body_sha256"), hex::encode(crate::support::log::sha256(DOCUMENT.as_bytes())));
    assert_eq!(evidence["found"], json!({"type": "number", "value": "1.0", "truncated": false}));
    assert!(text(evidence, "fetched_at") <= text(&receipt, "signed_at"));
    assert_eq!(text(&receipt, "method"), "claim-verdict/1");
}

#[test]
fn an_answer_that_is_no_json_or_no_success_is_unresolved() {
    let service = dev();
    for (status, body, reason) in [
        ("404 Not Found", r#"{"status":"active"}"#, "http_status"),
        ("500 Oops", r#"{"status":"active"}"#, "http_status"),
        ("304 Not Modified", "", "http_status"),
        ("200 OK", "", "not_json"),
        ("200 OK", "<html>", "not_json"),
        ("200 OK", "{\"status\":\"active\"} {}", "not_json"),
        ("200 OK", "{\"status\":\"\\ud800\"}", "not_json"),
        (
            "200 OK",
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "too_deep",
        ),
    ] {
        let peer = Peer::http(move |_| answer(status, "", body));
        let receipt = service.claim(&at(&peer.url("/"), "status", "active"));
        assert_eq!(found(&receipt), unresolved(reason), "{status} {body}");
    }
}
