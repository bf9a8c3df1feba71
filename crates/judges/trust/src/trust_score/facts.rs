//! Facts that are derived from observations: those from which risks are found, and those that a later look is compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use dns::Answer;
use domain_name::rdap::{Registrar, Registration};
use mail_records::dmarc::{DmarcPolicy, DmarcStatus};
use mail_records::spf::{Qualifier, SpfStatus};
use probe::registry::KnownRegistration;
use probe::site::{ProbeFailure, RedirectChain, SiteObservation};
use probe::tls::{CertificateFacts, Verification};
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::memory::EarlierLooks;
use super::observations::{DomainObservations, TableLookUps};
use crate::records::{Alias, Records};
use crate::score::{
    self, Age, AgeSource, Cap, CertificateState, Check, CheckId, DanglingTarget, PayeeBinding, Purpose,
    RegistrationState, RiskFacts, RiskId, Status,
};

/// Maximum number of values of a facet.
const MAX_VALUES: usize = 16;
/// Maximum length of a value, in bytes.
const MAX_VALUE_BYTES: usize = 253;

/// Facts about a domain that change when it changes hands, each with its values in order. A fact that could not be
/// observed is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "DomainFacts")]
pub struct DomainFacts(pub BTreeMap<&'static str, Vec<String>>);

/// Names of the facts, for documentation and comparisons.
pub mod facet {
    /// The name servers of the registrable name.
    pub const NAME_SERVERS: &str = "name_servers";
    /// The mail exchangers of the name.
    pub const MAIL_EXCHANGERS: &str = "mail_exchangers";
    /// The registrar, by its name or its IANA number.
    pub const REGISTRAR: &str = "registrar";
    /// The addresses of the name.
    pub const ADDRESSES: &str = "addresses";
    /// The networks of the addresses: /24 of IPv4, /48 of IPv6.
    pub const NETWORKS: &str = "networks";
    /// The issuer of the certificate.
    pub const CERTIFICATE_ISSUER: &str = "certificate_issuer";
    /// The policy that DMARC enforces, or `absent`.
    pub const DMARC: &str = "dmarc";
    /// The ids of the risk's reasons, but for those that say what this notary could not see.
    pub const RISKS: &str = "risks";
}

/// Returns the facts that a later look is compared with, but for the risks.
pub(super) fn domain_facts(seen: &DomainObservations, records: &Records) -> DomainFacts {
    let mut facts = DomainFacts::default();
    let mut add = |name: &'static str, values: Option<Vec<String>>| {
        let Some(mut values) = values else { return };
        for value in &mut values {
            value.truncate(value.floor_char_boundary(MAX_VALUE_BYTES));
        }
        values.sort_unstable();
        values.dedup();
        values.truncate(MAX_VALUES);
        facts.0.insert(name, values);
    };
    // A delegation without a name server is none: nothing was observed. That there is no such name is an observation.
    let servers = values(&records.servers.names, ToString::to_string);
    let is_gone = matches!(records.servers.names, Answer::NxDomain);
    add(facet::NAME_SERVERS, servers.filter(|servers| is_gone || !servers.is_empty()));
    add(
        facet::MAIL_EXCHANGERS,
        values(&records.mail.exchangers, |mx| {
            mx.exchange.host().map_or_else(|| ".".to_owned(), ToString::to_string)
        }),
    );
    let registration = registration(seen);
    let registrar = registration.as_ref().and_then(|registration| registration.registrar.as_ref());
    add(
        facet::REGISTRAR,
        registrar
            .and_then(|registrar| registrar.name.clone().or_else(|| registrar.iana_id.clone()))
            .map(|own| vec![own]),
    );
    let families = [&records.addresses.v4, &records.addresses.v6];
    let addresses: Option<Vec<IpAddr>> = families
        .into_iter()
        .map(|answer| values(answer, |address| *address))
        .collect::<Option<Vec<_>>>()
        .map(|families| families.concat());
    add(facet::NETWORKS, addresses.as_ref().map(|own| own.iter().map(network).collect()));
    add(facet::ADDRESSES, addresses.map(|own| own.iter().map(ToString::to_string).collect()));
    add(facet::CERTIFICATE_ISSUER, leaf(seen).map(|leaf| vec![leaf.issuer]));
    add(
        facet::DMARC,
        match &records.dmarc.standing {
            DmarcStatus::Applies(applied) => Some(vec![applied.enforced.word().to_owned()]),
            DmarcStatus::Absent | DmarcStatus::Invalid { .. } => Some(vec!["absent".to_owned()]),
            DmarcStatus::Unknown { .. } => None,
        },
    );
    facts
}

/// The values of an answer; `None` where the look-up failed.
fn values<T, V>(answer: &Answer<T>, value: impl Fn(&T) -> V) -> Option<Vec<V>> {
    match answer {
        Answer::Found { records, .. } => Some(records.iter().map(value).collect()),
        Answer::NoData | Answer::NxDomain => Some(Vec::new()),
        Answer::Failed(_) => None,
    }
}

fn network(address: &IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            format!("{}/48", std::net::Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

/// The registration, over RDAP.
fn by_rdap(seen: &DomainObservations) -> Option<Registration> {
    match seen.registry.seen.as_ref()?.found() {
        KnownRegistration::Registration(registration) => Some(*registration),
        KnownRegistration::NoService | KnownRegistration::Unknown(_) => None,
    }
}

/// The registrar and the states that WHOIS states.
fn by_whois(seen: &DomainObservations) -> Option<Registration> {
    let whois = seen.whois.as_ref()?;
    let record = whois.record().filter(|record| record.is_about(&whois.name))?;
    // Several states may stand on one line, and behind each the address where ICANN explains it.
    let states = record.status.iter().flat_map(|line| line.split(','));
    let state = |own: &str| {
        own.split(['(', '\t'])
            .next()
            .unwrap_or_default()
            .split(" http")
            .next()
            .map(str::trim)
            .map(str::to_owned)
    };
    Some(Registration {
        registrar: record.registrar.map(|name| Registrar { name: Some(name), iana_id: None }),
        status: states.filter_map(state).filter(|state| !state.is_empty()).collect(),
        ..Registration::default()
    })
}

/// The registration, over RDAP or else over WHOIS.
fn registration(seen: &DomainObservations) -> Option<Registration> {
    by_rdap(seen).or_else(|| by_whois(seen))
}

/// The leaf certificate, of a chain that verifies.
fn leaf(seen: &DomainObservations) -> Option<CertificateFacts> {
    CertificateFacts::read(seen.tls.seen.as_ref()?.certificates().first()?)
}

/// The organisation of the certificate, where a publicly trusted authority validated it.
pub(super) fn organisation(seen: &DomainObservations) -> Option<String> {
    if seen.registrable != seen.registered {
        // The certificate below a platform's name is the platform's.
        return None;
    }
    let trust = seen.tls.seen.as_ref()?.trust?;
    let is_trusted = trust.is_public && trust.key_is_proven && trust.verification == Verification::Valid;
    let leaf = leaf(seen).filter(|_| is_trusted)?;
    leaf.validation.filter(|validation| validation.is_of_organization()).and(leaf.organization)
}

/// What was derived from the observations of a look, and from which risks are found.
pub(super) struct Derived<'a> {
    pub(super) records: &'a Records,
    pub(super) tables: &'a TableLookUps,
    pub(super) checks: &'a [Check],
    pub(super) caps: &'a [Cap],
}

impl Derived<'_> {
    fn check(&self, id: CheckId) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }

    fn certificate(&self) -> CertificateState {
        if !self.caps.contains(&Cap::InvalidCertificate) {
            return CertificateState::Holds;
        }
        match self.check(CheckId::Tls) {
            Some(check) if check.reason == score::REVOKED => CertificateState::Revoked,
            check => {
                CertificateState::Invalid(check.map_or_else(String::new, |check| check.reason.to_string()))
            }
        }
    }

    fn has_https(&self) -> bool {
        let has_address = self.check(CheckId::Tls).is_none_or(|check| check.status != Status::NotApplicable);
        has_address && !self.caps.contains(&Cap::NoHttps)
    }

    fn is_unknown(&self, id: CheckId) -> bool {
        self.check(id).is_some_and(|check| check.status == Status::Unknown)
    }

    /// The risks whose facts were not observed.
    fn unseen(&self, seen: &DomainObservations, has_age: bool) -> BTreeSet<RiskId> {
        let addresses = &self.records.addresses;
        let has_failed = |answer: &Answer<IpAddr>| matches!(answer, Answer::Failed(_));
        let is_alias_unseen = match self.records.alias {
            Alias::None => false,
            Alias::Of(_) => has_failed(&addresses.v4) && has_failed(&addresses.v6),
            Alias::Unknown => true,
        };
        // WHOIS answers without a state tell nothing of it.
        let is_registration_unseen =
            by_rdap(seen).is_none() && by_whois(seen).is_none_or(|seen| seen.status.is_empty());
        // WHOIS tells neither.
        let are_events_unseen = by_rdap(seen).is_none();
        let is_tls_unseen = self.is_unknown(CheckId::Tls);
        let is_way_unseen = self.has_https() && page_failure(seen).is_some();
        [
            (RiskId::RegistrationEnded, is_registration_unseen),
            (RiskId::OnHold, is_registration_unseen),
            (RiskId::CertificateInvalid, is_tls_unseen),
            (RiskId::CertificateRevoked, is_tls_unseen),
            (RiskId::DnssecBogus, self.is_unknown(CheckId::Dnssec)),
            (RiskId::EndsOnOtherSite, is_way_unseen),
            (RiskId::YoungDomain, !has_age),
            (RiskId::Reregistered, are_events_unseen),
            (RiskId::Transferred, are_events_unseen),
            (RiskId::DanglingAlias, is_alias_unseen),
            (RiskId::NoHttps, is_tls_unseen && self.is_unknown(CheckId::Https)),
            (RiskId::PageUnseen, is_tls_unseen && is_way_unseen),
        ]
        .into_iter()
        .filter_map(|(id, is_unseen)| is_unseen.then_some(id))
        .collect()
    }
}

/// Why no page was seen over HTTPS. Too many redirects have a reason of their own.
fn page_failure(seen: &DomainObservations) -> Option<&'static str> {
    let Some(site) = &seen.site.seen else { return Some(ProbeFailure::Timeout.code()) };
    let failure = site.https.failure().filter(|failure| *failure != ProbeFailure::TooManyRedirects);
    failure.map(ProbeFailure::code)
}

/// Returns the facts from which the risks are found.
pub(super) fn risk_facts(
    seen: &DomainObservations,
    read: &Derived<'_>,
    asked: (Purpose, Option<PayeeBinding>),
    earlier: &EarlierLooks,
    now: Timestamp,
) -> RiskFacts {
    let records = read.records;
    let registered = by_rdap(seen);
    // Below a suffix of the list's private part (`github.io`), the registry tells the age of the platform alone.
    let is_tenant = seen.registrable != seen.registered;
    let first_certificate = seen.first_certificate();
    let past = |at: &Timestamp| *at <= now;
    let by_registry = registered
        .as_ref()
        .and_then(Registration::since)
        .filter(past)
        .map(|since| Age { since, source: AgeSource::Rdap });
    let by_whois = || seen.whois_since().filter(past).map(|since| Age { since, source: AgeSource::Whois });
    let by_certificate = || {
        first_certificate.filter(past).map(|since| Age { since, source: AgeSource::CertificateTransparency })
    };
    // A registry that could tell and did not is no reason to believe old certificates, which an earlier holder may have had.
    let has_no_registry =
        seen.registry.seen.as_ref().is_some_and(|seen| seen.found() == KnownRegistration::NoService);
    let age = by_registry.or_else(by_whois).or_else(|| if has_no_registry { by_certificate() } else { None });
    let certificate = read.certificate();
    let is_there =
        read.has_https() && !read.is_unknown(CheckId::Tls) && certificate == CertificateState::Holds;
    RiskFacts {
        unseen: read.unseen(seen, age.is_some() || is_tenant),
        purpose: asked.0,
        now,
        age,
        transferred: registered.as_ref().and_then(|registration| registration.transfer),
        reregistered: registered.as_ref().and_then(|registration| registration.reregistration),
        registrar_changed: earlier.registrar_changed,
        registration: registration_state(registration(seen).as_ref(), read.caps),
        is_tenant,
        look_alike: seen.look_alike.clone(),
        feeds: seen.feeds.clone(),
        certificate,
        is_bogus: read.caps.contains(&Cap::BogusDnssec),
        destination: seen.destination.clone(),
        has_https: read.has_https(),
        page_failure: page_failure(seen).filter(|_| is_there),
        spf_is_open: match &records.spf.standing {
            SpfStatus::Valid { all: Qualifier::Pass } => Some(true),
            SpfStatus::Unknown { .. } => None,
            SpfStatus::Valid { .. } | SpfStatus::Absent | SpfStatus::Invalid(_) => Some(false),
        },
        dmarc_is_enforced: match &records.dmarc.standing {
            DmarcStatus::Applies(applied) => Some(applied.enforced != DmarcPolicy::None),
            DmarcStatus::Absent | DmarcStatus::Invalid { .. } => Some(false),
            DmarcStatus::Unknown { .. } => None,
        },
        dangling: dangling(read),
        payee: asked.1,
        first_certificate,
        popularity: seen.popularity.as_ref().and_then(|found| Some((found.list.clone(), found.rank?))),
        unchanged_since: earlier.unchanged_since,
        organisation: organisation(seen),
    }
}

fn registration_state(registration: Option<&Registration>, caps: &[Cap]) -> RegistrationState {
    let has_ended = caps.contains(&Cap::ExpiredDomain) || registration.is_some_and(score::has_ended);
    if has_ended {
        RegistrationState::Ended
    } else if registration.is_some_and(score::is_on_hold) {
        RegistrationState::OnHold
    } else {
        RegistrationState::Holds
    }
}

/// An alias whose target does not exist, so that it can be registered, or claimed at its platform.
fn dangling(read: &Derived<'_>) -> Option<DanglingTarget> {
    let Records { alias, addresses, .. } = read.records;
    let Alias::Of(target) = alias else { return None };
    let is_gone = matches!((&addresses.v4, &addresses.v6), (Answer::NxDomain, _) | (_, Answer::NxDomain));
    is_gone.then(|| DanglingTarget {
        target: target.to_string(),
        reason: "no_such_name",
        platform: read.tables.alias_platform.clone(),
    })
}

/// Returns the hosts that a site's requests were led to, each once, and whether the way ends outside of the registrable name,
/// or was not followed to its end.
pub(super) fn ways(
    site: &SiteObservation,
    registrable: &domain_name::DomainName,
) -> (Vec<String>, Option<String>) {
    let chains = [&site.https, &site.http];
    let mut hosts = Vec::new();
    for url in chains.into_iter().flat_map(RedirectChain::route) {
        let host = url.host_str().map(str::to_owned);
        hosts.extend(host.filter(|host| host != site.name.as_str() && !hosts.contains(host)));
    }
    let is_out = |chain: &&RedirectChain| {
        let is_lost = chain.failure() == Some(ProbeFailure::TooManyRedirects);
        is_lost || (chain.url.host_str().is_some() && !score::is_within(&chain.url, registrable))
    };
    let end = chains.into_iter().find(is_out).and_then(|chain| chain.url.host_str().map(str::to_owned));
    (hosts, end)
}
