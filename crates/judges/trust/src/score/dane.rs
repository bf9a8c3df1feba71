//! The check of DANE for mail (RFC 7672).

use dns::{Answer, Failure, Name, Tlsa};
use serde_json::json;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::zone_file::{commented, is_written};
use super::{Check, CheckId, ModelVersion, Partial, Points, Status};
use crate::records::Mail;

/// The usages that mail knows (RFC 7672, 3.1): a trust anchor, or the server's own certificate.
const DANE_USAGES: [u8; 2] = [2, 3];

/// The bytes of the digests that TLSA knows.
const SHA256_BYTES: usize = 32;
const SHA512_BYTES: usize = 64;

const SIGN: &str = "Have the domain signed with DNSSEC: see the check of DNSSEC.";

const NOT_SIGNED: Partial = Partial { reason: "not_signed", points: Points::hundredths(50) };

/// Reasons that earn some of the points.
pub(crate) const DANE_PARTIALS: &[Partial] = &[NOT_SIGNED];

/// Checks DANE (RFC 7672): a TLSA record for every mail exchanger.
///
/// TLSA records count only with DNSSEC. If the domain is not signed, anybody on the path can replace its exchangers
/// (RFC 7672, 2.2.1); the exchanger's own zone must be signed too. `signed` is the status of the domain's DNSSEC check,
/// which is taken to hold for all names below `registrable`. It does not apply to exchangers of another domain, whose
/// records are not the owner's to publish.
#[must_use]
pub fn dane(mail: &Mail, registrable: &Name, signed: Status, sends_mail: bool, model: ModelVersion) -> Check {
    let id = CheckId::Dane;
    if !sends_mail {
        return Check::not_applicable(id, "no_mail");
    }
    if let Some(failure) = mail.exchangers.failure() {
        return Check::unknown(id, failure.code());
    }
    if mail.certificates.is_empty() {
        return Check::fail(id, "no_exchanger");
    }
    let mut missing: Vec<&Name> = Vec::new();
    let mut failed: Option<Failure> = None;
    let mut shown = Vec::new();
    for (host, answer) in &mail.certificates {
        let records = match answer {
            Answer::Found { records, .. } => records.iter().filter(|tlsa| is_usable(tlsa)).count(),
            Answer::NoData | Answer::NxDomain => 0,
            Answer::Failed(failure) => {
                failed = Some(*failure);
                continue;
            }
        };
        if records == 0 {
            missing.push(host);
        }
        shown.push(json!({ "exchanger": host, "records": records }));
    }
    let is_own = mail.certificates.iter().all(|(host, _)| host.is_within(registrable));
    let are_of_another =
        model != ModelVersion::V1 && mail.certificates.iter().all(|(host, _)| !host.is_within(registrable));
    let check = match failed {
        _ if are_of_another => Check::not_applicable(id, "exchangers_of_another_domain"),
        _ if !missing.is_empty() => Check::fail(id, "missing").with_remedy(certify(&missing)),
        Some(failure) => Check::unknown(id, failure.code()),
        None if mail.left_out() > 0 => Check::unknown(id, "exchangers_left_out"),
        None => match signed {
            Status::Pass | Status::Warn if is_own => Check::pass(id, "published"),
            Status::Pass | Status::Warn => Check::unknown(id, "exchanger_signature_unknown"),
            Status::Fail => Check::partly(id, NOT_SIGNED).with_remedy(SIGN),
            Status::Unknown | Status::NotApplicable => Check::unknown(id, "signature_unknown"),
        },
    };
    check.with_evidence(json!(shown))
}

/// True if a certificate can match it: by the whole or its key, or by a digest of either (RFC 6698, 2.1).
fn is_usable(tlsa: &Tlsa) -> bool {
    let can_match = match (tlsa.selector, tlsa.matching) {
        (0, 0) => X509Certificate::from_der(&tlsa.data).is_ok_and(|(rest, _)| rest.is_empty()),
        (1, 0) => SubjectPublicKeyInfo::from_der(&tlsa.data).is_ok_and(|(rest, _)| rest.is_empty()),
        (0 | 1, 1) => tlsa.data.len() == SHA256_BYTES,
        (0 | 1, 2) => tlsa.data.len() == SHA512_BYTES,
        _ => false,
    };
    DANE_USAGES.contains(&tlsa.usage) && can_match
}

/// Remedy for these exchangers. Their keys were not seen, so that the records cannot be written out.
fn certify(exchangers: &[&Name]) -> String {
    let mut text = "for each exchanger, in its own zone, which has to be signed: the digest that this prints of its key\n\
        openssl s_client -connect EXCHANGER:25 -starttls smtp </dev/null | openssl x509 -noout -pubkey | openssl pkey \
        -pubin -outform DER | openssl dgst -sha256"
        .to_owned();
    for exchanger in exchangers.iter().filter(|name| is_written(name)) {
        text.push_str(&format!("\n_25._tcp.{exchanger}. IN TLSA 3 1 1 <digest>"));
    }
    commented(&text)
}

#[cfg(test)]
mod tests {
    use dns::{Exchange, Mx};

    use super::super::samples::{found, name};
    use super::*;

    #[test]
    fn dane_is_for_every_exchanger_and_counts_in_full_only_where_it_is_signed() {
        let tlsa = |usage| Tlsa { usage, selector: 1, matching: 1, data: vec![0; 32] };
        let of = |certificates: &[Answer<Tlsa>], is_signed: bool| {
            let certificates = certificates.iter().map(|answer| (name("mx.example.com"), answer.clone()));
            let mail = Mail { exchangers: Answer::NoData, certificates: certificates.collect() };
            let signed = if is_signed { Status::Pass } else { Status::Fail };
            dane(&mail, &name("example.com"), signed, true, ModelVersion::V1).status
        };
        assert_eq!(of(&[found(vec![tlsa(3)])], true), Status::Pass);
        assert_eq!(of(&[found(vec![tlsa(3)])], false), Status::Warn);
        assert_eq!(of(&[found(vec![tlsa(1)])], true), Status::Fail);
        assert_eq!(of(&[found(vec![tlsa(3)]), Answer::NoData], true), Status::Fail);
        assert_eq!(of(&[found(vec![tlsa(3)]), Answer::Failed(Failure::ServFail)], true), Status::Unknown);
        assert_eq!(of(&[], true), Status::Fail);
    }

    #[test]
    fn only_a_tlsa_record_that_a_certificate_can_match_counts() {
        use rcgen::PublicKeyData as _;

        let of = |usage, selector, matching, data: Vec<u8>| {
            let tlsa = Tlsa { usage, selector, matching, data };
            let mail = Mail {
                exchangers: Answer::NoData,
                certificates: vec![(name("mx.example.com"), found(vec![tlsa]))],
            };
            dane(&mail, &name("example.com"), Status::Pass, true, ModelVersion::V1).status
        };
        let leaf = rcgen::generate_simple_self_signed(["mx.example.com".to_owned()]).unwrap();
        let (certificate, key) = (leaf.cert.der().to_vec(), leaf.signing_key.subject_public_key_info());
        for (selector, matching, data) in [
            (0, 1, vec![0; 32]),
            (1, 1, vec![0; 32]),
            (1, 2, vec![0; 64]),
            (0, 0, certificate.clone()),
            (1, 0, key.clone()),
        ] {
            assert_eq!(
                of(3, selector, matching, data.clone()),
                Status::Pass,
                "{selector} {matching} {data:?}"
            );
        }
        for (selector, matching, data) in [
            (1, 1, vec![0]),
            (1, 1, Vec::new()),
            (1, 1, vec![0; 33]),
            (1, 2, vec![0; 32]),
            (2, 1, vec![0; 32]),
            (1, 3, vec![0; 32]),
            (1, 0, vec![0; 32]),
            (0, 0, key),
            (1, 0, certificate),
        ] {
            assert_eq!(
                of(3, selector, matching, data.clone()),
                Status::Fail,
                "{selector} {matching} {data:?}"
            );
        }
    }

    #[test]
    fn dane_is_unknown_where_an_exchanger_or_its_zone_s_signatures_were_not_seen() {
        let tlsa = Tlsa { usage: 3, selector: 1, matching: 1, data: vec![0; 32] };
        let of = |hosts: &[&str], more: usize, signed| {
            let host = |text: &&str| name(text);
            let mx = |exchange| Mx { preference: 10, exchange };
            let exchangers = hosts.iter().map(host).map(Exchange::Host).map(mx);
            let beyond = (0..more).map(|_| mx(Exchange::Unusable));
            let mail = Mail {
                exchangers: found(exchangers.chain(beyond).collect()),
                certificates: hosts.iter().map(host).map(|host| (host, found(vec![tlsa.clone()]))).collect(),
            };
            let check = dane(&mail, &name("example.com"), signed, true, ModelVersion::V1);
            let are_others = hosts.iter().all(|host| !name(host).is_within(&name("example.com")));
            let second = dane(&mail, &name("example.com"), signed, true, ModelVersion::V2);
            assert_eq!(second.status == Status::NotApplicable, are_others, "{hosts:?}");
            (check.status, check.reason.into_owned())
        };
        let expected = |status, reason: &str| (status, reason.to_owned());
        let (own, other) = ("mx.example.com", "mx.notexample.com");
        assert_eq!(of(&[own], 0, Status::Pass), expected(Status::Pass, "published"));
        let unseen = expected(Status::Unknown, "exchanger_signature_unknown");
        assert_eq!(of(&[other], 0, Status::Pass), unseen);
        assert_eq!(of(&[own, other], 0, Status::Pass), unseen);
        assert_eq!(of(&[other], 0, Status::Fail), expected(Status::Warn, "not_signed"));
        assert_eq!(of(&[own], 0, Status::Unknown), expected(Status::Unknown, "signature_unknown"));
        assert_eq!(of(&[own], 1, Status::Pass), expected(Status::Unknown, "exchangers_left_out"));
    }
}
