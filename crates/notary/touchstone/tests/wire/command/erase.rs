//! `touchstone erase`: what the service still says of a receipt that was erased, and what is refused.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use verdict::{Clock as _, SystemClock};

use super::{Said, said};
use crate::support::KEY_RECORDS;
use crate::support::http::Request;
use crate::support::money::{commit, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{entry, hash, logged, text, verify};
use crate::support::service::{BASE_URL, Launch, Service};
use crate::support::store::Forger;

const DAY_MS: i64 = 86_400_000;
/// A word that is nowhere but in the receipt that is erased.
const SECRET: &str = "Zacharias-Quintilian-Unforgettable";

/// Receipts of so many days ago, in a data folder whose service does not run.
fn of_days_ago(data: &Path, days: i64, requests: &[Value]) -> Vec<Value> {
    let at = SystemClock::start().now().saturating_add_millis(-days * DAY_MS);
    let forger = Forger::at(data, BASE_URL, at);
    requests.iter().map(|request| forger.sign("commit", request, "COMMITTED")).collect()
}

fn launch(data: &std::sync::Arc<TempDir>) -> Launch {
    Launch::serve().on(data)
}

/// Erases receipts beside the running service.
fn erase(service: &Service, arguments: &[&str]) -> Said {
    said(service.command([&["erase"], arguments].concat()), "")
}

/// What a command wrote, a JSON document a line.
fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// True if a file of the store holds these bytes.
fn holds(data: &Path, bytes: &str) -> bool {
    ["store.sqlite", "store.sqlite-wal"].into_iter().any(|name| {
        let file = std::fs::read(data.join(name)).unwrap_or_default();
        file.windows(bytes.len()).any(|window| window == bytes.as_bytes())
    })
}

#[test]
fn an_erased_receipt_is_gone_and_its_leaf_and_proof_are_not() {
    let data = std::sync::Arc::new(TempDir::new().unwrap());
    let request = json!({"agent": SECRET, "content": SECRET.repeat(300)});
    let other = json!({"agent": "scout-7", "content": "another"});
    let [erased, kept] = of_days_ago(data.path(), 10, &[request, other]).try_into().unwrap();
    let service = launch(&data).start();
    assert!(holds(data.path(), SECRET));
    let told = erase(&service, &[hash(&erased), "--reason", "a request by letter"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let line = lines(&told).remove(0);
    assert_eq!((&line["state"], &line["shared_evidence"]), (&json!("erased"), &json!(0)));
    assert!(!holds(data.path(), SECRET), "neither in the file nor in its WAL");

    let notary = Notary::of(&service);
    let logged_by = service.get(&format!("/receipts/{}", text(&line, "logged_by"))).expect(200).json();
    verify(&logged_by, &notary);
    assert_eq!(text(&logged_by, "class"), "erasure");
    assert_eq!(text(&logged_by, "verdict"), "ERASED");
    assert_eq!(text(&logged_by, "ref"), hash(&erased));
    assert_eq!(text(&logged_by, "reason"), "a request by letter");
    assert_eq!((&logged_by["leaf"], &logged_by["method"]), (&json!(0), &json!("erasure/1")));

    for path in
        ["/receipts/HASH", "/receipts/HASH.jws", "/receipts/HASH.tlog-proof", "/verify?hash=HASH", "/r/HASH"]
    {
        let problem = service.get(&path.replace("HASH", hash(&erased))).problem(410);
        assert_eq!((&problem["code"], &problem["valid"]), (&json!("erased"), &json!(false)), "{path}");
        let shown = &problem["erased"];
        assert!(
            text(&problem, "detail").starts_with(&format!("erased on {}", text(shown, "at"))),
            "{problem}"
        );
        assert_eq!(shown["leaf"], 0);
        assert_eq!(text(shown, "entry").as_bytes(), entry(&erased));
        assert_eq!(text(shown, "logged_by"), hash(&logged_by));
        logged(&erased, text(shown, "proof"), &notary);
    }
    let page = Request::get(&format!("/r/{}", hash(&erased))).header("Accept", "text/html");
    let page = service.send(&page).expect(410).text();
    assert!(page.contains("This receipt was erased") && page.contains(hash(&logged_by)), "{page}");
    assert!(!page.contains(SECRET));

    // Whoever has the receipt verifies it, with or without its proof.
    let mut unproven = erased.clone();
    unproven.as_object_mut().unwrap().remove("proof");
    for receipt in [&erased, &unproven] {
        let report = service.ask("/verify", receipt).expect(200).json();
        assert_eq!(report["valid"], true, "{report}");
    }
    let dispute = json!({"agent": "critic", "receipt_hash": hash(&erased), "reason": "so"});
    let dispute = service.ask("/dispute", &dispute);
    assert!([402, 409, 503].contains(&dispute.status), "{}", dispute.text());
    service.get(&format!("/receipts/{}", hash(&kept))).expect(200);

    let again = erase(&service, &[hash(&erased)]);
    assert_eq!(again.code, Some(0), "{again:?}: it is what was wanted");
    service.stop();
    let service = launch(&data).start();
    service.get(&format!("/receipts/{}", hash(&erased))).problem(410);
}

#[test]
fn what_may_be_disputed_is_not_erased_and_neither_is_what_is_not_there() {
    let data = std::sync::Arc::new(TempDir::new().unwrap());
    let request = json!({"agent": "scout-7", "content": "of yesterday"});
    let [recent] = of_days_ago(data.path(), 1, &[request]).try_into().unwrap();
    let service = launch(&data).start();
    let unknown = "ab".repeat(32);
    let told = erase(&service, &[hash(&recent), &unknown]);
    assert_eq!(told.code, Some(1), "{told:?}");
    let lines = lines(&told);
    let why = |line: &Value| text(line, "why").to_owned();
    assert!(why(&lines[0]).contains("can be disputed until"), "{told:?}");
    assert!(why(&lines[0]).contains("it can be erased after"), "{told:?}");
    assert!(why(&lines[1]).contains("no receipt of this hash"), "{told:?}");
    service.get(&format!("/receipts/{}", hash(&recent))).expect(200);
    for wrong in ["", "AB", "zz", &"AB".repeat(32)] {
        let told = erase(&service, &[wrong]);
        assert_eq!(told.code, Some(1), "{wrong}: {told:?}");
        assert!(told.err.contains("no hash of a receipt"), "{told:?}");
    }
    let long = erase(&service, &[hash(&recent), "--reason", &"x".repeat(501)]);
    assert!(long.code == Some(1) && long.err.contains("500"), "{long:?}");
    assert_eq!(erase(&service, &[]).code, Some(2), "no hash");
}

#[test]
fn without_a_service_the_command_erases_by_itself() {
    let data = std::sync::Arc::new(TempDir::new().unwrap());
    let request = json!({"agent": SECRET, "content": SECRET});
    let [erased] = of_days_ago(data.path(), 10, &[request]).try_into().unwrap();
    let service = launch(&data).start();
    let address = service.address;
    service.stop();
    let mut command = crate::support::service::touchstone(["erase", hash(&erased)]);
    command
        .env("TOUCHSTONE_DATA_DIR", data.path())
        .env("TOUCHSTONE_LISTEN", address.to_string())
        .env("TOUCHSTONE_LISTS_REFRESH", "off")
        .env("TOUCHSTONE_BASE_URL", BASE_URL);
    let told = said(command, "");
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(!holds(data.path(), SECRET));
    let service = launch(&data).start();
    service.get(&format!("/receipts/{}", hash(&erased))).problem(410);
    let record = text(&lines(&told)[0], "logged_by").to_owned();
    let told = erase(&service, &[&record]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(text(&lines(&told)[0], "why").contains("a record of the log itself"), "{told:?}");
}

#[test]
fn a_paid_retry_of_an_erased_receipt_says_so_and_takes_nothing() {
    let launch = || Launch::dev().set("BASE_URL", "http://localhost:8402");
    let service = launch().start();
    let request = with_proof(commit(SECRET), &pays(100_000));
    let receipt = service.send(&request).expect(200).json();
    let data = std::sync::Arc::clone(&service.data);
    // The receipt is of now, so its time of disputes is let pass behind the notary's back.
    service.stop();
    let store = Connection::open(data.path().join("store.sqlite")).unwrap();
    let request_of = "DELETE FROM requests";
    assert_eq!(store.execute(request_of, []).unwrap() as u64, KEY_RECORDS + 1);
    drop(store);
    let service = launch().on(&data).start();
    let told = erase(&service, &[hash(&receipt)]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let again = service.send(&request).problem(410);
    assert_eq!(again["code"], "erased");
    assert_eq!(again["erased"]["leaf"], KEY_RECORDS);
}

#[test]
fn the_catalog_says_how_long_each_class_is_kept() {
    let service = Launch::dev()
        .configured("[retention]\ndefault_hours = 24\n[retention.class]\ncommit = 720\n")
        .start();
    let catalog = service.get("/catalog").expect(200).json();
    let hours = &catalog["kept"]["request_and_evidence_hours"];
    assert_eq!((&hours["commit"], &hours["claim-verdict"]), (&json!(792), &json!(96)));
    assert_eq!((&hours["watch"], &hours["dispute"]), (&json!(24), &json!(24)));
    assert_eq!(catalog["kept"]["trials_days"], 90);
    let refused = Launch::dev().configured("[retention.class]\ncomit = 1\n").refused();
    assert!(refused.contains("retention.class.comit"), "{refused}");
}
