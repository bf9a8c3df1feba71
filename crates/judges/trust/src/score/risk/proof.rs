//! Signs of continuity: what a stranger cannot set up in an afternoon.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{AgeSource, RiskFacts};

/// Number of proofs without which a domain is not `TRUSTED`.
pub const MIN_PROOFS: usize = 2;
/// Days after which an age, or a first certificate, is a proof.
const YEAR_DAYS: i64 = 365;
/// Days for which our own looks must have seen the same, to be a proof.
pub const UNCHANGED_DAYS: i64 = 30;
/// A certificate may be logged some hours before the registry states the registration.
const SLACK_MILLIS: i64 = 2 * DAY_MILLIS;

const DAY_MILLIS: i64 = 86_400_000;

/// A sign of continuity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ContinuityId")]
#[serde(rename_all = "snake_case")]
pub enum ProofId {
    /// Registered to the present holder for a year or more, says the registry.
    RegisteredForAYear,
    /// Certificates in the logs of certificate transparency for a year or more, all of the present registration.
    CertificatesForAYear,
    /// Our own earlier looks, of 30 days and more, saw the same name servers, mail exchangers and registrar.
    LooksUnchanged,
    /// On the popularity list that the operator configured.
    Popular,
    /// An organisation that a certificate authority verified.
    Identity,
}

impl ProofId {
    /// All signs.
    pub const ALL: [Self; 5] = [
        Self::RegisteredForAYear,
        Self::CertificatesForAYear,
        Self::LooksUnchanged,
        Self::Popular,
        Self::Identity,
    ];

    /// Returns the rule in words.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::RegisteredForAYear => {
                "The registry says that the present registration began 365 days ago or earlier."
            }
            Self::CertificatesForAYear => {
                "The first certificate in the configured source of certificate transparency is 365 days old or older, and no \
                 older than the present registration where its begin is known."
            }
            Self::LooksUnchanged => {
                "This notary's own looks of 30 days and more, on four days or more, saw the same name servers, mail exchangers \
                 and registrar."
            }
            Self::Popular => "The registrable name is on the popularity list that the operator configured.",
            Self::Identity => "The certificate has an organisation that its authority verified (OV, EV).",
        }
    }
}

/// A sign of continuity that was looked for.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ContinuityProof")]
pub struct Proof {
    /// Name of the sign.
    pub id: ProofId,
    /// True if it holds; false also where it could not be looked for.
    pub holds: bool,
    /// Facts that it rests on; `null` where there are none.
    pub evidence: Value,
}

/// Looks for every sign of continuity.
#[must_use]
pub fn proofs(facts: &RiskFacts) -> Vec<Proof> {
    let days = |since| facts.now.millis_since(since).div_euclid(DAY_MILLIS);
    let proof = |id, holds, evidence| Proof { id, holds, evidence };
    let registered = facts
        .age
        .filter(|age| age.source != AgeSource::CertificateTransparency && !facts.is_tenant)
        .map(|age| (age.since, age.days(facts.now)));
    // Certificates of an earlier holder say nothing of the present one.
    let of_present = facts.first_certificate.filter(|first| {
        !facts.is_tenant && registered.is_none_or(|(since, _)| first.millis_since(since) >= -SLACK_MILLIS)
    });
    let unchanged = facts.unchanged_since.map(|since| (since, days(since)));
    vec![
        proof(
            ProofId::RegisteredForAYear,
            registered.is_some_and(|(_, days)| days >= YEAR_DAYS),
            json!(registered.map(|(since, days)| json!({ "since": since, "days": days }))),
        ),
        proof(
            ProofId::CertificatesForAYear,
            of_present.is_some_and(|first| days(first) >= YEAR_DAYS),
            json!(facts.first_certificate.map(|first| json!({ "first": first, "days": days(first) }))),
        ),
        proof(
            ProofId::LooksUnchanged,
            unchanged.is_some_and(|(_, days)| days >= UNCHANGED_DAYS),
            json!(unchanged.map(|(since, days)| json!({ "since": since, "days": days }))),
        ),
        proof(
            ProofId::Popular,
            facts.popularity.is_some() && !facts.is_tenant,
            json!(facts.popularity.as_ref().map(|(list, rank)| json!({ "list": list, "rank": rank }))),
        ),
        proof(
            ProofId::Identity,
            facts.organisation.is_some() && !facts.is_tenant,
            json!(facts.organisation.as_ref().map(|name| json!({ "organisation": name }))),
        ),
    ]
}
