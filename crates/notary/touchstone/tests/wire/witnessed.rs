//! Checkpoints that witnesses cosign: what is served, what it proves, and what is refused.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use receipt::key::SigningKey;
use tempfile::TempDir;

use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::http::Answer;
use crate::support::peer::{Peer, answer};
use crate::support::service::{Launch, Service, run, touchstone};
use crate::support::witness::WitnessProcess;
use crate::support::{HANG, KEY_RECORDS};

/// A folder in which a notary has run once, so that its keys are there; and the key of its log.
fn founded(base_url: &str) -> (Arc<TempDir>, String) {
    let launch = Launch::dev().set("BASE_URL", base_url);
    let data = Arc::clone(launch.data());
    let service = launch.start();
    let vkey = service.get("/.well-known/service.json").json()["log"]["vkey"].as_str().unwrap().to_owned();
    assert_eq!(service.get("/log/policy").status, 404);
    service.stop();
    (data, vkey)
}

/// The notary in a folder, under a policy.
fn under(data: &Arc<TempDir>, base_url: &str, policy: &str) -> Launch {
    let path = data.path().join("policy");
    fs::write(&path, policy).unwrap();
    Launch::dev().on(data).set("BASE_URL", base_url).set("LOG_POLICY", path.to_str().unwrap())
}

/// Asks until the answer is not a 503, which says when to come again.
fn once_cosigned(service: &Service, path: &str) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = service.get(path);
        if answer.status != 503 {
            return answer.expect(200);
        }
        assert_eq!(answer.json()["module"], "witnesses");
        assert!(begun.elapsed() < HANG, "{}: {}", answer.text(), service.get("/health").text());
        thread::sleep(Duration::from_millis(20));
    }
}

struct Verified {
    code: Option<i32>,
    out: String,
}

/// `touchstone verify` of a receipt with the keys of the service, held against its published policy.
fn verify(service: &Service, receipt: &str, flags: &[&str]) -> Verified {
    let mut command = service.command(["verify", "-"].iter().chain(flags));
    command.env("TOUCHSTONE_BASE_URL", "https://one.example");
    let output = run(command, receipt.as_bytes());
    let out = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    Verified { code: output.status.code(), out }
}

fn file(service: &Service, name: &str, text: &str) -> String {
    let path: PathBuf = service.path(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn with_two_of_three_witnesses_a_receipt_is_proven_under_a_cosigned_checkpoint() {
    let (data, vkey) = founded("https://one.example");
    let one = WitnessProcess::start("w1.example", &[&vkey], &["--ml-dsa"]);
    let two = WitnessProcess::start("w2.example", &[&vkey], &[]);
    let dead = WitnessProcess::start("w3.example", &[&vkey], &[]);
    let dead_line = dead.lines.clone();
    drop(dead);
    let policy = format!(
        "{}{}{dead_line}group q 2 w1.example w2.example w3.example\nquorum q\n",
        one.lines, two.lines
    );
    let service = under(&data, "https://one.example", &policy).start();
    assert_eq!(service.get("/log/policy").expect(200).text(), format!("log {vkey}\n{policy}"));
    let described = service.get("/.well-known/service.json").json();
    assert_eq!(described["log"]["policy"], "https://one.example/log/policy");

    let receipt = service.claim(&signed("witnessed"));
    let hash = receipt["receipt_hash"].as_str().unwrap();
    let proof = once_cosigned(&service, &format!("/receipts/{hash}.tlog-proof")).text();
    let (_, note) = proof.split_once("\n\n").unwrap();
    // The log, the two keys of the first witness, and that of the second.
    assert_eq!(note.lines().filter(|line| line.starts_with('\u{2014}')).count(), 4, "{note}");
    let checkpoint = service.get("/log/checkpoint").expect(200).text();
    assert!(checkpoint.contains("w2.example"), "{checkpoint}");
    let plain = receipt["proof"].as_str().unwrap();
    assert!(!plain.contains("w1.example"), "no verdict waits for a witness");

    let health = service.get("/health").json();
    let each = health["witnesses"]["each"].as_array().unwrap();
    assert_eq!(each.len(), 3, "{health}");
    assert_eq!(each[0]["cosigned"]["size"], KEY_RECORDS + 1, "{health}");
    assert!(each[2]["cosigned"].is_null() && each[2]["error"].is_string(), "{health}");
    assert_eq!(health["witnesses"]["cosigned"]["size"], KEY_RECORDS + 1);

    let (policy, proof) =
        (file(&service, "published", &service.get("/log/policy").text()), file(&service, "proof", &proof));
    let receipt = receipt.to_string();
    let held = verify(&service, &receipt, &["--policy", &policy, "--proof", &proof]);
    assert_eq!(held.code, Some(0), "{}", held.out);
    assert!(held.out.contains("a quorum has cosigned the tree of 5, by 20"), "{}", held.out);
    let unsaid = verify(&service, &receipt, &["--policy", &policy]);
    assert_eq!(unsaid.code, Some(2), "{}", unsaid.out);
    assert!(unsaid.out.contains("no quorum"), "{}", unsaid.out);
    // A cosignature with another byte.
    let note = fs::read_to_string(&proof).unwrap();
    let line = note.lines().find(|line| line.starts_with("\u{2014} w2.example")).unwrap();
    let at = line.len() - 10;
    let other = if &line[at..=at] == "A" { "B" } else { "A" };
    let forged = note.replace(line, &format!("{}{other}{}", &line[..at], &line[at + 1..]));
    let forged = file(&service, "forged", &forged);
    let fails = verify(&service, &receipt, &["--policy", &policy, "--proof", &forged]);
    assert_eq!(fails.code, Some(1), "{}", fails.out);
    assert!(fails.out.contains("w2.example"), "{}", fails.out);

    let archive = service.path("audit.tar");
    let mut export = service.command(["export", "--to", archive.to_str().unwrap()]);
    export.env("TOUCHSTONE_LOG_POLICY", &policy);
    let exported = run(export, b"");
    assert!(exported.status.success(), "{exported:?}");
    let policy = fs::read_to_string(&policy).unwrap();
    let is_in = fs::read(&archive).unwrap().windows(policy.len()).any(|bytes| bytes == policy.as_bytes());
    assert!(is_in, "the policy is not in the archive");
}

#[test]
fn two_notaries_whose_operators_are_witnesses_of_one_another() {
    let (one, other) = (founded("https://one.example"), founded("https://other.example"));
    let of_one = WitnessProcess::start("witness.one.example", &[&other.1], &[]);
    let of_other = WitnessProcess::start("witness.other.example", &[&one.1], &[]);
    let by_other = format!("{}quorum witness.other.example\n", of_other.lines);
    let by_one = format!("{}quorum witness.one.example\n", of_one.lines);
    let services = [
        under(&one.0, "https://one.example", &by_other).start(),
        under(&other.0, "https://other.example", &by_one).start(),
    ];
    for (service, name) in services.iter().zip(["witness.other.example", "witness.one.example"]) {
        for agent in ["a", "b", "c"] {
            let receipt = service.claim(&signed(agent));
            let hash = receipt["receipt_hash"].as_str().unwrap();
            let proof = once_cosigned(service, &format!("/receipts/{hash}.tlog-proof")).text();
            assert!(proof.contains(name), "{proof}");
        }
    }
}

#[test]
fn a_policy_that_can_never_be_met_is_refused_at_the_start_and_dead_witnesses_stop_no_verdict() {
    let (data, vkey) = founded("https://one.example");
    let witness = WitnessProcess::start("w1.example", &[&vkey], &[]);
    let line = witness.lines.clone();
    drop(witness);
    let without_address = line.rsplit_once(' ').unwrap().0;
    for (policy, words) in [
        (format!("{line}quorum none\n"), "asks for no witness"),
        (format!("{without_address}\nquorum w1.example\n"), "the address of w1.example"),
        (format!("{line}quorum w2.example\n"), "w2.example"),
        (line.clone(), "no quorum line"),
        (line.replace("http://", "ftp://") + "quorum w1.example\n", "the address of the witness w1.example"),
        (line.replace("127.0.0.1", "w1.example") + "quorum w1.example\n", "plain http"),
    ] {
        let said = under(&data, "https://one.example", &policy).refused();
        assert!(said.contains(words), "{policy}: {said}");
    }
    let service = under(&data, "https://one.example", &format!("{line}quorum w1.example\n")).start();
    let receipt = service.claim(&signed("alone"));
    let hash = receipt["receipt_hash"].as_str().unwrap();
    for path in ["/log/checkpoint", &format!("/receipts/{hash}.tlog-proof")] {
        let refused = service.get(path).expect(503);
        assert!(refused.header("retry-after").is_some());
    }
    assert_eq!(service.get(&format!("/receipts/{hash}")).expect(200).json()["proof"], receipt["proof"]);
}

#[test]
fn a_witness_that_lies_is_named_by_health_and_stops_no_verdict() {
    let (data, vkey) = founded("https://one.example");
    let witness = WitnessProcess::start("w1.example", &[&vkey], &[]);
    let line = witness.lines.clone();
    drop(witness);
    let (key, _) = line.trim_end().rsplit_once(' ').unwrap();
    for (status, kind, body, words) in [
        ("200 OK", "text/plain", "nonsense\n", "not a sequence of signature lines"),
        ("200 OK", "text/plain", "\u{2014} w1.example AAAA\n", "signature"),
        ("409 Conflict", "text/x.tlog.size", "1000000\n", "size 1000000"),
        ("409 Conflict", "text/plain", "", "another root"),
        ("404 Not Found", "text/plain", "", "status 404"),
    ] {
        let peer = Peer::http(move |_| answer(status, &format!("Content-Type: {kind}\r\n"), body));
        let policy = format!("{key} {}\nquorum w1.example\n", peer.url("/"));
        let service = under(&data, "https://one.example", &policy).start();
        let receipt = service.claim(&signed(words));
        let hash = receipt["receipt_hash"].as_str().unwrap();
        let error = || service.get("/health").json()["witnesses"]["each"][0]["error"].to_string();
        until("the witness is named", || error().contains(words));
        service.get(&format!("/receipts/{hash}.tlog-proof")).expect(503);
        service.stop();
    }
}

#[test]
fn a_witness_says_what_it_needs_and_never_goes_on_without_its_record() {
    let data = TempDir::new().unwrap();
    let witness = |flags: &[&str]| {
        let mut command = touchstone(["witness", "--logs", "logs", "--listen", "127.0.0.1:0"]);
        command.args(flags).current_dir(data.path());
        let output = run(command, b"");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = witness(&[]);
    assert!(code == Some(1) && said.contains("--name"), "{said}");
    fs::write(data.path().join("logs"), "log nonsense\n").unwrap();
    let (code, said) = witness(&["--name", "w.example"]);
    assert!(code == Some(1) && said.contains("line 1"), "{said}");
    assert!(data.path().join("witness.key").exists() && data.path().join("witness.sqlite").exists());
    for entry in fs::read_dir(data.path()).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("witness.sqlite") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    let (code, said) = witness(&[]);
    assert!(code == Some(1) && said.contains("second history"), "{said}");
    fs::write(data.path().join("witness.sqlite"), "").unwrap();
    let (code, said) = witness(&[]);
    assert!(code == Some(1) && said.contains("is empty"), "{said}");
}

#[test]
fn a_witness_that_knows_the_old_log_key_goes_on_until_that_is_ended_and_one_that_knows_both_after_it() {
    let (data, vkey) = founded("https://one.example");
    let next = SigningKey::generate().unwrap();
    let next_key =
        tlog::SigningKey::from_seed("one.example/log", &next.seed()).unwrap().verifier().to_string();
    let old = WitnessProcess::start("old.example", &[&vkey], &[]);
    let both = WitnessProcess::start("both.example", &[&vkey, &next_key], &[]);
    let all = format!("{}{}group q all old.example both.example\nquorum q\n", old.lines, both.lines);
    let service = under(&data, "https://one.example", &all).start();
    next.save(&service.path("keys").join("log.next.pem")).unwrap();
    let keys = |service: &Service, step: &str| {
        let mut command = service.command(["keys", step, "log"]);
        command.env("TOUCHSTONE_BASE_URL", "https://one.example");
        let output = run(command, b"");
        assert!(output.status.success(), "{output:?}");
    };
    keys(&service, "rotate");
    let lines = format!("log {vkey}\nlog {next_key}\n{all}");
    assert_eq!(service.get("/log/policy").expect(200).text(), lines);
    let proven = |service: &Service| {
        let receipt = service.claim(&signed("witnessed"));
        let path = format!("/receipts/{}.tlog-proof", receipt["receipt_hash"].as_str().unwrap());
        let proof = once_cosigned(service, &path).text();
        let policy = file(service, "published", &service.get("/log/policy").text());
        let proof = file(service, "proof", &proof);
        let held = verify(service, &receipt.to_string(), &["--policy", &policy, "--proof", &proof]);
        assert_eq!(held.code, Some(0), "{}", held.out);
        fs::read_to_string(proof).unwrap()
    };
    let proof = proven(&service);
    assert_eq!(proof.lines().filter(|line| line.starts_with('\u{2014}')).count(), 4, "{proof}");
    service.stop();
    let one = format!("{}{}quorum both.example\n", old.lines, both.lines);
    let service = under(&data, "https://one.example", &one).start();
    keys(&service, "finish");
    let proof = proven(&service);
    assert!(proof.contains("both.example"), "{proof}");
    assert_eq!(service.get("/log/policy").expect(200).text(), format!("log {next_key}\n{one}"));
    let waited = Instant::now();
    loop {
        let health = service.get("/health").json();
        if health["witnesses"]["each"][0]["error"].as_str().is_some_and(|error| error.contains("403")) {
            break;
        }
        assert!(waited.elapsed() < HANG, "{health}");
        thread::sleep(Duration::from_millis(20));
    }
    // A policy of the operator's own that names the former key alone is still one of this log.
    service.stop();
    let older = format!("log {vkey}\n{one}");
    let service = under(&data, "https://one.example", &older).start();
    assert_eq!(service.get("/log/policy").expect(200).text(), format!("log {next_key}\n{older}"));
}
