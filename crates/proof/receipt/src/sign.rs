//! Signing of payloads, and the receipts and log entries made from them.

use crate::canonical::write_string;
use crate::hash::ReceiptHash;
use crate::key::{KeyId, SigningKey};
use crate::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The members of a receipt that are not in its payload.
pub const OUTSIDE_PAYLOAD: [&str; 3] = ["receipt_hash", "signature", "proof"];

/// The `typ` of a receipt's JWS header.
pub const JWS_TYPE: &str = "verdict-receipt+jws";

/// The JWS protected header of a receipt.
pub fn jws_header(kid: &str) -> Vec<u8> {
    jws_header_of_type(JWS_TYPE, kid)
}

/// A JWS protected header (RFC 7515 section 4) in canonical form: `{"alg":"EdDSA","kid":…,"typ":…}`. The signature
/// covers the header, so that a document signed as one type is not accepted as another.
pub fn jws_header_of_type(typ: &str, kid: &str) -> Vec<u8> {
    let mut header = br#"{"alg":"EdDSA","kid":"#.to_vec();
    write_string(&mut header, kid);
    header.extend_from_slice(br#","typ":"#);
    write_string(&mut header, typ);
    header.push(b'}');
    header
}

/// The bytes that the signature covers (RFC 7515 section 5.1): `b64u(header) "." b64u(payload)`.
pub fn signing_input(encoded_header: &str, payload: &[u8]) -> Vec<u8> {
    let mut input = String::with_capacity(encoded_header.len() + 1 + payload.len().div_ceil(3) * 4);
    input.push_str(encoded_header);
    input.push('.');
    URL_SAFE_NO_PAD.encode_string(payload, &mut input);
    input.into_bytes()
}

/// A signing key with its name and its header, which is encoded once for all receipts.
///
/// ```
/// use receipt::key::SigningKey;
/// use receipt::sign::Signer;
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let kid = key.id("https://notary.example")?;
/// let signer = Signer::new(key, kid);
/// let signed = signer.sign(br#"{"v":1}"#.to_vec());
/// let receipt = String::from_utf8(signed.to_json(None)).unwrap();
/// assert!(receipt.starts_with(r#"{"v":1,"receipt_hash":""#));
/// # Ok::<(), receipt::key::BaseUrlError>(())
/// ```
#[derive(Debug)]
pub struct Signer {
    key: SigningKey,
    kid: KeyId,
    encoded_header: String,
}

impl Signer {
    /// A signer with this private key under this name.
    pub fn new(key: SigningKey, kid: KeyId) -> Self {
        let encoded_header = URL_SAFE_NO_PAD.encode(jws_header(kid.as_str()));
        Self { key, kid, encoded_header }
    }

    /// The name of the key. The payload must have it as its `kid`.
    pub fn kid(&self) -> &KeyId {
        &self.kid
    }

    /// The private key.
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Signs a payload. `payload` is the canonical bytes that [`Envelope::payload`](crate::envelope::Envelope::payload)
    /// makes, and its `kid` must be [`kid`](Self::kid).
    pub fn sign(&self, payload: Vec<u8>) -> SignedPayload {
        let signature = self.key.sign(&signing_input(&self.encoded_header, &payload));
        SignedPayload { hash: ReceiptHash::of_payload(&payload), payload, signature }
    }
}

/// Signs one payload with a key whose `kid` is this one. [`Signer`] does the same and encodes the header once for many
/// payloads.
pub fn sign(payload: Vec<u8>, key: &SigningKey, kid: &str) -> SignedPayload {
    let encoded_header = URL_SAFE_NO_PAD.encode(jws_header(kid));
    let signature = key.sign(&signing_input(&encoded_header, &payload));
    SignedPayload { hash: ReceiptHash::of_payload(&payload), payload, signature }
}

/// A signed payload: all of a receipt but its `proof`, which the log supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedPayload {
    /// The canonical bytes of the payload, an object.
    pub payload: Vec<u8>,
    /// The hash of the receipt: SHA-256 of the payload.
    pub hash: ReceiptHash,
    /// The Ed25519 signature over the JWS signing input.
    pub signature: [u8; 64],
}

impl SignedPayload {
    /// The JSON text of the receipt: the payload's members, then `receipt_hash`, `signature` and, if given, `proof`.
    pub fn to_json(&self, proof: Option<&str>) -> Vec<u8> {
        receipt_json(&self.payload, &self.hash, &self.signature, proof)
    }

    /// The compact JWS (RFC 7515 section 7.1): `b64u(header).b64u(payload).b64u(signature)`.
    pub fn jws(&self, kid: &str) -> String {
        compact_jws(&self.payload, &self.signature, kid)
    }
}

/// The JSON text of a receipt, as [`SignedPayload::to_json`] makes it, from parts that a store holds.
pub fn receipt_json(
    payload: &[u8],
    hash: &ReceiptHash,
    signature: &[u8; 64],
    proof: Option<&str>,
) -> Vec<u8> {
    let proof_length = proof.map_or(0, str::len);
    let mut receipt = Vec::with_capacity(payload.len() + proof_length + proof_length / 16 + 256);
    // The payload is a canonical object: its last byte closes it, and it has members.
    receipt.extend_from_slice(payload.strip_suffix(b"}").unwrap_or(payload));
    if receipt.len() > 1 {
        receipt.push(b',');
    }
    receipt.extend_from_slice(br#""receipt_hash":""#);
    receipt.extend_from_slice(hash.to_string().as_bytes());
    receipt.extend_from_slice(br#"","signature":""#);
    receipt.extend_from_slice(URL_SAFE_NO_PAD.encode(signature).as_bytes());
    receipt.push(b'"');
    if let Some(proof) = proof {
        receipt.extend_from_slice(br#","proof":"#);
        write_string(&mut receipt, proof);
    }
    receipt.push(b'}');
    receipt
}

/// The compact JWS of a receipt, as [`SignedPayload::jws`] makes it, from parts that a store holds.
pub fn compact_jws(payload: &[u8], signature: &[u8; 64], kid: &str) -> String {
    let mut jws = URL_SAFE_NO_PAD.encode(jws_header(kid));
    jws.push('.');
    URL_SAFE_NO_PAD.encode_string(payload, &mut jws);
    jws.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut jws);
    jws
}

/// The log's entry for a receipt: the canonical form of `{class, h, kid, t, v}`, and `ref` where the receipt is about
/// another. `h` and `ref` are the [log ids](ReceiptHash::log_id), so nobody can look up a receipt with a hash from the
/// log.
///
/// ```
/// use receipt::{hash::ReceiptHash, sign::log_entry, time::Timestamp};
///
/// let entry = log_entry("commit", &ReceiptHash([0; 32]), "did:web:a#b", Timestamp::EPOCH, None);
/// assert!(entry.starts_with(br#"{"class":"commit","h":"66687aad"#));
/// ```
pub fn log_entry(
    class: &str,
    hash: &ReceiptHash,
    kid: &str,
    signed_at: Timestamp,
    reference: Option<&ReceiptHash>,
) -> Vec<u8> {
    let mut entry = Vec::with_capacity(384);
    entry.extend_from_slice(br#"{"class":"#);
    write_string(&mut entry, class);
    entry.extend_from_slice(br#","h":"#);
    write_string(&mut entry, &hex::encode(hash.log_id()));
    entry.extend_from_slice(br#","kid":"#);
    write_string(&mut entry, kid);
    if let Some(reference) = reference {
        entry.extend_from_slice(br#","ref":"#);
        write_string(&mut entry, &hex::encode(reference.log_id()));
    }
    entry.extend_from_slice(br#","t":"#);
    write_string(&mut entry, &signed_at.to_string());
    entry.extend_from_slice(br#","v":1}"#);
    entry
}
