//! What the judge found, member by member as it stands in the receipt.

use std::borrow::Cow;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::seen::{Look, Seen};
use crate::dns::Name;
use crate::domain::PublicSuffixes;
use crate::model::METHOD;
use crate::records::{self, Records};
use crate::score::{self, Assessment, Cap, Check, CheckId, Expiry, Flags, Status, assess};
use crate::site::Unseen;
use crate::{dmarc, spf};

const SCOPE: &str = "What the domain's own records in the DNS, its certificate, its pages' header fields and its \
    registry said when they were looked at: how well it is kept. It does not say who is behind it, or that what \
    they offer is honest.";

/// The finding of `/trust-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TrustFinding {
    /// The name that was looked at, in A-labels.
    pub domain: String,
    /// The name that is its owner's own: below a public suffix.
    pub registrable: String,
    /// The verdict, the score and what they are made of.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// What was looked at.
    pub evidence: TrustEvidence,
    /// What this verdict says and what it does not.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided: those of `/trust-score/model`.
    pub method: Cow<'static, str>,
}

/// What was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TrustEvidence {
    /// The SHA-256 of all that was seen, which is kept for replays.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub observations_sha256: String,
    /// When it was seen: a few minutes before the receipt where somebody else had just asked.
    #[schemars(with = "String")]
    pub observed_at: Timestamp,
}

/// Finds on what was seen, which is kept under this SHA-256.
pub(super) fn find(seen: &Seen, observations: [u8; 32], at: Timestamp) -> TrustFinding {
    let (checks, caps) = checks(seen, at);
    TrustFinding {
        domain: seen.name.to_string(),
        registrable: seen.registrable.to_string(),
        assessment: assess(checks, caps, flags(seen, at)),
        evidence: TrustEvidence {
            observations_sha256: hex::encode(observations),
            observed_at: seen.observed_at,
        },
        scope: SCOPE.into(),
        method: METHOD.into(),
    }
}

fn flags(seen: &Seen, at: Timestamp) -> Flags {
    let mut flags = Flags::default();
    let registered_at = seen.registry.seen.as_ref().and_then(|registry| registry.found().registered_at());
    // Below a suffix of the list's private part (`github.io`), the registry tells the age of the platform alone.
    flags.look_at_age(registered_at.filter(|_| seen.registrable == seen.registered), at);
    flags.look_at_name(&seen.registrable);
    flags
}

/// Every check, and what holds the score down.
fn checks(seen: &Seen, at: Timestamp) -> (Vec<Check>, Vec<Cap>) {
    let (name, registrable) = (Name::from(&seen.name), Name::from(&seen.registrable));
    let tape = seen.dns.seen.clone().unwrap_or_default();
    let records = records::read(&tape, &seen.subject()).now_or_never().expect("a tape makes nobody wait");
    let takes_mail = !has_no_mail(&records);
    let mut caps = Vec::new();
    let mut capped = |(check, cap): (Check, Option<Cap>)| {
        caps.extend(cap);
        check
    };
    let dnssec = capped(of(&seen.dnssec, CheckId::Dnssec, score::dnssec));
    let signed = dnssec.status;
    let of_zone = [dnssec];
    let of_tls = of(&seen.tls, CheckId::Tls, |tls| score::tls(tls, &seen.name, at));
    let of_tls =
        [capped(if of_tls.0.status == Status::Unknown { by_page(seen).unwrap_or(of_tls) } else { of_tls })];
    let of_registry = [capped(match &seen.registry.seen {
        Some(registry) => score::expiration(registry.found().expiry(), at),
        None => score::expiration(Expiry::Failed("timed_out"), at),
    })];
    let of_records = [
        score::spf(&records.spf, &name),
        score::dmarc(&records.dmarc, &name, &registrable),
        score::caa(&records.caa, &registrable),
        score::tls_rpt(&records.tls_rpt, &name, takes_mail),
        score::dane(&records.mail, signed, takes_mail),
        score::ipv6(&records.addresses, &name),
        score::name_servers(&records.servers),
        score::bimi(&records.bimi, &name, takes_mail),
    ];
    let suffixes = PublicSuffixes::bundled();
    let of_site = match &seen.site.seen {
        Some(site) => vec![
            score::site_headers(site, &suffixes),
            score::mta_sts(site, &records.mta_sts, &records.mail.exchangers, &name, takes_mail),
            score::security_txt(site, at),
            score::hsts_preload(site, &suffixes),
        ],
        None => [CheckId::Headers, CheckId::MtaSts, CheckId::SecurityTxt, CheckId::HstsPreload]
            .map(|id| Check::unknown(id, "timed_out"))
            .into(),
    };
    let observed = |checks: &mut dyn Iterator<Item = Check>, elapsed_ms: u32| -> Vec<Check> {
        checks.map(|check| check.observed(seen.observed_at, elapsed_ms)).collect()
    };
    let mut checks = observed(&mut of_zone.into_iter(), seen.dnssec.elapsed_ms);
    checks.extend(observed(&mut of_tls.into_iter(), seen.tls.elapsed_ms));
    checks.extend(observed(&mut of_registry.into_iter(), seen.registry.elapsed_ms));
    checks.extend(observed(&mut of_records.into_iter(), seen.dns.elapsed_ms));
    checks.extend(observed(&mut of_site.into_iter(), seen.site.elapsed_ms));
    (checks, caps)
}

/// A probe's check; unknown where it did not end in time.
fn of<T>(
    look: &Look<T>,
    id: CheckId,
    check: impl FnOnce(&T) -> (Check, Option<Cap>),
) -> (Check, Option<Cap>) {
    look.seen.as_ref().map_or_else(|| (Check::unknown(id, "timed_out"), None), check)
}

/// TLS as the request for the page met it, where the probe itself saw nothing: a server that answers one client with a
/// certificate that does not hold gains nothing by not answering the other.
fn by_page(seen: &Seen) -> Option<(Check, Option<Cap>)> {
    let way = &seen.site.seen.as_ref()?.https;
    let is_invalid = way.hops.is_empty() && way.failure() == Some(Unseen::InvalidCertificate);
    is_invalid.then(|| (Check::fail(CheckId::Tls, "certificate_invalid"), Some(Cap::InvalidCertificate)))
}

/// Whether the domain says in all three ways that it has no mail: by a null MX (RFC 7505), by `v=spf1 -all`, and by
/// asking for the rejection of whatever claims to come from it.
fn has_no_mail(records: &Records) -> bool {
    let names_no_sender =
        matches!(
            records.spf.standing,
            spf::Standing::Valid { all: spf::LastWord::Said(spf::Qualifier::Fail) }
        ) && records.spf.visits.first().and_then(|visit| visit.record.as_deref()).is_some_and(is_bare);
    let rejects = matches!(&records.dmarc.standing, dmarc::Standing::Applies(applied)
        if applied.enforced == dmarc::Policy::Reject);
    records.mail.is_null() && names_no_sender && rejects
}

/// `v=spf1 -all`, and nothing else that says who sends.
fn is_bare(record: &str) -> bool {
    let mut terms = record.split_ascii_whitespace().skip(1).filter(|term| !term.contains('='));
    terms.next().is_some_and(|term| term.eq_ignore_ascii_case("-all")) && terms.next().is_none()
}
