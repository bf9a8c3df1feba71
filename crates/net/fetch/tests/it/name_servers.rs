//! The DNS side against a name server of the test's own.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::{Fetcher, Limits, NameServers, Policy, Ports, Resolve, ResolveError, Roots};
use hickory_resolver::proto::op::{Message, MessageType, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, AAAA};
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use tokio::net::UdpSocket;

/// Answers for `public.example.com` (IPv4), `mixed.example.com` (a private IPv6 address beside a public
/// IPv4 one), `broken.example.com` (IPv4; no IPv6 answer but a failure), `half.example.com` (no IPv4 address, and such a
/// failure) and nothing else.
async fn name_server() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        loop {
            let (length, client) = socket.recv_from(&mut buffer).await.unwrap();
            let mut message = Message::from_vec(&buffer[..length]).unwrap();
            let query = message.queries[0].clone();
            let (name, kind) = (query.name().to_string(), query.query_type());
            log.lock().unwrap().push(format!("{name} {kind}"));
            let data = match (name.as_str(), kind) {
                ("public.example.com." | "mixed.example.com." | "broken.example.com.", RecordType::A) => {
                    Some(RData::A(A::new(8, 8, 8, 8)))
                }
                ("mixed.example.com.", RecordType::AAAA) => {
                    Some(RData::AAAA("fd00::1".parse::<AAAA>().unwrap()))
                }
                _ => None,
            };
            message.metadata.message_type = MessageType::Response;
            message.metadata.response_code = match name.as_str() {
                "broken.example.com." | "half.example.com." if kind == RecordType::AAAA => {
                    ResponseCode::ServFail
                }
                "public.example.com."
                | "mixed.example.com."
                | "broken.example.com."
                | "half.example.com." => ResponseCode::NoError,
                _ => ResponseCode::NXDomain,
            };
            message.answers.extend(data.map(|data| Record::from_rdata(query.name().clone(), 300, data)));
            socket.send_to(&message.to_vec().unwrap(), client).await.unwrap();
        }
    });
    (address, asked)
}

fn public() -> IpAddr {
    "8.8.8.8".parse().unwrap()
}

#[tokio::test]
async fn both_families_are_asked_for_and_the_name_alone() {
    let (server, asked) = name_server().await;
    let resolver = NameServers::at(&[server]).unwrap();
    assert_eq!(resolver.resolve("public.example.com").await, Ok(vec![public()]));
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, ["public.example.com. A", "public.example.com. AAAA"]);
}

#[tokio::test]
async fn an_answer_is_cached_within_its_time_to_live() {
    let (server, asked) = name_server().await;
    let resolver = NameServers::at(&[server]).unwrap();
    for _ in 0..3 {
        assert_eq!(resolver.resolve("mixed.example.com").await.map(|all| all.len()), Ok(2));
    }
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_family_that_fails_does_not_fail_the_other() {
    let (server, _) = name_server().await;
    let resolver = NameServers::at(&[server]).unwrap();
    assert_eq!(resolver.resolve("broken.example.com").await, Ok(vec![public()]));
}

#[tokio::test]
async fn no_address_of_one_family_says_nothing_of_the_other_s() {
    let (server, _) = name_server().await;
    let resolver = NameServers::at(&[server]).unwrap();
    assert!(matches!(resolver.resolve("half.example.com").await, Err(ResolveError::Failed(_))));
}

#[tokio::test]
async fn a_name_that_does_not_exist_has_no_address() {
    let (server, _) = name_server().await;
    let resolver = NameServers::at(&[server]).unwrap();
    assert_eq!(resolver.resolve("none.example.com").await, Err(ResolveError::NoAddress));
    for odd in ["127.0.0.1!", "a..b", "", "under_score'.example.com"] {
        assert!(resolver.resolve(odd).await.is_err(), "{odd:?}");
    }
}

#[tokio::test]
async fn a_private_ipv6_address_beside_a_public_ipv4_one_denies_the_host() {
    let (server, _) = name_server().await;
    let policy = Policy { ports: Ports::Any, ..Policy::production() };
    let resolver = NameServers::at(&[server]).unwrap();
    let fetcher = Fetcher::new(policy, Limits::default(), resolver, Roots::none());
    let target = fetcher.check_url("http://mixed.example.com:9/").unwrap();
    assert_eq!(fetcher.get(target).await.unwrap_err().code(), "address_denied");
}

#[tokio::test]
async fn a_name_server_that_is_silent_fails_within_the_budget() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let resolver = NameServers::at(&[silent.local_addr().unwrap()]).unwrap();
    let limits = Limits { resolve: Duration::from_millis(200), ..Limits::default() };
    let fetcher = Fetcher::new(Policy::production(), limits, resolver, Roots::none());
    let target = fetcher.check_url("http://public.example.com/").unwrap();
    assert_eq!(fetcher.get(target).await.unwrap_err().code(), "dns_failed");
}

#[test]
fn a_fetcher_is_set_up_from_the_system_without_a_runtime() {
    let fetcher = Fetcher::system(Policy::production(), Limits::default()).unwrap();
    assert!(!fetcher.policy().own_addresses.is_empty());
}
