//! `touchstone grant` and `touchstone trials`: what an operator gives while the service runs.

use serde_json::{Value, json};

use super::{Said, said};
use crate::support::claims::signed;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

/// Runs a command on a service's data, while it runs.
fn told(service: &Service, arguments: &[&str]) -> Said {
    said(service.command(arguments), "")
}

/// What a command that must succeed wrote, a JSON document a line.
#[track_caller]
fn lines(service: &Service, arguments: &[&str]) -> Vec<Value> {
    let said = told(service, arguments);
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Makes a grant of one class or all, and gives it.
#[track_caller]
fn grant(service: &Service, arguments: &[&str]) -> Value {
    let mut made = lines(service, &[&["grant"], arguments].concat());
    assert_eq!(made.len(), 1, "{made:?}");
    made.remove(0)
}

/// Commits as an agent, without payment; the status.
fn commit(service: &Service, agent: &str) -> u16 {
    service.ask("/commit", &json!({"agent": agent, "content": "x"})).status
}

#[test]
fn a_grant_made_while_the_service_runs_serves_at_once_until_it_is_used_up_or_revoked() {
    let service = Launch::dev().start();
    assert_eq!(commit(&service, "scout-7"), 402);
    let made = grant(&service, &["scout-7", "--calls", "2", "--route", "/commit"]);
    assert_eq!((&made["used"], &made["per"], &made["in_force"]), (&json!(0), &json!("month"), &json!(true)));
    assert_eq!([commit(&service, "scout-7"), commit(&service, "scout-7")], [200, 200]);
    assert_eq!([commit(&service, "scout-7"), commit(&service, "other")], [402, 402]);
    let listed = lines(&service, &["grant", "list"]);
    assert_eq!((listed.len(), &listed[0]["used"], &listed[0]["route"]), (1, &json!(2), &json!("commit")));
    let more = grant(&service, &["scout-7", "--calls", "5"]);
    assert_eq!(commit(&service, "scout-7"), 200);
    let revoked = told(&service, &["grant", "revoke", &more["id"].to_string()]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    assert_eq!(commit(&service, "scout-7"), 402);
    let listed = lines(&service, &["grant", "list"]);
    assert_eq!((&listed[0]["id"], &listed[0]["in_force"]), (&more["id"], &json!(false)));
    assert!(listed[0]["revoked_at"].is_string());
}

#[test]
fn of_fifty_calls_at_once_exactly_as_many_are_served_as_were_granted() {
    let service = Launch::dev().start();
    let made = grant(&service, &["scout-7", "--calls", "3"]);
    let statuses = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50).map(|_| scope.spawn(|| commit(&service, "scout-7"))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 3, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 402].contains(status)), "{statuses:?}");
    let listed = lines(&service, &["grant", "list"]);
    assert_eq!((&listed[0]["id"], &listed[0]["used"]), (&made["id"], &json!(3)));
}

#[test]
fn what_is_used_of_a_grant_stays_used_after_a_restart() {
    let launch = || Launch::dev().set("BASE_URL", "http://localhost:8402");
    let first = launch();
    let data = first.data().clone();
    let service = first.start();
    grant(&service, &["scout-7", "--calls", "2", "--per", "day"]);
    assert_eq!(commit(&service, "scout-7"), 200);
    service.stop();
    let service = launch().on(&data).start();
    assert_eq!([commit(&service, "scout-7"), commit(&service, "scout-7")], [200, 402]);
}

/// Lets what was used of all grants in this month have been used in the one before.
fn let_a_month_pass(service: Service) -> Service {
    let data = std::sync::Arc::clone(&service.data);
    service.stop();
    let store = rusqlite::Connection::open(data.path().join("store.sqlite")).unwrap();
    let earlier = "UPDATE grant_uses SET start = unixepoch(start * 86400, 'unixepoch', '-1 month') / 86400";
    assert!(store.execute(earlier, []).unwrap() > 0);
    drop(store);
    Launch::dev().set("BASE_URL", "http://localhost:8402").on(&data).start()
}

#[test]
fn a_grant_that_renews_begins_anew_each_month_until_it_is_revoked() {
    let service = Launch::dev().set("BASE_URL", "http://localhost:8402").start();
    let made = grant(&service, &["scout-7", "--calls", "2", "--renews"]);
    assert_eq!((&made["per"], &made["in_force"]), (&json!("month"), &json!(true)));
    assert!(text(&made, "until") > "9000", "{made}");
    let uses = |service: &Service| [(); 3].map(|()| commit(service, "scout-7"));
    assert_eq!(uses(&service), [200, 200, 402]);
    let service = let_a_month_pass(service);
    let listed = lines(&service, &["grant", "list"]);
    assert_eq!((&listed[0]["used"], &listed[0]["in_force"]), (&json!(0), &json!(true)), "{listed:?}");
    assert_eq!(uses(&service), [200, 200, 402]);
    let revoked = told(&service, &["grant", "revoke", &made["id"].to_string()]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    let service = let_a_month_pass(service);
    assert_eq!(uses(&service), [402, 402, 402]);
}

#[test]
fn a_plan_is_granted_in_one_line_as_the_catalog_has_it() {
    let service = Launch::dev().start();
    let plans = service.get("/catalog").expect(200).json()["plans"].take();
    for plan in plans.as_array().unwrap() {
        let name = text(plan, "name");
        let made = lines(&service, &["grant", name, "--plan", name, "--days", "31"]);
        let (counted, unlimited) = made.split_last().unwrap();
        assert_eq!((&counted["calls"], &counted["priority"]), (&plan["calls_per_month"], &plan["priority"]));
        assert_eq!((&counted["route"], &counted["name"]), (&json!("all"), &plan["name"]));
        let classes: Vec<_> = unlimited.iter().map(|grant| &grant["route"]).collect();
        assert_eq!(json!(classes), plan["unlimited"]);
    }
    assert_eq!(commit(&service, "operator"), 200);
    let used: Vec<_> =
        lines(&service, &["grant", "list"]).iter().map(|grant| grant["used"].clone()).collect();
    assert_eq!(used.iter().filter(|used| **used == json!(1)).count(), 1);
    service.ask("/claim-verdict", &signed("operator")).expect(200);
}

#[test]
fn a_grant_for_networks_serves_no_other_caller() {
    let service = Launch::dev().start();
    let made = grant(&service, &["inside", "--calls", "1", "--from", "127.0.0.0/8, 2001:db8::1"]);
    assert_eq!(made["from"], json!(["127.0.0.0/8", "2001:db8::1/128"]));
    let made = grant(&service, &["outside", "--calls", "1", "--from", "192.0.2.77/24"]);
    assert_eq!(made["from"], json!(["192.0.2.0/24"]));
    assert_eq!([commit(&service, "inside"), commit(&service, "outside")], [200, 402]);
}

#[test]
fn a_grant_is_good_until_the_end_of_the_day_that_is_named() {
    let service = Launch::dev().start();
    let made = grant(&service, &["scout-7", "--calls", "1", "--until", "9000-02-28"]);
    assert_eq!(made["until"], "9000-03-01T00:00:00.000Z");
    let over = told(&service, &["grant", "scout-7", "--calls", "1", "--until", "2024-02-29"]);
    assert!(over.code == Some(1) && over.err.contains("over before"), "{over:?}");
}

#[test]
fn a_wish_for_a_trial_is_listed_and_answered_by_a_grant() {
    let service = Launch::dev().start();
    assert_eq!(lines(&service, &["trials", "list"]), Vec::<Value>::new());
    let wish = json!({"agent": "scout-7", "endpoint": "/commit", "contact": "a@example.org", "reason": "to\u{1b}[2J try"});
    let ids = [&wish, &json!({"agent": "other"})].map(|wish| {
        let received = service.ask("/request-trial", wish).expect(200).json();
        text(&received, "request_id").to_owned()
    });
    let trials = lines(&service, &["trials", "list"]);
    assert_eq!((&trials[0]["request_id"], &trials[1]["request_id"]), (&json!(ids[1]), &json!(ids[0])));
    for (name, value) in wish.as_object().unwrap() {
        assert_eq!(&trials[1][name], value);
    }
    let other = told(&service, &["grant", "scout-7", "--calls", "5", "--request", &ids[1]]);
    assert!(other.code == Some(1) && other.err.contains("other"), "{other:?}");
    let made = grant(&service, &["scout-7", "--calls", "5", "--request", &ids[0]]);
    assert_eq!((&made["name"], &made["request_id"]), (&json!("trial"), &json!(ids[0])));
    let trials = lines(&service, &["trials", "list", "--json"]);
    assert_eq!((&trials[1]["grants"], &trials[0]["grants"]), (&json!([made["id"]]), &json!([])));
    assert_eq!(lines(&service, &["trials", "list", "--most", "1"]), trials[..1]);
}

#[test]
fn what_no_grant_can_be_is_refused_and_changes_nothing() {
    let service = Launch::dev().start();
    for (arguments, code, word) in [
        (&["grant"][..], 2, "AGENT"),
        (&["grant", "a"], 2, "--plan"),
        (&["grant", "a", "--plan", "gold"], 2, "evaluator"),
        (&["grant", "a", "--plan", "operator", "--calls", "5"], 2, "--calls"),
        (&["grant", "a", "--calls", "-5"], 2, "--help"),
        (&["grant", "a", "--calls", "5", "--days", "0"], 2, "--days"),
        (&["grant", "a", "--calls", "5", "--days", "7", "--until", "2026-12-31"], 2, "--until"),
        (&["grant", "a", "list"], 2, "list"),
        (&["grant", "--data-dir", "x", "list"], 2, "--plan"),
        (&["grant", "revoke"], 2, "ID"),
        (&["grant", "revoke", "7"], 1, "no grant 7"),
        (&["grant", " ", "--calls", "5"], 1, "agent"),
        (&["grant", "a", "--calls", "0"], 1, "calls"),
        (&["grant", "a", "--calls", "1000000001"], 1, "calls"),
        (&["grant", "a", "--calls", "5", "--route", "nothing"], 1, "nothing"),
        (&["grant", "a", "--calls", "5", "--route", "dispute"], 1, "bond"),
        (&["grant", "a", "--calls", "5", "--route", "trust-score"], 1, "free"),
        (&["grant", "a", "--calls", "5", "--from", "10.0.0.0/99"], 1, "--from"),
        (&["grant", "a", "--calls", "5", "--from", "::ffff:10.0.0.0/104"], 1, "IPv4"),
        (&["grant", "a", "--calls", "5", "--until", "tomorrow"], 1, "tomorrow"),
        (&["grant", "a", "--calls", "5", "--request", "nothing"], 1, "nothing"),
    ] {
        let said = told(&service, arguments);
        assert_eq!(said.code, Some(code), "{arguments:?}: {said:?}");
        assert!(said.err.contains(word), "{word}: {said:?}");
    }
    assert_eq!(lines(&service, &["grant", "list"]), Vec::<Value>::new());
}

#[test]
fn a_dispute_is_paid_by_no_grant() {
    let service = Launch::dev().start();
    let receipt = service.claim(&signed("scout-7"));
    lines(&service, &["grant", "scout-7", "--plan", "enterprise"]);
    let dispute = json!({"agent": "scout-7", "receipt_hash": receipt["receipt_hash"], "reason": "wrong"});
    let refused = service.ask("/dispute", &dispute).problem(402);
    assert_eq!(refused["accepts"][0]["amount"], "1.00");
}

#[test]
fn a_store_that_is_not_there_is_not_made_by_asking() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["grant", "list"][..], &["grant", "a", "--calls", "5"], &["trials", "list"]] {
        let mut command = crate::support::service::touchstone(arguments);
        command.env("TOUCHSTONE_DATA_DIR", folder.path());
        let said = said(command, "");
        assert!(said.code == Some(1) && said.err.contains("store.sqlite"), "{said:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
