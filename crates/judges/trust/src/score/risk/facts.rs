//! The facts from which risks are found.

use std::collections::BTreeSet;

use brand_names::LookAlike;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use threat_feeds::FeedLookUp;
use verdict::Timestamp;

use super::RiskId;
use crate::score::Purpose;

const DAY_MILLIS: i64 = 86_400_000;

/// Facts about a domain from which risks are found. A fact that could not be observed is `None`, or its risk is in `unseen`.
#[derive(Clone, PartialEq, Debug)]
pub struct RiskFacts {
    /// The risks whose facts could not be observed.
    pub unseen: BTreeSet<RiskId>,
    /// The purpose of the caller.
    pub purpose: Purpose,
    /// The time of the finding.
    pub now: Timestamp,
    /// Begin of the domain's present registration, as far as it is known.
    pub age: Option<Age>,
    /// Time of the last transfer to another registrar; `None` without one, or where nobody tells.
    pub transferred: Option<Timestamp>,
    /// Time of a registration after the first.
    pub reregistered: Option<Timestamp>,
    /// Time at which our own earlier looks saw another registrar for the last time.
    pub registrar_changed: Option<Timestamp>,
    /// State of the registration.
    pub registration: RegistrationState,
    /// True for a name below a platform's, which anybody gets in a moment and no registry knows.
    pub is_tenant: bool,
    /// The brand that the name resembles.
    pub look_alike: Option<LookAlike>,
    /// The feeds in which the name was looked up.
    pub feeds: Vec<FeedLookUp>,
    /// State of the certificate.
    pub certificate: CertificateState,
    /// True if the zone's signatures are bogus.
    pub is_bogus: bool,
    /// The other site where the page ends; `None` if it stays.
    pub destination: Option<Destination>,
    /// False if certainly no server answers over HTTPS.
    pub has_https: bool,
    /// Why no page was seen at the end of the redirects over HTTPS, as a stable code; `None` if one was seen, or there is
    /// certainly none.
    pub page_failure: Option<&'static str>,
    /// True if SPF passes everybody; `None` if that could not be observed.
    pub spf_is_open: Option<bool>,
    /// True if DMARC asks receivers to refuse or set apart what fails; `None` if that could not be observed.
    pub dmarc_is_enforced: Option<bool>,
    /// The alias that anybody could claim: its target, and the reason.
    pub dangling: Option<DanglingTarget>,
    /// Result of the comparison with the payee of the question; `None` where the question has none.
    pub payee: Option<PayeeBinding>,
    /// Time of the first certificate in the logs of certificate transparency.
    pub first_certificate: Option<Timestamp>,
    /// Rank on the operator's popularity list, with the list's name; `None` if the name is not on it.
    pub popularity: Option<(String, u64)>,
    /// Time since which our own looks saw the same name servers, mail exchangers and registrar.
    pub unchanged_since: Option<Timestamp>,
    /// The organisation that the certificate's authority verified (OV or EV).
    pub organisation: Option<String>,
}

/// An alias whose target can be claimed by others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DanglingTarget {
    /// Target of the alias.
    pub target: String,
    /// Stable code of the reason.
    pub reason: &'static str,
    /// The hosting platform where the target can be claimed; `None` if it is none that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
}

/// The begin of a registration, and who tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Age {
    /// Begin of the present registration; by certificates, a time at which the name was in use already.
    pub since: Timestamp,
    /// Source of the time.
    pub source: AgeSource,
}

impl Age {
    /// Returns the whole days since the begin; negative for a time to come.
    #[must_use]
    pub fn days(&self, now: Timestamp) -> i64 {
        now.millis_since(self.since).div_euclid(DAY_MILLIS)
    }
}

/// The source of a domain's age.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeSource {
    /// The registry, over RDAP (RFC 9083).
    Rdap,
    /// The registry, over WHOIS (RFC 3912).
    Whois,
    /// The first certificate in the logs of certificate transparency.
    CertificateTransparency,
}

/// State of a registration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegistrationState {
    /// The registration holds, or nothing else was observed.
    Holds,
    /// The registration has ended: expired, or being deleted.
    Ended,
    /// The registry or the registrar keeps the domain out of the parent zone.
    OnHold,
}

/// State of the certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertificateState {
    /// The certificate holds, or nothing else was observed.
    Holds,
    /// The certificate is invalid, for the reason with this stable code.
    Invalid(String),
    /// The stapled OCSP response says that the certificate is revoked.
    Revoked,
}

/// Another site where the redirects of a domain end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Destination {
    /// Host of the last URL.
    pub host: String,
    /// The brand that its name resembles.
    pub look_alike: Option<LookAlike>,
    /// The feeds in which it was looked up.
    #[serde(default)]
    pub feeds: Vec<FeedLookUp>,
}

/// Whether the domain itself names the payee of the question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayeeBinding {
    /// The domain names the payee.
    Yes,
    /// The domain names payees, and not this one.
    No,
    /// The domain names no payee, or it could not be observed.
    Absent,
}
