//! Search services of certificate logs, honest ones and others.

use domain_name::DomainName;
use probe::ct::{Certificates, CtObservation, CtResult, CtSource, MAX_BYTES, limits};
use probe::site::ProbeFailure;

use super::registry::now;
use super::support::{Act, Authority, HANG, Server, answer};

const ROW: &str = r#"{"not_before":"2020-03-04T00:00:00Z","dns_names":["shop.example.com"]}"#;

async fn look(act: Act, times: usize) -> (CtObservation, usize) {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls()), move |_| act.clone()).await;
    let template = format!("https://ct.example.com:{}/find?q={{domain}}", server.port);
    let client = Certificates::new(authority.fetcher_within(limits()), CtSource::parse(&template).unwrap());
    let name = DomainName::parse("shop.example.com").unwrap();
    let mut seen = None;
    for _ in 0..times {
        seen = Some(tokio::time::timeout(HANG, client.look(&name, now())).await.expect("the search hangs"));
    }
    let seen = seen.unwrap();
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<CtObservation>(&json).unwrap(), seen);
    let heads = server.heads();
    assert!(
        heads.iter().all(|head| head.starts_with("GET /find?q=shop.example.com HTTP/1.1\r\n")),
        "{heads:?}"
    );
    (seen, heads.len())
}

#[tokio::test]
async fn the_first_certificate_is_searched_for_once() {
    let (seen, asked) = look(answer(200, &[], format!("[{ROW}]")), 2).await;
    assert_eq!(seen.first_seen(), Some("2020-03-04T00:00:00.000Z".parse().unwrap()));
    assert!(matches!(seen.end, CtResult::Answered { rows: 1, counted: 1, is_cut: false, .. }));
    assert_eq!(asked, 1);
    assert!(!seen.has_gaps());
}

#[tokio::test]
async fn a_long_answer_is_a_bound_and_no_more() {
    let long = format!("[{ROW},\"{}\"]", "x".repeat(MAX_BYTES));
    let (seen, _) = look(answer(200, &[], long), 1).await;
    assert_eq!(seen.first_seen(), Some("2020-03-04T00:00:00.000Z".parse().unwrap()));
    assert!(seen.has_gaps());
}

#[tokio::test]
async fn a_service_that_fails_leaves_the_age_unknown() {
    let stalled = Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[".to_vec());
    let (seen, _) = look(stalled, 1).await;
    assert_eq!(seen.end, CtResult::Failed(ProbeFailure::Timeout));
    for act in [answer(503, &[], format!("[{ROW}]")), answer(200, &[], "<html>"), answer(429, &[], "")] {
        let (seen, _) = look(act, 1).await;
        assert_eq!((seen.first_seen(), seen.has_gaps()), (None, true), "{seen:?}");
    }
}
