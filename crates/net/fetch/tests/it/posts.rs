//! POST requests to an address that a caller named.

use fetch::{FetchError, Limits, Post};
use http::{HeaderMap, HeaderValue};

use crate::support::{Names, Server, Step, fetcher, fetcher_with, ok, redirect};

fn post() -> Post {
    let headers: HeaderMap =
        [("webhook-id".parse().unwrap(), HeaderValue::from_static("7"))].into_iter().collect();
    Post { json: r#"{"a":1}"#.into(), headers }
}

#[tokio::test]
async fn a_post_has_its_own_fields_and_the_original_host() {
    let server = Server::start(|_| ok("{}")).await;
    let fetcher = fetcher();
    let target = fetcher.check_url(&format!("http://source.example.com:{}/hook?a=b", server.port())).unwrap();
    let answer = fetcher.post(&target, post()).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"{}"[..]));
    let head = server.requests()[0].to_ascii_lowercase();
    assert!(head.starts_with("post /hook?a=b http/1.1\r\n"), "{head}");
    let host = format!("host: source.example.com:{}", server.port());
    for field in [&*host, "webhook-id: 7", "content-type: application/json", "content-length: 7"] {
        assert!(head.contains(&format!("{field}\r\n")), "{field} in {head}");
    }
}

#[tokio::test]
async fn a_post_is_not_sent_on_and_reaches_no_denied_address() {
    let end = Server::start(|_| ok("{}")).await;
    let to = format!("http://127.0.0.1:{}/", end.port());
    for status in [301, 302, 303, 307, 308] {
        let to = to.clone();
        let server = Server::start(move |_| redirect(status, &to)).await;
        let fetcher = fetcher();
        let target = fetcher.check_url(&format!("http://127.0.0.1:{}/", server.port())).unwrap();
        let refused = fetcher.post(&target, post()).await.unwrap_err();
        assert!(matches!(refused, FetchError::TooManyRedirects), "{status}: {refused}");
    }
    let names = Names::default().with("mixed.example.com", &[&["127.0.0.1", "169.254.169.254"]]);
    let fetcher = fetcher_with(Limits::default(), names);
    let target = fetcher.check_url(&format!("http://mixed.example.com:{}/", end.port())).unwrap();
    assert_eq!(fetcher.post(&target, post()).await.unwrap_err().code(), "address_denied");
    assert_eq!(end.connections(), 0);
}

#[tokio::test]
async fn a_status_counts_whatever_body_follows() {
    for (status, fields) in [
        (200, "Content-Length: 999999999"),
        (410, "Content-Encoding: br\r\nContent-Length: 5"),
        (200, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked"),
        (302, "Location: https://elsewhere.example.com/\r\nContent-Length: 0"),
    ] {
        let head = format!("HTTP/1.1 {status} Status\r\n{fields}\r\n\r\n");
        let server = Server::start(move |_| vec![Step::Send(head.clone().into_bytes()), Step::Silence]).await;
        let fetcher = fetcher();
        let target = fetcher.check_url(&format!("http://127.0.0.1:{}/", server.port())).unwrap();
        assert_eq!(fetcher.tell(&target, post()).await.unwrap(), status, "{fields}");
        assert!(server.requests()[0].starts_with("POST / HTTP/1.1\r\n"));
    }
}
