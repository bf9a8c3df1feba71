//! Sources that do what sources should not: every one of them ends in a signed `UNRESOLVED` with its reason.

use std::io::Write as _;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::claims::{at, signed};
use crate::support::peer::{Peer, Step, Trap, answer, document, redirect};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, authority, dev};

const GOOD: &str = r#"{"status":"active"}"#;

fn looked(service: &Service, url: &str) -> Value {
    service.claim(&at(url, "status", "active"))
}

#[track_caller]
fn unresolved(service: &Service, url: &str) -> String {
    let receipt = looked(service, url);
    assert_eq!(text(&receipt, "verdict"), "UNRESOLVED", "{receipt}");
    assert_eq!(receipt["resolver_confidence"], 0);
    text(&receipt, "reason").to_owned()
}

pub fn gzip(write: impl Fn(&mut GzEncoder<Vec<u8>>)) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    write(&mut encoder);
    encoder.finish().unwrap()
}

#[test]
fn up_to_three_redirects_are_followed_and_told() {
    let service = dev();
    let peer =
        Peer::http(|target| match target.strip_prefix('/').and_then(|left| left.parse::<u32>().ok()) {
            Some(0) => document(GOOD),
            Some(left) => redirect(&format!("/{}", left - 1)),
            None => document("{}"),
        });
    let receipt = looked(&service, &peer.url("/3"));
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    let hops: Vec<_> =
        receipt["evidence"]["hops"].as_array().unwrap().iter().map(|hop| text(hop, "url")).collect();
    assert_eq!(hops, [peer.url("/3"), peer.url("/2"), peer.url("/1")]);
    assert_eq!(text(&receipt["evidence"], "final_url"), peer.url("/0"));
    assert_eq!(unresolved(&service, &peer.url("/4")), "too_many_redirects");
}

#[test]
fn a_redirect_into_private_space_is_refused_and_no_connection_is_made() {
    let service = dev();
    let trap = Trap::on("127.0.0.1:0").unwrap();
    // The development profile lets loopback itself be reached, and nothing that only leads there.
    let port = trap.port();
    for location in [
        format!("http://0.0.0.0:{port}/"),
        format!("http://0:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://[::127.0.0.1]:{port}/"),
        format!("http://[64:ff9b::7f00:1]:{port}/"),
        format!("http://[::]:{port}/"),
        format!("http://user@127.0.0.1:{port}/"),
        format!("//user:pw@localhost:{port}/"),
        "http://10.0.0.1/".to_owned(),
        "http://192.168.0.1/".to_owned(),
        "http://172.16.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://0xa9fea9fe/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
        "http://[fe80::1]/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "http://router.local/".to_owned(),
        "http://intranet/".to_owned(),
        format!("ftp://127.0.0.1:{port}/"),
        "file:///etc/passwd".to_owned(),
        format!("gopher://127.0.0.1:{port}/"),
    ] {
        let peer = Peer::http({
            let location = location.clone();
            move |_| redirect(&location)
        });
        assert_eq!(unresolved(&service, &peer.url("/")), "redirect_refused", "{location}");
        assert_eq!(peer.asked().len(), 1);
    }
    trap.assert_untouched();
}

#[test]
fn a_redirect_from_https_to_http_is_refused() {
    let plain = Peer::http(|_| document(GOOD));
    let target = plain.url("/");
    let secure = Peer::https(authority().serves("localhost"), move |_| redirect(&target));
    assert_eq!(unresolved(&dev(), &secure.url("/")), "redirect_refused");
    assert!(plain.asked().is_empty());
}

#[test]
fn a_certificate_counts_only_where_it_holds_now_for_that_name_from_a_trusted_authority() {
    let service = dev();
    let peer = |tls| Peer::https(tls, |_| document(GOOD));
    let good = peer(authority().serves("localhost"));
    let receipt = looked(&service, &good.url("/"));
    assert_eq!(text(&receipt, "verdict"), "CONFIRMED");
    assert_eq!(
        (&receipt["evidence"]["tls"], text(&receipt["evidence"], "tls_version")),
        (&true.into(), "TLSv1.3")
    );

    let stranger = crate::support::tls::Authority::new();
    for bad in [
        peer(authority().served("localhost")),
        peer(authority().serves("other.example")),
        peer(stranger.serves("localhost")),
    ] {
        assert_eq!(unresolved(&service, &bad.url("/")), "tls_failed");
        assert!(bad.asked().is_empty(), "nothing was asked over it");
    }
}

#[test]
fn a_body_without_end_or_over_the_limit_is_unresolved() {
    let service = dev();
    let start = || Step::Send(b"HTTP/1.1 200 OK\r\n\r\n{\"status\":\"active\",\"x\":\"".to_vec());
    let endless = Peer::http(move |_| vec![start(), Step::Forever(vec![b'x'; 1 << 14])]);
    assert_eq!(unresolved(&service, &endless.url("/")), "too_large");
    let headers = Peer::http(|_| {
        vec![Step::Send(b"HTTP/1.1 200 OK\r\n".to_vec()), Step::Forever(b"X-Header: and so on\r\n".to_vec())]
    });
    assert_eq!(unresolved(&service, &headers.url("/")), "too_large");
    let announced = Peer::http(|_| {
        vec![Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{".to_vec())]
    });
    assert_eq!(unresolved(&service, &announced.url("/")), "too_large");
    let chunks = Peer::http(|_| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        vec![Step::Send(head), Step::Forever(b"4\r\nxxxx\r\n".to_vec())]
    });
    assert_eq!(unresolved(&service, &chunks.url("/")), "too_large");
}

#[test]
fn gzip_is_read_and_a_gzip_bomb_is_not() {
    let service = dev();
    let encoded = "Content-Encoding: gzip\r\n";
    let bytes = gzip(|to| to.write_all(GOOD.as_bytes()).unwrap());
    let good = Peer::http({
        let bytes = bytes.clone();
        move |_| answer("200 OK", encoded, &bytes)
    });
    assert_eq!(text(&looked(&service, &good.url("/")), "verdict"), "CONFIRMED");
    // 256 MiB of zeros in 256 KiB, and the same once more around it.
    let bomb = gzip(|to| (0..256).for_each(|_| to.write_all(&vec![0; 1 << 20]).unwrap()));
    assert!(bomb.len() < 1 << 20, "small on the wire");
    let bomb = Peer::http(move |_| answer("200 OK", encoded, &bomb));
    assert_eq!(unresolved(&service, &bomb.url("/")), "too_large");
    let torn = Peer::http(move |_| answer("200 OK", encoded, &bytes[..bytes.len() - 9]));
    assert_eq!(unresolved(&service, &torn.url("/")), "bad_encoding");
    let other = Peer::http(|_| answer("200 OK", "Content-Encoding: br\r\n", GOOD));
    assert_eq!(unresolved(&service, &other.url("/")), "bad_encoding");
}

#[test]
fn an_answer_that_is_cut_short_or_contradicts_itself_is_unresolved() {
    let service = dev();
    let of = |bytes: &'static [u8]| Peer::http(move |_| vec![Step::Send(bytes.to_vec())]);
    for (bytes, reasons) in [
        (&b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\":\"active\"}"[..], &["interrupted"][..]),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{\"status\":\"active\"}\r\n",
            &["interrupted"],
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\nContent-Length: 2\r\n\r\n{\"status\":\"active\"}",
            &["http_malformed"],
        ),
        (b"SSH-2.0-OpenSSH_9.9\r\n", &["http_malformed"]),
        (b"{\"status\":\"active\"}", &["http_malformed", "interrupted"]),
        (b"", &["http_malformed", "interrupted"]),
    ] {
        let reason = unresolved(&service, &of(bytes).url("/"));
        assert!(reasons.contains(&&*reason), "{reason} for {bytes:?}");
    }
    // A port that nobody listens on.
    let nobody = Trap::on("127.0.0.1:0").unwrap().port();
    assert_eq!(unresolved(&service, &format!("http://127.0.0.1:{nobody}/")), "connect_failed");
}

#[test]
fn a_slow_source_is_unresolved_in_time_and_holds_nobody_else_up() {
    // Its own service: the slow ones take all of the host's places.
    let service = Launch::dev().without_limits().start();
    let start = || Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec());
    let drip = Peer::http(move |_| vec![start(), Step::Drip]);
    let silent = Peer::http(|_| vec![Step::Gate]);
    let head = Peer::http(|_| vec![Step::Send(b"HTTP/1.1 200 OK\r\nX: ".to_vec()), Step::Drip]);
    thread::scope(|scope| {
        for peer in [&drip, &silent, &head] {
            let service = &service;
            scope.spawn(move || assert_eq!(unresolved(service, &peer.url("/")), "timeout"));
        }
        [&drip, &silent, &head].iter().for_each(|peer| peer.wait_for(1));
        service.claim(&signed("a"));
    });
}
