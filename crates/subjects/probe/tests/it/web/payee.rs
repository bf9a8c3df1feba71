//! Discovery documents of domains, and what is none.

use domain_name::DomainName;
use probe::payee::{MAX_DOCUMENT_BYTES, PayeeDocumentResult, PayeeObservation, PayeeProbe};
use probe::site::ProbeFailure;

use super::support::{Act, Asked, Authority, HANG, SITE, Server, absent, answer, to};

const PAYEE: &str = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";

async fn look(script: impl Fn(&Asked<'_>) -> Act + Send + Sync + 'static) -> PayeeObservation {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls()), script).await;
    let probe = PayeeProbe::new(authority.fetcher(), server.port);
    let name = DomainName::parse(SITE).unwrap();
    let seen = tokio::time::timeout(HANG, probe.look(&name, &name)).await.expect("the look hangs");
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<PayeeObservation>(&json).unwrap(), seen);
    seen
}

fn document() -> String {
    format!(r#"{{"name":"Shop","accepts":[{{"payTo":"{PAYEE}"}}]}}"#)
}

fn payees(seen: &PayeeObservation) -> Vec<(&str, &str)> {
    seen.payees().collect()
}

#[tokio::test]
async fn both_places_are_read_also_behind_a_redirect_of_the_site_and_with_status_402() {
    let seen = look(|asked| match asked.path {
        "/.well-known/x402" => to("/moved"),
        "/moved" => answer(402, &[], document()),
        _ => absent(),
    })
    .await;
    assert_eq!(payees(&seen), [("/.well-known/x402", PAYEE)]);
    assert!(
        matches!(&seen.documents[0].end, PayeeDocumentResult::Answered { names, .. } if names == &["Shop"])
    );
    assert!(matches!(&seen.documents[1].end, PayeeDocumentResult::Answered { status: 404, .. }));
    assert!(!seen.has_gaps());
}

#[tokio::test]
async fn another_domain_s_document_and_an_error_page_state_nothing() {
    let seen = look(|asked| match asked.path {
        "/.well-known/x402" => to("https://other.example.com/"),
        _ => answer(404, &[], document()),
    })
    .await;
    assert!(payees(&seen).is_empty());
    assert_eq!(seen.documents[0].end, PayeeDocumentResult::Failed(ProbeFailure::RedirectRefused));
}

#[tokio::test]
async fn a_document_that_is_too_long_or_does_not_come_states_nothing() {
    let seen = look(|asked| match asked.path {
        "/.well-known/x402" => answer(200, &[], format!("{}{}", document(), " ".repeat(MAX_DOCUMENT_BYTES))),
        _ => Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec()),
    })
    .await;
    assert!(payees(&seen).is_empty() && seen.has_gaps());
    assert!(matches!(seen.documents[0].end, PayeeDocumentResult::Answered { is_cut: true, .. }));
}
