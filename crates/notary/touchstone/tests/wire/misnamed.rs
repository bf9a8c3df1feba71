//! Members that were meant for another: what is not read is not looked for, and nobody may be cleared by a slip.

use serde_json::{Value, json};

use crate::command::said;
use crate::screening::{SDN_XML, import};
use crate::support::http::{Answer, Request};
use crate::support::money::{pays, with_proof};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, dev, touchstone};

const LISTED: &str = "0x098b716b8aaf21512996dc57eb0615e2383e2f96";
const NOBODY: &str = "Nobody Of That Kind";

fn ask(service: &Service, path: &str, question: &Value, member: &str, value: Value) -> Answer {
    let mut question = question.clone();
    question["agent"] = json!("a");
    question[member] = value;
    service.ask(path, &question)
}

/// That the member is named, and the one that it was meant for.
#[track_caller]
fn assert_told(answer: &Answer, field: &str, meant: &str) {
    answer.names(field, "misnamed");
    let problem = answer.problem(400);
    let question = format!("did you mean `{meant}`?");
    assert!(text(&problem, "detail").ends_with(&question), "{problem}");
}

#[test]
fn a_listed_wallet_under_a_name_of_its_own_is_never_cleared() {
    let service = Launch::dev().without_limits().start();
    let name = json!({"counterparty_name": NOBODY});
    let clear = |member: &str| ask(&service, "/agent-clearance", &name, member, json!(LISTED));
    assert_eq!(text(&clear("wallet").expect(200).json(), "verdict"), "BLOCK");
    for member in [
        "wallet_address",
        "walet",
        "walelt",
        "Wallet",
        "wal_let",
        "wallets",
        "walletAddress",
        "address",
        "Address",
        "counterparty-wallet",
        "eth_address",
    ] {
        assert_told(&clear(member), member, "wallet");
    }
    let on_chain = |member| ask(&service, "/agent-clearance", &name, member, json!("base"));
    assert_told(&on_chain("network"), "network", "chain");
    let issued = &service.get("/stats").expect(200).json()["by_class"];
    assert_eq!(issued["agent-clearance"]["count"], 1, "{issued}");
}

#[test]
fn what_is_known_of_a_party_is_never_dropped_for_a_slip() {
    let service = Launch::dev().without_limits().start();
    for (member, meant) in [
        ("dob", "birth_date"),
        ("birthdate", "birth_date"),
        ("birthDate", "birth_date"),
        ("date_of_birth", "birth_date"),
        ("birth_date_of", "birth_date"),
        ("idnumber", "id_number"),
        ("passport", "id_number"),
        ("passport_number", "id_number"),
        ("nationality", "country"),
        ("country_code", "country"),
        ("contry", "country"),
        ("kind", "type"),
        ("entity_type", "type"),
        ("typ", "type"),
    ] {
        let entity = json!({"entity": NOBODY});
        assert_told(&ask(&service, "/screen-entity", &entity, member, json!("1961")), member, meant);
        let watch = ask(&service, "/watch", &entity, member, json!("1961"));
        assert_told(&watch, member, meant);
        let name = json!({"counterparty_name": NOBODY});
        assert_told(&ask(&service, "/agent-clearance", &name, member, json!("1961")), member, meant);
        let batch = json!({"agent": "a", "entities": [NOBODY, {"entity": NOBODY, (member): "1961"}]});
        let batch = service.send(&with_proof(Request::json("/screen-batch", &batch), &pays(20_000)));
        assert_told(&batch, &format!("entities.1.{member}"), meant);
    }
    let none = json!({});
    assert_told(&ask(&service, "/screen-entity", &none, "name", json!(NOBODY)), "name", "entity");
    assert_told(
        &ask(&service, "/agent-clearance", &none, "name", json!(NOBODY)),
        "name",
        "counterparty_name",
    );
    assert_told(
        &ask(&service, "/agent-clearance", &none, "entity", json!(NOBODY)),
        "entity",
        "counterparty_name",
    );
    assert_told(&ask(&service, "/screen-wallet", &none, "address", json!(LISTED)), "address", "wallet");
    let batch = Request::json("/screen-batch", &json!({"agent": "a", "names": [NOBODY]}));
    assert_told(&service.send(&with_proof(batch, &pays(10_000))), "names", "entities");
    let issued = &service.get("/stats").expect(200).json()["receipts_issued"];
    assert_eq!(issued, 0);
}

#[test]
fn a_watch_that_would_tell_nobody_does_not_begin() {
    let service = Launch::dev().without_limits().start();
    let entity = json!({"entity": NOBODY});
    for member in ["webhook_url", "web_hook", "webhooks", "callback_url", "hook"] {
        let answer = ask(&service, "/watch", &entity, member, json!("https://hooks.example.com/"));
        assert_told(&answer, member, "webhook");
    }
    let wallet = json!({"wallet": LISTED});
    assert_told(&ask(&service, "/watch", &wallet, "network", json!("base")), "network", "chain");
    assert_told(
        &ask(&service, "/watch", &entity, "wallet_address", json!(LISTED)),
        "wallet_address",
        "wallet",
    );
    assert_eq!(service.get("/stats").expect(200).json()["receipts_issued"], 0);
}

#[test]
fn what_resembles_nothing_is_allowed_and_part_of_the_request() {
    let service = Launch::dev().without_limits().start();
    for (path, question) in [
        ("/screen-entity", json!({"agent": "a", "entity": NOBODY})),
        ("/screen-wallet", json!({"agent": "a", "wallet": LISTED})),
        ("/agent-clearance", json!({"agent": "a", "counterparty_name": NOBODY})),
        ("/watch", json!({"agent": "a", "entity": NOBODY})),
    ] {
        let bare = service.ask(path, &question).expect(200).json();
        for member in ["note", "trace_id", "x", "id", "metadata", "request_id", "count", "", "\u{1f4b0}"] {
            let receipt =
                ask(&service, path, &question, member, json!({"of": "no meaning"})).expect(200).json();
            assert_eq!(receipt["verdict"], bare["verdict"], "{member}");
            assert_ne!(receipt["request_hash"], bare["request_hash"], "{member}");
        }
    }
    let batch = json!({"agent": "a", "note": 1, "entities": [{"entity": NOBODY, "id": "row 7", "x": null}]});
    service.send(&with_proof(Request::json("/screen-batch", &batch), &pays(10_000))).expect(200);
    // Where nothing is said to be found, nothing is lost by a slip, and nothing more is refused than before.
    let commit = json!({"agent": "a", "content": 7, "contents": 8, "lable": "x"});
    service.send(&with_proof(Request::json("/commit", &commit), &pays(100_000))).expect(200);
}

#[test]
fn the_rule_is_in_the_description_of_every_route_that_has_it() {
    let service = dev();
    let document = service.get("/openapi.json").expect(200).json();
    let told: Vec<&str> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, path)| {
            let schema = &path["post"]["requestBody"]["content"]["application/json"]["schema"];
            let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
            let schema = name.map_or(schema, |name| &document["components"]["schemas"][name]);
            schema["description"].as_str().is_some_and(|description| description.contains("`misnamed`"))
        })
        .map(|(path, _)| path.as_str())
        .collect();
    let mut told = told;
    told.sort_unstable();
    assert_eq!(
        told,
        [
            "/agent-clearance",
            "/awards",
            "/composite",
            "/distress-score",
            "/federal-register",
            "/scan-text",
            "/scan-url",
            "/screen-batch",
            "/screen-entity",
            "/screen-wallet",
            "/watch"
        ]
    );
}

#[test]
fn it_holds_offline_too() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(import(folder.path(), SDN_XML).code, Some(0));
    let mut command = touchstone(["judge", "agent-clearance"]);
    command.env("TOUCHSTONE_DATA_DIR", folder.path());
    let line = json!({"counterparty_name": NOBODY, "wallet_address": LISTED});
    let said = said(command, line.to_string());
    let answer: Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!(
        (&answer["error"]["field"], &answer["error"]["reason"]),
        (&json!("wallet_address"), &json!("misnamed")),
        "{said:?}"
    );
}
