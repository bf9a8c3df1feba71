//! A receipt as a `COSE_Sign1` message (RFC 9052, section 4.2), with the log's COSE Receipt (RFC 9942) in its unprotected
//! header: a transparent statement, as readers of SCITT (RFC 9943) expect it.
//!
//! ```text
//! 18([ <<{1: -8, 3: "application/json", 4: kid, 15: {1: iss, 2: address, 6: signed_at}}>>,
//!      {394: [<<18([ <<{1: -8, 4: kid of the log key, 15: {1: iss, 2: address}, 395: 1}>>,
//!                    {396: {-1: [<<[size, index, [hash, ...]]>>]}},
//!                    nil, signature over the root ])>>]},
//!      payload, signature ])
//! ```
//!
//! # The tree of the receipt
//!
//! The COSE Receipt is over the tree that ends with this very receipt, of `index + 1` leaves. A checkpoint that the log
//! has published would do as well, but there is a newer one after each commit, and the bytes would change with it. The
//! smallest tree depends on the receipt alone. Its root is a prefix of each later checkpoint, which is how anybody can
//! hold it against the log (a consistency proof from the tiles), and [`transparent_statement`] derives it from a path
//! that leads to a signed checkpoint, so the log key signs no tree that the log is not.
//!
//! # The leaf
//!
//! The leaf is the log's own entry ([`Statement::log_entry`]), not this message: the log was there before. A reader
//! rebuilds it from the payload, as docs/forms.md says.

use coset::cbor::Value;
use coset::{CoseSign1Builder, HeaderBuilder, TaggedCborSerializable as _, iana};
use receipt::sign::Signer;
use tlog::{Checkpoint, Hash, TlogProof, TlogProofError, VerifierKey, last_leaf_path, leaf_hash};

use crate::{FormError, Statement};

/// The media type of the message (RFC 9052, section 11.3.1).
pub const MEDIA_TYPE: &str = "application/cose; cose-type=\"cose-sign1\"";

/// COSE header parameter: CWT claims (RFC 9597).
const CWT_CLAIMS: i64 = 15;
/// COSE header parameter: COSE Receipts (RFC 9942).
const RECEIPTS: i64 = 394;
/// COSE header parameter: the verifiable data structure, `vds` (RFC 9942).
const VDS: i64 = 395;
/// COSE header parameter: its proofs, `vdp` (RFC 9942).
const VDP: i64 = 396;
/// The verifiable data structure `RFC9162_SHA256` (RFC 9942).
const RFC9162_SHA256: i64 = 1;
/// The inclusion proofs among the proofs of `RFC9162_SHA256` (RFC 9942).
const INCLUSION_PROOFS: i64 = -1;
/// CWT claims (RFC 8392, section 4).
const ISS: i64 = 1;
const SUB: i64 = 2;
const IAT: i64 = 6;

/// Makes the message: `key` signs the payload, `log_key` the root of the tree that the receipt ends. `proof` is any proof
/// of the receipt, under a checkpoint of one of `log_keys`.
///
/// # Errors
/// [`FormError::Proof`]: the proof does not hold. Then nothing is signed.
pub fn transparent_statement(
    statement: &Statement<'_>,
    proof: &TlogProof,
    log_keys: &[VerifierKey],
    key: &Signer,
    log_key: &Signer,
) -> Result<Vec<u8>, FormError> {
    let receipt = receipt(statement, proof, log_keys, log_key)?;
    let issued = i64::try_from(statement.signed_at.unix_seconds()).unwrap_or(i64::MAX);
    let mut claims = claims(statement);
    claims.push((IAT.into(), issued.into()));
    let protected = HeaderBuilder::new()
        .algorithm(iana::Algorithm::EdDSA)
        .content_type("application/json".to_owned())
        .key_id(key.kid().as_str().into())
        .value(CWT_CLAIMS, Value::Map(claims))
        .build();
    let unprotected = HeaderBuilder::new().value(RECEIPTS, Value::Array(vec![Value::Bytes(receipt)])).build();
    let message = CoseSign1Builder::new()
        .protected(protected)
        .unprotected(unprotected)
        .payload(statement.payload.to_vec())
        .create_signature(b"", |signed| key.key().sign(signed).to_vec())
        .build();
    message.to_tagged_vec().map_err(|error| FormError::Encoding(error.to_string()))
}

/// Who says it, and about what.
fn claims(statement: &Statement<'_>) -> Vec<(Value, Value)> {
    vec![(ISS.into(), statement.iss.as_str().into()), (SUB.into(), statement.address().into())]
}

/// The COSE Receipt: the root of the tree that ends with this receipt, signed by the log key and not in the message, since
/// its reader computes it.
fn receipt(
    statement: &Statement<'_>,
    proof: &TlogProof,
    log_keys: &[VerifierKey],
    log_key: &Signer,
) -> Result<Vec<u8>, FormError> {
    let entry = statement.log_entry();
    let checkpoint = Checkpoint::open(&proof.checkpoint, log_keys).map_err(TlogProofError::from)?;
    proof.verify_against(&entry, &checkpoint)?;
    let path = last_leaf_path(proof.index, checkpoint.size(), &proof.path).map_err(TlogProofError::from)?;
    let leaf = leaf_hash(&entry);
    let size = proof.index + 1;
    let root = tlog::root_from_inclusion(proof.index, size, &leaf, &path).map_err(TlogProofError::from)?;
    let protected = HeaderBuilder::new()
        .algorithm(iana::Algorithm::EdDSA)
        .key_id(log_key.kid().as_str().into())
        .value(CWT_CLAIMS, Value::Map(claims(statement)))
        .value(VDS, RFC9162_SHA256.into())
        .build();
    let inclusion = encoded(&inclusion(size, proof.index, &path))?;
    let proofs = vec![(INCLUSION_PROOFS.into(), Value::Array(vec![Value::Bytes(inclusion)]))];
    let message = CoseSign1Builder::new()
        .protected(protected)
        .unprotected(HeaderBuilder::new().value(VDP, Value::Map(proofs)).build())
        .create_detached_signature(root.as_bytes(), b"", |signed| log_key.key().sign(signed).to_vec())
        .build();
    message.to_tagged_vec().map_err(|error| FormError::Encoding(error.to_string()))
}

/// The inclusion proof of RFC 9942, section 5.2: size of the tree, index of the leaf, path.
fn inclusion(size: u64, index: u64, path: &[Hash]) -> Value {
    let path = path.iter().map(|hash| Value::Bytes(hash.as_bytes().to_vec())).collect();
    Value::Array(vec![size.into(), index.into(), Value::Array(path)])
}

fn encoded(value: &Value) -> Result<Vec<u8>, FormError> {
    let mut bytes = Vec::new();
    coset::cbor::ser::into_writer(value, &mut bytes)
        .map_err(|error| FormError::Encoding(error.to_string()))?;
    Ok(bytes)
}
