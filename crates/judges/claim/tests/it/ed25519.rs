//! Strict verification, beside an independent implementation, and through the whole judge.

use crate::common::{at, judge, judged, read};
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use claim::ed25519::{SignatureFlaw, verify};
use ed25519_dalek::{Signer as _, SigningKey};
use fetch::{Limits, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};
use verdict::Judge as _;

/// The y coordinates of the eight points of small order, least byte first.
const SMALL_ORDER_Y: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];
const PRIME: &str = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";

fn bytes<const N: usize>(text: &str) -> [u8; N] {
    hex::decode(text).unwrap().try_into().unwrap()
}

/// Cases 4 and 5 of speccheck ("Taming the many EdDSAs", 2020): only multiplying by the cofactor makes them hold.
/// The `suites` crate runs all twelve.
const ONLY_WITH_THE_COFACTOR: [(&str, &str); 2] = [
    (
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
    ),
    (
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
    ),
];

#[test]
fn a_signature_that_holds_only_with_the_cofactor_is_no_signature() {
    let message: [u8; 32] = bytes("e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c");
    for (key, signature) in ONLY_WITH_THE_COFACTOR {
        assert_eq!(verify(&bytes(key), &message, &bytes(signature)), Err(SignatureFlaw::SignatureMismatch));
    }
}

#[test]
fn each_flaw_of_a_key_has_its_own_code() {
    let good = SigningKey::from_bytes(&[7; 32]);
    let signature = good.sign(b"m").to_bytes();
    let flaw = |key: &[u8; 32]| verify(key, b"m", &signature).unwrap_err().code();
    for y in SMALL_ORDER_Y {
        let mut key: [u8; 32] = bytes(y);
        assert_eq!(flaw(&key), "key_small_order", "{y}");
        key[31] |= 0x80;
        // If x is 0, the sign has one value only.
        let signed = if key[0] == 1 || key[0] == 0xec { "key_not_canonical" } else { "key_small_order" };
        assert_eq!(flaw(&key), signed, "{y} with its sign bit");
    }
    // y = p + 3 is on the curve, and so is 3, its canonical form.
    let mut key: [u8; 32] = bytes(PRIME);
    key[0] += 3;
    assert_eq!(flaw(&key), "key_not_canonical");
    assert_eq!(flaw(&bytes(&format!("02{}", "00".repeat(31)))), "key_off_curve");
    assert_eq!(flaw(&SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes()), "signature_mismatch");
}

proptest! {
    #[test]
    fn only_what_was_not_changed_is_valid_and_another_library_says_so_too(
        seed: [u8; 32],
        message: Vec<u8>,
        change in 0usize..10,
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let signing = SigningKey::from_bytes(&seed);
        let mut key = signing.verifying_key().to_bytes();
        let mut signature = signing.sign(&message).to_bytes();
        let small: [u8; 32] = bytes(SMALL_ORDER_Y[at.index(5)]);
        match change {
            0 | 1 => signature[at.index(64)] ^= 1 << bit,
            2 => key[at.index(32)] ^= 1 << bit,
            3 => key = small,
            4 => signature[..32].copy_from_slice(&small),
            5 => {
                // S + L, which stands for the same scalar.
                let mut carry = 0u16;
                for (byte, add) in signature[32..].iter_mut().zip(bytes::<32>(ORDER)) {
                    carry += u16::from(*byte) + u16::from(add);
                    *byte = u8::try_from(carry & 0xff).unwrap();
                    carry >>= 8;
                }
            }
            6 => signature[31] ^= 0x80,
            _ => {}
        }
        let valid = verify(&key, &message, &signature).is_ok();
        prop_assert_eq!(valid, change > 6);
        prop_assert!(!valid || UnparsedPublicKey::new(&ED25519, key).verify(&message, &signature).is_ok());
    }
}

fn signed(seed: u8, message: &[u8]) -> Value {
    let key = SigningKey::from_bytes(&[seed; 32]);
    json!({"claim": "the key signed it", "resolver": {
        "type": "ed25519_signature",
        "message": hex::encode(message),
        "message_encoding": "hex",
        "signature": hex::encode(key.sign(message).to_bytes()),
        "signature_encoding": "hex",
        "public_key": hex::encode(key.verifying_key().to_bytes()),
        "public_key_encoding": "hex",
    }})
}

async fn find(request: &Value) -> Value {
    let (finding, evidence) = judged(&judge(Policy::production(), Limits::default()), request).await.unwrap();
    assert!(evidence.is_empty(), "the question holds all that was looked at");
    assert_eq!(finding["resolver"], "ed25519_signature");
    assert_eq!(finding["evidence"]["kind"], "ed25519_signature");
    finding
}

#[tokio::test]
async fn a_valid_signature_is_confirmed_and_the_receipt_tells_what_was_verified() {
    let finding = find(&signed(7, b"it is so")).await;
    let (key, signature) =
        ("ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c", signed(7, b"it is so"));
    let sha256 = |bytes: &[u8]| hex::encode(receipt::hash::sha256(bytes));
    let signature = hex::decode(signature["resolver"]["signature"].as_str().unwrap()).unwrap();
    assert_eq!(
        finding,
        json!({
            "verdict": "CONFIRMED",
            "claim": "the key signed it",
            "explanation": "The Ed25519 signature over the message is valid under the given key. The words of the claim itself \
                were not checked.",
            "resolver_confidence": 1,
            "resolver": "ed25519_signature",
            "evidence": {
                "kind": "ed25519_signature",
                "verified_at": "2026-11-21T02:00:00.250Z",
                "message_sha256": sha256(b"it is so"),
                "message_bytes": 8,
                "signature_sha256": sha256(&signature),
                "public_key": key,
                "public_key_sha256": sha256(&hex::decode(key).unwrap()),
                "public_key_thumbprint": receipt::key::PublicKey(bytes(key)).thumbprint(),
            },
            "scope": "This verdict says whether the signature is valid over the message under the given key, \
                by strict Ed25519 verification; it does not prove that the key belongs to any identity, or \
                that what the message says is true.",
            "method": "claim-verdict/1",
        })
    );
}

#[tokio::test]
async fn a_signature_with_a_flaw_is_refuted_with_its_code() {
    let set = |name: &str, value: String| {
        let mut request = signed(7, b"it is so");
        request["resolver"][name] = value.into();
        request
    };
    for (request, reason) in [
        (set("message", hex::encode("it is not so")), "signature_mismatch"),
        (set("signature", "00".repeat(64)), "signature_small_order"),
        (set("signature", "ff".repeat(64)), "signature_not_canonical"),
        (set("public_key", SMALL_ORDER_Y[2].to_owned()), "key_small_order"),
        (set("public_key", format!("02{}", "00".repeat(31))), "key_off_curve"),
        (set("public_key", format!("f0{}7f", "ff".repeat(30))), "key_not_canonical"),
    ] {
        let finding = find(&request).await;
        assert_eq!((&finding["verdict"], &finding["reason"]), (&json!("REFUTED"), &json!(reason)));
    }
}

#[tokio::test]
async fn a_raw_key_whose_encoding_was_not_named_leaves_even_a_right_signature_unresolved() {
    for named in [None, Some("pem")] {
        let mut request = signed(7, b"it is so");
        let resolver = request["resolver"].as_object_mut().unwrap();
        resolver.remove("public_key_encoding");
        resolver.extend(named.map(|word| ("public_key_encoding".to_owned(), word.into())));
        let finding = find(&request).await;
        assert_eq!(finding["verdict"], "UNRESOLVED");
        assert_eq!(finding["reason"], "public_key_encoding_required");
        assert_eq!(finding["evidence"].get("public_key"), None);
    }
}

#[tokio::test]
async fn a_key_off_the_curve_is_refuted_in_a_pem_too() {
    use base64::prelude::*;
    let mut der = hex::decode("302a300506032b6570032100").unwrap();
    der.extend([2].into_iter().chain([0; 31]));
    let mut request = signed(7, b"it is so");
    request["resolver"]["public_key"] =
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64_STANDARD.encode(der))
            .into();
    request["resolver"]["public_key_encoding"] = "pem".into();
    assert_eq!(find(&request).await["reason"], "key_off_curve");
}

#[test]
fn a_finding_needs_no_evidence_to_be_found_again() {
    let judge = judge(Policy::production(), Limits::default());
    let question = read(&signed(9, b"").to_string()).unwrap();
    let finding = judge.replay(&question, &[], at()).unwrap();
    assert_eq!(finding.verdict, claim::ClaimVerdict::Confirmed);
}
