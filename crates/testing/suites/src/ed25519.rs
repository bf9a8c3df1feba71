//! Ed25519: `vectors/ed25519`.
//!
//! Our rule is stricter than RFC 8032, so what a vector calls valid has to pass only where it is also strict:
//! key and commitment canonically encoded and not of small order, the scalar below the group's order. That
//! much is decided here from the bytes alone, without the code under test.

use std::fs;
use std::path::Path;

use claim::ed25519::verify;
use claim::encoding::{Encoding, public_key_of_pem};
use receipt::key::{PublicKey, SigningKey, VerifyingKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::outcome::Outcome;

/// The prime of the field, 2^255 - 19, least byte first.
const PRIME: &str = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
/// The order of the group, least byte first.
const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
/// The y coordinates of the eight points of small order, least byte first.
const SMALL_ORDER_Y: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wycheproof {
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    public_key: GroupKey,
    public_key_pem: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct GroupKey {
    pk: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u64,
    msg: String,
    sig: String,
    result: String,
}

#[derive(Deserialize)]
struct Disputed {
    message: String,
    pub_key: String,
    signature: String,
}

/// Runs the suites on a folder laid out as the data folder is; a missing file is passed over.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let file = |name: &str| fs::read_to_string(dir.join("vectors/ed25519").join(name)).ok();
    let wycheproof = file("wycheproof_ed25519_test.json").map(|text| run_wycheproof(&text));
    let signing = file("sign_input_128.txt").map(|text| run_signing(&text));
    let disputed = file("speccheck_cases.json").map(|text| run_disputed(&text));
    wycheproof.into_iter().chain(signing).chain(disputed).collect()
}

/// Valid vectors are accepted and the others refused, with the key read from hex and from PEM.
fn run_wycheproof(text: &str) -> Outcome {
    let mut outcome = named("vectors/ed25519-wycheproof");
    let Some(file) = parsed::<Wycheproof>(&mut outcome, text) else { return outcome };
    for group in file.test_groups {
        let key = group_key(&group);
        for test in &group.tests {
            let found = key.clone().and_then(|key| check_wycheproof(&key, test));
            count(&mut outcome, &format!("tcId {}", test.tc_id), found);
        }
    }
    outcome
}

fn group_key(group: &Group) -> Result<[u8; 32], String> {
    let key = hex(&group.public_key.pk)?;
    match &group.public_key_pem {
        Some(pem) if public_key_of_pem(pem) != Ok(key) => Err("the PEM gives another key".to_owned()),
        _ => Ok(key),
    }
}

fn check_wycheproof(key: &[u8; 32], test: &Test) -> Result<(), String> {
    let message = Encoding::Hex.decode(&test.msg).map_err(|error| error.to_string())?;
    // A signature of another length is refused before it gets to verification.
    let signature = hex::<64>(&test.sig);
    let accepted = signature.as_ref().is_ok_and(|signature| verify(key, &message, signature).is_ok());
    match test.result.as_str() {
        "valid" => agree(accepted, signature.is_ok_and(|signature| is_strict(key, &signature))),
        "invalid" => agree(accepted, false),
        // Verifiers may differ here: a strict one must not accept what is not strict.
        _ => agree(accepted, accepted && signature.is_ok_and(|signature| is_strict(key, &signature))),
    }
}

/// Lines of `seed || key : key : message : signature || message :`. The signature is deterministic (RFC 8032
/// section 5.1.6): ours is the same to the byte, and it verifies.
fn run_signing(text: &str) -> Outcome {
    let mut outcome = named("vectors/ed25519-sign");
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        count(&mut outcome, &format!("line {}", number + 1), check_signing(line));
    }
    outcome
}

fn check_signing(line: &str) -> Result<(), String> {
    let fields: Vec<&str> = line.trim().split(':').collect();
    let [secret, key, message, signed, ..] = fields.as_slice() else { return Err("four fields".to_owned()) };
    let (secret, key): ([u8; 64], [u8; 32]) = (hex(secret)?, hex(key)?);
    let message = Encoding::Hex.decode(message).map_err(|error| error.to_string())?;
    let signed = Encoding::Hex.decode(signed).map_err(|error| error.to_string())?;
    let signature = *signed.first_chunk::<64>().ok_or("a signature has 64 bytes")?;
    let signing = SigningKey::from_seed(secret.first_chunk().expect("64 bytes begin with 32"));
    if signing.public_key() != PublicKey(key) {
        return Err("the seed gives another key".to_owned());
    }
    if signing.sign(&message) != signature {
        return Err("signed with another signature".to_owned());
    }
    verify(&key, &message, &signature).map_err(|flaw| flaw.to_string())
}

/// Cases on which verifiers disagree. A signature that is not strict is refused; for the others the equation decides,
/// and the receipts' own verifier, another path to it, must say the same.
fn run_disputed(text: &str) -> Outcome {
    let mut outcome = named("vectors/ed25519-speccheck");
    let Some(cases) = parsed::<Vec<Disputed>>(&mut outcome, text) else { return outcome };
    for (number, case) in cases.iter().enumerate() {
        count(&mut outcome, &format!("case {number}"), check_disputed(case));
    }
    outcome
}

fn check_disputed(case: &Disputed) -> Result<(), String> {
    let (key, signature): ([u8; 32], [u8; 64]) = (hex(&case.pub_key)?, hex(&case.signature)?);
    let message = Encoding::Hex.decode(&case.message).map_err(|error| error.to_string())?;
    let holds =
        || VerifyingKey::new(PublicKey(key)).is_ok_and(|key| key.verify(&message, &signature).is_ok());
    agree(verify(&key, &message, &signature).is_ok(), is_strict(&key, &signature) && holds())
}

/// Returns true if encodings and orders follow the strict rule; this does not check the signature itself.
fn is_strict(key: &[u8; 32], signature: &[u8; 64]) -> bool {
    let (commitment, scalar) = signature.split_at(32);
    is_strict_point(key) && is_strict_point(commitment) && is_below(scalar, ORDER)
}

fn is_strict_point(point: &[u8]) -> bool {
    let mut y = point.to_vec();
    if let Some(last) = y.last_mut() {
        *last &= 0x7f;
    }
    is_below(&y, PRIME) && !SMALL_ORDER_Y.iter().any(|small| hex::<32>(small).is_ok_and(|small| y == small))
}

fn is_below(number: &[u8], bound: &str) -> bool {
    hex::<32>(bound).is_ok_and(|bound| number.iter().rev().lt(bound.iter().rev()))
}

fn agree(accepted: bool, valid: bool) -> Result<(), String> {
    match (accepted, valid) {
        (true, true) | (false, false) => Ok(()),
        (true, false) => Err("accepted, but to be refused".to_owned()),
        (false, true) => Err("refused, but to be accepted".to_owned()),
    }
}

fn hex<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let bytes = Encoding::Hex.decode(text).map_err(|error| error.to_string())?;
    bytes.try_into().map_err(|bytes: Vec<u8>| format!("{} bytes instead of {N}", bytes.len()))
}

fn named(name: &str) -> Outcome {
    Outcome { name: name.to_owned(), ..Outcome::default() }
}

fn parsed<T: DeserializeOwned>(outcome: &mut Outcome, text: &str) -> Option<T> {
    serde_json::from_str(text).map_err(|error| count(outcome, "the file", Err(error.to_string()))).ok()
}

fn count(outcome: &mut Outcome, case: &str, found: Result<(), String>) {
    outcome.total += 1;
    match found {
        Ok(()) => outcome.passed += 1,
        Err(why) => outcome.failures.push(format!("{case}: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors_all_pass() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
        for outcome in run(&data) {
            assert!(outcome.total > 0 && outcome.failures.is_empty(), "{outcome:#?}");
        }
    }

    #[test]
    fn a_folder_without_the_files_is_passed_over() {
        assert!(run(Path::new("/nonexistent")).is_empty());
    }
}
