//! Webhooks that are not taken at once.

use super::*;
use crate::support::hook::Reaction;

#[test]
fn a_webhook_that_fails_is_sent_again_under_the_same_id_until_it_is_taken() {
    let hook = Hook::start(|_, before| Reaction::Status(if before == 0 { 500 } else { 200 }));
    let service = started(measured(launch()), false);
    let receipt = watch(&service, PARTY, Some(hook.url("localhost", "/")));
    publish(&service, 21, true);
    until("the second attempt", || hook.received("/").len() == 2);
    until("it was taken", || standing(&service, &receipt)["alerts"][0]["webhook"]["state"] == "delivered");
    let (received, alert) = (hook.received("/"), alerts(&service, &receipt, 1).remove(0));
    for attempt in &received {
        attempt.verify(&webhook_key(&service));
        assert_eq!(attempt.header("webhook-id"), text(&alert, "receipt_hash"));
    }
    assert!(received[0].header("webhook-timestamp") <= received[1].header("webhook-timestamp"));
    assert_eq!((&alert["webhook"]["attempts"], &alert["webhook"]["error"]), (&json!(2), &Value::Null));
    let scrape = scrape::of(&service);
    for outcome in ["again", "delivered"] {
        let sent = scrape.sum("touchstone_webhooks_sent_total", &[("outcome", outcome)]);
        assert_eq!(sent, Some(1.0), "{outcome}");
    }
    let value = |name| scrape.sum(name, &[]);
    assert_eq!(
        (value("touchstone_watches_live"), value("touchstone_webhooks_waiting")),
        (Some(1.0), Some(0.0))
    );
    let of_watch = [("class", "screen-entity"), ("tier", "watch"), ("verdict", "MATCH")];
    assert_eq!(scrape.sum("touchstone_receipts_total", &of_watch), Some(1.0), "{scrape:?}");
}

#[test]
fn a_host_that_says_nothing_keeps_no_other_waiting() {
    let hook =
        Hook::start(|path, _| if path == "/silent" { Reaction::Silence } else { Reaction::Status(200) });
    let service = started(launch(), false);
    let silent: Vec<Value> =
        (0..40).map(|_| watch(&service, PARTY, Some(hook.url("127.0.0.1", "/silent")))).collect();
    let quick = watch(&service, PARTY, Some(hook.url("localhost", "/quick")));
    publish(&service, 21, true);
    until("the quick one", || standing(&service, &quick)["alerts"][0]["webhook"]["state"] == "delivered");
    until("a silent one", || !hook.received("/silent").is_empty());
    assert_eq!(hook.received("/silent").len(), 1, "a host is sent one at a time");
    let waiting = |receipt| standing(&service, receipt)["alerts"][0]["webhook"]["state"] == "waiting";
    until("the silent ones have their alerts", || silent.iter().all(waiting));
}

#[test]
fn an_agent_whose_receiver_says_nothing_keeps_no_other_at_the_same_host_waiting() {
    let hook =
        Hook::start(|path, _| if path == "/silent" { Reaction::Silence } else { Reaction::Status(200) });
    let service = started(launch(), false);
    let watched_by = |agent: &str, path: &str| {
        let question = json!({"agent": agent, "entity": PARTY, "webhook": hook.url("localhost", path)});
        told(&service.ask("/watch", &question))
    };
    let silent: Vec<Value> = (0..40).map(|_| watched_by("slow", "/silent")).collect();
    let others: Vec<Value> = (0..4).map(|n| watched_by(&format!("other {n}"), &format!("/{n}"))).collect();
    publish(&service, 21, true);
    let state = |receipt| standing(&service, receipt)["alerts"][0]["webhook"]["state"].clone();
    until("the others", || others.iter().all(|receipt| state(receipt) == "delivered"));
    until("a silent one", || !hook.received("/silent").is_empty());
    assert_eq!(hook.received("/silent").len(), 1, "an agent is sent one at a time there");
    until("the silent ones have their alerts", || silent.iter().all(|receipt| state(receipt) == "waiting"));
    let bounds = service.get("/catalog").expect(200).json()["bounds"]["webhooks"].take();
    let at_once = |who: &str| bounds[&format!("at_once_per_{who}")].clone();
    assert_eq!([at_once("host"), at_once("agent"), at_once("agent_and_host")], [4, 4, 1]);
    assert!(bounds.get("answer_bytes").is_none(), "nothing of the answer is read");
}

#[test]
fn a_redirect_is_not_followed_and_what_is_gone_is_sent_nothing_more() {
    let hook = Hook::start(|path, _| Reaction::Status(if path == "/gone" { 410 } else { 302 }));
    let service = started(launch(), false);
    let gone = watch(&service, PARTY, Some(hook.url("localhost", "/gone")));
    let moved = watch(&service, PARTY, Some(hook.url("127.0.0.1", "/moved")));
    publish(&service, 21, true);
    until("it is gone", || standing(&service, &gone)["webhook"]["state"] == "gone");
    until("it was tried", || standing(&service, &moved)["alerts"][0]["webhook"]["attempts"] != 0);
    let alert = alerts(&service, &moved, 1).remove(0);
    assert_eq!(
        (text(&alert["webhook"], "state"), text(&alert["webhook"], "error")),
        ("waiting", "status_302")
    );
    publish(&service, 22, false);
    let alerts = alerts(&service, &gone, 2);
    assert_eq!((&alerts[0]["webhook"], text(&alerts[1]["webhook"], "state")), (&Value::Null, "dropped"));
    assert_eq!(hook.received("/gone").len(), 1);
}
