//! Redirects, each judged like a URL from a caller.

use fetch::{Hop, Limits};

use crate::support::{Names, Server, code, fetcher, fetcher_with, get, ok, redirect, say};

/// The reason for which a redirect to `location` is not followed.
async fn code_to(location: &'static str) -> &'static str {
    let server = Server::start(move |_| redirect(302, location)).await;
    let names = Names::default()
        .with("private.example.com", &[&["192.168.1.1"]])
        .with("mixed.example.com", &[&["127.0.0.1", "169.254.169.254"]]);
    let fetcher = fetcher_with(Limits::default(), names);
    code(&fetcher, &format!("http://127.0.0.1:{}/", server.port())).await
}

#[tokio::test]
async fn every_kind_of_redirect_is_followed_and_told() {
    let end = Server::start(|_| ok("end")).await;
    let url = format!("http://source.example.com:{}/end", end.port());
    for status in [301, 302, 303, 307, 308] {
        let to = url.clone();
        let server = Server::start(move |_| redirect(status, &to)).await;
        let start = format!("http://127.0.0.1:{}/", server.port());
        let fetched = get(&fetcher(), &start).await.unwrap();
        assert_eq!((fetched.final_url.as_str(), &fetched.body[..]), (url.as_str(), &b"end"[..]));
        assert_eq!(fetched.hops, [Hop { url: start, status, peer: server.address }]);
    }
    assert!(end.requests().iter().all(|head| !head.to_ascii_lowercase().contains("referer")));
}

#[tokio::test]
async fn relative_locations_are_resolved_against_the_hop() {
    let server = Server::start(|head| match head.split(' ').nth(1) {
        Some("/a/b?q") => redirect(301, "../c"),
        Some("/c") => redirect(301, "?d#e"),
        Some(other) => ok(other),
        None => say("HTTP/1.1 400 Bad\r\n\r\n"),
    })
    .await;
    let fetched = get(&fetcher(), &format!("http://127.0.0.1:{}/a/b?q", server.port())).await.unwrap();
    assert_eq!((&fetched.body[..], fetched.hops.len()), (&b"/c?d"[..], 2));
}

#[tokio::test]
async fn redirects_into_private_space_are_refused_before_any_connection() {
    for location in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://0xa9fea9fe/",
        "http://metadata.google.internal/",
        "http://intranet/",
        "http://private.example.com/",
        "http://mixed.example.com/",
        "http://user:pw@example.com/",
        "//192.168.0.1/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_INFO",
        "http://[",
    ] {
        assert_eq!(code_to(location).await, "redirect_refused", "{location}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_name_without_addresses_is_a_failure_of_that_name() {
    assert_eq!(code_to("http://none.example.com/").await, "dns_failed");
}

#[tokio::test]
async fn each_hop_is_looked_up_once_and_judged_on_its_own_answer() {
    let server = Server::start(|_| redirect(302, "/again")).await;
    let names = Names::default().with("flip.example.com", &[&["127.0.0.1"], &["10.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names.clone());
    let url = format!("http://flip.example.com:{}/", server.port());
    assert_eq!(code(&fetcher, &url).await, "redirect_refused");
    assert_eq!(names.asked(), ["flip.example.com", "flip.example.com"]);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn at_most_three_redirects_are_followed() {
    let server = Server::start(|head| match head.as_bytes()[5] {
        left @ b'1'..=b'9' => redirect(302, &format!("/{}", left - b'1')),
        _ => ok("end"),
    })
    .await;
    let url = |left: u8| format!("http://127.0.0.1:{}/{left}", server.port());
    assert_eq!(get(&fetcher(), &url(3)).await.unwrap().hops.len(), 3);
    assert_eq!(code(&fetcher(), &url(4)).await, "too_many_redirects");
}

#[tokio::test]
async fn a_loop_ends() {
    let server = Server::start(|_| redirect(302, "/")).await;
    assert_eq!(code(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await, "too_many_redirects");
    assert_eq!(server.connections(), 4, "the first and three more");
}

#[tokio::test]
async fn two_locations_are_refused_and_none_is_an_answer() {
    let twice = "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(move |_| say(twice)).await;
    assert_eq!(code(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await, "redirect_refused");
    let server = Server::start(|_| say("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nno")).await;
    let fetched = get(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await.unwrap();
    assert_eq!((fetched.status, &fetched.body[..]), (302, &b"no"[..]));
    let server = Server::start(|_| say("HTTP/1.1 304 Not Modified\r\nLocation: /x\r\n\r\n")).await;
    let fetched = get(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await.unwrap();
    assert_eq!(fetched.status, 304);
}

#[tokio::test]
async fn a_redirect_does_not_wait_for_its_body() {
    let head = "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 1000000000\r\n\r\n";
    let server = Server::start(move |request| {
        if request.starts_with("GET /end") {
            ok("end")
        } else {
            vec![say(head).remove(0), crate::support::Step::Silence]
        }
    })
    .await;
    assert!(get(&fetcher(), &format!("http://127.0.0.1:{}/", server.port())).await.is_ok());
}
