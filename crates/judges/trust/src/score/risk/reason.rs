//! Reasons against a domain.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use threat_feeds::FeedLookUp;
use verdict::Timestamp;

use super::{
    AgeSource, CertificateState, MIN_PROOFS, PayeeBinding, Proof, RegistrationState, RiskFacts, TrustVerdict,
};
use crate::score::hygiene::CAUTION_FROM;
use crate::score::{Hygiene, Purpose};

/// A domain that was registered fewer days ago than this is young.
pub const YOUNG_DAYS: i64 = 180;
/// A name that resembles a brand is a grave risk for this many days from its registration.
pub const OLD_DAYS: i64 = 365;
/// Days for which a transfer, or another registrar, is a risk.
pub const TRANSFER_DAYS: i64 = 60;

const DAY_MILLIS: i64 = 86_400_000;

/// A reason against a domain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustRiskId")]
#[serde(rename_all = "snake_case")]
pub enum RiskId {
    /// On a feed of bad domains.
    FeedHit,
    /// Resembles a well-known brand.
    LookAlike,
    /// The registration has ended.
    RegistrationEnded,
    /// The registry or the registrar keeps the domain out of its parent zone.
    OnHold,
    /// The certificate is invalid.
    CertificateInvalid,
    /// The certificate is revoked.
    CertificateRevoked,
    /// The zone's signatures are bogus.
    DnssecBogus,
    /// The page ends on another site.
    EndsOnOtherSite,
    /// Registered a short time ago.
    YoungDomain,
    /// Nobody tells when it was registered.
    AgeUnknown,
    /// Registered again after an earlier registration.
    Reregistered,
    /// Transferred to another registrar a short time ago.
    Transferred,
    /// A platform gave the name away.
    PlatformTenant,
    /// No fresh feed of bad domains was asked.
    NoFreshFeed,
    /// An alias leads to a name that others can claim.
    DanglingAlias,
    /// The domain names payees, and not the one of the question.
    PayeeNotNamed,
    /// No server answers over HTTPS.
    NoHttps,
    /// The page could not be seen.
    PageUnseen,
    /// SPF lets everybody send mail.
    SpfOpen,
    /// DMARC asks nobody to refuse forged mail.
    DmarcUnenforced,
    /// The hygiene is poor.
    PoorHygiene,
    /// Fewer signs of continuity than `TRUSTED` needs.
    TooFewProofs,
}

impl RiskId {
    /// All reasons.
    pub const ALL: [Self; 22] = [
        Self::FeedHit,
        Self::LookAlike,
        Self::RegistrationEnded,
        Self::OnHold,
        Self::CertificateInvalid,
        Self::CertificateRevoked,
        Self::DnssecBogus,
        Self::EndsOnOtherSite,
        Self::YoungDomain,
        Self::AgeUnknown,
        Self::Reregistered,
        Self::Transferred,
        Self::PlatformTenant,
        Self::NoFreshFeed,
        Self::DanglingAlias,
        Self::PayeeNotNamed,
        Self::NoHttps,
        Self::PageUnseen,
        Self::SpfOpen,
        Self::DmarcUnenforced,
        Self::PoorHygiene,
        Self::TooFewProofs,
    ];

    /// Returns the stable code of the reason, as it is serialized.
    #[must_use]
    pub fn code(self) -> String {
        serde_json::to_value(self).ok().and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Returns true if the reason says what this notary could not see. It may come and go without a change of the domain.
    #[must_use]
    pub const fn is_of_notary(self) -> bool {
        matches!(self, Self::AgeUnknown | Self::NoFreshFeed | Self::PageUnseen | Self::TooFewProofs)
    }

    /// Returns the rule in words, with its verdict.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::FeedHit => {
                "RISKY: the name, or one above it down to the registrable one, is on one of the notary's feeds of bad \
                 domains, or a page of its host is."
            }
            Self::LookAlike => {
                "The name resembles a well-known brand that it does not belong to. RISKY where it was registered less than \
                 365 days ago, or nobody tells when; else CAUTION."
            }
            Self::RegistrationEnded => "RISKY: the registration has expired, or the domain is being deleted.",
            Self::OnHold => "RISKY: the registry or the registrar has put the domain on hold.",
            Self::CertificateInvalid => "RISKY: the server's certificate is not valid for the name.",
            Self::CertificateRevoked => {
                "RISKY: the OCSP response that the server itself staples says that its certificate is revoked."
            }
            Self::DnssecBogus => "RISKY: two witnesses find the zone's DNSSEC signatures invalid.",
            Self::EndsOnOtherSite => {
                "The redirects end on another registrable name, or were too many to be followed: CAUTION. RISKY where a \
                 host on the way is on a feed or resembles a brand."
            }
            Self::YoungDomain => "CAUTION: the present registration began less than 180 days ago.",
            Self::AgeUnknown => {
                "CAUTION: no registry and no configured source tells how old the registration is, for whatever reason."
            }
            Self::Reregistered => {
                "CAUTION: registered again, less than 365 days ago, after an earlier registration."
            }
            Self::Transferred => "CAUTION: transferred to another registrar less than 60 days ago.",
            Self::PlatformTenant => {
                "CAUTION: the name is below a platform's, where anybody gets one in a moment, and no registry knows it."
            }
            Self::NoFreshFeed => "CAUTION: no feed of bad domains that is fresh was asked.",
            Self::DanglingAlias => {
                "CAUTION: the name is an alias of one that can be registered or claimed by others."
            }
            Self::PayeeNotNamed => {
                "CAUTION: the domain names other payees than that of the question, or the name of the question is another's."
            }
            Self::NoHttps => "CAUTION, for the purposes pay and web: no server answers over HTTPS.",
            Self::PageUnseen => {
                "CAUTION, for the purposes pay and web: a server is there, and no page of it could be seen, so that nobody knows \
                 where it leads."
            }
            Self::SpfOpen => {
                "CAUTION, for the purpose mail: SPF lets everybody send mail in the domain's name."
            }
            Self::DmarcUnenforced => {
                "CAUTION, for the purpose mail: DMARC does not ask receivers to refuse or set apart forged mail."
            }
            Self::PoorHygiene => "CAUTION: the hygiene score is below 50.",
            Self::TooFewProofs => "CAUTION: fewer than two signs of continuity hold.",
        }
    }

    /// Returns the advice to the owner, or to the reader where no owner can help.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::FeedHit => {
                "Do not pay and do not log in. The owner: clean the site, then ask the feed's publisher to remove the entry."
            }
            Self::LookAlike => "Go to the brand by an address that you know, and compare the two.",
            Self::RegistrationEnded => {
                "The owner: renew the domain with its registrar, and have it renewed automatically."
            }
            Self::OnHold => "The owner: ask the registrar why the domain is on hold.",
            Self::CertificateInvalid => "The owner: see the check `tls`.",
            Self::CertificateRevoked => "The owner: have a new certificate issued with a new key.",
            Self::DnssecBogus => "The owner: see the check `dnssec`.",
            Self::EndsOnOtherSite => "Ask about that site in a question of its own.",
            Self::YoungDomain => {
                "Only time mends it. Meanwhile ask for an identity that you can check elsewhere."
            }
            Self::AgeUnknown => {
                "The operator of the notary: configure WHOIS or a source of certificate transparency."
            }
            Self::Reregistered => "Do not rely on a reputation from before the day of the new registration.",
            Self::Transferred => {
                "Do not rely on a reputation from before the transfer until it has been confirmed elsewhere."
            }
            Self::PlatformTenant => {
                "Judge the tenant, not the platform. The owner: use a domain of your own."
            }
            Self::NoFreshFeed => {
                "The operator of the notary: configure a feed of bad domains, and keep it fresh."
            }
            Self::DanglingAlias => "The owner: remove the alias, or claim its target.",
            Self::PayeeNotNamed => {
                "Do not pay before the owner has confirmed the payee. The owner: name it in /.well-known/x402 or a TXT record \
                 at _x402."
            }
            Self::NoHttps => "The owner: serve the name over HTTPS, or do not ask for payments there.",
            Self::PageUnseen => {
                "Ask again. The owner: answer requests that no browser sends, at least with an error."
            }
            Self::SpfOpen => "The owner: see the check `spf`.",
            Self::DmarcUnenforced => "The owner: see the check `dmarc`.",
            Self::PoorHygiene => "The owner: see the remedies of the checks.",
            Self::TooFewProofs => {
                "Ask again after 30 days: this notary's own looks are a proof when nothing has changed. The operator: \
                 configure a source of certificate transparency or a popularity list."
            }
        }
    }
}

/// A reason that was found.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustRiskReason")]
pub struct RiskReason {
    /// Name of the reason.
    pub id: RiskId,
    /// Verdict that the reason gives by itself: `RISKY` or `CAUTION`.
    pub verdict: TrustVerdict,
    /// Facts that it rests on.
    pub evidence: Value,
    /// Advice to the owner, or to the reader where no owner can help.
    pub remedy: &'static str,
}

/// Finds the reasons, in the order of [`RiskId::ALL`], and the risks that could not be looked for.
#[must_use]
pub fn risks(facts: &RiskFacts, hygiene: &Hygiene, proofs: &[Proof]) -> (Vec<RiskReason>, Vec<RiskId>) {
    let mut reasons = Vec::new();
    let mut unchecked = Vec::new();
    for id in RiskId::ALL {
        match found(id, facts, hygiene, proofs) {
            Found::Reason(verdict, evidence) => {
                reasons.push(RiskReason { id, verdict, evidence, remedy: id.remedy() });
            }
            Found::Nothing if !facts.unseen.contains(&id) => {}
            Found::Nothing | Found::Unseen => unchecked.push(id),
        }
    }
    (reasons, unchecked)
}

/// The result of looking for one reason.
enum Found {
    Reason(TrustVerdict, Value),
    Nothing,
    /// It could not be looked for.
    Unseen,
}

impl Found {
    fn caution_if(holds: bool, evidence: impl FnOnce() -> Value) -> Self {
        if holds { Self::Reason(TrustVerdict::Caution, evidence()) } else { Self::Nothing }
    }

    fn risky_if(holds: bool, evidence: impl FnOnce() -> Value) -> Self {
        if holds { Self::Reason(TrustVerdict::Risky, evidence()) } else { Self::Nothing }
    }
}

fn found(id: RiskId, facts: &RiskFacts, hygiene: &Hygiene, proofs: &[Proof]) -> Found {
    let days = |since: Timestamp| facts.now.millis_since(since).div_euclid(DAY_MILLIS);
    // A tenant's age is the platform's, and says nothing.
    let age = facts.age.filter(|_| !facts.is_tenant);
    let age_evidence = || match age {
        Some(age) => json!({ "since": age.since, "age_days": age.days(facts.now), "source": age.source }),
        None => Value::Null,
    };
    match id {
        RiskId::FeedHit => match hits(&facts.feeds) {
            hits if !hits.is_empty() => Found::Reason(TrustVerdict::Risky, json!({ "feeds": hits })),
            _ if facts.feeds.is_empty() => Found::Unseen,
            _ => Found::Nothing,
        },
        RiskId::LookAlike => match &facts.look_alike {
            None => Found::Nothing,
            Some(found) => {
                // Certificates tell a lower bound only of the name's use, by whomever.
                let is_old = age.is_some_and(|age| {
                    age.source != AgeSource::CertificateTransparency && age.days(facts.now) >= OLD_DAYS
                });
                let verdict = if is_old { TrustVerdict::Caution } else { TrustVerdict::Risky };
                Found::Reason(verdict, json!({ "resembles": found, "age": age_evidence() }))
            }
        },
        RiskId::RegistrationEnded => {
            Found::risky_if(facts.registration == RegistrationState::Ended, || Value::Null)
        }
        RiskId::OnHold => Found::risky_if(facts.registration == RegistrationState::OnHold, || Value::Null),
        RiskId::CertificateInvalid => match &facts.certificate {
            CertificateState::Invalid(reason) => {
                Found::Reason(TrustVerdict::Risky, json!({ "reason": reason }))
            }
            CertificateState::Holds | CertificateState::Revoked => Found::Nothing,
        },
        RiskId::CertificateRevoked => {
            Found::risky_if(facts.certificate == CertificateState::Revoked, || Value::Null)
        }
        RiskId::DnssecBogus => Found::risky_if(facts.is_bogus, || Value::Null),
        RiskId::EndsOnOtherSite => match &facts.destination {
            None => Found::Nothing,
            Some(destination) => {
                let hits = hits(&destination.feeds);
                let is_bad = !hits.is_empty() || destination.look_alike.is_some();
                let verdict = if is_bad { TrustVerdict::Risky } else { TrustVerdict::Caution };
                let evidence = json!({
                    "host": destination.host, "resembles": destination.look_alike, "feeds": hits,
                });
                Found::Reason(verdict, evidence)
            }
        },
        RiskId::YoungDomain => {
            Found::caution_if(age.is_some_and(|age| age.days(facts.now) < YOUNG_DAYS), age_evidence)
        }
        RiskId::AgeUnknown => Found::caution_if(age.is_none() && !facts.is_tenant, || Value::Null),
        RiskId::Reregistered => match facts.reregistered {
            Some(at) => Found::caution_if(days(at) < OLD_DAYS, || json!({ "at": at, "days": days(at) })),
            None => Found::Nothing,
        },
        RiskId::Transferred => match facts.transferred.max(facts.registrar_changed) {
            Some(at) => Found::caution_if(days(at) < TRANSFER_DAYS, || json!({ "at": at, "days": days(at) })),
            None => Found::Nothing,
        },
        RiskId::PlatformTenant => Found::caution_if(facts.is_tenant, || Value::Null),
        RiskId::NoFreshFeed => {
            Found::caution_if(!facts.feeds.iter().any(is_fresh), || json!({ "feeds": facts.feeds.len() }))
        }
        RiskId::DanglingAlias => Found::caution_if(facts.dangling.is_some(), || json!(facts.dangling)),
        RiskId::PayeeNotNamed => Found::caution_if(facts.payee == Some(PayeeBinding::No), || Value::Null),
        RiskId::NoHttps => Found::caution_if(facts.purpose.needs_https() && !facts.has_https, || Value::Null),
        RiskId::PageUnseen => match facts.page_failure.filter(|_| facts.purpose.needs_https()) {
            Some(failure) => Found::Reason(TrustVerdict::Caution, json!({ "reason": failure })),
            None => Found::Nothing,
        },
        RiskId::SpfOpen if facts.purpose == Purpose::Mail => match facts.spf_is_open {
            Some(is_open) => Found::caution_if(is_open, || Value::Null),
            None => Found::Unseen,
        },
        RiskId::DmarcUnenforced if facts.purpose == Purpose::Mail => match facts.dmarc_is_enforced {
            Some(is_enforced) => Found::caution_if(!is_enforced, || Value::Null),
            None => Found::Unseen,
        },
        RiskId::SpfOpen | RiskId::DmarcUnenforced => Found::Nothing,
        RiskId::PoorHygiene if !hygiene.is_covered => Found::Unseen,
        RiskId::PoorHygiene => {
            Found::caution_if(hygiene.score < CAUTION_FROM, || json!({ "score": hygiene.score }))
        }
        RiskId::TooFewProofs => {
            let held = proofs.iter().filter(|proof| proof.holds).count();
            Found::caution_if(held < MIN_PROOFS, || json!({ "proofs": held, "needed": MIN_PROOFS }))
        }
    }
}

fn hits(feeds: &[FeedLookUp]) -> Vec<&FeedLookUp> {
    feeds.iter().filter(|feed| feed.entry.is_some()).collect()
}

/// True if the feed was certainly not older than it may be.
fn is_fresh(feed: &FeedLookUp) -> bool {
    feed.stale == Some(false)
}
