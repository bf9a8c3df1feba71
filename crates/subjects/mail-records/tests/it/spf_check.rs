//! SPF for a sender, where the published suite says nothing or not enough.

use std::net::IpAddr;

use dns::{Exchange, Failure, Mx, Record, Zone};
use mail_records::spf::{CheckHostResult, MAX_LOOK_UPS, Problem, Session, SpfResult, check_host};

use crate::{at_once, name, texts};

fn check(zone: &Zone, ip: &str, mail_from: &str) -> CheckHostResult {
    let ip: IpAddr = ip.parse().unwrap();
    let session = Session { ip, helo: "mail.example.net", mail_from, receiver: "mx.example.org", at: 7 };
    at_once(check_host(zone, &session))
}

fn result(record: &str, ip: &str) -> SpfResult {
    check(&texts(&[("example.com", record)]), ip, "me@example.com").result
}

#[test]
fn networks_match_by_their_prefix_and_within_their_family() {
    for (record, ip, expected) in [
        ("v=spf1 ip4:192.0.2.128/25 -all", "192.0.2.255", SpfResult::Pass),
        ("v=spf1 ip4:192.0.2.128/25 -all", "192.0.2.127", SpfResult::Fail),
        ("v=spf1 ip4:0.0.0.0/0 -all", "203.0.113.9", SpfResult::Pass),
        ("v=spf1 ip4:0.0.0.0/0 -all", "2001:db8::1", SpfResult::Fail),
        ("v=spf1 ip4:192.0.2.1 -all", "::ffff:192.0.2.1", SpfResult::Pass),
        ("v=spf1 ip6:2001:db8::/127 ~all", "2001:db8::1", SpfResult::Pass),
        ("v=spf1 ip6:2001:db8::/127 ~all", "2001:db8::2", SpfResult::SoftFail),
        ("v=spf1 ip6:::/0 -all", "192.0.2.1", SpfResult::Fail),
        ("V=SPF1 IP4:192.0.2.1 -ALL", "192.0.2.1", SpfResult::Pass),
    ] {
        assert_eq!(result(record, ip), expected, "{record} for {ip}");
    }
}

#[test]
fn a_syntax_error_anywhere_is_an_error_of_the_record() {
    for term in [
        "ip4:192.0.2.0/33",
        "ip4:192.0.2.0/024",
        "ip4:192.0.2.0/",
        "ip4:192.0.2.0//24",
        "ip4:192.0.2",
        "ip6:2001:db8::/129",
        "ip6:192.0.2.1",
        "a/33",
        "a//129",
        "a/24/64",
        "a:",
        "a:com",
        "a:example.123",
        "a:example.-com",
        "mx:example.com:25",
        "ptr/24",
        "exists",
        "include",
        "include:%{x}.example.com",
        "include:%{d0}.example.com",
        "include:%{d.example.com",
        "include:%{d!}.example.com",
        "include:%d.example.com",
        "include:%{c}.example.com",
        "all:example.com",
        "redirect=",
        "redirect=a.example.com redirect=b.example.com",
        "exp=a.example.com exp=a.example.com",
        "made=%{x}",
        "-",
        "?",
        "a:ex\u{0}ample.com",
        "a:example.com\tmx",
        "a:ex\u{e4}mple.com",
    ] {
        let record = format!("v=spf1 +all {term}");
        assert_eq!(result(&record, "192.0.2.1"), SpfResult::PermError, "{record}");
    }
    for record in ["v=spf1 made.up-to_day=%{l}/x:y +all", "v=spf1  +all  ", "v=spf1 ip4=192.0.2.1 +all"] {
        assert_eq!(result(record, "192.0.2.1"), SpfResult::Pass, "{record}");
    }
}

#[test]
fn the_limit_on_look_ups_is_over_all_records_of_a_check() {
    let a = |count: u32| "a ".repeat(count as usize);
    let zone = |count: u32| {
        let own = format!("v=spf1 include:b.example.com {}-all", a(count));
        let zone = texts(&[("example.com", &own), ("b.example.com", "v=spf1 a a")]);
        let at = [192, 0, 2, 9].into();
        zone.with(&name("example.com"), Record::A(at)).with(&name("b.example.com"), Record::A(at))
    };
    let at_limit = check(&zone(MAX_LOOK_UPS - 3), "192.0.2.1", "me@example.com");
    assert_eq!((at_limit.result, at_limit.look_ups), (SpfResult::Fail, MAX_LOOK_UPS));
    let over = check(&zone(MAX_LOOK_UPS - 2), "192.0.2.1", "me@example.com");
    assert_eq!((over.result, over.problem), (SpfResult::PermError, Some(Problem::TooManyLookUps)));
}

#[test]
fn loops_of_records_end_at_the_limit() {
    let zone = texts(&[
        ("example.com", "v=spf1 include:b.example.com -all"),
        ("b.example.com", "v=spf1 include:example.com -all"),
        ("c.example.com", "v=spf1 redirect=c.example.com"),
    ]);
    for sender in ["me@example.com", "me@c.example.com"] {
        let checked = check(&zone, "192.0.2.1", sender);
        assert_eq!(checked.problem, Some(Problem::TooManyLookUps), "{sender}");
    }
}

#[test]
fn a_third_look_up_that_finds_nothing_is_an_error() {
    for (record, expected) in [
        ("v=spf1 a:x.example.com exists:y.example.com -all", SpfResult::Fail),
        ("v=spf1 a:x.example.com exists:y.example.com mx:z.example.com -all", SpfResult::PermError),
    ] {
        assert_eq!(result(record, "192.0.2.1"), expected, "{record}");
    }
}

#[test]
fn a_domain_with_eleven_mail_exchangers_is_an_error() {
    let hosts = |count: u16| {
        let zone = texts(&[("example.com", "v=spf1 mx -all")]);
        (0..count).fold(zone, |zone, preference| {
            let exchange = Exchange::Host(name(&format!("m{preference}.example.com")));
            zone.with(&name("example.com"), Record::Mx(Mx { preference, exchange }))
        })
    };
    assert_eq!(check(&hosts(10), "192.0.2.1", "me@example.com").result, SpfResult::Fail);
    assert_eq!(check(&hosts(11), "192.0.2.1", "me@example.com").result, SpfResult::PermError);
}

#[test]
fn a_look_up_that_fails_is_no_verdict() {
    for record in [
        "v=spf1 a:down.example.com +all",
        "v=spf1 mx:down.example.com +all",
        "v=spf1 exists:down.example.com +all",
        "v=spf1 include:down.example.com +all",
        "v=spf1 redirect=down.example.com",
    ] {
        let mut zone = texts(&[("example.com", record)]);
        zone.fail(&name("down.example.com"), Failure::ServFail);
        assert_eq!(check(&zone, "192.0.2.1", "me@example.com").result, SpfResult::TempError, "{record}");
    }
}

#[test]
fn a_name_of_the_client_counts_only_where_it_leads_back() {
    let zone = texts(&[("example.com", "v=spf1 ptr -all")])
        .with(&name("1.2.0.192.in-addr.arpa"), Record::Ptr(name("forged.example.com")))
        .with(&name("2.2.0.192.in-addr.arpa"), Record::Ptr(name("real.example.com")))
        .with(&name("forged.example.com"), Record::A([192, 0, 2, 2].into()))
        .with(&name("real.example.com"), Record::A([192, 0, 2, 2].into()));
    assert_eq!(check(&zone, "192.0.2.1", "me@example.com").result, SpfResult::Fail);
    assert_eq!(check(&zone, "192.0.2.2", "me@example.com").result, SpfResult::Pass);
}

#[test]
fn macros_make_what_rfc_7208_shows() {
    // The examples of 7.4, where the sender is strong-bad@email.example.com.
    for (text, v4) in [
        ("%{s}", "strong-bad@email.example.com"),
        ("%{o}", "email.example.com"),
        ("%{d4}", "email.example.com"),
        ("%{d2}", "example.com"),
        ("%{dr}", "com.example.email"),
        ("%{d2r}", "example.email"),
        ("%{l-}", "strong.bad"),
        ("%{lr-}", "bad.strong"),
        ("%{l1r-}", "strong"),
        ("%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"),
        ("%{lr-}.lp._spf.%{d2}", "bad.strong.lp._spf.example.com"),
        ("%{c} %{r} %{t} %{p} %%%_%-", "192.0.2.3 mx.example.org 7 unknown % %20"),
        ("%{S}", "strong-bad%40email.example.com"),
    ] {
        let zone =
            texts(&[("email.example.com", "v=spf1 -all exp=why.example.com"), ("why.example.com", text)]);
        let checked = check(&zone, "192.0.2.3", "strong-bad@email.example.com");
        assert_eq!(checked.explanation.as_deref(), Some(v4), "{text}");
    }
    let zone =
        texts(&[("email.example.com", "v=spf1 -all exp=why.example.com"), ("why.example.com", "%{ir}.%{v}")]);
    let v6 = check(&zone, "2001:db8::cb01", "strong-bad@email.example.com").explanation;
    let nibbles = "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6";
    assert_eq!(v6.as_deref(), Some(nibbles));
}

#[test]
fn an_explanation_that_would_be_too_long_is_none() {
    let zone = texts(&[
        ("example.com", "v=spf1 -all exp=why.example.com"),
        ("why.example.com", &"%{l}".repeat(15_000)),
    ]);
    let checked = check(&zone, "192.0.2.1", &format!("{}@example.com", "x".repeat(200)));
    assert_eq!((checked.result, checked.explanation), (SpfResult::Fail, None));
}

#[test]
fn a_record_of_64_kilobytes_is_read_whole() {
    let mut record = "v=spf1".to_owned();
    while record.len() < 65_000 {
        record.push_str(" ip4:203.0.113.1");
    }
    assert_eq!(result(&format!("{record} ip4:192.0.2.1 -all"), "192.0.2.1"), SpfResult::Pass);
    assert_eq!(result(&format!("{record} a! -all"), "192.0.2.1"), SpfResult::PermError);
}
