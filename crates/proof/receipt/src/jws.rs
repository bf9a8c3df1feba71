//! Compact JWS (RFC 7515) with EdDSA (RFC 8037), the only accepted algorithm.
//!
//! The verifier chooses the algorithm, and the message cannot: a header that names another `alg` is refused before any
//! key is used, and keys in the header (`jwk`, `jku`, `x5c`) are ignored.

use crate::json::{self, Json};
use crate::key::VerifyingKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;

/// A JWS whose signature was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jws {
    /// The protected header, an object.
    pub header: Json,
    /// The bytes of the payload.
    pub payload: Vec<u8>,
}

/// An error in the verification of a JWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JwsError {
    /// The text does not have three parts with dots between them.
    #[error("a compact JWS has three parts with dots between")]
    NotCompact,
    /// The part of this number, counted from 1, is not base64url without padding in its canonical spelling.
    #[error("part {0} of the JWS is not base64url without padding")]
    Base64(usize),
    /// The header is not an I-JSON object.
    #[error("the JWS header is not a JSON object")]
    Header,
    /// The header's `alg` is absent or is not `EdDSA`.
    #[error("the JWS header's alg is not EdDSA")]
    Algorithm,
    /// The header has `crit`, the list of extensions that a reader must understand, and this reader understands none
    /// (RFC 7515, section 4.1.11).
    #[error("the JWS header has critical extensions, and none is known")]
    Critical,
    /// The signature is not 64 bytes, or does not verify.
    #[error("the JWS signature does not verify")]
    Signature,
}

/// Verifies a compact JWS with a key, and returns its header and payload.
///
/// # Errors
/// [`JwsError`] where the text is not a compact JWS with a valid EdDSA signature by this key.
///
/// ```
/// use receipt::{jws, key::{PublicKey, VerifyingKey}};
///
/// // RFC 8037, appendix A.4.
/// let key = PublicKey::from_base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
/// let signed = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
/// let jws = jws::verify(signed, &VerifyingKey::new(key)?)?;
/// assert_eq!(jws.payload, b"Example of Ed25519 signing");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(jws: &str, key: &VerifyingKey) -> Result<Jws, JwsError> {
    let (signed, signature) = jws.rsplit_once('.').ok_or(JwsError::NotCompact)?;
    let (header, payload) = signed.split_once('.').ok_or(JwsError::NotCompact)?;
    if payload.contains('.') {
        return Err(JwsError::NotCompact);
    }
    let decode = |number, part| URL_SAFE_NO_PAD.decode(part).map_err(|_| JwsError::Base64(number));
    let (header, payload, signature) = (decode(1, header)?, decode(2, payload)?, decode(3, signature)?);
    let header = json::parse(&header).map_err(|_| JwsError::Header)?;
    let members = header.as_object().ok_or(JwsError::Header)?;
    if members.get("alg").and_then(Json::as_str) != Some("EdDSA") {
        return Err(JwsError::Algorithm);
    }
    if members.contains("crit") {
        return Err(JwsError::Critical);
    }
    let signature: [u8; 64] = signature.try_into().map_err(|_| JwsError::Signature)?;
    key.verify(signed.as_bytes(), &signature).map_err(|_| JwsError::Signature)?;
    Ok(Jws { header, payload })
}
