//! The `COSE_Sign1` form: its bytes, and the receipt of the log in it.

use coset::cbor::Value;
use coset::{CoseSign1, Label, TaggedCborSerializable as _};
use receipt::key::VerifyingKey;
use receipt::sign::Signer;
use receipt_forms::cose::transparent_statement;
use receipt_forms::{FormError, Statement};
use tlog::{Hash, TlogProof, leaf_hash, root_from_inclusion};

use crate::common::Sample;

fn made(sample: &Sample, proof: &TlogProof) -> Result<Vec<u8>, FormError> {
    transparent_statement(&sample.statement(), proof, &sample.log_keys(), &sample.key, &sample.log_key)
}

fn verify(message: &CoseSign1, detached: Option<&[u8]>, key: &Signer) -> Result<(), ()> {
    let verifying = VerifyingKey::new(key.key().public_key()).unwrap();
    let check = |signature: &[u8], signed: &[u8]| {
        verifying.verify(signed, &signature.try_into().map_err(|_| ())?).map_err(|_| ())
    };
    match detached {
        None => message.verify_signature(b"", check),
        Some(payload) => message.verify_detached_signature(payload, b"", check),
    }
}

fn header(rest: &[(Label, Value)], label: i64) -> &Value {
    &rest.iter().find(|(other, _)| *other == Label::Int(label)).unwrap().1
}

fn log_receipt(message: &CoseSign1) -> CoseSign1 {
    let receipts = header(&message.unprotected.rest, 394).as_array().unwrap();
    assert_eq!(receipts.len(), 1);
    CoseSign1::from_tagged_slice(receipts[0].as_bytes().unwrap()).unwrap()
}

#[test]
fn the_message_is_signed_by_the_receipt_key_and_its_receipt_by_the_log_key() {
    let sample = Sample::new("CONFIRMED");
    let message = CoseSign1::from_tagged_slice(&made(&sample, &sample.proof(6)).unwrap()).unwrap();
    assert_eq!(message.payload.as_deref(), Some(&*sample.signed.payload));
    assert_eq!(message.protected.header.key_id, sample.key.kid().as_str().as_bytes());
    verify(&message, None, &sample.key).unwrap();
    verify(&message, None, &sample.log_key).unwrap_err();

    let claims = header(&message.protected.header.rest, 15).as_map().unwrap();
    let address = format!("https://notary.example/receipts/{}", sample.signed.hash);
    let expected = [(1, "https://notary.example".into()), (2, address.into()), (6, 1_795_226_400_i64.into())];
    assert_eq!(*claims, expected.map(|(claim, value): (i64, Value)| (claim.into(), value)));

    let receipt = log_receipt(&message);
    assert_eq!(receipt.payload, None, "its reader computes the root");
    assert_eq!(*header(&receipt.protected.header.rest, 395), Value::from(1));
    let proofs = header(&receipt.unprotected.rest, 396).as_map().unwrap();
    let [(kind, proofs)] = &proofs[..] else { panic!("{proofs:?}") };
    assert_eq!(*kind, Value::from(-1));
    let proof: Value =
        coset::cbor::from_reader(proofs.as_array().unwrap()[0].as_bytes().unwrap().as_slice()).unwrap();
    let [size, index, path] = &proof.as_array().unwrap()[..] else { panic!("{proof:?}") };
    assert_eq!((size, index), (&Value::from(3), &Value::from(2)));
    let path: Vec<Hash> = path
        .as_array()
        .unwrap()
        .iter()
        .map(|hash| hash.as_bytes().unwrap().as_slice().try_into().unwrap())
        .collect();
    let root = root_from_inclusion(2, 3, &leaf_hash(&sample.entry), &path).unwrap();
    verify(&receipt, Some(root.as_bytes()), &sample.log_key).unwrap();
    verify(&receipt, Some(root.as_bytes()), &sample.key).unwrap_err();
    let other = root_from_inclusion(2, 3, &leaf_hash(b"another entry"), &path).unwrap();
    verify(&receipt, Some(other.as_bytes()), &sample.log_key).unwrap_err();
}

#[test]
fn the_bytes_do_not_depend_on_the_checkpoint_that_the_proof_came_with() {
    let sample = Sample::new("CONFIRMED");
    let first = made(&sample, &sample.proof(3)).unwrap();
    for size in 4..=6 {
        assert_eq!(made(&sample, &sample.proof(size)).unwrap(), first, "{size}");
    }
}

#[test]
fn nothing_is_signed_for_a_receipt_that_is_not_proven_to_be_in_the_log() {
    let sample = Sample::new("CONFIRMED");
    let good = sample.proof(6);
    let mut path = good.path.clone();
    path[2] = path[0];
    let bad = [
        TlogProof { index: 3, ..good.clone() },
        TlogProof { index: 7, ..good.clone() },
        TlogProof { path, ..good.clone() },
        TlogProof { path: good.path[1..].to_vec(), ..good.clone() },
        TlogProof { checkpoint: sample.proof(5).checkpoint, ..good.clone() },
        TlogProof {
            checkpoint: good.checkpoint.replace("notary.example/log\n6", "notary.example/log\n7"),
            ..good.clone()
        },
        TlogProof { checkpoint: String::new(), ..good.clone() },
    ];
    for proof in bad {
        assert!(matches!(made(&sample, &proof), Err(FormError::Proof(_))), "{proof:?}");
    }
    let other = Sample::new("REFUTED");
    let of_other =
        transparent_statement(&other.statement(), &good, &sample.log_keys(), &sample.key, &sample.log_key);
    assert!(matches!(of_other, Err(FormError::Proof(_))));
    let without_keys = transparent_statement(&sample.statement(), &good, &[], &sample.key, &sample.log_key);
    assert!(matches!(without_keys, Err(FormError::Proof(_))));
}

#[test]
fn a_payload_that_is_no_receipts_has_no_form() {
    let sample = Sample::new("CONFIRMED");
    let text = String::from_utf8(sample.signed.payload.clone()).unwrap();
    for (payload, member) in [
        (String::new(), "v"),
        ("[]".to_owned(), "iss"),
        (text.replace("\"iss\":", "\"is\":"), "iss"),
        (text.replace("\"verdict\":\"CONFIRMED\"", "\"verdict\":1"), "verdict"),
        (text.replace("\"signed_at\":\"2026", "\"signed_at\":\"20z6"), "signed_at"),
        (text.replace("\"salt\":", "\"ref\":"), "ref"),
    ] {
        match Statement::read(payload.as_bytes(), &sample.signed.signature) {
            Err(FormError::Payload(name)) => assert_eq!(name, member),
            _ => panic!("{payload}"),
        }
    }
}
