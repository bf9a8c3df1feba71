//! security.txt and the policy of MTA-STS, as they are fetched.

use dns::{Answer, Exchange, Mx, Name};
use probe::site::{ProbeFailure, SiteObservation, WellKnownTextResult};
use trust::score::{Check, ModelVersion, Status, mta_sts, security_txt};
use verdict::Timestamp;

use crate::web_support::{Act, Asked, Authority, SITE, Server, absent, answer, closed, to};

const SECURITY: &str = "Contact: mailto:a@example.com\nExpires: 2099-01-01T00:00:00Z\n";
const POLICY: &str = "version: STSv1\nmode: enforce\nmx: mx.example.com\nmax_age: 604800\n";
const TEXT: (&str, &str) = ("Content-Type", "text/plain");

/// A site with such texts.
async fn site(
    security: impl Fn() -> Act + Send + Sync + 'static,
    policy: impl Fn() -> Act + Send + Sync + 'static,
) -> SiteObservation {
    let authority = Authority::new();
    let https = Server::start(Some(authority.tls()), move |asked| match (asked.host, asked.path) {
        (SITE, "/.well-known/security.txt") => security(),
        ("mta-sts.site.example.com", "/.well-known/mta-sts.txt") => policy(),
        (_, "/moved") => answer(200, &[TEXT], SECURITY),
        _ => absent(),
    })
    .await;
    authority.look(https.port, closed().await).await
}

fn now() -> Timestamp {
    "2026-11-22T00:00:00.000Z".parse().unwrap()
}

fn security(seen: &SiteObservation) -> (Status, String) {
    told(security_txt(seen, &seen.name, now(), now(), ModelVersion::V2))
}

fn sts(seen: &SiteObservation) -> (Status, String) {
    let record = Answer::Found { records: vec![b"v=STSv1; id=1".to_vec()], ttl: 60 };
    let exchange = Exchange::Host(Name::parse("mx.example.com").unwrap());
    let exchangers = Answer::Found { records: vec![Mx { preference: 0, exchange }], ttl: 60 };
    told(mta_sts(seen, &record, &exchangers, &Name::parse(SITE).unwrap(), true, now()))
}

fn told(check: Check) -> (Status, String) {
    (check.status, check.reason.into_owned())
}

fn expected(status: Status, reason: &str) -> (Status, String) {
    (status, reason.to_owned())
}

#[tokio::test]
async fn texts_as_they_should_be_pass() {
    let seen = site(|| answer(200, &[TEXT], SECURITY), || answer(200, &[TEXT], POLICY)).await;
    assert_eq!(security(&seen), expected(Status::Pass, "published"));
    assert_eq!(sts(&seen), expected(Status::Pass, "enforced"));
    assert!(
        matches!(&seen.mta_sts.end, WellKnownTextResult::Answered { text, is_cut: false, .. } if text == POLICY)
    );
}

#[tokio::test]
async fn a_redirect_is_followed_to_security_txt_and_never_to_a_policy() {
    let seen = site(|| to("/moved"), || to("/moved")).await;
    assert_eq!(security(&seen), expected(Status::Pass, "published"));
    assert_eq!(seen.mta_sts.end, WellKnownTextResult::Failed(ProbeFailure::TooManyRedirects));
    assert_eq!(sts(&seen), expected(Status::Fail, "redirected"));
}

#[tokio::test]
async fn a_site_that_others_redirect_to_is_asked_for_its_page_alone() {
    let authority = Authority::new();
    let other = Server::start(Some(authority.tls()), |_| answer(200, &[TEXT], SECURITY)).await;
    let port = other.port;
    let script = move |asked: &Asked<'_>| to(&format!("https://other.example.com:{port}{}", asked.path));
    let https = Server::start(Some(authority.tls()), script).await;
    let http = Server::start(None, script).await;
    let seen = authority.look(https.port, http.port).await;
    let WellKnownTextResult::LeftSite(url) = &seen.security_txt.end else { panic!("{seen:?}") };
    assert_eq!(url.path(), "/.well-known/security.txt");
    assert_eq!(security(&seen), expected(Status::Pass, "of_another_site"));
    assert_eq!(sts(&seen), expected(Status::Fail, "redirected"));
    let asked: Vec<String> =
        other.heads().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(asked.iter().filter(|line| **line == "GET / HTTP/1.1").count(), 2, "{asked:?}");
    assert_eq!(asked.iter().filter(|line| **line == "OPTIONS / HTTP/1.1").count(), 1, "{asked:?}");
    assert_eq!(asked.len(), 3, "{asked:?}");
}

#[tokio::test]
async fn what_is_not_there_fails_and_what_is_late_is_unknown() {
    let seen = site(absent, absent).await;
    assert_eq!(security(&seen), expected(Status::Fail, "absent"));
    assert_eq!(sts(&seen), expected(Status::Fail, "no_policy"));
    let stalled = || Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".to_vec());
    let seen = site(stalled, stalled).await;
    assert_eq!(security(&seen), expected(Status::Unknown, "timeout"));
    assert_eq!(sts(&seen), expected(Status::Unknown, "timeout"));
}

#[tokio::test]
async fn a_text_without_end_is_cut() {
    let long = || answer(200, &[TEXT], format!("{SECURITY}{}", "# more\n".repeat(1_000_000)));
    let seen = site(long, || answer(200, &[TEXT], "mx: a\n".repeat(100_000))).await;
    assert_eq!(
        security(&seen),
        expected(Status::Pass, "published"),
        "all that is needed came before the cut"
    );
    assert_eq!(sts(&seen), expected(Status::Unknown, "too_large"));
    let WellKnownTextResult::Answered { text, is_cut, .. } = &seen.security_txt.end else {
        panic!("{seen:?}")
    };
    assert!(*is_cut && text.len() <= 4 << 10, "{} bytes", text.len());
}

#[tokio::test]
async fn a_policy_under_a_wrong_certificate_is_none() {
    let authority = Authority::new();
    let https = Server::start(Some(authority.tls_for(&[SITE])), |_| answer(200, &[TEXT], POLICY)).await;
    let seen = authority.look(https.port, closed().await).await;
    assert_eq!(sts(&seen), expected(Status::Fail, "invalid_certificate"));
    assert_eq!(security(&seen).0, Status::Fail, "a policy is no security.txt");
}
