//! What is kept of registries' answers: each is asked for once, and stays what it was when it came.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain_name::{DomainName, PublicSuffixes};
use fetch::{Roots, Source};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use probe::registry::{
    BootstrapRefresh, BootstrapRound, EVERY, KnownRegistration, MIN_NAMES, Registry, limits,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use super::registry::{after, ask, ask_at, domain, list, list_at, now, rdap};
use super::support::{Act, Authority, HANG, Server, absent, answer, local};

/// A registry that goes by its list, and the authority for more services.
async fn registry(script: impl Fn(&str) -> Act + Send + Sync + 'static) -> (Registry, Server, Authority) {
    let authority = Authority::new();
    let server = Server::start(Some(authority.tls()), move |asked| script(asked.path)).await;
    let registry = Registry::new(authority.fetcher());
    registry.adopt(&list(server.port), now()).unwrap();
    (registry, server, authority)
}

#[tokio::test]
async fn however_many_names_are_looked_at_below_a_domain_its_registry_is_asked_once() {
    let (registry, server, _) = registry(|_| rdap(&domain("shop.com", 0))).await;
    let suffixes = PublicSuffixes::bundled();
    let look = |nth: i64| {
        let name = DomainName::parse(&format!("r{nth}.shop.com")).unwrap();
        let registered = suffixes.registered(&name).unwrap();
        let registry = registry.clone();
        async move { ask_at(&registry, registered.as_str(), after(nth * 1000)).await }
    };
    let mut seen = join_all((0..15).map(look)).await;
    for nth in 15..30 {
        seen.push(look(nth).await);
    }
    assert_eq!(server.heads().len(), 1);
    assert!(matches!(seen[0].found(), KnownRegistration::Registration(_)), "{:?}", seen[0]);
    // Whoever looks later is told when the answer came, too.
    let came = after(seen[0].elapsed_ms.into());
    assert!(seen.iter().all(|own| *own == seen[0] && own.observed_at == Some(came)), "{seen:?}");
    // What was told of one is not told of another.
    assert_eq!(ask(&registry, "store.com").await.found(), KnownRegistration::Unknown("another_domain"));
    assert_eq!(server.heads().len(), 2);
}

#[tokio::test]
async fn what_a_registry_does_not_tell_is_not_asked_for_again_at_once_either() {
    for act in [absent(), answer(500, &[], ""), Act::Say(b"nonsense\r\n\r\n".to_vec())] {
        let (registry, server, _) = registry(move |_| act.clone()).await;
        let first = ask(&registry, "example.com").await;
        assert!(matches!(first.found(), KnownRegistration::Unknown(_)));
        assert_eq!(ask_at(&registry, "example.com", after(5000)).await, first);
        assert_eq!(server.heads().len(), 1, "{first:?}");
    }
}

#[tokio::test]
async fn another_list_of_services_begins_anew_whatever_is_under_way() {
    let (asked, mut was_asked) = unbounded_channel();
    let (registry, old, authority) = registry(move |path| {
        asked.send(()).unwrap();
        if path.ends_with("late.com") { Act::Stall(Vec::new()) } else { rdap(&domain("example.com", 0)) }
    })
    .await;
    let of_old = ask(&registry, "example.com").await;
    was_asked.recv().await.unwrap();
    let late = DomainName::parse("late.com").unwrap();
    let under_way = {
        let (registry, late) = (registry.clone(), late.clone());
        tokio::spawn(async move { registry.look(&late, now()).await })
    };
    was_asked.recv().await.unwrap();

    let new = Server::start(Some(authority.tls()), |asked| {
        rdap(&domain(asked.path.rsplit('/').next().unwrap(), 0))
    })
    .await;
    registry.adopt(&list(new.port), now()).unwrap();
    let of_new = ask(&registry, "example.com").await;
    assert!(
        matches!(of_new.found(), KnownRegistration::Registration(_)) && of_new.end != of_old.end,
        "{of_new:?}"
    );
    assert!(matches!(ask(&registry, "late.com").await.found(), KnownRegistration::Registration(_)));
    // What comes of the old service's answers now is nobody's but theirs who wait for it.
    assert_eq!(under_way.await.unwrap().found(), KnownRegistration::Unknown("timeout"));
    assert!(matches!(ask(&registry, "late.com").await.found(), KnownRegistration::Registration(_)));
    assert_eq!((old.heads().len(), new.heads().len()), (2, 2));
}

#[tokio::test]
async fn a_list_that_is_still_what_is_published_leaves_what_was_told() {
    let (registry, server, _) = registry(|_| rdap(&domain("example.com", 0))).await;
    let others: Vec<_> = (0..MIN_NAMES).map(|n| format!("t{n}")).collect();
    let others: Vec<_> = others.iter().map(String::as_str).collect();
    let base = |host: &str| format!("https://{host}:{}/", server.port);
    let services = [(&["com"][..], base("rdap.example.com")), (&others, base("other.example.com"))];
    let (whole, rounds) = (list_at(&services), AtomicUsize::new(0));
    let published = Server::start(None, move |_| match rounds.fetch_add(1, Ordering::SeqCst) {
        0 | 2 => answer(200, &[("ETag", "\"one\"")], &whole),
        _ => Act::Say(b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec()),
    })
    .await;
    let source =
        Source::system(&format!("http://{}/", local(published.port)), &[], limits(), Roots::none()).unwrap();
    let mut refresh = BootstrapRefresh::new(registry.clone(), source, EVERY);
    for (round, asked) in [(BootstrapRound::New, 1), (BootstrapRound::Still, 1), (BootstrapRound::New, 2)] {
        assert_eq!(refresh.round(now()).await.unwrap(), round);
        assert!(matches!(ask(&registry, "example.com").await.found(), KnownRegistration::Registration(_)));
        assert_eq!(server.heads().len(), asked, "{round:?}");
    }
}

#[tokio::test]
async fn whoever_goes_away_while_asking_leaves_it_to_the_next() {
    let is_first = Arc::new(AtomicBool::new(true));
    let (asked, mut was_asked) = unbounded_channel();
    let (registry, server, _) = registry(move |_| {
        asked.send(()).unwrap();
        let is_first = is_first.swap(false, Ordering::SeqCst);
        if is_first { Act::Stall(Vec::new()) } else { rdap(&domain("example.com", 0)) }
    })
    .await;
    let name = DomainName::parse("example.com").unwrap();
    let first = {
        let (registry, name) = (registry.clone(), name.clone());
        tokio::spawn(async move { registry.look(&name, now()).await })
    };
    was_asked.recv().await.unwrap();
    let mut waiting = Box::pin(registry.look(&name, now()));
    assert!(waiting.as_mut().now_or_never().is_none(), "the first is still asking");
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let seen = timeout(HANG, waiting).await.expect("nobody asks any more");
    assert!(matches!(seen.found(), KnownRegistration::Registration(_)), "{seen:?}");
    assert_eq!(ask(&registry, "example.com").await, seen);
    assert_eq!(server.heads().len(), 2);
}
