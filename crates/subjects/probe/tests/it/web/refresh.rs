//! IANA's list, as it is fetched.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain_name::DomainName;
use fetch::{Roots, Source};
use probe::registry::{
    BootstrapRefresh, BootstrapRound, FRESH_DAYS, MIN_NAMES, Registry, RegistryResult, limits,
};
use receipt::Timestamp;
use serde_json::json;

use super::support::{Act, Authority, Server, answer, field, gzip, local};

const DAY: i64 = 86_400_000;

fn list(names: usize) -> Vec<u8> {
    let names: Vec<String> = (0..names).map(|n| format!("t{n}")).collect();
    json!({ "publication": "2026-11-20", "services": [[names, ["https://rdap.example.com/"]]] })
        .to_string()
        .into_bytes()
}

/// A server that publishes what the cell holds.
async fn publisher(now: Arc<Mutex<Act>>) -> Server {
    Server::start(None, move |_| now.lock().unwrap().clone()).await
}

async fn end(registry: &Registry, name: &str, at: Timestamp) -> RegistryResult {
    registry.look(&DomainName::parse(name).unwrap(), at).await.end
}

#[tokio::test]
async fn a_list_is_taken_over_confirmed_and_kept_where_nothing_good_follows() {
    let whole = answer(200, &[("ETag", "\"one\"")], list(MIN_NAMES));
    let published = Arc::new(Mutex::new(whole));
    let server = publisher(published.clone()).await;
    let registry = Registry::new(Authority::new().fetcher());
    let url = format!("http://{}/rdap/", local(server.port));
    let source = Source::system(&url, &[], limits(), Roots::none()).unwrap();
    let mut refresh = BootstrapRefresh::new(registry.clone(), source, Duration::from_secs(1));
    let day = |n: i64| Timestamp::EPOCH.saturating_add_millis(n * DAY);

    assert_eq!(end(&registry, "a.zz", day(0)).await, RegistryResult::ServiceUnknown);
    assert_eq!(refresh.round(day(0)).await.unwrap(), BootstrapRound::New);
    assert_eq!(end(&registry, "a.zz", day(0)).await, RegistryResult::NoService);

    *published.lock().unwrap() = Act::Say(b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec());
    assert_eq!(refresh.round(day(9)).await.unwrap(), BootstrapRound::Still);
    assert_eq!(field(&server.heads()[1], "if-none-match"), Some("\"one\""));
    assert_eq!(end(&registry, "a.zz", day(FRESH_DAYS + 8)).await, RegistryResult::NoService);

    let torn = list(MIN_NAMES);
    for bad in [
        answer(200, &[], list(MIN_NAMES - 1)),
        answer(200, &[], &torn[..torn.len() / 2]),
        answer(200, &[], "<html>Down for maintenance</html>"),
        answer(200, &[], &gzip(&torn)[..200]),
        answer(500, &[], ""),
        answer(200, &[], vec![b' '; 3 << 20]),
        Act::Say(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{".to_vec()),
    ] {
        *published.lock().unwrap() = bad;
        refresh.round(day(10)).await.unwrap_err();
        assert_eq!(
            end(&registry, "a.zz", day(10)).await,
            RegistryResult::NoService,
            "the old list serves on"
        );
    }
    // A round that failed confirms nothing.
    assert_eq!(end(&registry, "a.zz", day(9 + FRESH_DAYS)).await, RegistryResult::ServiceUnknown);

    *published.lock().unwrap() = answer(200, &[("Content-Encoding", "gzip")], gzip(&list(MIN_NAMES + 1)));
    assert_eq!(refresh.round(day(11)).await.unwrap(), BootstrapRound::New);
    assert!(registry.is_complete(day(11)));
}

#[tokio::test]
async fn a_304_that_nobody_asked_for_is_no_confirmation() {
    let published = Arc::new(Mutex::new(Act::Say(b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec())));
    let server = publisher(published).await;
    let registry = Registry::new(Authority::new().fetcher());
    let url = format!("http://{}/rdap/", local(server.port));
    let source = Source::system(&url, &[], limits(), Roots::none()).unwrap();
    let mut refresh = BootstrapRefresh::new(registry.clone(), source, Duration::from_secs(1));
    refresh.round(Timestamp::EPOCH).await.unwrap_err();
    assert!(!registry.is_complete(Timestamp::EPOCH));
}
