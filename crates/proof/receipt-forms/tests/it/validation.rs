//! The form for the Validation Registry, against the bytes of the contract's own interface.

use alloy_primitives::keccak256;
use receipt_forms::validation::response;
use serde_json::{Value, json};

use crate::common::Sample;

fn made(verdict: &str) -> (Sample, Value) {
    let sample = Sample::new(verdict);
    let form = serde_json::from_slice(&response(&sample.statement(), "CONFIRMED").unwrap()).unwrap();
    (sample, form)
}

/// The 32 bytes of a word of the call's arguments, in hexadecimal digits.
fn word(calldata: &str, at: usize) -> &str {
    &calldata[10 + 64 * at..][..64]
}

#[test]
fn the_call_is_the_one_that_its_arguments_say() {
    let (sample, form) = made("CONFIRMED");
    let arguments = &form["arguments"];
    let jws = sample.signed.jws(sample.key.kid().as_str());
    let uri = format!("https://notary.example/receipts/{}.jws", sample.signed.hash);
    assert_eq!(
        *arguments,
        json!({
            "requestHash": format!("0x{}", "ab".repeat(32)),
            "response": 100,
            "responseURI": uri,
            "responseHash": keccak256(jws).to_string(),
            "tag": "claim-verdict",
        })
    );
    let calldata = form["calldata"].as_str().unwrap();
    let selector = keccak256(form["function"].as_str().unwrap());
    assert_eq!(calldata[..10], format!("0x{}", hex::encode(&selector[..4])));
    assert_eq!(word(calldata, 0), "ab".repeat(32));
    assert_eq!(u64::from_str_radix(word(calldata, 1), 16), Ok(100));
    assert_eq!(format!("0x{}", word(calldata, 3)), arguments["responseHash"].as_str().unwrap());
    // The texts: offset in bytes, length, then the text and zeros up to a whole word.
    for (at, text) in [(2, &*uri), (4, "claim-verdict")] {
        let length_at = usize::from_str_radix(word(calldata, at), 16).unwrap() / 32;
        assert_eq!(usize::from_str_radix(word(calldata, length_at), 16), Ok(text.len()));
        let start = 10 + 64 * (length_at + 1);
        assert_eq!(calldata[start..][..2 * text.len()], hex::encode(text));
    }
}

#[test]
fn only_the_good_verdict_answers_with_more_than_nothing() {
    for verdict in ["REFUTED", "UNRESOLVED", "confirmed", "CONFIRMED "] {
        assert_eq!(made(verdict).1["arguments"]["response"], 0, "{verdict}");
    }
}
