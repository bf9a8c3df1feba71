//! The verifiable credential: its members, and its proof recomputed.

use receipt::hash::sha256;
use receipt::key::{PublicKey, VerifyingKey};
use receipt_forms::credential::{CONTEXT_PATH, context, credential};
use serde_json::{Value, json};

use crate::common::Sample;

fn made(sample: &Sample) -> Value {
    serde_json::from_slice(&credential(&sample.statement(), &sample.key).unwrap()).unwrap()
}

/// Verifies as `eddsa-jcs-2022` has it, with another canonical form than the one that made the proof.
fn holds(credential: &Value) -> bool {
    let mut document = credential.clone();
    let mut options = document.as_object_mut().unwrap().remove("proof").unwrap();
    let Some(Value::String(value)) = options.as_object_mut().unwrap().remove("proofValue") else {
        return false;
    };
    let digest = |value: &Value| sha256(&serde_json_canonicalizer::to_vec(value).unwrap());
    let signed = [digest(&options), digest(&document)].concat();
    let method = options["verificationMethod"].as_str().unwrap();
    let key = PublicKey::from_multibase(method.split_once('#').unwrap().1).unwrap();
    let Ok(signature) = bs58::decode(&value[1..]).into_vec() else { return false };
    let Ok(signature) = signature.try_into() else { return false };
    VerifyingKey::new(key).unwrap().verify(&signed, &signature).is_ok()
}

#[test]
fn a_credential_says_who_signed_which_receipt_and_since_when() {
    let sample = Sample::new("CONFIRMED");
    let made = made(&sample);
    let address = format!("https://notary.example/receipts/{}", sample.signed.hash);
    assert_eq!(made["@context"][0], "https://www.w3.org/ns/credentials/v2");
    assert_eq!(made["@context"][1], format!("https://notary.example{CONTEXT_PATH}"));
    let context = context("https://notary.example");
    assert_eq!(context["@context"]["receipt"]["@type"], "@json");
    assert_eq!(made["type"], json!(["VerifiableCredential", "VerdictReceiptCredential"]));
    assert_eq!(made["issuer"], "did:web:notary.example");
    assert_eq!(made["validFrom"], "2026-11-21T02:00:00.250Z");
    assert_eq!(
        (&made["id"], &made["credentialSubject"]["id"]),
        (&json!(format!("{address}.vc")), &json!(address))
    );
    let receipt: Value = serde_json::from_slice(&sample.signed.to_json(None)).unwrap();
    assert_eq!(made["credentialSubject"]["receipt"], receipt);
    assert_eq!(made["proof"]["@context"], made["@context"]);
    assert_eq!(made["proof"]["created"], Value::Null);
    assert!(holds(&made));
}

#[test]
fn a_credential_holds_no_more_once_any_member_of_it_has_changed() {
    let sample = Sample::new("CONFIRMED");
    let made = made(&sample);
    let pointers = [
        "/@context/0",
        "/@context/1",
        "/id",
        "/type/1",
        "/issuer",
        "/validFrom",
        "/credentialSubject/id",
        "/credentialSubject/receipt/verdict",
        "/credentialSubject/receipt/evidence/0/id",
        "/proof/proofPurpose",
        "/proof/cryptosuite",
        "/proof/@context/0",
    ];
    for pointer in pointers {
        let mut changed = made.clone();
        *changed.pointer_mut(pointer).expect(pointer) = json!("other");
        assert!(!holds(&changed), "{pointer}");
    }
    let other = Sample::new("REFUTED");
    let mut swapped = made.clone();
    swapped["proof"]["proofValue"] = self::made(&other)["proof"]["proofValue"].clone();
    assert!(!holds(&swapped));
}

#[test]
fn the_same_receipt_gives_the_same_bytes() {
    let bytes = || credential(&Sample::new("CONFIRMED").statement(), &Sample::new("CONFIRMED").key).unwrap();
    assert_eq!(bytes(), bytes());
}
