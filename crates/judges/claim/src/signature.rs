//! The `ed25519_signature` resolver. The question holds all that it looks at, so it keeps no evidence and a
//! replay is the same computation.

use receipt::hash::sha256;
use verdict::Timestamp;

use crate::ed25519::verify;
use crate::finding::{ClaimFinding, Decision, Evidence, ResolverType, SignatureEvidence};
use crate::question::{PublicKeyInput, SignedMessage};

const SCOPE: &str = "This verdict says whether the signature is valid over the message under the given key, \
    by strict Ed25519 verification; it does not prove that the key belongs to any identity, or that what the \
    message says is true.";

pub(crate) fn find(claim: &str, question: &SignedMessage, at: Timestamp) -> ClaimFinding {
    let key = match question.public_key {
        PublicKeyInput::Given(key) => Some(key),
        PublicKeyInput::EncodingNotNamed => None,
    };
    let decision = match key.map(|key| verify(&key, &question.message, &question.signature)) {
        Some(Ok(())) => Decision::CONFIRMED,
        Some(Err(flaw)) => Decision::refuted(flaw.code()),
        None => Decision::unresolved("public_key_encoding_required"),
    };
    let evidence = SignatureEvidence {
        verified_at: at,
        message_sha256: hex::encode(sha256(&question.message)),
        message_bytes: question.message.len() as u64,
        signature_sha256: hex::encode(sha256(&question.signature)),
        public_key: key.map(hex::encode),
        public_key_sha256: key.map(|key| hex::encode(sha256(&key))),
        public_key_thumbprint: key.map(|key| receipt::key::PublicKey(key).thumbprint()),
    };
    let evidence = Evidence::Ed25519Signature(evidence);
    ClaimFinding::new(claim, ResolverType::Ed25519Signature, decision, evidence, SCOPE)
}
