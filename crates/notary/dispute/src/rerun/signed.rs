//! The signed answer of a rerun: how it is made and checked.
//!
//! The process writes one line of JSON with two members, which the dispute's receipt repeats in P:
//!
//! ```json
//! {"replay": {"evidence": [{"role": "fetch", "sha256": "…"}], "finding": {"verdict": "REFUTED", "…": "…"},
//!             "judged_at": "2026-11-21T02:00:00.000Z", "outcome": "found", "receipt_hash": "…",
//!             "sandbox": ["rlimit_as", "…"]},
//!  "rerun": {"kid": "did:web:HOST#THUMBPRINT", "signature": "…"}}
//! ```
//!
//! `signature` is base64url without padding: Ed25519 over `b64u(JCS(H)) "." b64u(JCS(replay))` with
//! `H = {"alg":"EdDSA","kid":rerun.kid,"typ":"verdict-rerun+jws"}`, an RFC 7515 JWS with detached content as a
//! receipt's is. The other `typ` is why no signature over a rerun is ever one over a receipt. The key is in the notary's
//! JWKS under `kid`, with `"role": "rerun"`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::json::{Json, Object, parse};
use receipt::key::{KeyId, SigningKey, VerifyingKey};
use receipt::sign::{jws_header_of_type, signing_input};
use receipt::verify::RERUN_JWS_TYPE;
use thiserror::Error;

use super::case::RerunCase;

/// The outcome of a replay: the member `outcome`, and the member beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayOutcome {
    /// `found`: the judge's finding is in the member `finding`.
    Found(Object),
    /// `missing`: a piece of evidence that the finding depends on is not kept; `detail` names it.
    Missing(String),
    /// `refused`: no judge accepts the request, for the reason in `detail`.
    Refused(String),
}

/// A rerun with a verified signature, over the case that was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rerun {
    /// The outcome of the replay.
    pub outcome: ReplayOutcome,
    /// The signed member `replay`.
    pub replay: Object,
    /// The signature, in the member `rerun`: `kid` and `signature`.
    pub rerun: Object,
}

/// The reason why an answer is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SignedError {
    /// The answer does not have the JSON form of a rerun.
    #[error("the rerun's answer is not of the known form")]
    Malformed,
    /// The answer names another key than the expected one.
    #[error("the rerun's answer names another key")]
    OtherKey,
    /// The signature does not verify under the key.
    #[error("the signature of the rerun's answer does not verify")]
    Signature,
    /// The answer is about another receipt, another time or other evidence.
    #[error("the rerun's answer is about another case than the one that was sent")]
    OtherCase,
}

/// The members that say what came of the replay, besides those of the case.
const OUTCOME: &str = "outcome";
const FINDING: &str = "finding";
const DETAIL: &str = "detail";
/// The member that lists the restrictions that the process put on itself before it read the case.
const SANDBOX: &str = "sandbox";

impl ReplayOutcome {
    fn write(self, replay: &mut Object) {
        let (word, name, value) = match self {
            Self::Found(finding) => ("found", FINDING, Json::Object(finding)),
            Self::Missing(detail) => ("missing", DETAIL, detail.into()),
            Self::Refused(detail) => ("refused", DETAIL, detail.into()),
        };
        replay.insert(OUTCOME, word);
        replay.insert(name, value);
    }

    fn read(replay: &Object) -> Option<Self> {
        let detail = || replay.get(DETAIL)?.as_str().map(str::to_owned);
        match replay.get(OUTCOME)?.as_str()? {
            "found" => replay.get(FINDING)?.as_object().cloned().map(Self::Found),
            "missing" => detail().map(Self::Missing),
            "refused" => detail().map(Self::Refused),
            _ => None,
        }
    }
}

/// The signed answer about a [`subject`](RerunCase::subject): one JSON object in canonical form.
pub(super) fn sign(
    subject: Object,
    outcome: ReplayOutcome,
    sandbox: &[&str],
    key: &SigningKey,
    kid: &KeyId,
) -> Vec<u8> {
    let mut replay = subject;
    outcome.write(&mut replay);
    replay.insert(SANDBOX, sandbox.iter().map(|&word| word.into()).collect::<Vec<Json>>());
    let signature = key.sign(&signed_bytes(kid, &replay));
    let mut rerun = Object::new();
    rerun.insert("kid", kid.as_str());
    rerun.insert("signature", URL_SAFE_NO_PAD.encode(signature));
    let mut answer = Object::new();
    answer.insert("replay", replay);
    answer.insert("rerun", rerun);
    Json::Object(answer).canonical()
}

/// Verifies an answer: its signature under this key, and that it is about the case that was sent.
///
/// # Errors
/// [`SignedError`] if the answer is malformed, wrongly signed, or about another case.
pub fn verify(
    answer: &[u8],
    case: &RerunCase,
    kid: &KeyId,
    key: &VerifyingKey,
) -> Result<Rerun, SignedError> {
    let answer = parse(answer).map_err(|_| SignedError::Malformed)?;
    let member = |name| answer.get(name).and_then(Json::as_object).cloned().ok_or(SignedError::Malformed);
    let (replay, rerun) = (member("replay")?, member("rerun")?);
    let text = |name| rerun.get(name).and_then(Json::as_str).ok_or(SignedError::Malformed);
    if text("kid")? != kid.as_str() {
        return Err(SignedError::OtherKey);
    }
    let signature = URL_SAFE_NO_PAD.decode(text("signature")?).ok();
    let signature = signature.and_then(|bytes| bytes.try_into().ok()).ok_or(SignedError::Signature)?;
    key.verify(&signed_bytes(kid, &replay), &signature).map_err(|_| SignedError::Signature)?;
    let is_said = |(name, value): (&str, &Json)| {
        replay.get(name).is_some_and(|said| said.canonical() == value.canonical())
    };
    if !case.subject().iter().all(is_said) {
        return Err(SignedError::OtherCase);
    }
    let outcome = ReplayOutcome::read(&replay).ok_or(SignedError::Malformed)?;
    Ok(Rerun { outcome, replay, rerun })
}

/// The JWS signing input.
fn signed_bytes(kid: &KeyId, replay: &Object) -> Vec<u8> {
    let header = URL_SAFE_NO_PAD.encode(jws_header_of_type(RERUN_JWS_TYPE, kid.as_str()));
    signing_input(&header, &replay.canonical_without(&[]))
}
