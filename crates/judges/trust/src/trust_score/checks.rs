//! The checks of a domain's hygiene, each on what its probe saw.

use dns::Name;
use domain_name::rdap::Expiry;
use mail_records::{dmarc, spf};
use probe::site::ProbeFailure;
use verdict::Timestamp;

use super::observations::{DomainObservations, ProbeResult};
use crate::records::Records;
use crate::score::{self, CaaIssuer, Cap, Check, CheckId, ModelVersion, RecordOwner, Status, v1};

/// Every check of the version of the rules, and what holds the score down.
pub(super) fn checks(
    seen: &DomainObservations,
    records: &Records,
    issuer: Option<&CaaIssuer>,
    at: Timestamp,
) -> (Vec<Check>, Vec<Cap>) {
    let model = seen.model;
    let (name, registrable) = (Name::from(&seen.name), Name::from(&seen.registrable));
    let takes_mail = takes_mail(seen, records);
    let mut caps = Vec::new();
    let mut capped = |(check, cap): (Check, Option<Cap>)| {
        caps.extend(cap);
        check
    };
    let dnssec = capped(of(&seen.dnssec, CheckId::Dnssec, score::dnssec));
    let signed = dnssec.status;
    let of_tls = of(&seen.tls, CheckId::Tls, |tls| score::tls(tls, &seen.name, at, model));
    let tls =
        capped(if of_tls.0.status == Status::Unknown { by_page(seen).unwrap_or(of_tls) } else { of_tls });
    let expiration = capped(match &seen.registry.seen {
        Some(registry) => score::expiration(registry.found().expiry(), at, model),
        None => score::expiration(Expiry::Failed("timed_out"), at, model),
    });
    let place = RecordOwner { name: &name, registrable: &registrable, alias: &records.alias };
    let rejects_by_dmarc = model != ModelVersion::V1
        && matches!(&records.dmarc.standing, dmarc::DmarcStatus::Applies(applied)
            if applied.enforced != dmarc::DmarcPolicy::None);
    let of_spf = if model != ModelVersion::V1 && is_host_without_mail(seen, records) {
        Check::not_applicable(CheckId::Spf, "host_without_mail")
    } else {
        score::spf(&records.spf, &records.mail.exchangers, &place, rejects_by_dmarc)
    };
    let of_records = [
        of_spf,
        score::dmarc(&records.dmarc, &name, &registrable, model),
        score::caa(&records.caa, &place, issuer, model),
        score::tls_rpt(&records.tls_rpt, &name, takes_mail),
        score::dane(&records.mail, &registrable, signed, takes_mail, model),
        score::ipv6(&records.addresses, &place),
        score::name_servers(&records.servers),
        score::bimi(&records.bimi, &name, takes_mail),
    ];
    let of_site = match &seen.site.seen {
        Some(site) => [
            score::site_headers(site, &seen.registered, &seen.registrable, model),
            score::https(site),
            score::mta_sts(
                site,
                &records.mta_sts,
                &records.mail.exchangers,
                &name,
                takes_mail,
                seen.observed_at,
            ),
            score::security_txt(site, &seen.registrable, seen.observed_at, at, model),
            score::hsts_preload(site, &seen.registrable, model),
        ],
        None => {
            [CheckId::Headers, CheckId::Https, CheckId::MtaSts, CheckId::SecurityTxt, CheckId::HstsPreload]
                .map(|id| Check::unknown(id, "timed_out"))
        }
    };
    // The registry's answer may be some minutes old.
    let heard = seen.registry.seen.as_ref().and_then(|heard| Some((heard.observed_at?, heard.elapsed_ms)));
    let (heard_at, heard_ms) = heard.unwrap_or((seen.observed_at, seen.registry.elapsed_ms));
    let expiration = expiration.observed(heard_at, heard_ms);
    let dnssec = dnssec.observed(seen.observed_at, seen.dnssec.elapsed_ms);
    let tls = tls.observed(seen.observed_at, seen.tls.elapsed_ms);
    let [spf, dmarc, caa, tls_rpt, dane, ipv6, name_servers, bimi] =
        of_records.map(|check| check.observed(seen.observed_at, seen.dns.elapsed_ms));
    let [headers, https, mta_sts, security_txt, hsts_preload] =
        of_site.map(|check| check.observed(seen.observed_at, seen.site.elapsed_ms));
    let checks = vec![
        tls,
        dmarc,
        headers,
        https,
        dnssec,
        spf,
        expiration,
        caa,
        mta_sts,
        tls_rpt,
        dane,
        ipv6,
        name_servers,
        security_txt,
        hsts_preload,
        bimi,
    ];
    let is_of_version = |check: &Check| model != ModelVersion::V1 || v1::CHECKS.contains(&check.id);
    (checks.into_iter().filter(is_of_version).collect(), caps)
}

/// True if the domain may take mail. By `trust-score/1`, only a domain that [refuses mail](has_no_mail) in all three ways
/// takes none; now a null MX alone says so, and a host name without exchangers.
fn takes_mail(seen: &DomainObservations, records: &Records) -> bool {
    match seen.model {
        ModelVersion::V1 => !has_no_mail(records),
        ModelVersion::V2 => !records.mail.is_null() && !is_host_without_mail(seen, records),
    }
}

/// True for a name below the registrable one, such as `www`, that has no mail exchangers. Mail that claims to come from it
/// falls under the DMARC policy of the registrable name.
fn is_host_without_mail(seen: &DomainObservations, records: &Records) -> bool {
    seen.name != seen.registrable && records.mail.exchangers.is_void()
}

/// A probe's check; unknown where it did not end in time.
fn of<T>(
    look: &ProbeResult<T>,
    id: CheckId,
    check: impl FnOnce(&T) -> (Check, Option<Cap>),
) -> (Check, Option<Cap>) {
    look.seen.as_ref().map_or_else(|| (Check::unknown(id, "timed_out"), None), check)
}

/// TLS as the request for the page met it, where the probe itself saw nothing: a server that answers one client with a
/// certificate that does not hold gains nothing by not answering the other.
fn by_page(seen: &DomainObservations) -> Option<(Check, Option<Cap>)> {
    let way = &seen.site.seen.as_ref()?.https;
    let is_invalid = way.hops.is_empty() && way.failure() == Some(ProbeFailure::InvalidCertificate);
    is_invalid.then(|| (Check::fail(CheckId::Tls, "certificate_invalid"), Some(Cap::InvalidCertificate)))
}

/// True if the domain says in all three ways that it has no mail: by a null MX (RFC 7505), by `v=spf1 -all`, and by
/// asking for the rejection of all mail that claims to come from it.
fn has_no_mail(records: &Records) -> bool {
    let names_no_sender = matches!(records.spf.standing, spf::SpfStatus::Valid { all: spf::Qualifier::Fail })
        && records.spf.visits.first().and_then(|visit| visit.record.as_deref()).is_some_and(is_bare);
    let rejects = matches!(&records.dmarc.standing, dmarc::DmarcStatus::Applies(applied)
        if applied.enforced == dmarc::DmarcPolicy::Reject);
    records.mail.is_null() && names_no_sender && rejects
}

/// `v=spf1 -all`, and nothing else that says who sends.
fn is_bare(record: &str) -> bool {
    let refuses_all = spf::Directive { qualifier: spf::Qualifier::Fail, mechanism: spf::Mechanism::All };
    spf::SpfRecord::parse(record.as_bytes()).is_ok_and(|record| record.reachable().eq([&refuses_all]))
}
