//! The log's key elsewhere: behind a command, and in a PKCS#11 token. What is signed, what is refused, and what happens while
//! the signer is late, fails or lies.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use peers::softhsm::{Token, VARIABLE};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::HANG;
use crate::support::claims::signed;
use crate::support::http::Answer;
use crate::support::service::{BASE_URL, Launch, Service, run};

fn openssl(arguments: &[&str]) {
    let ran = Command::new("openssl").args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn launch() -> Launch {
    Launch::dev().set("BASE_URL", BASE_URL).without_limits().with_name_server()
}

/// A notary that has run with its key in a file, which then was moved out of the keys folder.
struct Moved {
    data: Arc<TempDir>,
    vkey: String,
    /// A receipt of before.
    receipt: Value,
}

impl Moved {
    fn new() -> Self {
        let launch = launch();
        let data = Arc::clone(launch.data());
        let service = launch.start();
        let receipt = service.claim(&signed("before"));
        let vkey = vkey(&service);
        service.stop();
        let moved = Self { data, vkey, receipt };
        fs::rename(moved.data.path().join("keys/log.pem"), moved.key()).unwrap();
        openssl(&["pkey", "-in", &moved.key(), "-pubout", "-out", &moved.path("log.pub.pem")]);
        moved
    }

    fn path(&self, name: &str) -> String {
        self.data.path().join(name).to_str().unwrap().to_owned()
    }

    fn key(&self) -> String {
        self.path("elsewhere.pem")
    }

    fn with(&self, table: &str) -> Launch {
        let table = format!("[log_signer]\npublic_key = \"{}\"\n{table}\n", self.path("log.pub.pem"));
        launch().on(&self.data).configured(&table).with_name_server()
    }

    /// The line of docs/keys.md.
    fn with_openssl(&self) -> Launch {
        self.with(&format!(
            "command = [\"openssl\", \"pkeyutl\", \"-sign\", \"-rawin\", \"-inkey\", \"{}\", \"-in\", \"/dev/stdin\"]",
            self.key()
        ))
    }
}

fn vkey(service: &Service) -> String {
    service.get("/.well-known/service.json").json()["log"]["vkey"].as_str().unwrap().to_owned()
}

fn verifies(service: &Service, receipt: &Value) {
    let output = run(service.command(["verify", "-"]), receipt.to_string().as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Looks at the health until it is so.
fn until(service: &Service, is_so: impl Fn(&Answer) -> bool) {
    let begun = Instant::now();
    loop {
        let health = service.get("/health");
        if is_so(&health) {
            return;
        }
        assert!(begun.elapsed() < HANG, "{}: {}", health.text(), service.said());
        thread::sleep(Duration::from_millis(50));
    }
}

fn command(service: &Service, arguments: &[&str]) -> String {
    let mut command = service.command(arguments);
    command.env("TOUCHSTONE_BASE_URL", BASE_URL);
    let output = run(command, b"");
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_log_goes_on_with_its_key_behind_openssl() {
    let moved = Moved::new();
    let service = moved.with_openssl().start();
    assert_eq!(vkey(&service), moved.vkey, "the same log");
    let receipt = service.claim(&signed("behind a command"));
    verifies(&service, &receipt);
    verifies(&service, &moved.receipt);
    assert!(!moved.data.path().join("keys/log.pem").exists(), "no key is made");

    // What the log key signs besides checkpoints is not offered; what the receipt key signs is.
    let hash = receipt["receipt_hash"].as_str().unwrap();
    let refused = service.get(&format!("/receipts/{hash}.cose"));
    assert_eq!(refused.status, 501);
    assert!(refused.text().contains("signs checkpoints alone"), "{}", refused.text());
    service.get(&format!("/receipts/{hash}.vc")).expect(200);
    let links = format!("{:?}", service.get(&format!("/receipts/{hash}")).headers);
    assert!(!links.contains(".cose") && links.contains(".vc"), "{links}");
    let key = |service: &Service| service.get("/.well-known/did.json").json()["verificationMethod"].clone();
    assert!(key(&service).as_array().unwrap().len() >= 3, "the log's key is among them");

    assert!(command(&service, &["keys", "show"]).contains(&moved.vkey));
    assert!(command(&service, &["keys", "log"]).contains(&moved.vkey));
    let told = command(&service, &["doctor"]);
    assert!(told.contains("log_signer: it answers in"), "{told}");
    assert!(command(&service, &["config", "print"]).contains("[log_signer]"));
    until(&service, |health| health.json()["status"] == "ok");
    service.stop();

    // Another key is another log.
    openssl(&["genpkey", "-algorithm", "ed25519", "-out", &moved.path("other.pem")]);
    openssl(&["pkey", "-in", &moved.path("other.pem"), "-pubout", "-out", &moved.path("log.pub.pem")]);
    let said = moved.with_openssl().refused();
    assert!(said.contains("log_signer.public_key") && said.contains("a log keeps its key"), "{said}");
}

#[test]
fn a_log_is_begun_under_a_key_elsewhere_only_where_the_operator_says_that_it_has_none() {
    let launch = || Launch::dev().set("BASE_URL", BASE_URL);
    let first = launch();
    let data = Arc::clone(first.data());
    let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
    openssl(&["genpkey", "-algorithm", "ed25519", "-out", &path("key.pem")]);
    openssl(&["pkey", "-in", &path("key.pem"), "-pubout", "-out", &path("pub.pem")]);
    let table = format!(
        "[log_signer]\npublic_key = \"{}\"\ncommand = [\"openssl\", \"pkeyutl\", \"-sign\", \"-rawin\", \"-inkey\", \"{}\", \
         \"-in\", \"/dev/stdin\"]\n",
        path("pub.pem"),
        path("key.pem")
    );
    let said = first.configured(&table).refused();
    assert!(said.contains("--new-log") && said.contains("log_signer"), "{said}");
    let made =
        ["store.sqlite", "keys/receipt.pem", "keys/log.pem"].map(|name| data.path().join(name).exists());
    assert_eq!(made, [false; 3], "nothing was made");
    let service = launch().on(&data).flag("--new-log").start();
    let receipt = service.claim(&signed("first"));
    service.stop();
    let service = launch().on(&data).start();
    verifies(&service, &receipt);
    service.stop();
}

/// A signer that does what a file says.
const SCRIPT: &str = r#"#!/bin/sh
folder=$1
case $(cat "$folder/mode") in
    well) openssl pkeyutl -sign -rawin -inkey "$folder/elsewhere.pem" -in /dev/stdin | tee "$folder/former" ;;
    hangs) sleep 600 ;;
    stops) printf 1234; sleep 600 ;;
    dies) kill -9 $$ ;;
    fails) echo no device >&2; exit 1 ;;
    garbage) printf '%064d' 1 ;;
    former) cat "$folder/former" ;;
esac
"#;

#[test]
fn while_the_signer_gives_no_signature_nothing_is_issued_nothing_is_lost_and_no_second_tree_is_signed() {
    let moved = Moved::new();
    let mode = |mode: &str| {
        fs::write(moved.path("mode.new"), mode).unwrap();
        fs::rename(moved.path("mode.new"), moved.path("mode")).unwrap();
    };
    mode("well");
    fs::write(moved.path("sign"), SCRIPT).unwrap();
    fs::set_permissions(moved.path("sign"), fs::Permissions::from_mode(0o700)).unwrap();
    let table = format!("command = [\"{}\", \"{}\"]\nlimit_s = 2", moved.path("sign"), moved.path(""));
    let service = moved.with(&table).start();
    let mut roots = BTreeMap::new();
    let mut look = |service: &Service| {
        let note = service.get("/log/checkpoint").expect(200).text();
        let mut lines = note.lines().skip(1);
        let (size, root) = (lines.next().unwrap().parse::<u64>().unwrap(), lines.next().unwrap().to_owned());
        let known = roots.insert(size, root.clone());
        assert!(known.is_none_or(|known| known == root), "two roots of {size}");
        size
    };
    let surely = |text: &str| {
        let begun = Instant::now();
        loop {
            let answer = service.ask("/claim-verdict", &signed(text));
            if answer.status == 200 {
                return answer.json();
            }
            assert_eq!(answer.status, 503, "{}", answer.text());
            assert!(begun.elapsed() < HANG, "{}", service.said());
        }
    };
    let mut receipts = vec![surely("to begin with")];
    for bad in ["hangs", "stops", "dies", "fails", "garbage", "former"] {
        let before = look(&service);
        mode(bad);
        let answer = service.ask("/claim-verdict", &signed(&format!("{bad}, refused")));
        assert_eq!(answer.status, 503, "{bad}: {}", answer.text());
        assert_eq!(answer.json()["module"], "ledger", "{bad}");
        assert_eq!(look(&service), before, "{bad}: nothing is committed");
        until(&service, |health| {
            let said = health.json()["modules"]["log_signer"].as_str().unwrap_or_default().to_owned();
            assert_eq!(health.status, 200, "{bad}: {}", health.text());
            health.json()["status"] == "degraded" && said.contains("no receipt is issued until")
        });
        // What was issued is answered for.
        verifies(&service, &receipts[0]);
        mode("well");
        receipts.push(surely(&format!("{bad}, then")));
        assert_eq!(look(&service), before + 1, "{bad}");
    }
    // It recovers with no call as well.
    mode("fails");
    assert_eq!(service.ask("/claim-verdict", &signed("the last")).status, 503);
    until(&service, |health| health.json()["modules"]["log_signer"].is_string());
    mode("well");
    until(&service, |health| health.json()["modules"]["log_signer"].is_null());
    for receipt in &receipts {
        verifies(&service, receipt);
    }
    assert!(service.said().contains("no device"), "the log has what the command said");
}

/// The module is led to its tokens by the environment, which the service has from us.
fn with_token(moved: &Moved, token: &Token, pin: &Path) -> Launch {
    moved
        .with(&format!(
            "module = \"{}\"\ntoken = \"{}\"\nkey = \"log\"\npin_file = \"{}\"",
            token.module(),
            Token::LABEL,
            pin.display()
        ))
        .with_environment(VARIABLE, &token.configuration())
}

#[test]
fn a_log_goes_on_with_its_key_in_a_token() {
    let Some(token) = Token::new("the service with its log key in a PKCS#11 token") else { return };
    let moved = Moved::new();
    token.import(Path::new(&moved.key()), "log");
    fs::remove_file(moved.key()).unwrap();
    let pin = moved.data.path().join("pin");
    fs::write(&pin, format!("{}\n", Token::PIN)).unwrap();
    fs::set_permissions(&pin, fs::Permissions::from_mode(0o600)).unwrap();
    let service = with_token(&moved, &token, &pin).start();
    assert_eq!(vkey(&service), moved.vkey);
    for text in ["one", "two", "three"] {
        verifies(&service, &service.claim(&signed(text)));
    }
    until(&service, |health| health.json()["status"] == "ok");
    service.stop();

    // A wrong PIN: the service answers for receipts, and issues none.
    fs::write(&pin, "a wrong one").unwrap();
    let service = with_token(&moved, &token, &pin).start();
    for text in ["four", "five", "six", "seven"] {
        assert_eq!(service.ask("/claim-verdict", &signed(text)).status, 503);
    }
    let hash = moved.receipt["receipt_hash"].as_str().unwrap();
    service.get(&format!("/receipts/{hash}")).expect(200);
    assert!(
        !service.said().contains("a wrong one") && !service.said().contains(Token::PIN),
        "{}",
        service.said()
    );
    service.stop();
    // It was tried once, so the token is not locked.
    fs::write(&pin, Token::PIN).unwrap();
    let service = with_token(&moved, &token, &pin).start();
    verifies(&service, &service.claim(&signed("eight")));
}
