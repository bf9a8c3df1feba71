//! A verifier of receipts that shares no code with the product: JCS by `serde_jcs`, Ed25519 by `ed25519-dalek`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::Signature;
use serde_json::{Value, json};

use super::log::{Checkpoint, Proof, leaf_hash, root_from, sha256};
use super::notary::Notary;

/// JCS (RFC 8785).
pub fn canonical(value: &Value) -> Vec<u8> {
    serde_jcs::to_vec(value).unwrap()
}

/// P: every member but those that came after it, in canonical form.
pub fn payload(receipt: &Value) -> Vec<u8> {
    let mut payload = receipt.as_object().unwrap().clone();
    for name in ["receipt_hash", "signature", "proof"] {
        payload.remove(name);
    }
    canonical(&Value::Object(payload))
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is no string in {value}"))
}

pub fn hash(receipt: &Value) -> &str {
    text(receipt, "receipt_hash")
}

/// The JWS signing input with detached content (RFC 7515), whose header is exactly this.
pub fn signing_input(receipt: &Value) -> String {
    let header = format!(r#"{{"alg":"EdDSA","kid":"{}","typ":"verdict-receipt+jws"}}"#, text(receipt, "kid"));
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload(receipt)))
}

/// The log entry, rebuilt from the receipt alone.
pub fn entry(receipt: &Value) -> Vec<u8> {
    let id = |hash: &str| hex::encode(sha256(&hex::decode(hash).unwrap()));
    let mut entry = json!({
        "class": receipt["class"],
        "h": id(hash(receipt)),
        "kid": receipt["kid"],
        "t": receipt["signed_at"],
        "v": receipt["v"],
    });
    if let Some(reference) = receipt["ref"].as_str() {
        entry["ref"] = json!(id(reference));
    }
    canonical(&entry)
}

/// Where a receipt stands in the log.
pub struct Logged {
    pub index: u64,
    pub checkpoint: Checkpoint,
}

/// Checks all that a receipt promises by itself.
#[track_caller]
pub fn verify(receipt: &Value, notary: &Notary) -> Logged {
    assert_eq!(hash(receipt), hex::encode(sha256(&payload(receipt))), "the hash");
    assert_eq!(text(receipt, "kid"), notary.kid);
    assert_eq!(text(receipt, "iss"), notary.iss);
    let signature = URL_SAFE_NO_PAD.decode(text(receipt, "signature")).unwrap();
    let signature = Signature::from_slice(&signature).unwrap();
    notary.key.verify_strict(signing_input(receipt).as_bytes(), &signature).expect("the signature");
    logged(receipt, text(receipt, "proof"), notary)
}

/// Checks a proof of a receipt.
#[track_caller]
pub fn logged(receipt: &Value, proof: &str, notary: &Notary) -> Logged {
    let Proof { index, path, checkpoint } = Proof::read(proof);
    let checkpoint = Checkpoint::open(&checkpoint, &notary.vkey);
    assert_eq!(checkpoint.origin, format!("{}/log", notary.host()));
    let root = root_from(index, checkpoint.size, leaf_hash(&entry(receipt)), &path);
    assert_eq!(root, Some(checkpoint.root), "the inclusion path");
    assert!(receipt["log_head"]["size"].as_u64().unwrap() <= index, "log_head is older than the leaf");
    Logged { index, checkpoint }
}
