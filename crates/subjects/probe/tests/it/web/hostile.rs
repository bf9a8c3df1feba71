//! Sites that mean harm: nothing they do is endless, and none of it is kept without bound.

use probe::site::{ProbeFailure, RedirectEnd};

use super::site::unknown;
use super::support::{Act, Asked, Authority, SITE, Server, answer, closed, gzip, page, to};

#[tokio::test]
async fn a_loop_of_redirects_ends() {
    let authority = Authority::new();
    let https = Server::start(Some(authority.tls()), |_| to("/")).await;
    let seen = authority.look(https.port, closed().await).await;
    assert_eq!((unknown(&seen).as_str(), seen.https.hops.len()), ("too_many_redirects", 6));
}

#[tokio::test]
async fn nobody_is_led_into_private_space() {
    let authority = Authority::new();
    for location in
        ["https://10.0.0.1/", "https://[::ffff:169.254.169.254]/", "https://metadata.google.internal/"]
    {
        let https = Server::start(Some(authority.tls()), move |_| to(location)).await;
        let seen = authority.look(https.port, closed().await).await;
        assert_eq!(unknown(&seen), "redirect_to_private", "{location}");
    }
    let https = Server::start(Some(authority.tls()), move |_| to("gopher://x/")).await;
    assert_eq!(unknown(&authority.look(https.port, closed().await).await), "redirect_refused");
}

#[tokio::test]
async fn a_flood_of_fields_is_no_page() {
    let authority = Authority::new();
    let many: String = (0..300).map(|n| format!("X-{n}: y\r\n")).collect();
    let long = format!("X-Frame-Options: {}\r\n", "y".repeat(40 << 10));
    for fields in [many, long] {
        let https = Server::start(Some(authority.tls()), move |_| {
            Act::Say(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").into_bytes())
        })
        .await;
        let seen = authority.look(https.port, closed().await).await;
        assert_eq!(seen.https.end, RedirectEnd::Failed(ProbeFailure::TooLarge));
        assert_eq!(unknown(&seen), "too_large");
    }
}

#[tokio::test]
async fn fields_and_policies_that_are_too_much_to_keep_are_no_page() {
    let authority = Authority::new();
    let csp = format!("default-src {}", "https://a.example ".repeat(1_500));
    let https =
        Server::start(Some(authority.tls()), move |_| answer(200, &[("Content-Security-Policy", &csp)], ""))
            .await;
    assert_eq!(unknown(&authority.look(https.port, closed().await).await), "too_large");
    let meta = "<meta http-equiv=content-security-policy content=\"default-src 'none'\">".repeat(1_900);
    let https = Server::start(Some(authority.tls()), move |_| page(&meta)).await;
    assert_eq!(unknown(&authority.look(https.port, closed().await).await), "too_large");
}

#[tokio::test]
async fn a_page_without_end_is_cut_and_the_cut_is_told() {
    let authority = Authority::new();
    let body = format!("<script src=http://cdn.example.net/a.js></script>{}", "x".repeat(10 << 20));
    let coded = gzip(body.as_bytes());
    let plain = Server::start(Some(authority.tls()), move |_| page(&body)).await;
    let bomb =
        Server::start(Some(authority.tls()), move |_| answer(200, &[("Content-Encoding", "gzip")], &coded))
            .await;
    for server in [plain, bomb] {
        let seen = authority.look(server.port, closed().await).await;
        let report = seen.headers(&seen.name).unwrap();
        let page = seen.page.unwrap();
        assert!(page.is_cut && page.bytes == 1 << 20, "{page:?}");
        assert_eq!(
            report.get("subresource-integrity").unwrap().result,
            "sri-not-implemented-and-external-scripts-not-loaded-securely"
        );
    }
}

#[tokio::test]
async fn scripts_without_number_change_no_outcome() {
    let authority = Authority::new();
    let own: String =
        (0..1_900).map(|n| format!("<script src=https://{SITE}/{n}/{}></script>", "x".repeat(200))).collect();
    let html = format!("{own}<script src=http://cdn.example.net/last.js></script>");
    let https = Server::start(Some(authority.tls()), move |_| page(&html)).await;
    let seen = authority.look(https.port, closed().await).await;
    let report = seen.headers(&seen.name).unwrap();
    assert_eq!(
        report.get("subresource-integrity").unwrap().result,
        "sri-not-implemented-and-external-scripts-not-loaded-securely"
    );
}

/// The next redirect of a way of five, with as much of everything as there can be.
fn detour(asked: &Asked<'_>, scheme: &str) -> Act {
    let hop =
        asked.path.as_bytes().get(1).filter(|byte| byte.is_ascii_digit()).map_or(1, |digit| digit - b'0' + 1);
    let next = if hop == 5 { "end".to_owned() } else { format!("{hop}{}", "p".repeat(430)) };
    let location = format!("{scheme}://{SITE}:{}/{next}", asked.port);
    answer(301, &[("Location", &location), ("Strict-Transport-Security", &"\"".repeat(9_000))], "")
}

#[tokio::test]
async fn the_largest_evidence_that_a_site_can_make_is_within_bounds() {
    let authority = Authority::new();
    let quotes = |count: usize| "\"".repeat(count);
    let script = |n: u8| {
        let (src, digest) = (format!("https://{n}.example.net/{}", quotes(9)), quotes(200));
        format!("<script src='{src}' integrity='{digest}'></script>")
    };
    let meta = format!("<meta http-equiv=content-security-policy content='{}'>", quotes(4_000));
    let html = (0..28).map(script).chain([meta]).collect::<String>();
    let (csp, kind, text) = (quotes(11_000), quotes(5_000), "\u{1}\"\\".repeat(5_000));
    let https = Server::start(Some(authority.tls()), move |asked| match (asked.method, asked.path) {
        (_, "/.well-known/security.txt" | "/.well-known/mta-sts.txt") => {
            answer(200, &[("Content-Type", &kind)], &text)
        }
        ("OPTIONS", "/end") => answer(
            200,
            &[("Access-Control-Allow-Origin", &csp), ("Access-Control-Allow-Credentials", &csp)],
            "",
        ),
        (_, "/end") => answer(200, &[("Content-Security-Policy", &csp)], &html),
        _ => detour(asked, "https"),
    })
    .await;
    let http = Server::start(None, |asked| detour(asked, "http")).await;
    // The bound itself is asserted of every look.
    let seen = authority.look(https.port, http.port).await;
    assert_eq!((seen.https.hops.len(), seen.http.hops.len()), (5, 6));
    assert!(seen.page.is_some(), "{seen:?}");
    let size = serde_json::to_string(&seen).unwrap().len();
    assert!(size > 54 << 10, "{size} bytes: this is not the largest");
}
