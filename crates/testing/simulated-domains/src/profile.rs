//! A domain as facts.

use domain_name::{DomainError, PublicSuffixes, Rules, Subject};
use serde::Deserialize;
use trust::score::Purpose;
use trust::trust_score::{DomainObservations, TrustFinding, TrustFindingV2, TrustJudge, TrustQuestion};
use verdict::{Effect, EvidenceBlob, EvidenceMissing, Judge as _, Timestamp};

use crate::observations::observations;

/// The time at which profiles are judged.
pub(crate) const NOW: &str = "2026-11-26T00:00:00.000Z";
/// The role of the evidence of earlier looks.
const EARLIER_LOOKS: &str = "earlier_looks";

const DAY_MILLIS: i64 = 86_400_000;

/// A domain and the purpose for which it is judged.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The name.
    pub domain: String,
    /// The purpose of the question.
    pub purpose: Purpose,
    /// The facts.
    pub facts: Facts,
}

/// Facts about a domain. A number of days is an age in days; `None` is not known, or has not happened.
#[derive(Clone, Debug, Deserialize)]
pub struct Facts {
    /// Age of the registration; `None` where nobody tells.
    pub registered_days: Option<i64>,
    /// `yes` if the top-level domain has RDAP, `none` if it has not.
    pub rdap: String,
    /// Age of the last transfer.
    pub transfer_days: Option<i64>,
    /// Age of a registration after the first.
    pub reregistered_days: Option<i64>,
    /// True if the registrar has put the domain on hold.
    pub hold: bool,
    /// Standing on the feed.
    pub feed: Feed,
    /// State of HTTPS.
    pub https: Https,
    /// Where every request ends, if not at the domain itself.
    pub redirects_to: Option<String>,
    /// HTTP status of the root; `None` without a server.
    pub root_status: Option<u16>,
    /// `Content-Type` of the root.
    pub content_type: Option<String>,
    /// Header fields of the root; `None` without a server.
    pub headers: Option<Headers>,
    /// DMARC policy: `reject`, `quarantine`, `none` or `absent`.
    pub dmarc: String,
    /// SPF: the last term, such as `-all`, or `absent`.
    pub spf: String,
    /// True with a mail exchanger.
    pub mx: bool,
    /// True with a null MX (RFC 7505).
    pub null_mx: bool,
    /// DNSSEC: `signed`, `unsigned` or `bogus`.
    pub dnssec: String,
    /// CAA: `matching`, `other`, `none` or `forbid`.
    pub caa: String,
    /// Lifetime of the certificate.
    pub cert_lifetime_days: i64,
    /// Days that are left of it.
    pub cert_left_days: i64,
    /// Age of the first certificate in certificate transparency.
    pub ct_first_seen_days: Option<i64>,
    /// True on the popularity list.
    pub popular: bool,
    /// Days for which our own looks have seen no change.
    pub own_looks_unchanged_days: Option<i64>,
    /// True if the stapled OCSP response says that the certificate is revoked.
    pub revoked: bool,
}

/// Standing on a feed of bad domains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feed {
    /// On a fresh feed.
    Hit,
    /// Not on a fresh feed.
    FreshClean,
    /// Not on a feed that is too old.
    Stale,
    /// No feed is configured.
    None,
}

/// State of HTTPS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Https {
    /// A valid certificate.
    Ok,
    /// No address.
    None,
    /// An invalid certificate.
    Invalid,
}

/// Header fields of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Headers {
    /// All that MDN's HTTP Observatory asks for.
    Strict,
    /// HSTS, nosniff, and a content security policy with `unsafe-inline`.
    Typical,
    /// None.
    None,
}

/// The reason why a profile cannot be judged.
#[derive(Debug)]
pub enum ProfileError {
    /// The name is none.
    Name(DomainError),
    /// The evidence cannot be read again.
    Evidence(EvidenceMissing),
    /// The finding is not of today's rules.
    OldRules,
}

impl Facts {
    /// Returns the facts of an old domain with every setting right, without popularity and certificates in logs.
    #[must_use]
    pub fn honest() -> Self {
        Self {
            registered_days: Some(4000),
            rdap: "yes".to_owned(),
            transfer_days: None,
            reregistered_days: None,
            hold: false,
            feed: Feed::FreshClean,
            https: Https::Ok,
            redirects_to: None,
            root_status: Some(200),
            content_type: Some("text/html".to_owned()),
            headers: Some(Headers::Strict),
            dmarc: "reject".to_owned(),
            spf: "-all".to_owned(),
            mx: true,
            null_mx: false,
            dnssec: "signed".to_owned(),
            caa: "matching".to_owned(),
            cert_lifetime_days: 90,
            cert_left_days: 60,
            ct_first_seen_days: None,
            popular: false,
            own_looks_unchanged_days: None,
            revoked: false,
        }
    }
}

impl Profile {
    /// Returns the observations that the probes would have made.
    ///
    /// # Errors
    /// [`ProfileError::Name`] if the domain is no name of the public DNS.
    pub fn observations(&self) -> Result<DomainObservations, ProfileError> {
        Ok(observations(&self.subject()?, &self.facts))
    }

    fn subject(&self) -> Result<Subject, ProfileError> {
        Subject::parse(&self.domain, &PublicSuffixes::bundled(), &Rules::default())
            .map_err(ProfileError::Name)
    }

    /// Has the shipped judge find on the profile.
    ///
    /// # Errors
    /// [`ProfileError`] if the domain is no name of the public DNS, or the observations cannot be read again.
    pub fn judge(&self) -> Result<TrustFindingV2, ProfileError> {
        let subject = self.subject()?;
        let question = TrustQuestion { purpose: self.purpose, ..TrustQuestion::of(subject.name.clone()) };
        let evidence = observations(&subject, &self.facts).blob();
        let earlier = self.facts.own_looks_unchanged_days;
        let earlier = earlier.map(|days| earlier_looks(&question, &self.facts, days, &subject));
        let evidence: Vec<EvidenceBlob> =
            [Ok(evidence)].into_iter().chain(earlier).collect::<Result<_, _>>()?;
        match TrustJudge::without_probes().replay(&question, &evidence, now()) {
            Ok(TrustFinding::V2(finding)) => Ok(*finding),
            Ok(TrustFinding::V1(_)) => Err(ProfileError::OldRules),
            Err(missing) => Err(ProfileError::Evidence(missing)),
        }
    }
}

/// The memory that looks of these last days have left, if they saw the same.
fn earlier_looks(
    question: &TrustQuestion,
    facts: &Facts,
    days: i64,
    subject: &Subject,
) -> Result<EvidenceBlob, ProfileError> {
    let judge = TrustJudge::without_probes();
    let mut memory = None;
    for day in [days, days * 2 / 3, days / 3] {
        let mut seen = observations(subject, facts);
        seen.observed_at = now().saturating_add_millis(-day * DAY_MILLIS);
        let evidence: Vec<EvidenceBlob> = [seen.blob()].into_iter().chain(memory.take()).collect();
        let finding = judge.replay(question, &evidence, now()).map_err(ProfileError::Evidence)?;
        memory = match judge.effect(question, &finding) {
            Some(Effect::Remember(left)) => Some(EvidenceBlob::new(EARLIER_LOOKS, left.memory.into_bytes())),
            _ => return Err(ProfileError::OldRules),
        };
    }
    memory.ok_or(ProfileError::OldRules)
}

pub(crate) fn now() -> Timestamp {
    NOW.parse().expect("a time of RFC 3339")
}
