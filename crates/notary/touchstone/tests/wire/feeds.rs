//! Feeds of bad domains: what `/trust-score` says of them, through the real binary.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use peers::lab::Lab;
use peers::{Fault, Publisher};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::chain::until;
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{BASE_URL, Launch, Service};
use crate::trust::Sight;

/// A bond.
const BOND: u64 = 1_000_000;

/// A feed with what feeds have.
const FEED: &str = "# A feed.\n127.0.0.1 localhost\n0.0.0.0 evil.example.org\nbad.example.net # why\n\
                    https://pages.example.com/u/123/login.html\nno name\n";

/// A service that reaches no name server, and looks at this feed.
fn looking_on(feed: &Path) -> Launch {
    let toml = format!("[trust]\nname_servers = \"127.0.0.1:1\"\n[feeds]\nfiles = [{feed:?}]\n");
    Launch::dev().without_limits().configured(&toml)
}

fn written(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("feed.txt"), text).unwrap();
    folder
}

fn score(service: &Service, domain: &str) -> Value {
    service.ask("/trust-score", &json!({ "domain": domain })).expect(200).json()
}

/// The reason that a feed gives, where it gives one.
fn hit(receipt: &Value) -> Option<&Value> {
    receipt["risk"]["reasons"].as_array().unwrap().iter().find(|reason| reason["id"] == "feed_hit")
}

fn is_unchecked(receipt: &Value) -> bool {
    receipt["risk"]["unchecked"].as_array().unwrap().contains(&json!("feed_hit"))
}

#[test]
fn a_domain_that_stands_on_a_feed_is_flagged_with_the_entry() {
    let folder = written(FEED);
    let service = looking_on(&folder.path().join("feed.txt")).start();
    for (domain, entry) in [
        ("evil.example.org", json!({"name": "evil.example.org"})),
        ("www.evil.example.org", json!({"name": "evil.example.org"})),
        ("Bad.Example.net", json!({"name": "bad.example.net"})),
        ("pages.example.com", json!({"page_of": "pages.example.com"})),
        ("example.org", Value::Null),
        ("a.pages.example.com", Value::Null),
    ] {
        let receipt = score(&service, domain);
        let sha256 = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(FEED));
        let as_of = &receipt["evidence"]["feeds"][0]["as_of"];
        let seen = json!({"name": "feed.txt", "sha256": sha256, "entries": 3, "entry": entry,
                          "as_of": as_of, "basis": "modified", "stale": false});
        assert!(as_of.is_string());
        assert_eq!(receipt["evidence"]["feeds"], json!([seen]), "{domain}");
        let evidence = hit(&receipt).map(|flag| flag["evidence"].clone());
        assert_eq!(evidence, (!entry.is_null()).then(|| json!({ "feeds": [seen] })), "{domain}");
        assert!(!is_unchecked(&receipt), "{receipt:#}");
        verify(&receipt, &Notary::of(&service));
    }
    let page = service.get(&format!("/r/{}", hash(&score(&service, "evil.example.org")))).expect(200).text();
    assert!(page.contains("It is on a feed of bad domains: feed.txt."), "{page}");
}

#[test]
fn without_a_feed_nobody_looked() {
    let toml = "[trust]\nname_servers = \"127.0.0.1:1\"\n";
    let service = Launch::dev().without_limits().configured(toml).start();
    let receipt = score(&service, "evil.example.org");
    assert!(is_unchecked(&receipt) && hit(&receipt).is_none(), "{receipt:#}");
    assert_eq!(receipt["evidence"].get("feeds"), None);
}

#[test]
fn a_feed_that_has_changed_is_read_again_and_a_bad_one_leaves_the_old_one() {
    let folder = written(FEED);
    let path = folder.path().join("feed.txt");
    let service = looking_on(&path).start();
    assert_eq!(hit(&score(&service, "worse.example.org")), None);
    let put = |text: &str| {
        let new = folder.path().join("new.txt");
        fs::write(&new, text).unwrap();
        fs::rename(&new, &path).unwrap();
    };
    // A look is kept for a while, so each asks about a name of its own.
    let asked = Cell::new(0);
    let is_hit = || {
        asked.set(asked.get() + 1);
        hit(&score(&service, &format!("n{}.worse.example.org", asked.get()))).is_some()
    };
    put(&format!("{FEED}worse.example.org\n"));
    until("the feed is read again", is_hit);
    put("<html>\n<p>\n");
    until("the feed is refused", || service.said().contains("cannot be read; the old one serves on"));
    assert!(is_hit());
    put(FEED);
    until("the feed is read a third time", || !is_hit());
}

#[test]
fn a_service_does_not_start_without_a_feed_that_it_is_told_to_look_at() {
    let folder = written("# Nothing.\n");
    let path = folder.path().join("feed.txt");
    for (feed, why) in [(path.clone(), "names no domain"), (folder.path().join("none.txt"), "none.txt")] {
        let said = looking_on(&feed).refused();
        assert!(said.contains("feeds.files") && said.contains(why), "{said}");
    }
}

#[test]
fn a_feed_that_is_named_is_fetched_and_only_a_good_one_is_adopted() {
    let publisher = Publisher::start();
    let url = format!("{}feed.txt", publisher.url());
    let toml = format!(
        "[trust]\nname_servers = \"127.0.0.1:1\"\n[feeds]\n\
         fetch = [{{ url = {url:?}, name = \"own\", licence = \"CC0-1.0\", every = \"1s\" }}]\n"
    );
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL).configured(&toml);
    let data = std::sync::Arc::clone(launch.data());
    let service = launch.start();
    // A look is kept for a while, so each asks about a name of its own.
    let asked = Cell::new(0);
    let look = |service: &Service, below: &str| {
        asked.set(asked.get() + 1);
        score(service, &format!("n{}.{below}", asked.get()))
    };
    let feed = |receipt: &Value| receipt["evidence"]["feeds"][0].clone();
    let never = feed(&look(&service, "evil.example.org"));
    assert_eq!(
        (&never["stale"], &never["basis"], &never["entries"]),
        (&json!(true), &json!("never"), &json!(0))
    );
    let health = service.get("/health").json();
    assert_eq!(health["modules"]["safety"], "feed_stale", "{health:#}");
    let scanned =
        service.ask("/scan-url", &json!({"agent": "a", "url": "https://example.com/"})).expect(200).json();
    assert_eq!((&scanned["verdict"], &scanned["unseen"]), (&json!("UNKNOWN"), &json!(["feed_stale:own"])));

    publisher.publish("feed.txt", "evil.example.org\nother.example.org\nthird.example.org\n");
    // The round after the first failure comes within two seconds, since the interval is one.
    until("the feed is fetched", || feed(&look(&service, "evil.example.org"))["stale"] == false);
    let receipt = look(&service, "evil.example.org");
    let seen = feed(&receipt);
    assert!(hit(&receipt).is_some(), "{receipt:#}");
    assert_eq!((&seen["licence"], &seen["basis"]), (&json!("CC0-1.0"), &json!("fetched")));
    assert_eq!(seen["source"], json!(publisher.url().trim_end_matches("/exports/")));
    verify(&receipt, &Notary::of(&service));
    until("it is not sent again", || publisher.answers().iter().any(|(_, status)| *status == 304));

    publisher.publish("feed.txt", "worse.example.org\n");
    until("a feed that shrank is refused", || service.said().contains("less than half of the 3 before"));
    assert_eq!(service.get("/health").json()["modules"]["safety"], "feed_unreadable");
    assert!(hit(&look(&service, "worse.example.org")).is_none());
    publisher.fail(Some(Fault::Page));
    until("a page is refused", || service.said().contains("that name no domain"));
    assert!(hit(&look(&service, "evil.example.org")).is_some());
    publisher.fail(None);
    publisher.publish("feed.txt", "evil.example.org\nworse.example.org\n");
    until("a changed feed is adopted", || hit(&look(&service, "worse.example.org")).is_some());
    until("the fault is over", || service.get("/health").json()["modules"]["safety"].is_null());

    drop(service);
    publisher.fail(Some(Fault::Broken));
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).on(&data).start();
    assert_eq!(feed(&look(&service, "worse.example.org"))["stale"], false, "the last fetch is still there");
}

#[test]
fn terms_that_are_not_accepted_keep_the_service_from_starting() {
    let said = Launch::dev().configured("[feeds]\nfetch = [\"openphish\"]\n").refused();
    assert!(said.contains("feeds.fetch") && said.contains("accept_terms = true"), "{said}");
}

#[test]
fn a_domain_on_a_feed_is_risky_without_a_grade_and_a_dispute_needs_no_file() {
    let Some(lab) = Lab::shared("feeds of bad domains and the verdict of /trust-score") else { return };
    let folder = written("perfect.test\n");
    let path = folder.path().join("feed.txt");
    let launch = Sight::of(lab).launch();
    let settings = launch.data().path().join("touchstone.toml");
    let with_feed = format!("[feeds]\nfiles = [{path:?}, ");
    fs::write(
        &settings,
        fs::read_to_string(&settings).unwrap().replacen("[feeds]\nfiles = [", &with_feed, 1),
    )
    .unwrap();
    let service = launch.start();
    let receipt = score(&service, "perfect.test");
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["hygiene"]["grade"]),
        ("RISKY", &Value::Null),
        "{receipt:#}"
    );
    assert!(receipt["hygiene"]["score"].as_u64().unwrap() >= 80, "{receipt:#}");
    fs::remove_file(&path).unwrap();
    let dispute = json!({"agent": "b", "receipt_hash": hash(&receipt), "reason": "it is on no feed now"});
    let answer = service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND)));
    let settled = answer.expect(200).json();
    assert_eq!(text(&settled, "verdict"), "UPHELD", "{settled:#}");
}
