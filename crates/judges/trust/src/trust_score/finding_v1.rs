//! The finding of `trust-score/1`, for receipts of before `trust-score/2`.

use std::borrow::Cow;

use serde::Serialize;
use verdict::Timestamp;

use super::finding::TrustEvidence;
use super::observations::DomainObservations;
use crate::score::v1::{Flags, TrustAssessment, assess};
use crate::score::{Cap, Check};

const METHOD: &str = "trust-score/1";
const SCOPE: &str = "What the domain's own records in the DNS, its certificate, its pages' header fields and its \
    registry said when they were looked at: how well it is kept. It does not say who is behind it, or that what \
    they offer is honest.";

/// The finding of `trust-score/1`, member by member.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrustFindingV1 {
    /// The name that was looked at, in A-labels.
    pub domain: String,
    /// The name that is its owner's own: below a public suffix.
    pub registrable: String,
    /// The verdict, the score and what they are made of.
    #[serde(flatten)]
    pub assessment: TrustAssessment,
    /// The observations that it rests on.
    pub evidence: TrustEvidence,
    /// The claims that the verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// Finds by `trust-score/1` on these checks.
pub(super) fn find(
    seen: &DomainObservations,
    checks: Vec<Check>,
    caps: Vec<Cap>,
    evidence: TrustEvidence,
    at: Timestamp,
) -> TrustFindingV1 {
    TrustFindingV1 {
        domain: seen.name.to_string(),
        registrable: seen.registrable.to_string(),
        assessment: assess(checks, caps, flags(seen, at)),
        evidence,
        scope: SCOPE.into(),
        method: METHOD.into(),
    }
}

fn flags(seen: &DomainObservations, at: Timestamp) -> Flags {
    let mut flags = Flags::default();
    let registered_at = seen.registry.seen.as_ref().and_then(|registry| registry.found().registered_at());
    // Below a suffix of the list's private part (`github.io`), the registry tells the age of the platform alone.
    let is_tenant = seen.registrable != seen.registered;
    flags.look_at_age(registered_at.filter(|_| !is_tenant), at);
    flags.is_tenant = is_tenant;
    flags.look_at_name(seen.look_alike.as_ref());
    flags.look_at_feeds(&seen.feeds);
    flags
}
