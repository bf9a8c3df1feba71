//! `POST /watch`: what is screened again at every new publication, and who is told.

mod crashes;
mod domains;
mod ends;
mod erased;
mod fields;
mod payer;
mod webhooks;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use ::receipt::hash::sha256;
use serde_json::{Value, json};

use crate::screening::{SDN_XML, import};
use crate::support::chain::until;
use crate::support::hook::Hook;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::scrape::{self, measured};
use crate::support::service::{BASE_URL, Launch, Service};

/// Who is listed in the publication, and by which address.
const PARTY: &str = "Ivan Petrovich Examplov";
const WALLET: &str = "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi";

/// A development service without limits, at an address that stays the same.
fn launch() -> Launch {
    Launch::dev().without_limits().set("BASE_URL", BASE_URL)
}

/// A publication of this day of August, with the party on it or not.
fn publication(day: u8, is_listed: bool) -> String {
    let dated = SDN_XML.replace("08/20/2026", &format!("08/{day}/2026"));
    if is_listed {
        return dated;
    }
    let renamed = dated.replace("EXAMPLOV", "UNRELATED").replace("EKSAMPLOV", "SOMEBODY");
    renamed.replace(WALLET, "1BoatSLRHtKNngkdXEeobR76b53LETtpyT")
}

/// Makes a publication live.
fn publish(service: &Service, day: u8, is_listed: bool) {
    assert_eq!(import(service.data.path(), &publication(day, is_listed)).code, Some(0));
    let screen = json!({"agent": "p", "entity": "Nobody Of That Kind"});
    until("the publication is live", || {
        let receipt = service.ask("/screen-entity", &screen).expect(200).json();
        receipt["lists"][0]["published"] == format!("2026-08-{day}")
    });
}

/// A service on whose lists the party is, or is not.
fn started(launch: Launch, is_listed: bool) -> Service {
    let service = launch.start();
    publish(&service, 20, is_listed);
    service
}

/// The receipt of a watch of a party, who is told at this address.
#[track_caller]
fn watch(service: &Service, entity: &str, webhook: Option<String>) -> Value {
    let mut question = json!({"agent": "watcher", "entity": entity});
    if let Some(webhook) = webhook {
        question["webhook"] = json!(webhook);
    }
    told(&service.ask("/watch", &question))
}

/// The ids of watches, by their SHA-256 as receipts have it: no receipt has the id.
static IDS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// The receipt of a watch, whose id is told beside it and remembered.
#[track_caller]
fn told(answer: &Answer) -> Value {
    let receipt = answer.clone().expect(200).json();
    let id = answer.header("watch-id").expect("the id of the watch");
    assert!(!answer.text().contains(id), "who is shown the receipt cannot end the watch");
    let known_by = hex::encode(sha256(&hex::decode(id).unwrap()));
    assert_eq!(text(&receipt["watch"], "sha256"), known_by);
    IDS.lock().unwrap().insert(known_by, id.to_owned());
    receipt
}

/// The id of a watch.
fn id(receipt: &Value) -> String {
    IDS.lock().unwrap()[text(&receipt["watch"], "sha256")].clone()
}

/// Where a watch is looked at.
fn path(receipt: &Value) -> String {
    format!("/watch/{}", id(receipt))
}

/// A watch as it stands.
#[track_caller]
fn standing(service: &Service, receipt: &Value) -> Value {
    service.get(&path(receipt)).expect(200).json()
}

/// The alerts of a watch, once there are so many.
#[track_caller]
fn alerts(service: &Service, receipt: &Value, count: usize) -> Vec<Value> {
    let alerts = || standing(service, receipt)["alerts"].as_array().unwrap().clone();
    until("the alerts", || alerts().len() >= count);
    let alerts = alerts();
    assert_eq!(alerts.len(), count, "{alerts:?}");
    alerts
}

/// The key that webhooks are signed with, as it is published.
fn webhook_key(service: &Service) -> String {
    let published = service.get("/.well-known/service.json").expect(200).json();
    text(&published["webhooks"], "public_key").to_owned()
}

/// Else a watch that asks some of the lists would be screened for ever.
#[test]
fn a_watch_of_some_of_the_lists_is_screened_once_a_publication_and_told_of_a_change() {
    let service = started(launch(), false);
    let question = json!({"agent": "watcher", "entity": PARTY, "lists": ["sdn"]});
    let begun = told(&service.ask("/watch", &question));
    assert_eq!(text(&begun["screen"], "verdict"), "NO_MATCH");
    let screened_at = || text(&standing(&service, &begun), "screened_at").to_owned();
    let settled = || {
        let before = screened_at();
        std::thread::sleep(std::time::Duration::from_secs(3));
        before == screened_at()
    };
    until("it is not screened again", settled);
    publish(&service, 21, true);
    let changed = alerts(&service, &begun, 1).remove(0);
    assert_eq!(text(&changed, "verdict"), "MATCH", "{changed}");
}

#[test]
fn a_party_that_is_listed_later_is_told_of_by_a_receipt_and_a_signed_webhook() {
    let (service, hook) = (started(launch(), false), Hook::willing());
    let notary = Notary::of(&service);
    let key = webhook_key(&service);
    let receipt = watch(&service, PARTY, Some(hook.url("localhost", "/hook?for=me")));
    verify(&receipt, &notary);
    assert_eq!((text(&receipt, "class"), text(&receipt, "verdict")), ("watch", "WATCHING"));
    assert_eq!(
        (text(&receipt["screen"], "verdict"), text(&receipt["screen"], "entity")),
        ("NO_MATCH", PARTY)
    );
    assert_eq!(receipt["evidence"]["snapshots"][0], receipt["screen"]["lists"][0]["snapshot"]);
    assert_eq!(text(&receipt["watch"], "webhook_key"), key);
    let before = standing(&service, &receipt);
    assert_eq!((text(&before, "status"), text(&before, "receipt_hash")), ("live", hash(&receipt)));
    assert_eq!((&before["snapshots"], &before["alerts"]), (&receipt["evidence"]["snapshots"], &json!([])));

    publish(&service, 21, true);
    let alert = alerts(&service, &receipt, 1).remove(0);
    let told = service.get(&format!("/receipts/{}", text(&alert, "receipt_hash"))).expect(200).json();
    verify(&told, &notary);
    assert_eq!((text(&told, "class"), text(&told, "verdict")), ("screen-entity", "MATCH"));
    assert_eq!((text(&told, "agent"), &told["request_hash"]), ("watcher", &receipt["request_hash"]));
    assert_eq!(told["watch"], json!({"sha256": receipt["watch"]["sha256"], "before": "NO_MATCH"}));
    assert!(!told.to_string().contains(&id(&receipt)), "who is shown it cannot end the watch");

    until("the webhook", || standing(&service, &receipt)["alerts"][0]["webhook"]["state"] == "delivered");
    let received = hook.received("/hook?for=me");
    assert_eq!(received.len(), 1);
    received[0].verify(&key);
    assert_eq!(received[0].header("webhook-id"), hash(&told));
    assert_eq!(received[0].header("content-type"), "application/json");
    verify(&received[0].json(), &notary);
    assert_eq!(hash(&received[0].json()), hash(&told));
    assert_eq!(service.post("/verify", &received[0].body).expect(200).json()["valid"], true);
    let after = standing(&service, &receipt);
    assert_eq!((text(&after, "verdict"), &after["snapshots"]), ("MATCH", &told["evidence"]["snapshots"]));
}

#[test]
fn a_change_back_is_told_too_and_what_stays_the_same_is_not() {
    let service = started(launch(), true);
    let wallet = json!({"agent": "watcher", "wallet": WALLET, "chain": "bitcoin"});
    let wallet = told(&service.ask("/watch", &wallet));
    let (party, nobody) = (watch(&service, PARTY, None), watch(&service, "Nobody Of That Kind", None));
    for (receipt, verdict) in [(&wallet, "MATCH"), (&party, "MATCH"), (&nobody, "NO_MATCH")] {
        assert_eq!(text(&receipt["screen"], "verdict"), verdict);
    }
    publish(&service, 21, false);
    let classes = [(&wallet, "screen-wallet", "NO_MATCH"), (&party, "screen-entity", "NO_MATCH")];
    for (receipt, class, verdict) in classes {
        let alert = alerts(&service, receipt, 1).remove(0);
        assert_eq!((text(&alert, "verdict"), &alert["webhook"]), (verdict, &Value::Null));
        let told = service.get(&format!("/receipts/{}", text(&alert, "receipt_hash"))).expect(200).json();
        assert_eq!((text(&told, "class"), text(&told, "verdict")), (class, verdict));
    }
    publish(&service, 22, true);
    assert_eq!(text(&alerts(&service, &party, 2)[0], "verdict"), "MATCH", "the newest comes first");
    until("the other was screened", || {
        standing(&service, &nobody)["snapshots"] == standing(&service, &party)["snapshots"]
    });
    assert_eq!(standing(&service, &nobody)["alerts"], json!([]));
}

/// What looks like the hash of a receipt in what somebody was shown.
fn hashes(shown: &str) -> impl Iterator<Item = &str> {
    shown.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| word.len() == 64)
}

#[test]
fn a_dispute_over_a_watch_gives_nobody_its_id() {
    let service = started(launch(), false);
    let receipt = watch(&service, PARTY, Some("http://localhost:9/hook-of-the-watcher".to_owned()));
    publish(&service, 21, true);
    let alert = alerts(&service, &receipt, 1).remove(0);
    let notary = Notary::of(&service);
    let proof = pays(1_000_000);
    let disputed = |receipt_hash: &str| {
        let question = json!({"agent": "d", "receipt_hash": receipt_hash, "reason": "It says otherwise."});
        service.send(&with_proof(Request::json("/dispute", &question), &proof))
    };
    let refused = disputed(hash(&receipt));
    assert_eq!(text(&refused.problem(409), "error"), "not_disputable");
    assert!(text(&refused.problem(409), "detail").contains("cannot be judged again"));
    let verified = service.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json();
    assert_eq!(verified["disputes"], json!([]));
    // The bond that was offered is still good.
    let dispute = disputed(text(&alert, "receipt_hash")).expect(200).json();
    assert_eq!((text(&dispute, "verdict"), text(&dispute, "reason")), ("UPHELD", "same_verdict"));
    verify(&dispute, &notary);
    // Nor does anything that a stranger is led to from there.
    let mut shown =
        vec![dispute.to_string(), service.get(&format!("/r/{}", hash(&dispute))).expect(200).text()];
    let led_to: Vec<String> = shown.iter().flat_map(|shown| hashes(shown)).map(str::to_owned).collect();
    let looked_up = led_to.iter().map(|hash| service.get(&format!("/receipts/{hash}")));
    let found: Vec<String> =
        looked_up.filter(|answer| answer.status == 200).map(|answer| answer.text()).collect();
    assert!(
        found.iter().any(|found| found.contains("\"class\":\"screen-entity\"")),
        "the receipt of the change"
    );
    shown.extend(found);
    for shown in shown {
        for secret in [&*id(&receipt), "hook-of-the-watcher"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
    assert_eq!(text(&standing(&service, &receipt), "status"), "live");
}

#[test]
fn no_log_line_has_what_a_path_is_known_by() {
    let service = started(launch().set("LOG", "trace,access=trace"), true);
    let receipt = watch(&service, PARTY, None);
    standing(&service, &receipt);
    for path in ["/receipts/{}", "/r/{}", "/verify?hash={}"] {
        service.get(&path.replace("{}", hash(&receipt))).expect(200);
    }
    let delete = Request::new("DELETE", &path(&receipt));
    service.send(&delete).expect(204);
    let said = service.stop();
    assert!(said.contains("/watch/{id}"), "the routes are there: {said}");
    for known_by in [&*id(&receipt), hash(&receipt)] {
        let line = said.lines().find(|line| line.contains(known_by));
        assert!(line.is_none(), "{known_by} in {line:?}");
    }
}

#[test]
fn a_paid_watch_is_there_and_one_too_many_is_refused_before_any_money() {
    let service = started(launch().configured("[routes.watch]\nfree = 0\n"), false);
    let question = |number: u32| json!({"agent": "payer", "entity": PARTY, "n": number.to_string()});
    let unpaid = service.ask("/watch", &question(0)).problem(402);
    assert_eq!(text(&unpaid["accepts"][0], "amount"), "0.10");
    let mut receipts = Vec::new();
    for number in 0..100 {
        let paid = with_proof(Request::json("/watch", &question(number)), &pays(PRICE));
        receipts.push(told(&service.send(&paid)));
    }
    assert_eq!(text(&receipts[0]["payment"], "amount"), "0.10");
    assert_eq!(text(&standing(&service, &receipts[99]), "status"), "live");
    let paid = with_proof(Request::json("/watch", &question(100)), &pays(PRICE));
    assert_eq!(text(&service.send(&paid).problem(409), "error"), "watch_limit");
    let stats = service.get("/stats").expect(200).json();
    assert_eq!(text(&stats["revenue"]["USDC"], "total"), "10.00");
    service.send(&Request::new("DELETE", &path(&receipts[0]))).expect(204);
    // The very proof that was refused is still good.
    service.send(&paid).expect(200);
}

#[test]
fn a_free_watch_over_the_limit_is_refused_and_other_agents_are_not() {
    let service = started(launch(), false);
    for _ in 0..100 {
        watch(&service, PARTY, None);
    }
    let question = json!({"agent": "watcher", "entity": PARTY});
    assert_eq!(text(&service.ask("/watch", &question).problem(409), "error"), "watch_limit");
    let paid = with_proof(Request::json("/watch", &question), &pays(PRICE));
    assert_eq!(text(&told(&service.send(&paid))["payment"], "amount"), "0.10");
    service.ask("/watch", &json!({"agent": "another", "entity": PARTY})).expect(200);
}
