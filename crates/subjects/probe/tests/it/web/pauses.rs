//! Registries that are asked too much.

use domain_name::rdap::Expiry;
use probe::registry::{KnownRegistration, MAX_PAUSE, Registry, RegistryResult};
use receipt::Timestamp;

use super::registry::{after, ask_at, domain, list_at, now, rdap};
use super::support::{Act, Asked, Authority, Server, answer, to};

/// A registry of `com`, `click` and `moscow` at one service and of `net` at another, both of this script.
async fn registry(script: impl Fn(&Asked<'_>) -> Act + Send + Sync + 'static) -> (Registry, Server) {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls()), script).await;
    let registry = Registry::new(authority.fetcher());
    let port = server.port;
    let services = [
        (&["com", "click", "moscow"][..], format!("https://rdap.example.com:{port}/rdap/")),
        (&["net"], format!("https://other.example.com:{port}/")),
    ];
    registry.adopt(&list_at(&services), now()).unwrap();
    (registry, server)
}

/// Says this of names that begin with `busy`, and that all others are registered.
fn busy(act: Act) -> impl Fn(&Asked<'_>) -> Act {
    move |asked| {
        let name = asked.path.rsplit('/').next().unwrap();
        if name.starts_with("busy") { act.clone() } else { rdap(&domain(name, 0)) }
    }
}

async fn found(registry: &Registry, name: &str, at: Timestamp) -> KnownRegistration {
    ask_at(registry, name, at).await.found()
}

#[tokio::test]
async fn a_service_that_is_asked_too_much_is_asked_nothing_until_it_said() {
    for status in [429, 503] {
        let (registry, server) = registry(busy(answer(status, &[("Retry-After", "60")], ""))).await;
        assert!(matches!(found(&registry, "known.com", now()).await, KnownRegistration::Registration(_)));
        let first = ask_at(&registry, "busy.com", now()).await;
        assert!(
            matches!(first.end, RegistryResult::Answered { status: own, .. } if own == status),
            "{first:?}"
        );
        let until = first.observed_at.unwrap().saturating_add_millis(60_000);

        // Of all its top-level domains.
        let seen = ask_at(&registry, "a.click", until.saturating_add_millis(-1)).await;
        assert!(
            matches!(&seen.end, RegistryResult::Busy { url, until: own } if *own == until && url.path().ends_with("/a.click")),
            "{seen:?}"
        );
        assert_eq!(seen.found(), KnownRegistration::Unknown("registry_busy"));
        assert_eq!((seen.observed_at, seen.elapsed_ms, seen.has_gaps()), (None, 0, true));
        assert_eq!(seen.found().expiry(), Expiry::Failed("registry_busy"));
        assert_eq!(server.heads().len(), 2);

        // What it told before is still known, and others are asked.
        assert!(matches!(
            found(&registry, "known.com", after(1000)).await,
            KnownRegistration::Registration(_)
        ));
        assert!(matches!(found(&registry, "a.net", after(1000)).await, KnownRegistration::Registration(_)));
        assert_eq!(server.heads().len(), 3);
        // That nobody asked is not kept.
        assert!(matches!(found(&registry, "a.click", until).await, KnownRegistration::Registration(_)));
        assert_eq!(server.heads().len(), 4);
    }
}

#[tokio::test]
async fn a_pause_that_nobody_named_is_half_a_minute_and_none_is_longer_than_five() {
    for (fields, seconds) in [
        (&[][..], 30),
        (&[("Retry-After", "soon")], 30),
        (&[("Retry-After", "86400")], MAX_PAUSE.as_secs().cast_signed()),
        (&[("Retry-After", "Sun, 22 Nov 2026 09:00:00 GMT")], MAX_PAUSE.as_secs().cast_signed()),
    ] {
        // Also where the answer is longer than any that is read.
        for body in [0, 1 << 20] {
            let (registry, _) = registry(busy(answer(429, fields, vec![b' '; body]))).await;
            let first = ask_at(&registry, "busy.com", now()).await;
            let seen = ask_at(&registry, "a.com", after(1)).await;
            let until = first.observed_at.unwrap().saturating_add_millis(seconds * 1000);
            assert!(
                matches!(seen.end, RegistryResult::Busy { until: own, .. } if own == until),
                "{fields:?}: {first:?} {seen:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_service_that_has_not_asked_for_it_is_not_left_alone() {
    for act in [
        answer(503, &[], ""),
        answer(500, &[("Retry-After", "60")], ""),
        answer(404, &[("Retry-After", "60")], ""),
        answer(429, &[("Retry-After", "0")], ""),
    ] {
        let (registry, server) = registry(busy(act)).await;
        let first = ask_at(&registry, "busy.com", now()).await;
        assert!(matches!(first.found(), KnownRegistration::Unknown(_)));
        let seen = ask_at(&registry, "a.com", first.observed_at.unwrap()).await;
        assert!(matches!(seen.found(), KnownRegistration::Registration(_)), "{first:?} {seen:?}");
        assert_eq!(server.heads().len(), 2);
    }
}

#[tokio::test]
async fn a_pause_is_of_whoever_asked_for_it_not_of_who_led_there() {
    let (registry, server) = registry(|asked| {
        let name = asked.path.rsplit('/').next().unwrap();
        match (asked.host, name) {
            ("rdap.example.com", "moved.com") => to(&format!("https://other.example.com:{}/", asked.port)),
            ("rdap.example.com", _) => rdap(&domain(name, 0)),
            _ => answer(429, &[("Retry-After", "60")], ""),
        }
    })
    .await;
    assert_eq!(found(&registry, "moved.com", now()).await, KnownRegistration::Unknown("rate_limited"));
    assert_eq!(found(&registry, "a.net", after(10)).await, KnownRegistration::Unknown("registry_busy"));
    assert!(matches!(found(&registry, "a.com", after(10)).await, KnownRegistration::Registration(_)));
    assert_eq!(server.heads().len(), 3);
}
