//! What registries answer, and what they should not.

use std::path::Path;

use domain_name::DomainName;
use domain_name::rdap::Expiry;
use probe::registry::{KnownRegistration, RdapAnswer, Registry, RegistryObservation, RegistryResult};
use receipt::Timestamp;
use serde_json::json;

use super::support::{Act, Authority, HANG, Server, absent, answer, field, gzip, to};

const RDAP: (&str, &str) = ("Content-Type", "application/rdap+json");

pub(crate) fn now() -> Timestamp {
    "2026-11-22T00:00:00.000Z".parse().unwrap()
}

/// So many milliseconds later.
pub(crate) fn after(millis: i64) -> Timestamp {
    now().saturating_add_millis(millis)
}

/// A list of services that names this one for some top-level domains.
pub(crate) fn list(port: u16) -> Vec<u8> {
    list_at(&[(&["com", "click", "moscow"], format!("https://rdap.example.com:{port}/rdap/"))])
}

/// A list of services, each with its top-level domains.
pub(crate) fn list_at(services: &[(&[&str], String)]) -> Vec<u8> {
    let services: Vec<_> = services.iter().map(|(names, base)| json!([names, [base]])).collect();
    json!({ "services": services }).to_string().into_bytes()
}

/// An answer about a domain.
pub(crate) fn rdap(body: &str) -> Act {
    answer(200, &[RDAP], body)
}

/// Asks a service with this script about a name.
async fn look(
    name: &str,
    script: impl Fn(&str) -> Act + Send + Sync + 'static,
) -> (RegistryObservation, Server) {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls()), move |asked| script(asked.path)).await;
    let registry = Registry::new(authority.fetcher());
    registry.adopt(&list(server.port), now()).unwrap();
    (ask(&registry, name).await, server)
}

pub(crate) async fn ask(registry: &Registry, name: &str) -> RegistryObservation {
    ask_at(registry, name, now()).await
}

pub(crate) async fn ask_at(registry: &Registry, name: &str, at: Timestamp) -> RegistryObservation {
    let name = DomainName::parse(name).unwrap();
    let seen = tokio::time::timeout(HANG, registry.look(&name, at)).await.expect("the question hangs");
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(
        serde_json::from_str::<RegistryObservation>(&json).unwrap(),
        seen,
        "evidence is read as it was written"
    );
    seen
}

/// Why nothing is known after such an answer.
async fn reason(act: Act) -> &'static str {
    let (seen, _) = look("example.com", move |_| act.clone()).await;
    let KnownRegistration::Unknown(reason) = seen.found() else { panic!("{seen:?}") };
    assert_eq!(seen.found().expiry(), Expiry::Failed(reason));
    let is_passing =
        ["rate_limited", "timeout", "too_large", "bad_encoding", "too_many_redirects", "http_malformed"];
    assert!(!is_passing.contains(&reason) || seen.has_gaps(), "{seen:?}");
    assert!(reason != "not_registered" || !seen.has_gaps(), "{seen:?}");
    reason
}

pub(crate) fn domain(name: &str, filler: usize) -> String {
    json!({
        "objectClassName": "domain",
        "ldhName": name,
        "remarks": "x".repeat(filler),
        "events": [
            { "eventAction": "registration", "eventDate": "2001-02-03T04:05:06Z" },
            { "eventAction": "expiration", "eventDate": "2030-01-01T00:00:00Z" },
        ],
    })
    .to_string()
}

#[tokio::test]
async fn a_registration_is_asked_for_and_read() {
    let (seen, server) = look("example.com", |_| answer(200, &[RDAP], domain("EXAMPLE.com", 0))).await;
    let found = seen.found();
    let Expiry::Answered(registration) = found.expiry() else { panic!("{seen:?}") };
    assert_eq!(registration.expiration, Some("2030-01-01T00:00:00.000Z".parse().unwrap()));
    assert_eq!(found.registered_at(), Some("2001-02-03T04:05:06.000Z".parse().unwrap()));
    let heads = server.heads();
    assert!(heads[0].starts_with("GET /rdap/domain/example.com HTTP/1.1\r\n"), "{heads:?}");
    assert_eq!(field(&heads[0], "accept"), Some("application/rdap+json"));
}

#[tokio::test]
async fn a_coded_answer_and_one_behind_redirects_are_read() {
    let coded = gzip(domain("example.com", 0).as_bytes());
    let (seen, _) = look("example.com", move |path| match path {
        "/rdap/domain/example.com" => to("/1"),
        "/1" => to("/2"),
        "/2" => to("/3"),
        _ => answer(200, &[RDAP, ("Content-Encoding", "gzip")], &coded),
    })
    .await;
    assert!(matches!(seen.found(), KnownRegistration::Registration(_)), "{seen:?}");
    let RegistryResult::Answered { url, .. } = &seen.end else { panic!("{seen:?}") };
    assert_eq!(url.path(), "/3");
}

#[tokio::test]
async fn a_long_answer_is_kept_as_what_was_read_of_it() {
    let (seen, _) = look("example.com", |_| answer(200, &[RDAP], domain("example.com", 100 << 10))).await;
    assert!(matches!(&seen.end, RegistryResult::Answered { answer: Some(RdapAnswer::Read { .. }), .. }));
    assert!(matches!(seen.found(), KnownRegistration::Registration(_)));
    assert!(serde_json::to_vec(&seen).unwrap().len() < 64 << 10);
}

#[tokio::test]
async fn what_is_no_answer_leaves_the_registration_unknown() {
    let stalled = Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec());
    for (act, why) in [
        (absent(), "not_registered"),
        (answer(429, &[("Retry-After", "60")], ""), "rate_limited"),
        (answer(500, &[], ""), "server_error"),
        (answer(503, &[RDAP], domain("example.com", 0)), "server_error"),
        (answer(400, &[], ""), "error_status"),
        (answer(200, &[("Content-Type", "text/html")], "<html>"), "not_json"),
        (answer(200, &[RDAP], "{}"), "wrong_kind"),
        (answer(200, &[RDAP], r#"{"errorCode":404}"#), "server_error"),
        (answer(200, &[RDAP], domain("example.net", 0)), "another_domain"),
        (answer(200, &[RDAP], domain("example.com", 10 << 20)), "too_large"),
        (answer(200, &[RDAP, ("Content-Encoding", "gzip")], gzip(&vec![b' '; 10 << 20])), "too_large"),
        (answer(200, &[RDAP, ("Content-Encoding", "br")], "x"), "bad_encoding"),
        (to("/again"), "too_many_redirects"),
        (to("https://10.0.0.1/"), "redirect_to_private"),
        (to("http://rdap.example.com/"), "redirect_to_http"),
        (stalled, "timeout"),
        (Act::Say(b"nonsense\r\n\r\n".to_vec()), "http_malformed"),
    ] {
        assert_eq!(reason(act).await, why);
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_unknown_too() {
    let authority = Authority::new();
    let registry = Registry::new(authority.fetcher());
    registry.adopt(&list(super::support::closed().await), now()).unwrap();
    assert_eq!(ask(&registry, "example.com").await.found(), KnownRegistration::Unknown("connection_refused"));
    // No list, no service known: that says nothing of whether there is one.
    let seen = ask(&registry, "example.zz").await;
    assert_eq!(
        (&seen.end, seen.found()),
        (&RegistryResult::ServiceUnknown, KnownRegistration::Unknown("service_unknown"))
    );
    assert!(registry.adopt(b"{}", now()).is_err());
    assert_eq!(
        ask(&registry, "example.com").await.found(),
        KnownRegistration::Unknown("connection_refused"),
        "the list stays"
    );
}

#[tokio::test]
async fn saved_answers_of_registries_are_read_as_they_came() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/trust");
    let read = |name: &str| std::fs::read_to_string(folder.join(format!("rdap_{name}.json"))).ok();
    for (name, has_end) in [("microsoft.click", true), ("home.moscow", true)] {
        let Some(text) = read(name) else {
            println!("no saved answer about {name}: not tested with it");
            continue;
        };
        let saved = text.clone();
        let (seen, _) = look(name, move |_| answer(200, &[RDAP], &saved)).await;
        let RegistryResult::Answered { answer: Some(RdapAnswer::Text(kept)), .. } = &seen.end else {
            panic!("{seen:?}")
        };
        assert_eq!(*kept, text);
        let KnownRegistration::Registration(registration) = seen.found() else { panic!("{seen:?}") };
        assert_eq!(registration.expiration.is_some(), has_end);
    }
}
