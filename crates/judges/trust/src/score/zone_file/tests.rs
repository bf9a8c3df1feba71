//! Remedies for a zone are read by a parser of zone files, pasted, and looked at again.

use std::collections::BTreeSet;

use dns::{Caa, Exchange, Failure, Kind, Mx, Record, Tlsa, Zone};
use domain_name::{PublicSuffixes, Rules, Subject};
use futures_util::FutureExt as _;
use hickory_resolver::proto::rr::{Name as WireName, RData};
use hickory_resolver::proto::serialize::txt::Parser;
use probe::site::WellKnownTextResult;
use verdict::Timestamp;

use super::super::samples::{bare_site, name};
use super::*;
use crate::records::{self, Records};
use crate::score::{CaaIssuer, Check, CheckId, ModelVersion, Points, Status};

/// The issuer of the certificates of these domains.
fn issuer(domain: &str) -> CaaIssuer {
    CaaIssuer { domains: vec![domain.to_owned()], is_wildcard: false }
}

fn text(text: &str) -> Record {
    Record::Txt(text.as_bytes().to_vec())
}

fn mx(exchange: Exchange) -> Record {
    Record::Mx(Mx { preference: 0, exchange })
}

fn property(tag: &str, value: &str) -> Record {
    let flags = if tag == "unheard" { 128 } else { 0 };
    Record::Caa(Caa { flags, tag: tag.as_bytes().to_vec(), value: value.as_bytes().to_vec() })
}

/// What a domain publishes.
#[derive(Clone, Default)]
struct Domain {
    records: Vec<(Name, Record)>,
    aliases: Vec<(Name, Name)>,
    failing: Vec<Name>,
    policy: Option<String>,
}

impl Domain {
    fn of(records: impl IntoIterator<Item = (&'static str, Record)>) -> Self {
        let records = records.into_iter().map(|(owner, record)| (name(owner), record));
        Self { records: records.collect(), ..Self::default() }
    }

    fn with_alias(mut self, owner: &str, target: &str) -> Self {
        self.aliases.push((name(owner), name(target)));
        self
    }

    fn zone(&self) -> Zone {
        let mut zone = Zone::default();
        for (owner, record) in &self.records {
            zone.add(owner, record.clone());
        }
        for (owner, target) in &self.aliases {
            zone.alias(owner, target.clone());
        }
        for owner in &self.failing {
            zone.fail(owner, Failure::ServFail);
        }
        zone
    }

    /// The checks that the DNS answers, and MTA-STS.
    fn checks(&self, asked: &str, issuer: Option<&CaaIssuer>) -> Vec<Check> {
        let subject = Subject::parse(asked, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        let (own, registrable) = (Name::from(&subject.name), Name::from(&subject.registrable));
        let records = records::read(&self.zone(), &subject, Timestamp::EPOCH).now_or_never().unwrap();
        let Records { alias, addresses, spf, dmarc, caa, mail, mta_sts, tls_rpt, bimi, .. } = &records;
        let place = RecordOwner { name: &own, registrable: &registrable, alias };
        let mut site = bare_site();
        if let Some(policy) = &self.policy {
            site.mta_sts.end = WellKnownTextResult::Answered {
                url: site.mta_sts.asked.clone(),
                status: 200,
                content_type: Some("text/plain".to_owned()),
                text: policy.clone(),
                is_cut: false,
            };
        }
        let at: Timestamp = "2026-11-22T06:30:00.000Z".parse().unwrap();
        vec![
            crate::score::spf(spf, &mail.exchangers, &place, false),
            crate::score::dmarc(dmarc, &own, &registrable, ModelVersion::V2),
            crate::score::caa(caa, &place, issuer, ModelVersion::V2),
            crate::score::tls_rpt(tls_rpt, &own, true),
            crate::score::dane(mail, &registrable, Status::Pass, true, ModelVersion::V2),
            crate::score::ipv6(addresses, &place),
            crate::score::bimi(bimi, &own, true),
            crate::score::mta_sts(&site, mta_sts, &mail.exchangers, &own, true, at),
        ]
    }

    fn check(&self, asked: &str, id: CheckId) -> Check {
        self.checks(asked, Some(&issuer("letsencrypt.org"))).into_iter().find(|check| check.id == id).unwrap()
    }

    /// The domain once its owner has done as told: what is in place of others is, as far as that are texts.
    fn mended(mut self, remedy: &str) -> Self {
        for (owner, record) in parse(remedy) {
            self.records.retain(|(other, old)| *other != owner || old.kind() != Kind::Txt);
            self.records.push((owner, record));
        }
        self
    }
}

/// The records of a zone file; of those that are not understood there may be none.
fn parse(zone: &str) -> Vec<(Name, Record)> {
    let own_lines = zone.lines().filter(|line| !line.starts_with(';'));
    for line in own_lines {
        let owner = line.split(' ').next().unwrap_or_default();
        assert!(owner.ends_with('.') && !line.contains(['<', '>']), "{line}");
    }
    let parser = Parser::new(format!("$TTL 3600\n{zone}\n"), None, Some(WireName::root()));
    let (_, sets) = parser.parse().unwrap_or_else(|error| panic!("{error}:\n{zone}"));
    let records = sets.values().flat_map(|set| set.records_without_rrsigs());
    let read = |data: &RData| match data {
        RData::TXT(text) => Record::Txt(text.txt_data.concat()),
        RData::CAA(caa) => property(&caa.tag, str::from_utf8(&caa.value).unwrap()),
        other => panic!("{other} is no record of a remedy"),
    };
    records.map(|record| (name(&record.name.to_string()), read(&record.data))).collect()
}

/// The part of a remedy that is for a zone: all of it, but where it is for a server and tells of a record in a comment.
fn zone_part(remedy: &str) -> Option<String> {
    if remedy.starts_with(';') {
        return Some(remedy.to_owned());
    }
    let lines = remedy.lines().filter(|line| line.contains(" IN "));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

const POLICY: &str = "version: STSv1\nmode: enforce\nmx: mx.example.com\nmax_age: 86400\n";

/// Domains with all kinds of faults.
fn domains() -> Vec<Domain> {
    let host = |text: &str| mx(Exchange::Host(name(text)));
    let tlsa = Record::Tlsa(Tlsa { usage: 3, selector: 1, matching: 1, data: vec![0] });
    let long = format!("v=DMARC1; p=none; rua=mailto:{}@example.com; fo=1; adkim=s", "a".repeat(300));
    let of_names = ["example.com", "www.example.com"]
        .map(|own| Domain::of([(own, Record::A([192, 0, 2, 1].into())), (own, host("mx.example.com"))]));
    let mut domains = vec![
        Domain::default(),
        Domain::of([("example.com", mx(Exchange::Root))]),
        Domain::of([("example.com", mx(Exchange::Unusable)), ("example.com", host("a;b c.example.com"))]),
        Domain::of([("example.com", host("mx.example.com")), ("_25._tcp.mx.example.com", tlsa)]),
        Domain::of([("example.com", text("v=spf1 ip4:0.0.0.0/0 -all"))]),
        Domain::of([("example.com", text("v=spf1 +all")), ("example.com", property("iodef", "mailto:a@b"))]),
        Domain::of([("www.example.com", property("iodef", "mailto:a@b"))]),
        Domain::of([("www.example.com", property("unheard", ";")), ("example.com", property("issue", ";"))]),
        Domain::of([("com", property("iodef", "mailto:a@b"))]),
        Domain::of([("_dmarc.example.com", text("v=DMARC1; p=none; rua=mailto:\"a\\b\"@example.com"))]),
        Domain::of([("_dmarc.example.com", text("v=DMARC1; p=reject; sp=none; t=y; np=none; psd=n"))]),
        Domain::of([("_dmarc.example.com", text("v=DMARC1; p=reject; p=none"))]),
        Domain::of([
            ("_dmarc.example.com", text("v=DMARC1; p=none")),
            ("_dmarc.example.com", text("v=DMARC1")),
        ]),
        Domain::of([("_dmarc.com", text("v=DMARC1; p=none; psd=y"))]),
        Domain::of([("_dmarc.example.com", Record::Txt(long.into_bytes()))]),
        Domain::of([("_smtp._tls.example.com", text("v=TLSRPTv1; rua=x"))]),
        Domain::of(["x", "y"].map(|rua| ("_smtp._tls.example.com", text(&format!("v=TLSRPTv1; rua={rua}"))))),
        Domain::of([
            ("default._bimi.example.com", text("v=BIMI1;")),
            ("default._bimi.example.com", text("v=BIMI1;x")),
        ]),
        Domain::of([("_mta-sts.example.com", text("v=STSv1; id="))]),
        Domain::of(["1", "2"].map(|id| ("_mta-sts.example.com", text(&format!("v=STSv1; id={id}"))))),
        Domain::default().with_alias("www.example.com", "site.example.com"),
        Domain::default().with_alias("www.example.com", "host.example.net"),
        Domain::of([("site.example.com", property("iodef", "mailto:a@b"))])
            .with_alias("www.example.com", "site.example.com"),
        Domain { failing: vec![name("www.example.com"), name("example.com")], ..Domain::default() },
    ];
    domains.extend(of_names);
    for policy in
        ["", POLICY, &POLICY.replace("mx.", "mx9."), &POLICY.replace("enforce", "testing"), "mode: none"]
    {
        let records =
            [("example.com", host("mx.example.com")), ("_mta-sts.example.com", text("v=STSv1; id=1"))];
        let with_policy = |domain: Domain| Domain { policy: Some(policy.to_owned()), ..domain };
        domains.extend([
            with_policy(Domain::of(records.clone())),
            with_policy(Domain::of([records[0].clone()])),
        ]);
    }
    domains
}

#[test]
fn every_remedy_for_a_zone_is_a_zone_file_without_a_record_beside_an_alias() {
    let mut seen = BTreeSet::new();
    let long = format!("{}.example.com", ["a"; 120].join("."));
    for (domain, asked) in domains().iter().flat_map(|domain| {
        ["example.com", "www.example.com", "a.www.example.com", &long]
            .map(|asked| (domain.clone(), asked.to_owned()))
    }) {
        let known = issuer("letsencrypt.org");
        for check in [None, Some(&known)].into_iter().flat_map(|issuer| domain.checks(&asked, issuer)) {
            let Some(zone) = check.remedy.as_deref().and_then(zone_part) else { continue };
            seen.insert((check.id, check.reason.clone().into_owned()));
            for (owner, _) in parse(&zone) {
                assert!(owner.is_within(&name("example.com")), "{owner}:\n{zone}");
                assert!(domain.aliases.iter().all(|(alias, _)| *alias != owner), "{owner}:\n{zone}");
            }
        }
    }
    let expected = [
        (CheckId::Dmarc, "invalid_record"),
        (CheckId::Dmarc, "no_record"),
        (CheckId::Dmarc, "only_monitored"),
        (CheckId::Dmarc, "quarantine"),
        (CheckId::Dmarc, "several_records"),
        (CheckId::Spf, "no_record"),
        (CheckId::Caa, "any_issuer"),
        (CheckId::Caa, "issuer_not_authorized"),
        (CheckId::Caa, "no_record"),
        (CheckId::Caa, "unknown_critical"),
        (CheckId::MtaSts, "exchanger_not_covered"),
        (CheckId::MtaSts, "invalid_policy"),
        (CheckId::MtaSts, "invalid_record"),
        (CheckId::MtaSts, "no_record"),
        (CheckId::MtaSts, "several_records"),
        (CheckId::MtaSts, "testing"),
        (CheckId::TlsRpt, "no_address"),
        (CheckId::TlsRpt, "no_record"),
        (CheckId::TlsRpt, "several_records"),
        (CheckId::Dane, "missing"),
        (CheckId::Bimi, "no_record"),
        (CheckId::Bimi, "several_records"),
    ];
    let expected: BTreeSet<_> = expected.into_iter().map(|(id, reason)| (id, reason.to_owned())).collect();
    assert_eq!(seen, expected);
}

/// The reasons that a check gives while its remedies are pasted, until there are none for the zone.
fn course(mut domain: Domain, asked: &str, id: CheckId) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut points = Points::ZERO;
    for _ in 0..5 {
        let check = domain.check(asked, id);
        assert!(check.points >= points, "{check:?}");
        points = check.points;
        reasons.push(check.reason.into_owned());
        let Some(zone) = check.remedy.as_deref().filter(|remedy| remedy.starts_with(';')) else { break };
        domain = domain.mended(zone);
    }
    reasons
}

#[test]
fn a_domain_that_does_as_told_gets_better() {
    let exchanger = ("example.com", mx(Exchange::Host(name("mx.example.com"))));
    let with_mail = || Domain::of([exchanger.clone()]);
    let dmarc = ["no_record", "only_monitored", "quarantine", "reject"];
    assert_eq!(course(with_mail(), "example.com", CheckId::Dmarc), dmarc);
    assert_eq!(course(with_mail(), "www.example.com", CheckId::Dmarc), dmarc);
    let several = ["v=DMARC1; p=none", "v=DMARC1; p=reject"].map(|own| ("_dmarc.example.com", text(own)));
    assert_eq!(
        course(Domain::of(several), "example.com", CheckId::Dmarc),
        ["several_records", "only_monitored", "quarantine", "reject"]
    );
    let tried_out = Domain::of([("_dmarc.example.com", text("v=DMARC1; p=reject; sp=none; t=y"))]);
    assert_eq!(
        course(tried_out, "a.example.com", CheckId::Dmarc),
        ["only_monitored", "quarantine", "reject"]
    );
    // What exchangers are there may send, and nobody is refused at once; a name without any sends nothing.
    assert_eq!(course(with_mail(), "example.com", CheckId::Spf), ["no_record", "softfail_all"]);
    assert_eq!(course(with_mail(), "www.example.com", CheckId::Spf), ["no_record", "fail_all"]);
    let open = Domain::of([exchanger.clone(), ("example.com", text("v=spf1 ip4:0.0.0.0/0 -all"))]);
    // Which of its terms are its senders' is not ours to write.
    assert_eq!(course(open, "example.com", CheckId::Spf), ["open_to_everybody"]);
    let aliased = || Domain::of([]).with_alias("www.example.com", "site.example.com");
    assert_eq!(course(aliased(), "www.example.com", CheckId::Spf), ["no_record", "fail_all"]);
    assert_eq!(course(aliased(), "www.example.com", CheckId::Caa), ["no_record", "issuers_restricted"]);
    let elsewhere = Domain::of([]).with_alias("www.example.com", "host.example.net");
    assert_eq!(course(elsewhere, "www.example.com", CheckId::Spf), ["no_record"]);
    for reports in ["", "v=TLSRPTv1; rua=x"] {
        let domain = Domain::of([("_smtp._tls.example.com", text(reports))]);
        assert_eq!(course(domain, "example.com", CheckId::TlsRpt).last().unwrap(), "published");
    }
    let published = Domain { policy: Some(POLICY.to_owned()), ..with_mail() };
    assert_eq!(course(published, "example.com", CheckId::MtaSts), ["no_record", "enforced"]);
}

#[test]
fn a_property_is_put_where_it_counts_and_names_the_issuer_in_use() {
    // The nearest set counts: one above it would change nothing for the name.
    let domain = Domain::of([
        ("www.example.com", property("iodef", "mailto:a@b")),
        ("example.com", property("issue", "ca.example")),
    ]);
    assert_eq!(course(domain.clone(), "www.example.com", CheckId::Caa), ["any_issuer", "issuers_restricted"]);
    let remedy = |issuer| {
        let checks = domain.checks("www.example.com", issuer);
        checks.into_iter().find(|check| check.id == CheckId::Caa).unwrap().remedy.unwrap()
    };
    let google = issuer("pki.goog");
    let pasted = parse(&remedy(Some(&google)));
    assert_eq!(pasted, [(name("www.example.com"), property("issue", "pki.goog"))]);
    assert!(parse(&remedy(None)).is_empty(), "which issuer is in use was not seen");
}

#[test]
fn a_stricter_policy_keeps_what_else_the_record_says() {
    let own = format!(
        "v=DMARC1; p=none; rua=mailto:{}@example.com; ruf=mailto:\"b\\c\"@example.com",
        "a".repeat(250)
    );
    let domain = Domain::of([("_dmarc.example.com", text(&own))]);
    let pasted = parse(&domain.check("example.com", CheckId::Dmarc).remedy.unwrap());
    assert_eq!(pasted, [(name("_dmarc.example.com"), text(&own.replace("p=none", "p=quarantine")))]);
    let weaker = Domain::of([("_dmarc.example.com", text("v=DMARC1; p=none; sp=reject; pct=10; adkim=s"))]);
    let pasted = parse(&weaker.check("example.com", CheckId::Dmarc).remedy.unwrap());
    assert_eq!(pasted, [(name("_dmarc.example.com"), text("v=DMARC1; p=quarantine; sp=reject; adkim=s"))]);
}

#[test]
fn a_policy_names_the_exchangers_and_gets_an_id_from_when_it_was_looked_at() {
    let exchangers =
        ["mx1.example.com", "mx2.example.net"].map(|host| ("example.com", mx(Exchange::Host(name(host)))));
    let record = Domain::of(exchangers.clone()).check("example.com", CheckId::MtaSts).remedy.unwrap();
    assert_eq!(parse(&record), [(name("_mta-sts.example.com"), text("v=STSv1; id=20261122T063000000Z"))]);
    assert!(record.contains("\n;   mx: mx1.example.com\n;   mx: mx2.example.net\n"), "{record}");
    let listed = Domain {
        policy: Some(POLICY.to_owned()),
        ..Domain::of(exchangers.into_iter().chain([("_mta-sts.example.com", text("v=STSv1; id=1"))]))
    };
    let file = listed.check("example.com", CheckId::MtaSts).remedy.unwrap();
    let policy = r#"return 200 "version: STSv1\nmode: enforce\nmx: mx1.example.com\nmx: mx2.example.net\nmax_age: 604800\n";"#;
    assert!(file.contains(policy) && file.contains("id=20261122T063000000Z"), "{file}");
}

#[test]
fn the_certificates_that_are_missing_are_told_by_their_exchangers() {
    let exchangers =
        ["mx1.example.com", "mx2.example.net"].map(|host| ("example.com", mx(Exchange::Host(name(host)))));
    let remedy = Domain::of(exchangers).check("example.com", CheckId::Dane).remedy.unwrap();
    assert!(remedy.contains("; _25._tcp.mx1.example.com. IN TLSA 3 1 1 "), "{remedy}");
    assert!(remedy.contains("; _25._tcp.mx2.example.net. IN TLSA 3 1 1 "), "{remedy}");
    assert!(parse(&remedy).is_empty(), "their keys were not seen");
}
