//! Names, addresses, and what lies between the two.

use std::net::SocketAddr;
use std::time::Duration;

use fetch::{FetchError, Limits, Policy, Ports, Resolve, ResolveError, Roots, TargetRefusal};
use fetch::{Fetcher, resolve::BoxFuture};

use crate::support::{Names, Server, code, fetcher, fetcher_with, get, ok, short};

#[tokio::test]
async fn the_request_is_as_promised_and_carries_the_original_host() {
    let server = Server::start(|_| ok("{}")).await;
    let url = format!("http://source.example.com:{}/a?b=c#d", server.port());
    let fetched = get(&fetcher(), &url).await.unwrap();
    assert_eq!((fetched.status, fetched.peer, fetched.tls), (200, server.address, None));
    assert_eq!(fetched.final_url, url.trim_end_matches("#d"));
    assert_eq!(fetched.content_type.as_deref(), Some("application/json"));
    assert_eq!((&fetched.body[..], fetched.wire_bytes), (&b"{}"[..], 2));
    let mut head: Vec<_> = server.requests()[0].trim_end().lines().map(str::to_ascii_lowercase).collect();
    head[1..].sort();
    let agent = format!("user-agent: touchstone-fetch/{}", env!("CARGO_PKG_VERSION"));
    let host = format!("host: source.example.com:{}", server.port());
    let expected =
        ["get /a?b=c http/1.1", "accept-encoding: gzip", "accept: application/json", "connection: close"];
    assert_eq!(head, [&expected[..], &[&host, &agent]].concat(), "and nothing else");
}

#[tokio::test]
async fn one_lookup_a_hop_so_that_a_changed_answer_changes_nothing() {
    let server = Server::start(|_| ok("1")).await;
    let decoy = SocketAddr::from(([127, 0, 0, 2], server.port()));
    let decoy = Server::listen(decoy, None, |_| ok("2")).await;
    let names = Names::default().with("flip.example.com", &[&["127.0.0.1"], &["127.0.0.2"], &["10.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names.clone());
    let fetched = get(&fetcher, &format!("http://flip.example.com:{}/", server.port())).await.unwrap();
    assert_eq!(fetched.peer, server.address);
    assert_eq!(names.asked(), ["flip.example.com"]);
    assert_eq!(decoy.connections(), 0);
}

#[tokio::test]
async fn one_denied_address_among_allowed_ones_denies_the_host() {
    let server = Server::start(|_| ok("1")).await;
    let port = server.port();
    let names = Names::default()
        .with("mixed.example.com", &[&["127.0.0.1", "10.0.0.1"]])
        .with("mixed6.example.com", &[&["127.0.0.1", "fd00::1"]])
        .with("meta.example.com", &[&["127.0.0.1", "169.254.169.254"]])
        .with("mapped.example.com", &[&["127.0.0.1", "::ffff:10.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names);
    for host in ["mixed", "mixed6", "meta", "mapped"] {
        let error = get(&fetcher, &format!("http://{host}.example.com:{port}/")).await.unwrap_err();
        assert_eq!(error.code(), "address_denied", "{host}");
        assert!(!error.to_string().contains(|char: char| char.is_ascii_digit()), "leaks: {error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn production_opens_no_connection_to_loopback_or_its_own_addresses() {
    let server = Server::start(|_| ok("1")).await;
    let names =
        Names::default().with("loop.example.com", &[&["127.0.0.1"]]).with("own.example.com", &[&["1.2.3.4"]]);
    let own_addresses = vec!["1.2.3.0/24".parse().unwrap()];
    let policy = Policy { ports: Ports::Any, own_addresses, ..Policy::production() };
    let fetcher = Fetcher::new(policy, Limits::default(), names, Roots::none());
    for host in ["loop.example.com", "own.example.com"] {
        assert_eq!(code(&fetcher, &format!("http://{host}:{}/", server.port())).await, "address_denied");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_target_made_under_another_policy_is_judged_again() {
    let server = Server::start(|_| ok("1")).await;
    let lax = fetcher().check_url(&format!("http://127.0.0.1:{}/", server.port())).unwrap();
    let strict = Fetcher::new(Policy::production(), Limits::default(), Names::default(), Roots::none());
    let error = strict.get(lax).await.unwrap_err();
    assert!(matches!(error, FetchError::Refused(TargetRefusal::Port(_))), "{error:?}");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn the_next_address_is_tried_where_one_refuses_the_connection() {
    let server = Server::start(|_| ok("1")).await;
    let names = Names::default().with("two.example.com", &[&["127.0.0.9", "127.0.0.8", "127.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names);
    let fetched = get(&fetcher, &format!("http://two.example.com:{}/", server.port())).await.unwrap();
    assert_eq!(fetched.peer, server.address);
}

#[tokio::test]
async fn no_more_addresses_are_tried_than_the_limit() {
    let server = Server::start(|_| ok("1")).await;
    let names = Names::default().with("many.example.com", &[&["127.0.0.9", "127.0.0.8", "127.0.0.1"]]);
    let fetcher = fetcher_with(Limits { addresses: 2, ..Limits::default() }, names);
    let url = format!("http://many.example.com:{}/", server.port());
    assert_eq!(code(&fetcher, &url).await, "connect_failed");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn names_without_an_address_fail() {
    let names = Names::default().with("empty.example.com", &[&[]]);
    let fetcher = fetcher_with(Limits::default(), names);
    assert_eq!(code(&fetcher, "http://none.example.com/").await, "dns_failed");
    assert_eq!(code(&fetcher, "http://empty.example.com/").await, "dns_failed");
}

#[tokio::test]
async fn a_resolver_that_does_not_answer_is_given_up() {
    struct Never;
    impl Resolve for Never {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<std::net::IpAddr>, ResolveError>> {
            Box::pin(std::future::pending())
        }
    }
    let limits = Limits { resolve: Duration::from_millis(50), ..short() };
    let fetcher = Fetcher::new(Policy::dev(), limits, Never, Roots::none());
    assert_eq!(code(&fetcher, "http://slow.example.com/").await, "dns_failed");
}

#[tokio::test]
async fn localhost_is_loopback_in_dev_and_no_name_server_is_asked() {
    let server = Server::start(|_| ok("1")).await;
    let names = Names::default().with("localhost", &[&["10.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names.clone());
    for host in ["localhost", "LOCALHOST.", "app.localhost"] {
        get(&fetcher, &format!("http://{host}:{}/", server.port())).await.unwrap();
    }
    assert!(names.asked().is_empty());
}

#[tokio::test]
async fn ipv6_loopback_is_reached_in_dev() {
    let server = Server::listen("[::1]:0".parse().unwrap(), None, |_| ok("6")).await;
    let fetched = get(&fetcher(), &format!("http://[::1]:{}/", server.port())).await.unwrap();
    assert_eq!((&fetched.body[..], fetched.peer), (&b"6"[..], server.address));
    assert!(
        server.requests()[0].to_ascii_lowercase().contains(&format!("host: [::1]:{}\r\n", server.port()))
    );
}

#[tokio::test]
async fn a_trailing_dot_is_looked_up_as_the_same_name() {
    let server = Server::start(|_| ok("1")).await;
    let names = Names::default().with("source.example.com", &[&["127.0.0.1"]]);
    let fetcher = fetcher_with(Limits::default(), names.clone());
    get(&fetcher, &format!("http://source.example.com.:{}/", server.port())).await.unwrap();
    assert_eq!(names.asked(), ["source.example.com"]);
}

#[tokio::test]
async fn nothing_listening_is_connect_failed() {
    let vacant = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(code(&fetcher(), &format!("http://{vacant}/")).await, "connect_failed");
}
