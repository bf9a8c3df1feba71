//! Domains that are watched: what a look finds otherwise than the one before.

use peers::lab::{Lab, Zone};

use super::*;
use crate::trust::Sight;

/// A domain with these name servers, and a web server that the lab does not have.
fn zone(servers: &[&str]) -> Zone {
    let zone = Zone::signed("moving.test").served_by(servers).with("@ A 127.0.0.9").with("@ MX 10 mail");
    servers.iter().fold(zone, |zone, server| zone.with(&format!("{server} A 127.0.0.1")))
}

fn internet(servers: &[&str]) -> Option<Lab> {
    Lab::start_with("watches of domains", &[zone(servers)], &[])
}

/// The values of a fact before and after a change, in the receipt of the change.
fn changed<'a>(receipt: &'a Value, what: &str) -> (&'a Value, &'a Value) {
    let changes = receipt["watch"]["changed"].as_array().unwrap();
    let change = changes.iter().find(|change| change["what"] == what);
    let change = change.unwrap_or_else(|| panic!("no {what} in {changes:#?}"));
    (&change["before"], &change["after"])
}

#[test]
fn a_domain_that_moves_to_other_name_servers_is_told_of_by_a_receipt_and_a_webhook() {
    let Some(lab) = internet(&["ns1", "ns2"]) else { return };
    let launch = Sight::of(&lab).launch();
    let data = launch.data().clone();
    let (service, hook) = (launch.start(), Hook::willing());
    let question =
        json!({"agent": "watcher", "domain": "moving.test", "webhook": hook.url("localhost", "/d")});
    let begun = told(&service.ask("/watch", &question));
    verify(&begun, &Notary::of(&service));
    assert_eq!(
        (text(&begun["screen"], "class"), text(&begun["screen"], "domain")),
        ("trust-score", "moving.test")
    );
    let before = standing(&service, &begun);
    assert_eq!((&before["snapshots"], text(&before, "class")), (&json!([]), "trust-score"));
    assert_eq!(before["facts"]["name_servers"], json!(["ns1.moving.test", "ns2.moving.test"]), "{before}");
    let page = service.get(&format!("/r/{}", hash(&begun))).expect(200).text();
    assert!(page.contains("moving.test</strong> was put under watch until"), "{page}");
    service.stop();
    drop(lab);

    let Some(lab) = internet(&["ns2", "ns3"]) else { return };
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL).on(&data);
    let service = Sight::of(&lab).watching_every(1).configures(launch).start();
    until("the change", || standing(&service, &begun)["alerts"] != json!([]));
    let alerts = standing(&service, &begun)["alerts"].as_array().unwrap().clone();
    let first = alerts.last().unwrap();
    let receipt = service.get(&format!("/receipts/{}", text(first, "receipt_hash"))).expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!((text(&receipt, "class"), &receipt["request_hash"]), ("trust-score", &begun["request_hash"]));
    let of = |names: [&str; 2]| json!(names.map(|name| format!("{name}.moving.test")));
    assert_eq!(changed(&receipt, "name_servers"), (&of(["ns1", "ns2"]), &of(["ns2", "ns3"])));
    let look = |receipt: &Value| {
        let evidence = &receipt["evidence"];
        json!({"observed_at": evidence["observed_at"], "observations_sha256": evidence["observations_sha256"]})
    };
    assert_eq!(receipt["watch"]["looks"], json!({"before": look(&begun["screen"]), "after": look(&receipt)}));
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(page.contains("What has changed") && page.contains("ns3.moving.test"), "{page}");
    until("the webhook", || !hook.received("/d").is_empty());
    hook.received("/d")[0].verify(&webhook_key(&service));
    assert_eq!(hash(&hook.received("/d")[0].json()), hash(&receipt));
}

#[test]
fn a_domain_is_watched_by_the_rules_of_its_own_route() {
    let Some(lab) = Lab::shared("watches of domains") else { return };
    let service = Sight::of(lab).launch().start();
    let ask = |body: Value| service.ask("/watch", &body);
    ask(json!({"agent": "a", "domain": "com"})).names("domain", "not_applicable");
    ask(json!({"agent": "a", "domain": "https://perfect.test/"})).names("domain", "malformed");
    ask(json!({"agent": "a", "domain": "perfect.test", "entity": "Evil Corp"}))
        .names("domain", "not_applicable");
    ask(json!({"agent": "a", "domain_name": "perfect.test"})).names("domain_name", "misnamed");
    ask(json!({"domain": "perfect.test"})).names("agent", "missing");
    ask(json!({"agent": "a", "domain": "perfect.test", "purpose": "chat"})).names("purpose", "unknown_value");
    let more =
        json!({"agent": "a", "domain": "perfect.test", "purpose": "web", "counterparty_name": "Perfect"});
    assert_eq!(text(&told(&ask(more))["screen"], "purpose"), "web");
    let begun = told(&ask(json!({"agent": "a", "domain": "Perfect.TEST."})));
    assert_eq!(text(&begun["screen"], "domain"), "perfect.test");
    assert_eq!(text(&standing(&service, &begun), "status"), "live");
}
