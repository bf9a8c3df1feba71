//! What a site's headers come to, however it answers.

use http_headers::HeadersReport;
use probe::site::{
    FOREIGN_ORIGIN, PreflightResult, ProbeFailure, RedirectEnd, SiteObservation, UnscoredReason,
};

use super::support::{Act, Authority, SITE, Server, absent, answer, closed, field, gzip, page, to};

fn report(seen: &SiteObservation) -> HeadersReport {
    seen.headers(&seen.name).unwrap()
}

fn result(seen: &SiteObservation, test: &str) -> &'static str {
    report(seen).get(test).unwrap().result
}

/// The reason for which the headers are unknown.
pub(crate) fn unknown(seen: &SiteObservation) -> String {
    seen.headers(&seen.name).unwrap_err().code().to_owned()
}

#[tokio::test]
async fn a_good_site_has_the_observatory_s_score() {
    let authority = Authority::new();
    let fields = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Strict-Transport-Security", "max-age=63072000"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Set-Cookie", "session=secret-of-the-session; Secure; HttpOnly; SameSite=Lax"),
        ("Date", "Sun, 22 Nov 2026 00:00:00 GMT"),
    ];
    let https = Server::start(Some(authority.tls()), move |asked| match asked.path {
        "/" => answer(200, &fields, "<!doctype html>"),
        _ => absent(),
    })
    .await;
    let port = https.port;
    let http = Server::start(None, move |_| to(&format!("https://{SITE}:{port}/?secret=1"))).await;
    let seen = authority.look(https.port, http.port).await;
    let report = report(&seen);
    // 100, and 10 for the policy, 5 each for frames, the referrer and the cookie.
    assert_eq!((report.score, report.grade), (125, "A+"), "{report:?}");
    assert_eq!(result(&seen, "redirection"), "redirection-to-https");
    let json = serde_json::to_string(&seen).unwrap();
    for secret in ["secret-of-the-session", "secret=1", "22 Nov 2026"] {
        assert!(!json.contains(secret), "{secret} is kept: {json}");
    }
    assert_eq!(seen.page.unwrap().status, 200);
}

#[tokio::test]
async fn every_request_says_who_asks_and_the_preflight_for_whom() {
    let authority = Authority::new();
    let https = Server::start(Some(authority.tls()), |_| page("")).await;
    let seen = authority.look(https.port, closed().await).await;
    let heads = https.heads();
    assert_eq!(heads.len(), 4, "{heads:?}");
    let asked = |method: &str| heads.iter().filter(|head| head.starts_with(method)).count();
    assert_eq!((asked("GET / "), asked("OPTIONS / "), asked("GET /.well-known/")), (1, 1, 2));
    for head in &heads {
        assert!(field(head, "user-agent").unwrap().starts_with("touchstone-fetch/"), "{head}");
        let is_preflight = head.starts_with("OPTIONS");
        assert_eq!(field(head, "origin").is_some(), is_preflight, "{head}");
        assert_eq!(field(head, "access-control-request-method"), is_preflight.then_some("GET"), "{head}");
        assert_eq!(
            field(head, "accept").unwrap().starts_with("text/html"),
            head.starts_with("GET / "),
            "{head}"
        );
    }
    assert!(matches!(seen.cors, PreflightResult::Answered(200, _)));
}

#[tokio::test]
async fn the_preflight_is_made_where_the_page_is() {
    let authority = Authority::new();
    let open =
        [("Access-Control-Allow-Origin", FOREIGN_ORIGIN), ("Access-Control-Allow-Credentials", "true")];
    let home = Server::start(Some(authority.tls()), move |asked| match asked.method {
        "OPTIONS" => answer(204, &open, ""),
        _ => page(""),
    })
    .await;
    let port = home.port;
    let first = Server::start(Some(authority.tls()), move |asked| match asked.method {
        "OPTIONS" => answer(204, &[], ""),
        _ => to(&format!("https://www.example.com:{port}/home")),
    })
    .await;
    let seen = authority.look(first.port, closed().await).await;
    assert_eq!(
        result(&seen, "cross-origin-resource-sharing"),
        "cross-origin-resource-sharing-implemented-with-universal-access"
    );
    assert_eq!(seen.page.unwrap().page.url.path(), "/home");
}

#[tokio::test]
async fn a_preflight_that_is_refused_lets_nobody_in() {
    let authority = Authority::new();
    let open = [("Access-Control-Allow-Origin", "*")];
    let https = Server::start(Some(authority.tls()), move |asked| match asked.method {
        "OPTIONS" => answer(405, &open, ""),
        _ => page(""),
    })
    .await;
    let seen = authority.look(https.port, closed().await).await;
    assert_eq!(
        result(&seen, "cross-origin-resource-sharing"),
        "cross-origin-resource-sharing-not-implemented"
    );
}

#[tokio::test]
async fn a_site_without_https_is_scored_by_its_plain_page() {
    let authority = Authority::new();
    let http = Server::start(None, |_| page("<script src=http://cdn.example.net/a.js></script>")).await;
    let seen = authority.look(closed().await, http.port).await;
    assert_eq!(seen.https.end, RedirectEnd::Failed(ProbeFailure::ConnectionRefused));
    assert_eq!(result(&seen, "strict-transport-security"), "hsts-not-implemented-no-https");
    assert_eq!(result(&seen, "redirection"), "redirection-missing");
    assert_eq!(
        result(&seen, "subresource-integrity"),
        "sri-not-implemented-and-external-scripts-not-loaded-securely"
    );
}

#[tokio::test]
async fn where_nothing_listens_there_is_no_page_and_no_word_about_headers() {
    let authority = Authority::new();
    let seen = authority.look(closed().await, closed().await).await;
    assert_eq!(seen.headers(&seen.name), Err(UnscoredReason::NoPage));
    assert_eq!(unknown(&seen), "no_page");
    let seen = authority.look_at("none.example.com", closed().await, closed().await).await;
    assert_eq!(unknown(&seen), "no_address");
    let seen = authority.look_at("lost.example.com", closed().await, closed().await).await;
    assert_eq!(unknown(&seen), "dns_failed");
    let seen = authority.look_at("private.example.com", closed().await, closed().await).await;
    assert_eq!(unknown(&seen), "address_denied");
}

#[tokio::test]
async fn a_certificate_that_does_not_hold_shows_no_page() {
    let authority = Authority::new();
    let wrong = Server::start(Some(authority.tls_for(&["other.example.com"])), |_| page("")).await;
    let port = wrong.port;
    let http = Server::start(None, move |_| to(&format!("https://{SITE}:{port}/"))).await;
    let seen = authority.look(wrong.port, http.port).await;
    assert_eq!(seen.http.end, RedirectEnd::Failed(ProbeFailure::InvalidCertificate));
    assert_eq!(unknown(&seen), "invalid_certificate");
    assert!(wrong.heads().is_empty(), "a request was sent");
    let http = Server::start(None, |_| page("")).await;
    let seen = authority.look(wrong.port, http.port).await;
    assert_eq!(result(&seen, "strict-transport-security"), "hsts-invalid-cert");
}

#[tokio::test]
async fn plain_http_is_judged_by_where_it_leads_even_where_nobody_may_go() {
    let authority = Authority::new();
    let https = Server::start(Some(authority.tls()), |_| page("")).await;
    let result_of = async |location: &str| {
        let location = location.to_owned();
        let http = Server::start(None, move |_| to(&location)).await;
        result(&authority.look(https.port, http.port).await, "redirection")
    };
    assert_eq!(result_of("https://private.example.com/").await, "redirection-off-host-from-http");
    assert_eq!(result_of("http://10.0.0.1/").await, "redirection-not-to-https");
    assert_eq!(result_of(&format!("https://{SITE}:{}/", https.port)).await, "redirection-to-https");
    assert_eq!(result_of(&format!("https://{SITE}:{}/", closed().await)).await, "redirection-to-https");
}

#[tokio::test]
async fn a_site_that_leads_from_https_to_http_is_scored_by_its_plain_page() {
    let authority = Authority::new();
    let http = Server::start(None, |_| page("")).await;
    let port = http.port;
    let https = Server::start(Some(authority.tls()), move |_| to(&format!("http://{SITE}:{port}/"))).await;
    let seen = authority.look(https.port, http.port).await;
    assert_eq!(seen.https.end, RedirectEnd::Failed(ProbeFailure::RedirectToHttp));
    assert_eq!(result(&seen, "strict-transport-security"), "hsts-not-implemented");
    assert_eq!(result(&seen, "redirection"), "redirection-missing");
}

#[tokio::test]
async fn a_page_with_an_error_is_not_scored() {
    let authority = Authority::new();
    let https =
        Server::start(Some(authority.tls()), |_| answer(503, &[("X-Frame-Options", "DENY")], "")).await;
    assert_eq!(unknown(&authority.look(https.port, closed().await).await), "error_status");
}

#[tokio::test]
async fn a_page_is_read_through_its_coding_and_by_its_type() {
    let authority = Authority::new();
    let html = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">";
    let coded = gzip(html.as_bytes());
    let https = Server::start(Some(authority.tls()), move |_| {
        answer(200, &[("Content-Type", "text/html"), ("Content-Encoding", "gzip")], &coded)
    })
    .await;
    let seen = authority.look(https.port, closed().await).await;
    assert_eq!(result(&seen, "content-security-policy"), "csp-implemented-with-no-unsafe-default-src-none");
    let script = "<script src=http://cdn.example.net/a.js></script>";
    let https = Server::start(Some(authority.tls()), move |_| {
        answer(200, &[("Content-Type", "application/json")], script)
    })
    .await;
    let seen = authority.look(https.port, closed().await).await;
    assert_eq!(result(&seen, "subresource-integrity"), "sri-not-implemented-response-not-html");
}

#[tokio::test]
async fn what_is_slow_is_unknown() {
    let authority = Authority::new();
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>";
    let https = Server::start(Some(authority.tls()), |_| Act::Stall(head.into())).await;
    let http = Server::start(None, |_| page("")).await;
    let seen = authority.look(https.port, http.port).await;
    assert_eq!(unknown(&seen), "timeout");
    assert!(seen.has_gaps());
    // The page was seen, and where plain HTTP leads was not.
    let https = Server::start(Some(authority.tls()), |_| page("")).await;
    let http = Server::start(None, |_| Act::Stall(Vec::new())).await;
    assert_eq!(unknown(&authority.look(https.port, http.port).await), "http_timeout");
}
