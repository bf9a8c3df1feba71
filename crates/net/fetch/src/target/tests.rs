use proptest::prelude::*;

use super::{MAX_URL_BYTES, RedirectRefusal, Target, TargetRefusal, UrlError};
use crate::policy::{Policy, Ports};

fn production(text: &str) -> Result<Target, UrlError> {
    Target::parse(text, &Policy::production())
}

fn refusal(text: &str) -> TargetRefusal {
    production(text).unwrap_err().refusal().unwrap_or_else(|| panic!("{text} is no refusal")).clone()
}

#[test]
fn a_public_https_url_is_taken_as_parsed() {
    let target = production("HTTPS://ExAmPlE.com:443/a/../b?q=1#part").unwrap();
    assert_eq!(target.url(), "https://example.com/b?q=1");
    assert_eq!(target.authority(), "example.com");
    assert_eq!(target.path().as_str(), "/b?q=1");
    assert!(target.is_https() && target.port() == 443 && target.address().is_none());
}

#[test]
fn the_host_field_keeps_a_port_that_is_not_the_default() {
    let policy = Policy { ports: Ports::Only([8443].into()), ..Policy::production() };
    assert_eq!(Target::parse("https://example.com:8443/", &policy).unwrap().authority(), "example.com:8443");
}

#[test]
fn mistakes_and_refusals_are_told_apart() {
    for mistake in
        ["", "example.com", "//example.com/", "http://", "http://[::1", "ftp://example.com/", "data:,x"]
    {
        assert_eq!(production(mistake).unwrap_err().refusal(), None, "{mistake}");
    }
    assert_eq!(
        production(&format!("http://example.com/{}", "a".repeat(MAX_URL_BYTES))),
        Err(UrlError::TooLong)
    );
    assert_eq!(refusal("http://user@example.com/"), TargetRefusal::Credentials);
    assert_eq!(refusal("http://:secret@example.com/"), TargetRefusal::Credentials);
    assert_eq!(refusal("http://example.com:22/"), TargetRefusal::Port(22));
    assert_eq!(refusal("https://example.com:8443/"), TargetRefusal::Port(8443));
    assert_eq!(refusal("http://LOCALHOST./"), TargetRefusal::Name);
    assert_eq!(refusal("http://intranet/"), TargetRefusal::Name);
}

#[test]
fn an_address_in_any_spelling_is_judged_as_the_address_it_is() {
    for spelling in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "017700000001",
        "2130706433",
        "１２７.0.0.1",
        "127%2e0.0.1",
        "127.0.0.1.",
    ] {
        let refusal = refusal(&format!("http://{spelling}/"));
        assert_eq!(refusal.code(), "address_denied", "{spelling}");
    }
    for spelling in ["[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::10.0.0.1]", "[fd00:ec2::254]"] {
        assert_eq!(refusal(&format!("http://{spelling}/")).code(), "address_denied", "{spelling}");
    }
    assert!(production("http://1.1.1.1/").is_ok() && production("https://[2606:4700:4700::1111]/").is_ok());
}

#[test]
fn dev_takes_localhost_and_loopback_on_any_port_but_no_other_special_host() {
    let dev = Policy::dev();
    for taken in ["http://localhost:3000/", "http://a.localhost/", "http://127.0.0.1:1/", "http://[::1]:9/"] {
        assert!(Target::parse(taken, &dev).is_ok(), "{taken}");
    }
    for refused in ["http://10.0.0.1/", "http://printer.local/", "http://intranet/", "http://u@localhost/"] {
        assert!(Target::parse(refused, &dev).is_err(), "{refused}");
    }
}

#[test]
fn redirects_are_judged_anew() {
    let policy = Policy::production();
    let from = |url: &str| Target::parse(url, &policy).unwrap();
    let secure = from("https://example.com/a/b");
    assert_eq!(secure.redirected(b"../c", &policy).unwrap().url(), "https://example.com/c");
    assert_eq!(secure.redirected(b"//example.org/", &policy).unwrap().url(), "https://example.org/");
    assert_eq!(secure.redirected(b"http://example.com/", &policy), Err(RedirectRefusal::Downgrade));
    assert_eq!(secure.redirected(b"file:///etc/passwd", &policy), Err(RedirectRefusal::Scheme));
    assert_eq!(secure.redirected(b"https://[", &policy), Err(RedirectRefusal::Location));
    assert_eq!(secure.redirected(b"/\xff", &policy), Err(RedirectRefusal::Location));
    assert_eq!(
        secure.redirected(b"https://u:p@example.com/", &policy),
        Err(RedirectRefusal::Policy(TargetRefusal::Credentials))
    );
    let plain = from("http://example.com/");
    assert!(plain.redirected(b"https://example.com/", &policy).is_ok());
    assert!(matches!(plain.redirected(b"http://169.254.169.254/", &policy), Err(RedirectRefusal::Policy(_))));
}

#[test]
fn the_bound_on_length_holds_for_the_url_as_parsed() {
    let grows = format!("https://example.com/{}", " a".repeat(MAX_URL_BYTES / 4));
    assert!(grows.len() < MAX_URL_BYTES);
    assert_eq!(production(&grows), Err(UrlError::TooLong));
}

#[test]
fn dots_at_the_end_hide_nothing() {
    for host in ["localhost..", "metadata.google.internal..", "intranet..", "127.0.0.1."] {
        assert!(production(&format!("http://{host}/")).is_err(), "{host}");
    }
}

proptest! {
    #[test]
    fn what_is_taken_would_be_taken_again_as_the_same(host in "[a-zA-Z0-9.%@:\\[\\]/\\\\-]{1,30}", rest in ".{0,60}") {
        if let Ok(target) = production(&format!("http://{host}{rest}")) {
            let again = production(target.url());
            prop_assert_eq!(again, Ok(target));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,200}") {
        let _ = production(&text);
        let _ = production(&format!("http://{text}"));
    }

    #[test]
    fn every_path_and_query_that_parses_can_be_asked_for(path in ".{0,80}", query in ".{0,80}") {
        let url = format!("https://example.com/{path}?{query}");
        prop_assert!(production(&url).is_ok(), "{}", url);
    }

    #[test]
    fn a_literal_address_is_taken_only_where_it_is_allowed(bits: u32, inner: u128) {
        let policy = Policy::production();
        for host in [format!("{bits}"), format!("{bits:#x}"), format!("[{}]", std::net::Ipv6Addr::from_bits(inner))] {
            if let Ok(target) = production(&format!("http://{host}/")) {
                prop_assert_eq!(target.address().map(|address| policy.judge(address)), Some(Ok(())));
            }
        }
    }
}
