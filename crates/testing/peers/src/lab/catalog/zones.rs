use super::{PLATFORM, TENANT, swollen};
use crate::lab::choosy::Waits;
use crate::lab::liar::Liars;
use crate::lab::web::SILENT;
use crate::lab::zone::Zone;

/// The zones. `key_digest` is the SHA-256 of the key that a site's certificate is for.
pub(in crate::lab) fn zones(liars: &Liars, key_digest: impl Fn(&str) -> String) -> Vec<Zone> {
    let mut zones = vec![
        top_level(),
        usual(Zone::signed("signed.test")),
        usual(Zone::plain("plain.test")),
        usual(Zone::bogus("bogus.test")),
        usual(Zone::broken("broken.test")),
        usual(Zone::lapsed("lapsed.test")),
        usual(Zone::unknown_algorithm("algorithm.test")),
        usual(Zone::plain("plain.signed.test")),
        perfect("perfect.test", &key_digest("perfect.test")),
        Zone::signed("io"),
        Zone::signed(PLATFORM).with("@ A 127.0.0.1"),
        perfect(TENANT, &key_digest(TENANT)),
        no_mail(),
        swollen::zone(),
        Zone::elsewhere("lame.test", liars.refused.address()),
        Zone::elsewhere("dead.test", liars.silent_address()),
        Zone::elsewhere("other-name.test", liars.other_name.address()),
        Zone::elsewhere("truncated.test", liars.truncated.address()),
        Zone::elsewhere("caa-servfail.test", liars.caa_fails.address()),
    ];
    zones.sort_by(|left, right| left.name().cmp(right.name()));
    zones
}

fn usual(zone: Zone) -> Zone {
    zone.with("@ A 127.0.0.1")
        .with("www CNAME @")
        .with("@ MX 10 mail")
        .with("mail A 127.0.0.1")
        .with(r#"@ TXT "v=spf1 mx -all""#)
        .with(r#"_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@signed.test""#)
        .with(r#"@ CAA 0 issue "letsencrypt.org""#)
}

fn perfect(name: &str, key_digest: &str) -> Zone {
    Zone::signed(name)
        .served_by(&["ns1", "ns2"])
        .with("ns1 A 127.0.0.1")
        .with("ns1 AAAA ::1")
        .with("ns2 A 127.1.0.1")
        .with("@ A 127.0.0.1")
        .with("@ AAAA ::1")
        .with("www CNAME @")
        .with("@ MX 10 mail")
        .with("mail A 127.0.0.1")
        .with("mail AAAA ::1")
        .with(r#"@ TXT "v=spf1 mx -all""#)
        .with(&format!("_dmarc TXT \"v=DMARC1; p=reject; rua=mailto:dmarc@{name}\""))
        .with(r#"@ CAA 0 issue "letsencrypt.org; validationmethods=dns-01""#)
        .with(r#"@ CAA 0 issuewild ";""#)
        .with(&format!("@ CAA 0 iodef \"mailto:security@{name}\""))
        .with(r#"_mta-sts TXT "v=STSv1; id=20260101000000""#)
        .with(&format!("_smtp._tls TXT \"v=TLSRPTv1; rua=mailto:tls@{name}\""))
        .with(&format!("default._bimi TXT \"v=BIMI1; l=https://{name}/logo.svg\""))
        .with(&format!("_443._tcp TLSA 3 1 1 {key_digest}"))
        .with(&format!("_25._tcp.mail TLSA 3 1 1 {key_digest}"))
}

fn no_mail() -> Zone {
    Zone::signed("nomail.test")
        .with("@ A 127.0.0.1")
        .with("@ MX 0 .")
        .with(r#"@ TXT "v=spf1 -all""#)
        .with(r#"_dmarc TXT "v=DMARC1; p=reject""#)
        .with(r#"@ CAA 0 issue "letsencrypt.org""#)
}

/// `test`, and every name that needs no zone of its own.
fn top_level() -> Zone {
    let zone = Zone::signed("test")
        .with("ns A 127.0.0.1")
        .with(&format!("silent A {SILENT}"))
        .with(&format!("probe-waits A {}", Waits::Probe.address()))
        .with(&format!("probe-waits-good A {}", Waits::Probe.address()))
        .with(&format!("page-waits A {}", Waits::Page.address()))
        .with("refused A 127.0.0.9")
        .with("private A 10.0.0.1")
        .with("metadata A 169.254.169.254");
    texts(aliases(authorizations(dmarc(spf(zone)))))
}

fn spf(zone: Zone) -> Zone {
    let zone = [
        ("open", "v=spf1 +all"),
        ("soft", "v=spf1 a ~all"),
        ("syntax", "v=spf1 ipv4:127.0.0.1 -all"),
        ("void", "v=spf1 a:no1.spf-void.test a:no2.spf-void.test a:no3.spf-void.test -all"),
        ("loop", "v=spf1 include:back.spf-loop.test -all"),
        ("by-address", "v=spf1 exists:%{i}.here.spf-by-address.test -all"),
        ("by-sender", "v=spf1 ~include:%{l}.here.spf-by-sender.test -all"),
        ("by-list", "v=spf1 exists:%{ir}.%{v}.here.spf-by-list.test -all"),
    ]
    .iter()
    .fold(zone, |zone, (name, text)| {
        zone.with(&format!("spf-{name} A 127.0.0.1")).with_text(&format!("spf-{name}"), text)
    });
    let zone = zone.with_text("back.spf-loop", "v=spf1 include:spf-loop.test -all");
    // Wildcards let in everybody but those whom somebody thought of.
    let zone = zone
        .with("*.here.spf-by-address A 127.0.0.2")
        .with_text("1.2.0.192.here.spf-by-address", "not in")
        .with_text("*.here.spf-by-sender", "v=spf1 +all")
        .with("1.2.0.192.in-addr.here.spf-by-list A 127.0.0.2");
    let zone = zone
        .with("spf-two A 127.0.0.1")
        .with_text("spf-two", "v=spf1 a -all")
        .with_text("spf-two", "v=spf1 mx ~all");
    // One more look-up than the ten that are allowed.
    let includes: Vec<_> = (1..=11).map(|index| format!("include:i{index}.spf-many.test")).collect();
    let zone = zone
        .with("spf-many A 127.0.0.1")
        .with_text("spf-many", &format!("v=spf1 {} -all", includes.join(" ")));
    (1..=11)
        .fold(zone, |zone, index| zone.with_text(&format!("i{index}.spf-many"), "v=spf1 ip4:192.0.2.1 ?all"))
}

fn dmarc(zone: Zone) -> Zone {
    let zone = [
        ("reject", "v=DMARC1; p=reject; rua=mailto:r@dmarc-reject.test"),
        ("quarantine", "v=DMARC1; p=quarantine; rua=mailto:r@dmarc-quarantine.test"),
        ("none", "v=DMARC1; p=none; rua=mailto:r@dmarc-none.test"),
        ("testing", "v=DMARC1; p=reject; t=y"),
        ("percent", "v=DMARC1; p=reject; pct=10"),
        ("subdomains", "v=DMARC1; p=reject; sp=none; np=reject"),
        ("invalid", "v=DMARC1; p=maybe"),
        ("outside", "v=DMARC1; p=reject; rua=mailto:r@reports.test"),
    ]
    .iter()
    .fold(zone, |zone, (name, text)| {
        zone.with(&format!("dmarc-{name} A 127.0.0.1")).with_text(&format!("_dmarc.dmarc-{name}"), text)
    });
    zone.with(r#"dmarc-outside.test._report._dmarc.reports TXT "v=DMARC1""#)
        .with("dmarc-missing A 127.0.0.1")
        .with("dmarc-two A 127.0.0.1")
        .with_text("_dmarc.dmarc-two", "v=DMARC1; p=reject")
        .with_text("_dmarc.dmarc-two", "v=DMARC1; p=none")
        .with("deep.below.dmarc-reject A 127.0.0.1")
}

fn authorizations(zone: Zone) -> Zone {
    zone.with("caa-missing A 127.0.0.1")
        .with("caa-nobody A 127.0.0.1")
        .with(r#"caa-nobody CAA 0 issue ";""#)
        .with("caa-critical A 127.0.0.1")
        .with(r#"caa-critical CAA 128 tomorrow "x""#)
        .with("caa-wild A 127.0.0.1")
        .with(r#"caa-wild CAA 0 issue "letsencrypt.org""#)
        .with(r#"caa-wild CAA 0 issuewild "other-ca.test""#)
        .with("caa-account A 127.0.0.1")
        .with(concat!(
            r#"caa-account CAA 0 issue "letsencrypt.org; validationmethods=dns-01; "#,
            r#"accounturi=https://acme.test/account/1""#
        ))
        .with("deep.below.caa-nobody A 127.0.0.1")
}

fn aliases(zone: Zone) -> Zone {
    let zone = zone
        .with(r#"good TXT "v=spf1 -all""#)
        .with("alias CNAME good")
        .with("loop CNAME back.loop")
        .with("back.loop CNAME loop");
    // Resolvers follow eight links, and none follows twenty.
    let zone = chain(chain(zone, "chain", 8), "long-chain", 20);
    zone.with("nowhere CNAME no.such.name.test.")
}

fn chain(zone: Zone, name: &str, links: usize) -> Zone {
    let zone = zone
        .with(&format!("{name} CNAME c1.{name}"))
        .with(&format!("c{links}.{name} A 127.0.0.1"))
        .with(&format!("c{links}.{name} TXT \"v=spf1 -all\""));
    (1..links).fold(zone, |zone, link| zone.with(&format!("c{link}.{name} CNAME c{}.{name}", link + 1)))
}

/// Nearly as much text as an answer can carry, which is a record of SPF; and many texts with one among them.
fn texts(zone: Zone) -> Zone {
    let long = format!("v=spf1 {}-all", "ip4:192.0.2.1 ".repeat(4_571));
    zone.with("long-text A 127.0.0.1")
        .with_text("long-text", &long)
        .with("many-texts A 127.0.0.1")
        .with_text("many-texts", "v=spf1 -all")
        .with(
            &(0..400)
                .map(|index| format!("many-texts TXT \"verification={index:0100}\"\n"))
                .collect::<String>(),
        )
}
