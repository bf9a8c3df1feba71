//! Snapshots of all public documents and of a receipt of each class: a change of the interface shows in a review.
//!
//! What differs from run to run stands as a word in capitals: times, hashes, signatures, keys. After a change that is meant,
//! `INSTA_UPDATE=always cargo test -p touchstone golden` writes them anew.

use serde_json::{Value, json};

use crate::support::http::{Answer, Request};
use crate::support::money::{decoded, pays, with_proof};
use crate::support::receipt::hash;
use crate::support::service::{BASE_URL, Launch, Service, run, touchstone};

fn service() -> Service {
    Launch::dev().without_limits().with_name_server().set("BASE_URL", BASE_URL).start()
}

/// A JSON value whose volatile texts and numbers are replaced by words.
fn steady(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                let value = match &**name {
                    "latencies_since" | "since" => json!("TIME"),
                    "latencies_replica" if value.is_string() => json!("MACHINE"),
                    "judged_on" | "day" if value.is_string() => json!("DAY"),
                    "proof" | "vkey" | "public_key" | "webhook_key" | "signature" | "salt" | "kid" | "x"
                        if value.is_string() =>
                    {
                        json!("RANDOM")
                    }
                    "p50_ms" | "p95_ms" if !value.is_null() => json!("MILLISECONDS"),
                    "elapsed_ms" if value.is_number() => json!("MILLISECONDS"),
                    "free_bytes" | "reserve_bytes" | "connections" | "in_all" if value.is_number() => {
                        json!("MACHINE")
                    }
                    // Where systemd-timesyncd runs, it has a time.
                    "clock" if value.is_object() => json!("MACHINE"),
                    _ => steady(value),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(member).collect())
        }
        Value::Array(items) => items.iter().map(steady).collect(),
        Value::String(text) => json!(steady_text(text)),
        other => other.clone(),
    }
}

/// A text whose volatile words are replaced: times, long runs of hexadecimal, base64 and base58.
fn steady_text(text: &str) -> String {
    let mut steady = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(['\0']) {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+' | '=' | '/' | ':' | '.') {
            word.push(letter);
            continue;
        }
        steady.push_str(&steady_word(&word));
        word.clear();
        if letter != '\0' {
            steady.push(letter);
        }
    }
    steady
}

fn steady_word(word: &str) -> String {
    if word.parse::<verdict::Timestamp>().is_ok() && word.ends_with('Z') {
        return "TIME".to_owned();
    }
    // The base64 of a vkey may have slashes.
    if word.parse::<tlog::VerifierKey>().is_ok() {
        return "notary.example/RANDOM".to_owned();
    }
    let is_run = |part: &str| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        let capitals = part.chars().filter(char::is_ascii_uppercase).count();
        part.len() >= 24 && (digits >= 3 || capitals >= 6) && !part.contains("touchstone")
    };
    let part = |part: &str| if is_run(part) { "RANDOM".to_owned() } else { part.to_owned() };
    word.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn golden_json(name: &str, value: &Value) {
    insta::assert_snapshot!(name, format!("{:#}", steady(value)));
}

#[test]
fn the_documents_of_discovery_are_as_they_were() {
    let service = service();
    for (name, path) in [
        ("openapi", "/openapi.json"),
        ("catalog", "/catalog"),
        ("x402", "/.well-known/x402.json"),
        ("agent_card", "/.well-known/agent-card.json"),
        ("jwks", "/.well-known/jwks.json"),
        ("did", "/.well-known/did.json"),
        ("health", "/health"),
        ("stats", "/stats"),
        ("snapshots", "/snapshots"),
        ("trust_model", "/trust-score/model"),
    ] {
        golden_json(&format!("document_{name}"), &service.get(path).expect(200).json());
    }
    let documents =
        ["/catalog", "/.well-known/service.json"].map(|path| steady(&service.get(path).expect(200).json()));
    assert_eq!(documents[0], documents[1]);
    for (name, path) in [("llms", "/llms.txt"), ("security", "/.well-known/security.txt")] {
        let text = steady_text(&service.get(path).expect(200).text());
        insta::assert_snapshot!(format!("document_{name}"), text);
    }
}

#[test]
fn a_402_is_as_it_was_in_both_versions_of_x402() {
    let service = service();
    let commit = || Request::json("/commit", &json!({"agent": "a", "content": "x"}));
    let quoted = service.send(&commit()).expect(402);
    golden_json("402_body", &without_request_id(&quoted));
    golden_json("402_header", &decoded(&quoted, "payment-required"));
    let v1 = service.send(&commit().header("X-ACCEPT-PAYMENT", "x402-v1")).expect(402);
    golden_json("402_v1", &v1.json());
}

fn without_request_id(answer: &Answer) -> Value {
    let mut body = answer.json();
    if let Some(members) = body.as_object_mut() {
        members.remove("request_id");
    }
    body
}

#[test]
fn problems_are_as_they_were() {
    let service = service();
    let problems = [
        ("field_missing", Request::json("/claim-verdict", &json!({"agent": "a"}))),
        ("misnamed", Request::json("/screen-entity", &json!({"agent": "a", "entity": "b", "dob": "1967"}))),
        ("not_json", Request::post("/commit", "{")),
        ("no_route", Request::get("/nothing")),
        ("no_receipt", Request::get(&format!("/receipts/{}", "0".repeat(64)))),
        ("no_method", Request::new("PUT", "/commit")),
        ("too_large", Request::post("/screen-entity", "x".repeat(300 << 10))),
    ];
    for (name, request) in problems {
        let answer = service.send(&request);
        let problem = json!({"status": answer.status, "body": without_request_id(&answer)});
        golden_json(&format!("problem_{name}"), &problem);
    }
}

/// Asks the example of a class, paid where it has to be.
fn ask(service: &Service, catalog: &Value, class: &str) -> Value {
    let routes = catalog["routes"].as_array().unwrap();
    let route = routes.iter().find(|route| route["class"] == class).unwrap();
    let request = Request::json(&format!("/{class}"), &route["example"]);
    let quoted = service.send(&request);
    if quoted.status != 402 {
        return quoted.expect(200).json();
    }
    let price: u64 =
        decoded(&quoted, "payment-required")["accepts"][0]["amount"].as_str().unwrap().parse().unwrap();
    service.send(&with_proof(request, &pays(price))).expect(200).json()
}

/// That of /trust-score is of a notary whose name server is a port where nobody listens.
#[test]
fn a_receipt_of_each_class_is_as_it_was() {
    let service = Launch::dev()
        .without_limits()
        .set("BASE_URL", BASE_URL)
        .configured("[trust]\nname_servers = \"127.0.0.1:1\"\n")
        .start();
    let catalog = service.get("/catalog").expect(200).json();
    for class in [
        "claim-verdict",
        "commit",
        "grade-strategy",
        "copy-trade-score",
        "screen-entity",
        "screen-batch",
        "screen-wallet",
        "agent-clearance",
        "trust-score",
        "scan-url",
        "scan-text",
        "distress-score",
        "watch",
    ] {
        golden_json(&format!("receipt_{class}"), &ask(&service, &catalog, class));
    }
    let receipt = ask(&service, &catalog, "claim-verdict");
    let dispute =
        json!({"agent": "a", "receipt_hash": hash(&receipt), "reason": "the document says otherwise"});
    let dispute = with_proof(Request::json("/dispute", &dispute), &pays(1_000_000));
    golden_json("receipt_dispute", &service.send(&dispute).expect(200).json());
}

#[test]
fn the_configuration_of_a_first_run_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let printed = run(touchstone(["config", "print", "--data-dir", data]), b"");
    let machine = |text: &str| {
        let line = |line: &str| match line.split_once("max_connections = ") {
            Some((before, _)) => format!("{before}max_connections = MACHINE"),
            None => line.replace(data, "DATA"),
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("config_print", machine(std::str::from_utf8(&printed.stdout).unwrap()));
    let service = Launch::dev().start();
    let template = std::fs::read_to_string(service.data.path().join("touchstone.toml")).unwrap();
    let template = template.replace(service.data.path().to_str().unwrap(), "DATA");
    insta::assert_snapshot!("config_template", machine(&template));
}
