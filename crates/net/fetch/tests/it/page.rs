//! Pages: the way and its end, with as much of the body as is asked for.

use std::io::Write as _;
use std::time::Duration;

use fetch::{Fetcher, Limits, PageAsk, PageFetch};
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::time::timeout;

use crate::support::{HANG, Names, Server, Step, fetcher_with, ok, redirect, say};

const ASK: PageAsk = PageAsk {
    accept: "text/html",
    preflight_from: None,
    redirects: 10,
    below: None,
    body_bytes: 1 << 20,
    within: Duration::from_secs(5),
};

fn fetcher() -> Fetcher {
    let names = Names::default()
        .with("source.example.com", &[&["127.0.0.1"]])
        .with("private.example.com", &[&["10.0.0.1"]]);
    fetcher_with(Limits::default(), names)
}

async fn page(url: &str, ask: &PageAsk) -> PageFetch {
    let fetcher = fetcher();
    let target = fetcher.check_url(url).unwrap();
    timeout(HANG, fetcher.page(target, ask)).await.expect("the page hangs")
}

async fn page_of(script: Vec<Step>, ask: &PageAsk) -> PageFetch {
    let server = Server::start(move |_| script.clone()).await;
    page(&format!("http://127.0.0.1:{}/", server.port()), ask).await
}

fn code(page: &PageFetch) -> &'static str {
    page.end.as_ref().unwrap_err().code()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_page_has_the_fields_of_every_hop_and_a_request_its_own() {
    let end =
        Server::start(|_| say("HTTP/1.1 404 No\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 2\r\n\r\nno")).await;
    let to = format!("http://source.example.com:{}/end#part", end.port());
    let server = Server::start(move |_| {
        say(format!("HTTP/1.1 307 Moved\r\nLocation: {to}\r\nX-Hop: yes\r\nContent-Length: 0\r\n\r\n"))
    })
    .await;
    let page = page(&format!("http://127.0.0.1:{}/", server.port()), &ASK).await;
    assert_eq!(page.url, format!("http://source.example.com:{}/end", end.port()));
    assert_eq!((page.hops.len(), page.hops[0].status), (1, 307));
    assert_eq!(page.hops[0].fields["x-hop"], "yes");
    let answer = page.end.unwrap();
    assert_eq!((answer.status, &answer.body[..], answer.is_cut), (404, &b"no"[..], false));
    assert_eq!(answer.fields.get_all("x-a").iter().count(), 2);
    let head = end.requests()[0].to_ascii_lowercase();
    assert!(
        head.contains("accept: text/html\r\n") && head.contains("user-agent: touchstone-fetch/"),
        "{head}"
    );
    assert!(!head.contains("origin:"), "{head}");
}

#[tokio::test]
async fn a_preflight_asks_for_another_origin_and_reads_no_body() {
    let endless =
        vec![Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n".to_vec()), Step::Silence];
    let server = Server::start(move |_| endless.clone()).await;
    let ask = PageAsk { preflight_from: Some("https://other.example"), body_bytes: 0, ..ASK };
    let answer = page(&format!("http://127.0.0.1:{}/", server.port()), &ask).await.end.unwrap();
    assert!(answer.body.is_empty() && answer.is_cut);
    let head = server.requests()[0].to_ascii_lowercase();
    assert!(head.starts_with("options / http/1.1\r\n"), "{head}");
    assert!(head.contains("origin: https://other.example\r\n"), "{head}");
    assert!(head.contains("access-control-request-method: get\r\n"), "{head}");
}

#[tokio::test]
async fn a_body_past_the_bound_is_cut_however_it_comes() {
    let short = PageAsk { body_bytes: 1_000, ..ASK };
    let endless = vec![
        Step::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()),
        Step::Forever([b"400\r\n".as_slice(), &[b'x'; 0x400], b"\r\n"].concat(), Duration::ZERO),
    ];
    for script in [ok(&"x".repeat(5_000)), endless] {
        let answer = page_of(script, &short).await.end.unwrap();
        assert_eq!((&answer.body[..], answer.is_cut), (&[b'x'; 1_000][..], true));
    }
    let whole = page_of(ok(&"x".repeat(1_000)), &short).await.end.unwrap();
    assert_eq!((whole.body.len(), whole.is_cut), (1_000, false));
}

#[tokio::test]
async fn a_coded_body_is_cut_decoded_and_must_be_sound_up_to_there() {
    let answer = |coded: &[u8], coding: &str| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            coded.len()
        );
        say([head.as_bytes(), coded].concat())
    };
    let bomb = gzip(&vec![b'x'; 8 << 20]);
    let cut = page_of(answer(&bomb, "gzip"), &ASK).await.end.unwrap();
    assert!(cut.is_cut && cut.body.len() == 1 << 20 && cut.body.iter().all(|byte| *byte == b'x'));
    let small = gzip(b"whole");
    assert_eq!(&page_of(answer(&small, "gzip"), &ASK).await.end.unwrap().body[..], b"whole");
    assert_eq!(code(&page_of(answer(&small[..small.len() - 1], "gzip"), &ASK).await), "bad_encoding");
    assert_eq!(code(&page_of(answer(&small, "br"), &ASK).await), "bad_encoding");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_page() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\nhalf";
    assert_eq!(code(&page_of(say(head), &ASK).await), "interrupted");
    let soon = PageAsk { within: Duration::from_millis(300), ..ASK };
    let stalled = vec![say(head).remove(0), Step::Silence];
    assert_eq!(code(&page_of(stalled, &soon).await), "timeout");
    let many: String = (0..200).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(code(&page_of(say(format!("HTTP/1.1 200 OK\r\n{many}\r\n")), &ASK).await), "too_large");
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(40 << 10));
    assert_eq!(code(&page_of(say(long), &ASK).await), "too_large");
}

#[tokio::test]
async fn redirects_are_guarded_bounded_and_told_to_the_last() {
    let looped = page_of(redirect(302, "/again"), &ASK).await;
    assert_eq!((code(&looped), looped.hops.len()), ("too_many_redirects", 4), "the fetcher's limit is three");
    let none = page_of(redirect(302, "/again"), &PageAsk { redirects: 0, ..ASK }).await;
    assert_eq!((code(&none), none.hops.len()), ("too_many_redirects", 1));
    for location in ["http://10.0.0.1/x", "http://metadata.google.internal/", "http://private.example.com/"] {
        let refused = page_of(redirect(302, location), &ASK).await;
        assert_eq!((code(&refused), refused.url.as_str()), ("redirect_refused", location));
        assert_eq!(refused.hops.len(), 1);
    }
    let below = |name: &str| PageAsk { below: Some(name.to_owned()), ..ASK };
    for (location, name, expected) in [
        ("/again", "example.com", "too_many_redirects"),
        ("/again", "source.example.com", "too_many_redirects"),
        ("/again", "rce.example.com", "redirect_refused"),
        ("http://127.0.0.1/", "example.com", "redirect_refused"),
    ] {
        let server = Server::start(move |_| redirect(302, location)).await;
        let page = page(&format!("http://source.example.com:{}/", server.port()), &below(name)).await;
        assert_eq!(code(&page), expected, "{location} below {name}");
    }
    let twice = "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(code(&page_of(say(twice), &ASK).await), "redirect_refused");
}

#[tokio::test]
async fn a_way_that_ends_late_still_tells_how_far_it_went() {
    let silent = Server::start(|_| vec![Step::Silence]).await;
    let url = format!("http://source.example.com:{}/", silent.port());
    let soon = PageAsk { within: Duration::from_millis(500), ..ASK };
    let late = page_of(redirect(302, &url), &soon).await;
    assert_eq!((code(&late), late.url, late.hops.len()), ("timeout", url, 1));
}
