//! Two replicas over one PostgreSQL: what they must agree on, what is seen of them, and how one goes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use peers::postgres::{Database, Server};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::HANG;
use crate::support::claims::signed;
use crate::support::http::Request;
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service, run, touchstone};

/// A replica that is yet to be started, with the keys of another one.
fn replica(database: &Database, keys_of: Option<&Service>) -> Launch {
    let launch = Launch::serve().set("STORE", &database.address());
    if let Some(other) = keys_of {
        copy_keys(&other.path("keys"), &launch.data().path().join("keys"));
    }
    launch
}

fn copy_keys(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for key in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(key.path(), to.join(key.file_name())).unwrap();
    }
}

/// What a command says that is given the store and this data folder.
fn said(database: &Database, data: &Arc<TempDir>, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = touchstone(arguments);
    command.env("TOUCHSTONE_STORE", database.address()).env("TOUCHSTONE_BASE_URL", BASE_URL);
    command.env("TOUCHSTONE_DATA_DIR", data.path());
    let output = run(command, b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn status(database: &Database, data: &Arc<TempDir>) -> Value {
    let (_, out, err) = said(database, data, &["status", "--json"]);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < HANG, "{what}");
        thread::sleep(Duration::from_millis(100));
    }
}

const OTHER_PRICE: &str = "[routes.commit]\nprice = \"0.07\"\n";

#[test]
fn replicas_agree_on_keys_and_prices_are_seen_in_status_and_drain_before_they_go() {
    let database = Server::shared().database();
    let one = replica(&database, None).start();
    let receipt = one.claim(&signed("a"));
    assert_eq!((one.get("/livez").status, one.get("/readyz").status), (200, 200));

    // Another key, a missing one, another price: each is refused by its name, and nothing is made.
    for (key, word) in [("rerun.pem", "rerun.pem"), ("webhook.pem", "webhook.pem"), ("log.pem", "log.pem")] {
        let launch = replica(&database, Some(&one));
        let path = launch.data().path().join("keys").join(key);
        fs::remove_file(&path).unwrap();
        let refused = launch.refused();
        assert!(refused.contains(word) && !path.exists(), "{refused}");
    }
    let launch = replica(&database, Some(&one)).configured(OTHER_PRICE);
    let data = launch.data().clone();
    let refused = launch.refused();
    assert!(refused.contains("price of commit: 0.070000 USD, was 0.100000 USD"), "{refused}");
    assert!(refused.contains("config adopt"), "{refused}");

    // Adopted, it starts, and the first one is said to ask for another price until it is reloaded.
    let (code, out, err) = said(&database, &data, &["config", "adopt"]);
    assert!(
        code == Some(0) && out.contains("price of commit: 0.070000 USD") && out.contains("SIGHUP"),
        "{out}{err}"
    );
    let (_, out, _) = said(&database, &data, &["config", "adopt"]);
    assert!(out.contains("nothing to change"), "{out}");
    let mut two = replica(&database, None).on(&data).start();
    let hash = text(&receipt, "receipt_hash");
    assert_eq!(two.get(&format!("/verify?hash={hash}")).expect(200).json()["valid"], true);
    until("both are seen", || {
        let replicas = status(&database, &data)["replicas"].as_array().unwrap().clone();
        let prices = replicas.iter().filter(|one| one["problems"].to_string().contains("SIGHUP")).count();
        let lagging = replicas.iter().filter(|one| one["lag"] != 0).count();
        replicas.len() == 2 && prices == 1 && lagging == 0
    });
    assert_eq!(two.get("/stats").expect(200).json()["replicas"], 2);
    fs::write(one.path("touchstone.toml"), OTHER_PRICE).unwrap();
    one.hang_up();
    until("the first one has the new price", || {
        !status(&database, &data)["replicas"].to_string().contains("SIGHUP")
    });

    // The second one goes: callers are sent elsewhere, and answered as long as some come.
    let mut waiting = two.connect();
    two.terminate();
    until("balancers are told", || two.get("/readyz").status == 503);
    assert_eq!(waiting.exchange(&Request::get("/livez")).status, 200);
    two.claim(&signed("b"));
    assert!(two.wait().success());
    until("it is gone", || status(&database, &data)["replicas"].as_array().unwrap().len() == 1);
}

#[test]
fn while_no_server_takes_writes_receipts_are_served_and_verdict_routes_answer_503_store() {
    let database = Server::shared().database();
    let service = replica(&database, None).with_name_server().start();
    let receipt = service.claim(&signed("a"));
    let take_no_writes = |read_only: bool| {
        let name = database.name();
        let server = database.server();
        let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = {read_only}");
        server.sql("postgres", &set);
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        server.sql("postgres", &end);
    };
    take_no_writes(true);
    until("the store is away", || service.get("/health").json()["modules"]["store"] == "away");
    let refused = service.ask("/claim-verdict", &signed("b")).expect(503);
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    assert_eq!(refused.json()["module"], "store", "{refused:?}");
    let hash = text(&receipt, "receipt_hash");
    assert_eq!(service.get(&format!("/verify?hash={hash}")).expect(200).json()["valid"], true);
    for path in [&format!("/receipts/{hash}"), "/log/checkpoint", "/log/tile/0/000.p/1", "/readyz", "/stats"]
    {
        service.get(path).expect(200);
    }
    take_no_writes(false);
    until("the store is back", || service.ask("/claim-verdict", &signed("b")).status == 200);
    assert_eq!(service.get("/health").expect(200).json()["modules"].get("store"), None);
}
