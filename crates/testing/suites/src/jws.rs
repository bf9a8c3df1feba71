//! Signatures over JSON: compact JWS (RFC 7515), and Data Integrity proofs of the suite eddsa-jcs-2022.

use std::fs;
use std::path::Path;

use receipt::hash::sha256;
use receipt::json::{Json, Object, parse_lenient};
use receipt::jws;
use receipt::key::{PublicKey, VerifyingKey};

use super::outcome::Outcome;

/// Runs both suites on a folder laid out as the data folder is.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let jws = run_jws(&dir.join("vectors/jws"));
    let proofs = run_proofs(&dir.join("vectors/vc"));
    [jws, proofs].into_iter().filter(|outcome| outcome.total > 0).collect()
}

/// The public key of RFC 8037, appendix A: of any key that a foreign JWS must not verify with, one.
const STAND_IN: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

/// A case for each test of each group. A receipt's verifier takes EdDSA and nothing else, so a test is to be accepted
/// where it is valid and its group's key is an Ed25519 key for signatures; all others are to be refused, the
/// invalid ones for what is wrong with them, and the valid ones of other algorithms because to accept one would be
/// algorithm confusion. Those are tried with a key that is not theirs, as there is no Ed25519 key that is.
fn run_jws(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "vectors/jws".to_owned(), ..Outcome::default() };
    for file in json_files(folder) {
        let Some(document) = read(&folder.join(&file)) else { continue };
        for group in document.get("testGroups").and_then(Json::as_array).unwrap_or_default() {
            let own = group.get("public").or_else(|| group.get("private")).and_then(ed25519_key);
            let stand_in = PublicKey::from_base64url(STAND_IN).and_then(|key| VerifyingKey::new(key).ok());
            for test in group.get("tests").and_then(Json::as_array).unwrap_or_default() {
                let valid = text(test, "result") == "valid";
                let compact =
                    test.get("jws").map(|jws| jws.as_str().map_or_else(|| jws.to_string(), str::to_owned));
                let Some(key) = own.as_ref().or(stand_in.as_ref()) else { continue };
                let verified = jws::verify(&compact.unwrap_or_default(), key);
                let judged = match (verified, valid && own.is_some()) {
                    (Ok(_), true) | (Err(_), false) => Ok(()),
                    (Ok(_), false) => Err("accepted, but to be refused".to_owned()),
                    (Err(error), true) => Err(format!("refused, but to be accepted: {error}")),
                };
                let id = test.get("tcId").map(ToString::to_string).unwrap_or_default();
                count(&mut outcome, &format!("{file}: {id} {}", text(test, "comment")), judged);
            }
        }
    }
    outcome
}

/// The key of a JWK, where it is an Ed25519 key that may verify signatures.
fn ed25519_key(jwk: &Json) -> Option<VerifyingKey> {
    let may_be = |name, value| jwk.get(name).is_none_or(|member| member.as_str() == Some(value));
    let operations = jwk.get("key_ops").and_then(Json::as_array);
    let may_verify = operations.is_none_or(|all| all.iter().any(|one| one.as_str() == Some("verify")));
    let ours = text(jwk, "kty") == "OKP" && text(jwk, "crv") == "Ed25519" && may_be("alg", "EdDSA");
    if !(ours && may_be("use", "sig") && may_verify) {
        return None;
    }
    VerifyingKey::new(PublicKey::from_base64url(text(jwk, "x"))?).ok()
}

/// A case for each step of each worked example `eddsa-jcs-2022/signedNAME.json` (W3C vc-di-eddsa, section 3.3): the
/// canonical document and proof configuration, their hashes, and the signature. A step without its file is passed over.
fn run_proofs(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "vectors/vc-eddsa-jcs-2022".to_owned(), ..Outcome::default() };
    let examples = folder.join("eddsa-jcs-2022");
    for file in json_files(&examples) {
        let Some(name) = file.strip_prefix("signed").and_then(|rest| rest.strip_suffix(".json")) else {
            continue;
        };
        let Some(signed) = read(&examples.join(&file)) else { continue };
        let Some((document, config, value)) = split(&signed) else {
            count(&mut outcome, &file, Err("there is no proof with a proofValue".to_owned()));
            continue;
        };
        let (document, config_text) = (document.canonical(), config.canonical());
        let (document_hash, config_hash) = (sha256(&document), sha256(&config_text));
        let combined = [config_hash, document_hash].concat();
        let signature = from_multibase(&value).unwrap_or_default();
        let steps = [
            ("canonDoc", String::from_utf8_lossy(&document).into_owned()),
            ("docHash", to_hex(&document_hash)),
            ("proofCanon", String::from_utf8_lossy(&config_text).into_owned()),
            ("proofHash", to_hex(&config_hash)),
            ("combinedHash", to_hex(&combined)),
            ("sigHex", to_hex(&signature)),
            ("sigBTC58", value.clone()),
        ];
        for (step, ours) in steps {
            if let Ok(expected) = fs::read_to_string(examples.join(format!("{step}{name}.txt"))) {
                let same = ours == expected.trim();
                let judged = if same { Ok(()) } else { Err(format!("{ours} is not {}", expected.trim())) };
                count(&mut outcome, &format!("{file}: {step}"), judged);
            }
        }
        if let Some(config) = read(&examples.join(format!("proofConfig{name}.json"))) {
            let same = config.canonical() == config_text;
            let judged = if same { Ok(()) } else { Err("is not the proof without its value".to_owned()) };
            count(&mut outcome, &format!("{file}: proofConfig"), judged);
        }
        count(&mut outcome, &format!("{file}: signature"), verify(folder, &config, &combined, &signature));
    }
    outcome
}

/// The document without its proof, the proof without its value, and that value.
fn split(signed: &Json) -> Option<(Json, Json, String)> {
    let mut document = signed.as_object()?.clone();
    let Json::Object(mut config) = document.remove("proof")? else { return None };
    let Json::String(value) = config.remove("proofValue")? else { return None };
    if let (None, Some(context)) = (config.get("@context"), document.get("@context")) {
        config.insert("@context", context.clone());
    }
    Some((Json::Object(document), Json::Object(config), value))
}

fn verify(folder: &Path, config: &Json, message: &[u8], signature: &[u8]) -> Result<(), String> {
    let method = text(config, "verificationMethod");
    let named = method.strip_prefix("did:key:").and_then(|rest| rest.split('#').next()).map(str::to_owned);
    let pair = || Some(text(&read(&folder.join("keyPair.json"))?, "publicKeyMultibase").to_owned());
    let key = named.or_else(pair).and_then(|multibase| from_multibase(&multibase));
    // 0xed01 is the multicodec of an Ed25519 public key.
    let key = key.as_deref().and_then(|key| key.strip_prefix(&[0xed, 0x01])?.try_into().ok());
    let key = key.and_then(|key| VerifyingKey::new(PublicKey(key)).ok()).ok_or("no Ed25519 key is named")?;
    let signature = signature.try_into().map_err(|_| "the signature has not 64 bytes")?;
    key.verify(message, signature).map_err(|error| error.to_string())
}

/// Bytes from base58btc with its multibase prefix `z`.
fn from_multibase(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let digits = text.strip_prefix('z')?.as_bytes();
    // The number's bytes, the lowest first.
    let mut bytes: Vec<u8> = Vec::new();
    for digit in digits {
        let mut carry = ALPHABET.iter().position(|letter| letter == digit)?;
        for byte in &mut bytes {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry % 256).ok()?;
            carry /= 256;
        }
        while carry > 0 {
            bytes.push(u8::try_from(carry % 256).ok()?);
            carry /= 256;
        }
    }
    bytes.extend(digits.iter().take_while(|digit| **digit == b'1').map(|_| 0));
    bytes.reverse();
    Some(bytes)
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn read(file: &Path) -> Option<Json> {
    let read = parse_lenient(&fs::read(file).ok()?).ok()?;
    read.as_object().is_some_and(|object: &Object| !object.is_empty()).then_some(read)
}

/// The names of the JSON files in a folder, in order; none where it is not there.
fn json_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".json")).collect();
    names.sort();
    names
}

fn count(outcome: &mut Outcome, case: &str, judged: Result<(), String>) {
    outcome.total += 1;
    match judged {
        Ok(()) => outcome.passed += 1,
        Err(why) => outcome.failures.push(format!("{case}: {why}")),
    }
}
