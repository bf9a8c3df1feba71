//! The finding of the judge, member by member as it stands in the receipt.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::{Timestamp, quoted};

use crate::compare::FoundValue;

/// Name and version of the rules in this crate, as findings state them.
pub const METHOD: &str = "claim-verdict/1";

/// The verdict on a claim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ClaimVerdict {
    /// The resolver says so.
    Confirmed,
    /// The resolver says otherwise.
    Refuted,
    /// The resolver says nothing, for the reason given.
    Unresolved,
}

/// The kind of resolver that decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolverType {
    /// A value in a JSON document on the web.
    UrlJson,
    /// A signature under a given key.
    Ed25519Signature,
}

/// The finding of `POST /claim-verdict`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ClaimFinding {
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The claim as it was asked.
    pub claim: String,
    /// How far the resolver confirms the claim, 0 to 1: 1 where the verdict is `CONFIRMED`, 0 where it is `REFUTED` or
    /// `UNRESOLVED`. It does not say how sure the verdict is: a sound `REFUTED` has 0.
    #[schemars(range(max = 1))]
    pub resolver_confidence: u8,
    /// The reason why the claim is unresolved, or the flaw for which a signature was refuted: a stable code. Absent
    /// where the verdict needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
    /// The kind of resolver that decided.
    pub resolver: ResolverType,
    /// The evidence that the verdict rests on.
    pub evidence: Evidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// The claims that this verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// The evidence that the verdict rests on; `kind` tells the two apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// A document that was fetched, or the attempt.
    HttpFetch(HttpEvidence),
    /// A signature, its message and its key.
    Ed25519Signature(SignatureEvidence),
}

/// A fetch: members that it did not get far enough to know are absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct HttpEvidence {
    /// The address asked for.
    pub url: String,
    /// The path in the document at which the value was looked for.
    pub path: String,
    /// The expected value at the path.
    pub expect: String,
    /// When the fetch started.
    #[schemars(with = "String")]
    pub fetched_at: Timestamp,
    /// The SHA-256 of the kept record of the fetch, which a dispute replays.
    pub record_sha256: String,
    /// The address that answered, after redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The redirects that were followed, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<Vec<Hop>>,
    /// The IP address and port that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_address: Option<String>,
    /// True if the answer came over TLS with a verified certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<bool>,
    /// The version of TLS: `TLSv1.2` or `TLSv1.3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_version: Option<String>,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The answer's `Content-Type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The SHA-256 of the body, content encoding undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_sha256: Option<String>,
    /// The length of that body in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<u64>,
    /// True if the body is kept for disputes. If a body is too large for that, nothing is decided on it; only older
    /// receipts say `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_kept: Option<bool>,
    /// The value at the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundValue>,
}

/// A redirect that was followed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hop {
    /// The address that redirected.
    pub url: String,
    /// With this status.
    pub status: u16,
    /// From this IP address and port.
    pub peer_address: String,
}

/// A signature that was verified. The members of a key that was not read are absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SignatureEvidence {
    /// When it was verified.
    #[schemars(with = "String")]
    pub verified_at: Timestamp,
    /// The SHA-256 of the message's bytes.
    pub message_sha256: String,
    /// The length of the message in bytes.
    pub message_bytes: u64,
    /// The SHA-256 of the signature's 64 bytes.
    pub signature_sha256: String,
    /// The key's 32 bytes in lowercase hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
    /// The SHA-256 of those bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key_sha256: Option<String>,
    /// The RFC 7638 thumbprint of the key as a JWK (RFC 8037), base64url.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key_thumbprint: Option<String>,
}

/// The decision of a resolver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    pub(crate) verdict: ClaimVerdict,
    pub(crate) reason: Option<Cow<'static, str>>,
}

impl Decision {
    pub(crate) const CONFIRMED: Self = Self { verdict: ClaimVerdict::Confirmed, reason: None };
    pub(crate) const REFUTED: Self = Self { verdict: ClaimVerdict::Refuted, reason: None };

    pub(crate) fn refuted(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: ClaimVerdict::Refuted, reason: Some(reason.into()) }
    }

    pub(crate) fn unresolved(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict: ClaimVerdict::Unresolved, reason: Some(reason.into()) }
    }
}

impl ClaimFinding {
    pub(crate) fn new(
        claim: &str,
        resolver: ResolverType,
        decision: Decision,
        evidence: Evidence,
        scope: &'static str,
    ) -> Self {
        let explanation = explanation(&decision, &evidence);
        Self {
            explanation,
            resolver_confidence: u8::from(decision.verdict == ClaimVerdict::Confirmed),
            verdict: decision.verdict,
            claim: claim.to_owned(),
            reason: decision.reason,
            resolver,
            evidence,
            scope: scope.into(),
            method: METHOD.into(),
        }
    }
}

/// The sentence that says what was compared. The claim's own words are not in it: nobody has looked at them.
fn explanation(decision: &Decision, evidence: &Evidence) -> String {
    let reason = decision.reason.as_deref().unwrap_or("no_reason");
    let compared = match evidence {
        Evidence::HttpFetch(fetch) => {
            let place = format!("the value at {} of {}", quoted(&fetch.path), quoted(&fetch.url));
            let expected = quoted(&fetch.expect);
            let is_led = fetch.hops.as_ref().is_some_and(|hops| !hops.is_empty());
            let answered = fetch.final_url.as_ref().filter(|_| is_led);
            let place = match answered {
                Some(last) => format!("{place}, which led to {},", quoted(last)),
                None => place,
            };
            let found = fetch.found.as_ref().and_then(|found| found.value.as_deref()).map(quoted);
            match (decision.verdict, found) {
                (ClaimVerdict::Confirmed, _) => {
                    format!("It was expected that {place} is {expected}, and it was.")
                }
                (ClaimVerdict::Refuted, Some(found)) => {
                    format!("It was expected that {place} is {expected}; it was {found}.")
                }
                (ClaimVerdict::Refuted | ClaimVerdict::Unresolved, _) => {
                    format!(
                        "It was expected that {place} is {expected}; nothing could be compared ({reason})."
                    )
                }
            }
        }
        Evidence::Ed25519Signature(_) => match decision.verdict {
            ClaimVerdict::Confirmed => {
                "The Ed25519 signature over the message is valid under the given key.".to_owned()
            }
            ClaimVerdict::Refuted => {
                "The Ed25519 signature over the message is not valid under the given key.".to_owned()
            }
            ClaimVerdict::Unresolved => format!("The Ed25519 signature was not verified ({reason})."),
        },
    };
    format!("{compared} The words of the claim itself were not checked.")
}
