//! A connection that is handed over before anything is said: guarded, counted and bounded like any other.

use std::io;
use std::time::Duration;

use fetch::{Channel, FetchError, Fetcher, Limits, Policy, Roots};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::support::{HANG, Names, Server, Step, fetcher, fetcher_with, ok, short};

async fn connect(fetcher: &Fetcher, url: &str) -> Result<Channel, FetchError> {
    let target = fetcher.check_url(url).unwrap();
    timeout(HANG, fetcher.connect(&target)).await.expect("the connection hangs")
}

#[tokio::test]
async fn what_is_said_is_the_caller_s_part_even_on_https() {
    let server = Server::start(|_| ok("{}")).await;
    let url = format!("https://source.example.com:{}/", server.port());
    let mut channel = connect(&fetcher(), &url).await.unwrap();
    assert_eq!((channel.peer(), channel.bytes_read()), (server.address, 0));
    channel.write_all(b"hello\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    channel.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    assert_eq!(channel.bytes_read(), answer.len());
    assert_eq!(server.requests(), ["hello\r\n\r\n"]);
}

#[tokio::test]
async fn no_connection_goes_past_the_guard() {
    let server = Server::start(|_| ok("{}")).await;
    let names = Names::default().with("inside.example.com", &[&["8.8.8.8", "10.0.0.1"], &["127.0.0.1"]]);
    let open = fetcher_with(Limits::default(), names.clone());
    let production = Fetcher::new(Policy::production(), Limits::default(), names, Roots::none());
    let inside = connect(&open, &format!("http://inside.example.com:{}/", server.port())).await;
    assert_eq!(inside.unwrap_err().code(), "address_denied");
    // The other policy's target is judged again, its port first.
    let target = open.check_url(&format!("http://127.0.0.1:{}/", server.port())).unwrap();
    assert_eq!(production.connect(&target).await.unwrap_err().code(), "policy_refused");
    let target = open.check_url("http://inside.example.com/").unwrap();
    assert_eq!(production.connect(&target).await.unwrap_err().code(), "address_denied");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_flood_ends_at_the_bound_on_bytes() {
    let flood = Step::Forever(vec![b'x'; 4096], Duration::ZERO);
    let server = Server::start(move |_| vec![flood.clone()]).await;
    let limits = Limits { wire_bytes: 100_000, ..Limits::default() };
    let fetcher = fetcher_with(limits, Names::default());
    let mut channel = connect(&fetcher, &format!("http://127.0.0.1:{}/", server.port())).await.unwrap();
    channel.write_all(b"\r\n\r\n").await.unwrap();
    let mut bytes = Vec::new();
    let end = timeout(HANG, channel.read_to_end(&mut bytes)).await.expect("the flood goes on");
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::Other);
    assert!(bytes.len() >= 100_000 && channel.bytes_read() == 100_000, "{}", bytes.len());
}

#[tokio::test]
async fn its_places_are_held_until_it_is_dropped() {
    let server = Server::start(|_| vec![Step::Silence]).await;
    let url = format!("http://127.0.0.1:{}/", server.port());
    let limits = Limits { per_host: 1, wait: Duration::from_millis(50), ..Limits::default() };
    let fetcher = fetcher_with(limits, Names::default());
    let first = connect(&fetcher, &url).await.unwrap();
    assert_eq!(connect(&fetcher, &url).await.unwrap_err().code(), "busy");
    drop(first);
    assert!(connect(&fetcher, &url).await.is_ok());
}

#[tokio::test]
async fn a_host_refuses_only_where_every_address_does() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    // No TCP connection leads to everybody, and nobody is there to refuse it.
    let names = Names::default()
        .with("both.example.com", &[&["127.0.0.1", "127.0.0.2"]])
        .with("first.example.com", &[&["127.0.0.1", "255.255.255.255"]])
        .with("last.example.com", &[&["255.255.255.255", "127.0.0.1"]]);
    let policy = Policy { named: vec!["255.255.255.255/32".parse().unwrap()], ..Policy::dev() };
    let fetcher = Fetcher::new(policy, Limits { total: HANG, ..short() }, names, Roots::none());
    for (host, refuses) in [("both", true), ("first", false), ("last", false)] {
        let error = connect(&fetcher, &format!("http://{host}.example.com:{port}/")).await.unwrap_err();
        let is_refusal =
            matches!(&error, FetchError::Connect(error) if error.kind() == io::ErrorKind::ConnectionRefused);
        assert_eq!(is_refusal, refuses, "{host}: {error:?}");
    }
}
