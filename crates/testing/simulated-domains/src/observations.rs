//! Observations of a profile, as the probes would have made them.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brand_names::look_alike;
use dns::{Caa, DnsTranscript, Exchange, Mx, Name, Record, RecordingResolver, Zone};
use domain_name::{PublicSuffixes, Subject};
use futures_util::FutureExt as _;
use http_headers::{HeaderFields, Page};
use probe::ct::{CtObservation, CtResult};
use probe::dnssec::{
    Delegation, DnssecObservation, Ds, LookTimes, PairedReplies, Parent, ReplySummary, ResolverAnswers,
    ResolverReply, SecurityStatus, Validation,
};
use probe::registry::{RdapAnswer, RegistryObservation, RegistryResult};
use probe::site::{
    PageObservation, PreflightResult, ProbeFailure, RedirectChain, RedirectEnd, RedirectHop, SiteObservation,
    WellKnownText, WellKnownTextResult,
};
use probe::tls::{
    Acceptance, ChainTrust, HandshakeOutcome, RootsUsed, Scts, TlsObservation, TlsVersion, Verification,
    Versions,
};
use serde_json::{Value, json};
use threat_feeds::{FeedEntry, FeedLookUp, Feeds};
use trust::popularity::PopularityLookUp;
use trust::records;
use trust::score::ModelVersion;
use trust::trust_score::{DomainObservations, ProbeResult, destination};
use url::Url;

use crate::certificate;
use crate::profile::{Facts, Feed, Headers, Https, now};

const DAY_MILLIS: i64 = 86_400_000;

/// Makes the observations of these facts.
pub(crate) fn observations(subject: &Subject, facts: &Facts) -> DomainObservations {
    let site = site(subject, facts);
    let destination =
        destination(&site, subject, &PublicSuffixes::bundled(), &Feeds::default(), SystemTime::now());
    DomainObservations {
        name: subject.name.clone(),
        registrable: subject.registrable.clone(),
        registered: subject.registered.clone(),
        look_alike: look_alike(subject),
        observed_at: now(),
        dns: seen(records_of(subject, facts)),
        dnssec: seen(dnssec(subject, facts)),
        tls: seen(tls(subject, facts)),
        site: seen(site),
        registry: seen(registry(subject, facts)),
        feeds: feeds(subject, facts.feed),
        model: ModelVersion::V2,
        popularity: Some(PopularityLookUp {
            list: "popular.csv".to_owned(),
            sha256: "00".repeat(32),
            names: 1_000_000,
            rank: facts.popular.then_some(500),
        }),
        destination,
        whois: None,
        certificates: facts.ct_first_seen_days.map(|days| certificates(subject, days)),
        tables: None,
    }
}

fn seen<T>(observed: T) -> ProbeResult<T> {
    ProbeResult { elapsed_ms: 1, seen: Some(observed) }
}

fn feeds(subject: &Subject, feed: Feed) -> Vec<FeedLookUp> {
    let look_up = |entry, stale| FeedLookUp {
        name: "phishing.txt".to_owned(),
        sha256: "00".repeat(32),
        entries: 100_000,
        entry,
        stale: Some(stale),
        ..FeedLookUp::default()
    };
    match feed {
        Feed::Hit => vec![look_up(Some(FeedEntry::Name(subject.registrable.to_string())), false)],
        Feed::FreshClean => vec![look_up(None, false)],
        Feed::Stale => vec![look_up(None, true)],
        Feed::None => Vec::new(),
    }
}

fn records_of(subject: &Subject, facts: &Facts) -> DnsTranscript {
    let zone = zone(subject, facts);
    let recorder = RecordingResolver::of(&zone);
    let _records = records::read(&recorder, subject, now()).now_or_never();
    recorder.into_transcript()
}

fn certificates(subject: &Subject, days: i64) -> CtObservation {
    let first = now().saturating_add_millis(-days * DAY_MILLIS);
    let end = CtResult::Answered {
        status: 200,
        bytes: 1000,
        sha256: "00".repeat(32),
        rows: 9,
        counted: 9,
        first_seen: Some(first),
        is_cut: false,
    };
    let url = "https://ct.example/?q=x".parse().expect("a URL");
    CtObservation { name: subject.registrable.clone(), url, end, observed_at: now(), elapsed_ms: 1 }
}

fn zone(subject: &Subject, facts: &Facts) -> Zone {
    let (name, registrable) = (Name::from(&subject.name), Name::from(&subject.registrable));
    let server = |text: &str| Name::parse(text).expect("a name");
    let mut zone = Zone::default()
        .with(&registrable, Record::Ns(server("ns1.dns-one.example")))
        .with(&registrable, Record::Ns(server("ns2.dns-two.example")))
        .with(&server("ns1.dns-one.example"), Record::A([198, 51, 100, 1].into()))
        .with(&server("ns2.dns-two.example"), Record::A([203, 0, 113, 1].into()));
    if facts.https != Https::None {
        zone.add(&name, Record::A([192, 0, 2, 1].into()));
    }
    if facts.null_mx {
        zone.add(&name, Record::Mx(Mx { preference: 0, exchange: Exchange::Root }));
    } else if facts.mx {
        let host = registrable.below("mx").expect("a name");
        zone.add(&name, Record::Mx(Mx { preference: 10, exchange: Exchange::Host(host) }));
    }
    if facts.spf != "absent" {
        let mx = if facts.mx { "mx " } else { "" };
        zone.add(&name, Record::Txt(format!("v=spf1 {mx}{}", facts.spf).into_bytes()));
    }
    if facts.dmarc != "absent" {
        let at = registrable.below("_dmarc").expect("a name");
        zone.add(&at, Record::Txt(format!("v=DMARC1; p={}", facts.dmarc).into_bytes()));
    }
    let issuer = match facts.caa.as_str() {
        "matching" => Some("letsencrypt.org"),
        "other" => Some("ca.example"),
        "forbid" => Some(";"),
        _ => None,
    };
    if let Some(issuer) = issuer {
        let (tag, value) = (b"issue".to_vec(), issuer.as_bytes().to_vec());
        zone.add(&registrable, Record::Caa(Caa { flags: 0, tag, value }));
    }
    zone
}

fn dnssec(subject: &Subject, facts: &Facts) -> DnssecObservation {
    let (status, parent, authentic) = match facts.dnssec.as_str() {
        "signed" => (SecurityStatus::Secure, Parent::Found, true),
        "bogus" => (SecurityStatus::Bogus, Parent::Found, false),
        _ => (SecurityStatus::Insecure, Parent::None, false),
    };
    let is_bogus = facts.dnssec == "bogus";
    let reply = |rcode, errors| {
        ResolverReply::Answered(ReplySummary { rcode, authentic, signed: parent == Parent::Found, errors })
    };
    let pair = || PairedReplies {
        checked: if is_bogus { reply(2, vec![6]) } else { reply(0, Vec::new()) },
        unchecked: reply(0, Vec::new()),
    };
    let root =
        ResolverReply::Answered(ReplySummary { rcode: 0, authentic: true, signed: true, errors: Vec::new() });
    let ds = (parent == Parent::Found).then_some(Ds { key_tag: 1, algorithm: 13, digest_type: 2 });
    DnssecObservation {
        name: subject.registrable.to_string(),
        zone: Some(subject.registrable.to_string()),
        validation: Validation { zone: status, address: status },
        resolver: ResolverAnswers { configured: false, root, zone: pair(), address: pair() },
        delegation: Delegation { parent, ds: ds.into_iter().collect(), keys: Vec::new() },
        took: LookTimes::default(),
    }
}

fn tls(subject: &Subject, facts: &Facts) -> TlsObservation {
    let has_address = facts.https != Https::None;
    let is_valid = facts.https == Https::Ok;
    let accepted = if has_address { Acceptance::Accepted } else { Acceptance::Unknown };
    let old = if has_address { Acceptance::Refused } else { Acceptance::Unknown };
    let verification = if is_valid { Verification::Valid } else { Verification::Expired };
    let trust = ChainTrust { verification, is_public: is_valid, key_is_proven: true };
    let logs = if facts.cert_lifetime_days > 180 { 3 } else { 2 };
    let mut seen = TlsObservation {
        observed_at: now(),
        outcome: if has_address { HandshakeOutcome::Answered } else { HandshakeOutcome::NoAddress },
        alert: None,
        version: has_address.then_some(TlsVersion::Tls13),
        cipher_suite: has_address.then(|| "TLS_AES_128_GCM_SHA256".to_owned()),
        key_exchange_group: has_address.then(|| "x25519".to_owned()),
        chain: Vec::new(),
        chain_omitted: 0,
        trust: has_address.then_some(trust),
        ocsp_stapled: facts.revoked,
        ocsp_response: facts.revoked.then(|| STANDARD.encode(certificate::revocation())),
        scts: Scts { embedded: logs, in_handshake: Some(0), logs },
        versions: Versions { tls10: old, tls11: old, tls12: accepted, tls13: accepted },
        roots: RootsUsed { is_mozilla: true, sha256: String::new() },
    };
    if has_address {
        let today = now().as_millis().div_euclid(DAY_MILLIS);
        let end = today + facts.cert_left_days;
        seen.keep(&[certificate::leaf(subject.name.as_str(), end - facts.cert_lifetime_days, end)]);
    }
    seen
}

fn registry(subject: &Subject, facts: &Facts) -> RegistryObservation {
    let end = if facts.rdap == "none" {
        RegistryResult::NoService
    } else {
        let events = [
            ("registration", facts.registered_days),
            ("transfer", facts.transfer_days),
            ("reregistration", facts.reregistered_days),
            ("expiration", Some(-300)),
        ];
        let events = events.into_iter().filter_map(|(action, days)| {
            let at = now().saturating_add_millis(-days? * DAY_MILLIS);
            Some(json!({ "eventAction": action, "eventDate": at }))
        });
        let status = if facts.hold { json!(["client hold"]) } else { json!(["active"]) };
        let answer = json!({
            "objectClassName": "domain", "ldhName": subject.registered, "status": status,
            "events": events.collect::<Vec<Value>>(),
            "entities": [{ "objectClassName": "entity", "roles": ["registrar"], "publicIds":
                [{ "type": "IANA Registrar ID", "identifier": "292" }] }],
        });
        let url: Url = "https://rdap.example/domain/x".parse().expect("a URL");
        RegistryResult::Answered { url, status: 200, answer: Some(RdapAnswer::Text(answer.to_string())) }
    };
    RegistryObservation {
        name: subject.registered.clone(),
        list: Some("2026-11-20T00:00:00Z".to_owned()),
        end,
        observed_at: Some(now()),
        elapsed_ms: 1,
    }
}

fn site(subject: &Subject, facts: &Facts) -> SiteObservation {
    let url = |text: String| -> Url { text.parse().expect("a URL") };
    let home = url(format!("https://{}/", subject.name));
    let plain = url(format!("http://{}/", subject.name));
    let hop = |url: &Url, hsts: Option<String>| RedirectHop { url: url.clone(), status: 301, hsts };
    let fields = fields(facts);
    let hsts = fields.get("strict-transport-security");
    let last = facts.redirects_to.as_ref().map_or_else(|| home.clone(), |text| url(text.clone()));
    let is_elsewhere = last != home;
    let end = match (facts.https, facts.root_status) {
        (Https::None, _) => RedirectEnd::Failed(ProbeFailure::NoAddress),
        (Https::Invalid, _) => RedirectEnd::Failed(ProbeFailure::InvalidCertificate),
        (Https::Ok, Some(status)) => RedirectEnd::Answered(if is_elsewhere { 200 } else { status }),
        (Https::Ok, None) => RedirectEnd::Failed(ProbeFailure::ConnectionRefused),
    };
    let chain = |hops, url, end| RedirectChain { hops, url, end, elapsed_ms: 1 };
    let https = match is_elsewhere {
        true => chain(vec![hop(&home, hsts.clone())], last.clone(), end),
        false => chain(Vec::new(), home.clone(), end),
    };
    let http = match facts.https {
        Https::None => chain(Vec::new(), plain.clone(), end),
        _ if is_elsewhere => chain(vec![hop(&plain, None), hop(&home, None)], last.clone(), end),
        _ => chain(vec![hop(&plain, None)], home.clone(), end),
    };
    let answered = |status| PageObservation {
        page: Page::new(last.clone(), fields.clone(), "<!doctype html><title>x</title>"),
        status,
        bytes: 30,
        is_cut: false,
        sha256: "00".repeat(32),
    };
    let absent = |text: String| WellKnownText {
        asked: url(text.clone()),
        end: match end {
            RedirectEnd::Failed(failure) => WellKnownTextResult::Failed(failure),
            RedirectEnd::Answered(_) => WellKnownTextResult::Answered {
                url: url(text),
                status: 404,
                content_type: None,
                text: String::new(),
                is_cut: false,
            },
        },
        elapsed_ms: 1,
    };
    SiteObservation {
        name: subject.name.clone(),
        page: match end {
            RedirectEnd::Answered(status) => Some(answered(status)),
            RedirectEnd::Failed(_) => None,
        },
        https,
        http,
        cors: PreflightResult::NotAsked,
        security_txt: absent(format!("https://{}/.well-known/security.txt", subject.name)),
        mta_sts: absent(format!("https://mta-sts.{}/.well-known/mta-sts.txt", subject.name)),
        preloaded: Some(Vec::new()),
    }
}

fn fields(facts: &Facts) -> HeaderFields {
    let hsts = ("strict-transport-security", "max-age=63072000; includeSubDomains; preload");
    let nosniff = ("x-content-type-options", "nosniff");
    let mut fields: Vec<(&str, &str)> = match facts.headers {
        Some(Headers::Strict) => vec![
            hsts,
            nosniff,
            (
                "content-security-policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            ),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "strict-origin-when-cross-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ],
        Some(Headers::Typical) => vec![
            hsts,
            nosniff,
            ("content-security-policy", "default-src 'self' https: 'unsafe-inline' 'unsafe-eval'"),
        ],
        Some(Headers::None) | None => Vec::new(),
    };
    fields.extend(facts.content_type.as_deref().map(|kind| ("content-type", kind)));
    fields.into_iter().collect()
}
