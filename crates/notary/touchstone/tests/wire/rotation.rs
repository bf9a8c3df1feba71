//! Changes of the receipt key while callers call: no call fails, and what a former key signs later does not hold.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use peers::postgres::Server;
use receipt::history::KeyHistory;
use receipt::key::{KeyState, PublishedKey, parse_jwks, parse_log_keys};
use receipt::verify::{Keys, Report, Verifier};
use serde_json::{Value, json};

use crate::command::said;
use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, commit, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service};
use crate::support::thief::Thief;

/// Callers at the same time: each second one pays.
const CALLERS: usize = 8;

pub(super) fn launch() -> Launch {
    Launch::dev().without_limits().set("BASE_URL", BASE_URL)
}

/// Starts so many callers over these services. They end when `is_over` is set.
pub(super) fn start_callers(
    services: &[Arc<Service>],
    is_over: &Arc<AtomicBool>,
    receipts: &Arc<Mutex<Vec<Value>>>,
) -> Vec<thread::JoinHandle<()>> {
    let start = |caller: usize| {
        // Two callers in a row ask one service, so that each has payers and others.
        let service = Arc::clone(&services[caller / 2 % services.len()]);
        let (is_over, receipts) = (Arc::clone(is_over), Arc::clone(receipts));
        thread::spawn(move || call(&service, caller, &is_over, &receipts))
    };
    (0..CALLERS).map(start).collect()
}

/// Runs `touchstone keys` and gives what it printed; it must have ended well.
#[track_caller]
pub(super) fn keys(service: &Service, arguments: &[&str]) -> String {
    let said = said(service.command([&["keys"], arguments].concat()), "");
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

fn published(service: &Service) -> Vec<PublishedKey> {
    parse_jwks(service.get("/.well-known/jwks.json").expect(200).text().as_bytes()).unwrap()
}

/// The verifier with the keys that the service publishes, those of its log included.
pub(super) fn verifier(service: &Service) -> Verifier {
    let set = service.get("/.well-known/jwks.json").expect(200).text();
    let keys = Keys::new(published(service), Vec::new()).unwrap();
    Verifier::new(keys.with_log_keys(parse_log_keys(set.as_bytes()).unwrap()))
}

pub(super) fn report(verifier: &Verifier, receipt: &Value) -> Report {
    verifier.verify(receipt.to_string().as_bytes()).unwrap()
}

/// The records that the service shows, all of which verify.
pub(super) fn records(service: &Service) -> Vec<Value> {
    let shown = service.get("/keys").expect(200).json();
    assert_eq!(shown["next"], Value::Null);
    let records = shown["receipts"].as_array().unwrap().clone();
    let verifier = verifier(service);
    for record in &records {
        let report = report(&verifier, record);
        assert!(report.valid(), "{report:?}");
    }
    records
}

fn leaf_of(receipt: &Value) -> u64 {
    let line = text(receipt, "proof").lines().find_map(|line| line.strip_prefix("index ")).unwrap();
    line.parse().unwrap()
}

/// Calls until it is told to stop. Gives the receipts; each call must have succeeded.
fn call(service: &Service, caller: usize, is_over: &AtomicBool, receipts: &Mutex<Vec<Value>>) {
    let mut connection = service.connect();
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let request = match caller % 2 {
            0 => with_proof(commit(&format!("{caller} {number}")), &pays(PRICE)),
            _ => Request::json("/claim-verdict", &signed(&format!("caller-{caller}"))),
        };
        let answer = connection.exchange(&request);
        assert_eq!(answer.status, 200, "call {number} of caller {caller}: {}", answer.text());
        receipts.lock().unwrap().push(answer.json());
    }
}

#[test]
fn the_receipt_key_is_rotated_and_revoked_under_load_without_one_failed_call() {
    let service = Arc::new(launch().start());
    let thief = Thief::of(&service);
    let first = Notary::of(&service).kid;
    assert_eq!(records(&service).len(), 4, "one of each key");
    let (is_over, receipts) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let callers = start_callers(&[Arc::clone(&service)], &is_over, &receipts);
    let mut kids = vec![first.clone()];
    for _ in 0..2 {
        let said = keys(&service, &["rotate", "receipt"]);
        kids.push(service.claim(&signed("a"))["kid"].as_str().unwrap().to_owned());
        assert!(said.starts_with(&format!("receipt key: {}, from leaf ", kids.last().unwrap())), "{said}");
    }
    let thumbprint = kids.last().unwrap().split_once('#').unwrap().1.to_owned();
    let said = keys(&service, &["revoke", &thumbprint, "--reason", "a backup was lost"]);
    kids.push(service.claim(&signed("a"))["kid"].as_str().unwrap().to_owned());
    assert!(said.contains(kids.last().unwrap()), "{said}");
    is_over.store(true, Ordering::SeqCst);
    callers.into_iter().for_each(|caller| caller.join().unwrap());

    let published = published(&service);
    let of_receipts: Vec<_> = published.iter().filter(|key| key.state != KeyState::Rerun).collect();
    assert_eq!((of_receipts.len(), of_receipts[0].kid.as_str()), (4, &**kids.last().unwrap()));
    let revoked = published.iter().find(|key| key.kid.as_str() == kids[2]).unwrap();
    assert_eq!(revoked.range.as_ref().unwrap().revoked.as_deref(), Some("a backup was lost"));

    let verifier = verifier(&service);
    let receipts = receipts.lock().unwrap();
    for receipt in &*receipts {
        let report = report(&verifier, receipt);
        assert!(report.valid(), "{report:?}");
    }
    for kid in &kids[..2] {
        assert!(
            receipts.iter().any(|receipt| receipt["kid"] == **kid),
            "calls went on while {kid} was in use"
        );
    }
    assert_history(&service, &published, &kids);
    assert_forgeries_fail(&service, &thief, &receipts[0], &published);
    assert!(service.get("/health").json()["modules"].get("keys").is_none());

    let data = Arc::clone(&service.data);
    Arc::into_inner(service).unwrap().stop();
    for name in ["receipt.next.pem", "receipt.revoke"] {
        assert!(!data.path().join("keys").join(name).exists(), "{name}");
    }
    let again = launch().on(&data).start();
    assert_eq!(self::published(&again), published);
    assert_eq!(text(&again.claim(&signed("a")), "kid"), kids.last().unwrap());
    let kept = fs::read(data.path().join("keys/retired.jwks")).unwrap();
    assert_eq!(parse_jwks(&kept).unwrap(), of_receipts.into_iter().skip(1).cloned().collect::<Vec<_>>());
}

/// That the records tell the history that the key set has, and say in which order it came about.
#[track_caller]
fn assert_history(service: &Service, published: &[PublishedKey], kids: &[String]) {
    let records = records(service);
    let verdicts: Vec<_> = records.iter().map(|record| text(record, "verdict")).collect();
    let begun = ["INTRODUCED"; 4];
    assert_eq!(verdicts, [&begun[..], &["ROTATED", "ROTATED", "REVOKED"]].concat());
    // A rotated key signs its own end, a revoked one nothing any more.
    let signers: Vec<_> = records[4..].iter().map(|record| text(record, "kid")).collect();
    assert_eq!(signers, [&kids[0], &kids[1], &kids[3]]);
    let mut history = KeyHistory::default();
    for record in &records {
        let stored =
            service.get(&format!("/receipts/{}.jws", text(record, "receipt_hash"))).expect(200).text();
        let mut parts = stored.split('.').skip(1).map(|part| {
            use base64::Engine as _;
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap()
        });
        let (payload, signature) = (parts.next().unwrap(), parts.next().unwrap());
        history.add(leaf_of(record), &payload, &signature.try_into().unwrap()).unwrap();
    }
    assert_eq!(history.published(), published);
}

/// That receipts which a thief of the first key signs fail at every leaf from its end on, offline and on the service.
#[track_caller]
fn assert_forgeries_fail(service: &Service, thief: &Thief, receipt: &Value, published: &[PublishedKey]) {
    let first = published.iter().find(|key| key.range.as_ref().is_some_and(|range| range.from == 0)).unwrap();
    let until = first.range.as_ref().unwrap().until.unwrap();
    let verifier = verifier(service);
    for leaf in [until, until + 100] {
        let forged = thief.sign_at(receipt.clone(), leaf);
        let report = report(&verifier, &forged);
        assert_eq!(report.failed().collect::<Vec<_>>(), ["key"], "{report:?}");
        let why = format!("the leaf {leaf} is past the key's range, which ended at {until}");
        assert_eq!(report.key.detail, why);
        let answer = service.ask("/verify", &forged).expect(200).json();
        assert_eq!((&answer["valid"], &answer["checks"]["key"]["detail"]), (&json!(false), &json!(why)));
    }
    // Dated back, it passes for one of its time by itself; the log shows that it never had it.
    let forged = thief.sign_at(receipt.clone(), until - 1);
    assert!(report(&verifier, &forged).valid());
    assert_eq!(service.ask("/verify", &forged).expect(200).json()["valid"], false);
}

/// Asks the replicas in turn, as a monitor behind a balancer does: none has fewer records of keys or leaves than the one before.
/// Returns the number of records of keys at the end.
fn watch_in_turn(services: &[Arc<Service>], is_over: &AtomicBool) -> usize {
    let (mut records, mut leaves) = (0, 0);
    for service in services.iter().cycle().take_while(|_| !is_over.load(Ordering::SeqCst)) {
        let keys = shown_by(service, "/keys").json();
        let shown = keys["receipts"].as_array().unwrap().len();
        assert!(shown >= records, "{shown} records of keys after {records}");
        let note = shown_by(service, "/log/checkpoint").text();
        let size: u64 = note.lines().nth(1).unwrap().parse().unwrap();
        assert!(size >= leaves, "{size} leaves after {leaves}");
        (records, leaves) = (shown, size);
    }
    records
}

/// The page of a replica, whose store may be late.
fn shown_by(service: &Service, path: &str) -> Answer {
    loop {
        let answer = service.get(path);
        if answer.status != 503 {
            return answer.expect(200);
        }
    }
}

#[test]
fn a_service_does_not_start_with_a_former_receipt_key() {
    let service = launch().start();
    let data = Arc::clone(&service.data);
    let folder = data.path().join("keys");
    fs::copy(folder.join("receipt.pem"), folder.join("former")).unwrap();
    keys(&service, &["rotate", "receipt"]);
    let (kid, set) = (Notary::of(&service).kid, keys(&service, &["jwks"]));
    service.stop();
    // The folder of an older backup, and the whole set beside it, in which the key in use counts as a retired one.
    fs::rename(folder.join("former"), folder.join("receipt.pem")).unwrap();
    fs::write(folder.join("retired.jwks"), set).unwrap();
    let refused = launch().on(&data).refused();
    assert!(refused.contains("is a former one") && refused.contains(&kid), "{refused}");
    fs::remove_file(folder.join("receipt.pem")).unwrap();
    let service = launch().on(&data).start();
    let last = records(&service).pop().unwrap();
    assert_eq!((text(&last, "verdict"), text(&last, "replaces")), ("REVOKED", &*kid));
    assert!(report(&verifier(&service), &service.claim(&signed("a"))).valid());
}

#[test]
fn replicas_change_the_key_once_all_have_it_and_no_call_fails() {
    let database = Server::shared().database();
    let launch =
        || Launch::dev().without_limits().set("STORE", &database.address()).set("BASE_URL", BASE_URL);
    let one = Arc::new(launch().start());
    let second = launch();
    let [here, there] = [&one.data, second.data()].map(|data| data.path().join("keys"));
    fs::create_dir_all(&there).unwrap();
    let copy = |name: &str| {
        // Under another name first: half a key is none.
        fs::copy(here.join(name), there.join("copied")).unwrap();
        fs::rename(there.join("copied"), there.join(name)).unwrap();
    };
    ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"].into_iter().for_each(copy);
    let other = Arc::new(second.start());
    let services = [Arc::clone(&one), Arc::clone(&other)];
    let first = Notary::of(&one).kid;
    assert_eq!(records(&one).len(), 4, "both have logged them once");
    let (is_over, receipts) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let callers = start_callers(&services, &is_over, &receipts);
    let watching = thread::spawn({
        let (services, is_over) = (services.clone(), Arc::clone(&is_over));
        move || watch_in_turn(&services, &is_over)
    });
    let mut command = one.command(["keys", "rotate", "receipt"]);
    command.env("TOUCHSTONE_STORE", database.address());
    let rotating = thread::spawn(move || said(command, ""));
    until("the next key", || here.join("receipt.next.pem").exists());
    // One replica is not ready yet, so nothing changes.
    until("the report of the replica that has the key", || {
        let status = {
            let mut command = one.command(["status", "--json"]);
            command.env("TOUCHSTONE_STORE", database.address());
            said(command, "")
        };
        status.out.contains("\"next_key\": \"did:web:")
    });
    assert_eq!(Notary::of(&one).kid, first);
    copy("receipt.next.pem");
    let said = rotating.join().unwrap();
    assert_eq!(said.code, Some(0), "{said:?}");
    let kid = Notary::of(&one).kid;
    assert!(kid != first && said.out.contains(&kid), "{said:?}");
    until("the other replica has the key in its folder", || !there.join("receipt.next.pem").exists());
    for service in &services {
        assert_eq!(text(&service.claim(&signed("a")), "kid"), kid);
    }
    is_over.store(true, Ordering::SeqCst);
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    assert!(watching.join().unwrap() > 4, "it looked after the change too");
    let published = published(&one);
    assert_eq!(self::published(&other), published);
    let verifier = verifier(&other);
    let receipts = receipts.lock().unwrap();
    for receipt in &*receipts {
        let report = report(&verifier, receipt);
        assert!(report.valid(), "{report:?}");
    }
    assert!([&first, &kid].into_iter().all(|kid| receipts.iter().any(|receipt| receipt["kid"] == **kid)));
    for folder in [&here, &there] {
        let kept = parse_jwks(&fs::read(folder.join("retired.jwks")).unwrap()).unwrap();
        assert_eq!(kept, published[1..2]);
    }
}
