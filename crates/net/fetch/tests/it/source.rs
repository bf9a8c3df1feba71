//! Downloads: whole and written out, or an error; redirects through the guard.

use fetch::{FetchError, Fetched, Limits, Roots, Source, Validators};
use tokio::time::timeout;

use crate::support::{HANG, Names, Server, Step, ok, redirect, say, short};

fn source(server: &Server, limits: Limits) -> Source {
    let names = Names::default().with("elsewhere.example.com", &[&["10.0.0.2"]]);
    let url = format!("http://127.0.0.1:{}/exports/", server.port());
    Source::new(&url, &[], limits, names, Roots::none()).unwrap()
}

async fn download(
    server: &Server,
    limits: Limits,
    known: &Validators,
) -> (Result<Fetched, FetchError>, Vec<u8>) {
    let mut sink = Vec::new();
    let source = source(server, limits);
    let fetched = timeout(HANG, source.download("LIST.XML", known, &mut sink)).await;
    (fetched.expect("the download hangs"), sink)
}

#[tokio::test]
async fn a_document_is_written_out_past_the_limit_on_what_is_decoded() {
    let server = Server::start(|_| ok(&"x".repeat(10_000))).await;
    let limits = Limits { decoded_bytes: 10, wire_bytes: 10_000, ..Limits::default() };
    let (fetched, written) = download(&server, limits, &Validators::default()).await;
    let fetched = fetched.unwrap();
    assert_eq!((fetched.status, fetched.wire_bytes, fetched.body.len()), (200, 10_000, 0));
    assert_eq!(written, "x".repeat(10_000).as_bytes());
    assert!(server.requests()[0].starts_with("GET /exports/LIST.XML HTTP/1.1\r\n"));
}

#[tokio::test]
async fn the_document_at_the_url_itself_is_asked_for_with_its_query() {
    let server = Server::start(|_| ok("abc")).await;
    let url = format!("http://127.0.0.1:{}/feed.txt?key=k", server.port());
    let source = Source::new(&url, &[], Limits::default(), Names::default(), Roots::none()).unwrap();
    let mut sink = Vec::new();
    let fetched = timeout(HANG, source.download_url(&Validators::default(), &mut sink)).await.unwrap();
    assert_eq!((fetched.unwrap().status, &*sink), (200, b"abc".as_slice()));
    assert!(server.requests()[0].starts_with("GET /feed.txt?key=k HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_known_version_is_not_sent_again_not_even_behind_a_redirect() {
    let server = Server::start(|head| {
        if head.starts_with("GET /exports/") {
            return redirect(302, "/signed/LIST.XML?expires=1");
        }
        if head.to_ascii_lowercase().contains("if-none-match: \"one\"\r\n") {
            return say("HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n");
        }
        say("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nLast-Modified: Thu, 20 Aug 2026 00:00:00 GMT\r\nContent-Length: 3\r\n\r\nabc")
    })
    .await;
    let (first, written) = download(&server, Limits::default(), &Validators::default()).await;
    let validators = first.unwrap().validators;
    assert_eq!(validators.last_modified.as_deref(), Some("Thu, 20 Aug 2026 00:00:00 GMT"));
    assert_eq!(written, b"abc");
    let (again, written) = download(&server, Limits::default(), &validators).await;
    assert_eq!((again.unwrap().status, written), (304, Vec::new()));
}

#[tokio::test]
async fn what_is_no_document_is_not_written_out() {
    for answer in ["404 Not Found", "500 Oops", "206 Partial Content"] {
        let server =
            Server::start(move |_| say(format!("HTTP/1.1 {answer}\r\nContent-Length: 3\r\n\r\nabc"))).await;
        let (fetched, written) = download(&server, Limits::default(), &Validators::default()).await;
        assert_eq!(fetched.unwrap().status.to_string(), answer[..3]);
        assert_eq!(written, b"", "{answer}");
    }
}

#[tokio::test]
async fn one_that_is_cut_short_too_large_or_late_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let half = vec![Step::Send(format!("{head}half").into()), Step::Cut];
    let endless = vec![
        Step::Send(chunked.into()),
        Step::Forever(
            b"400\r\n".iter().copied().chain([b'x'; 0x400]).chain(*b"\r\n").collect(),
            std::time::Duration::ZERO,
        ),
    ];
    let silent = vec![Step::Send(format!("{head}half").into()), Step::Silence];
    let small = Limits { wire_bytes: 3_000, ..Limits::default() };
    for (script, limits, code) in [
        (half, Limits::default(), "interrupted"),
        (endless, small.clone(), "too_large"),
        (vec![Step::Send(head.into()), Step::Silence], small, "too_large"),
        (silent, short(), "timeout"),
    ] {
        let server = Server::start(move |_| script.clone()).await;
        let (fetched, _) = download(&server, limits, &Validators::default()).await;
        assert_eq!(fetched.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere_that_was_not_named() {
    for place in ["http://10.0.0.1", "http://elsewhere.example.com", "http://8.8.8.8", "ftp://127.0.0.1"] {
        let server = Server::start(move |head| {
            let port = head.split("127.0.0.1:").nth(1).unwrap().split("\r\n").next().unwrap();
            redirect(302, &format!("{place}:{port}/"))
        })
        .await;
        let (fetched, _) = download(&server, Limits::default(), &Validators::default()).await;
        assert_eq!(fetched.unwrap_err().code(), "redirect_refused", "{place}");
    }
    let server = Server::start(|_| redirect(302, "http://127.0.0.1:1/")).await;
    let (fetched, _) = download(&server, Limits::default(), &Validators::default()).await;
    assert_eq!(fetched.unwrap_err().code(), "redirect_refused", "another port");
}
