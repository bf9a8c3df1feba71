//! `/a2a`: the Agent2Agent protocol 1.0, and payments by its x402 extension.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::json::{Json, parse};
use serde_json::{Value, json};

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, assert_earned, authorization, sign, v2};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, dev};

fn send(service: &Service, method: &str, params: &Value, version: Option<&str>) -> Answer {
    let message = json!({"jsonrpc": "2.0", "id": 3, "method": method, "params": params});
    let request = Request::json("/a2a", &message);
    service.send(&match version {
        Some(version) => request.header("A2A-Version", version),
        None => request,
    })
}

fn ask(service: &Service, method: &str, params: &Value) -> Value {
    let answer = send(service, method, params, Some("1.0")).expect(200).json();
    assert_eq!((&answer["id"], answer.get("error")), (&json!(3), None), "{answer}");
    answer["result"].clone()
}

#[track_caller]
fn error(service: &Service, method: &str, params: &Value) -> i64 {
    let answer = send(service, method, params, Some("1.0")).expect(200).json();
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

/// A message that asks a skill.
fn asking(skill: &str, input: &Value) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER",
        "parts": [{"data": {"skill": skill, "input": input}, "mediaType": "application/json"}]}})
}

#[test]
fn a_free_call_is_answered_by_a_message_with_the_receipt() {
    let service = dev();
    let answered = ask(&service, "SendMessage", &asking("claim-verdict", &signed("a2a")));
    let message = &answered["message"];
    assert_eq!((text(message, "role"), text(message, "contextId")), ("ROLE_AGENT", "m-1"));
    assert_eq!(message["parts"][0]["data"]["verdict"], "CONFIRMED");
    let as_text = json!({"skill": "claim-verdict", "input": signed("a2a")}).to_string();
    let as_text = json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "contextId": "c", "parts": [{"text": as_text}]}});
    let answered = ask(&service, "SendMessage", &as_text);
    assert_eq!(answered["message"]["contextId"], "c");
}

#[test]
fn a_call_that_costs_is_a_task_that_waits_for_its_payment_and_is_paid_once() {
    let service = Launch::dev().start();
    // Clients of the protocol send all numbers as doubles.
    let input = json!({"agent": "a2a", "content": {"n": 1.0}});
    let task = ask(&service, "SendMessage", &asking("commit", &input))["task"].clone();
    assert_eq!(text(&task["status"], "state"), "TASK_STATE_INPUT_REQUIRED", "{task}");
    let metadata = &task["status"]["message"]["metadata"];
    assert_eq!(text(metadata, "x402.payment.status"), "payment-required");
    assert_eq!(metadata["x402.payment.required"]["accepts"][0]["amount"], "100000");
    let id = text(&task, "id").to_owned();
    let waiting = ask(&service, "GetTask", &json!({"id": id}));
    assert_eq!(text(&waiting["status"], "state"), "TASK_STATE_INPUT_REQUIRED");

    let paying = |proof: &Value, input: &Value| {
        let mut message = asking("commit", input);
        message["message"]["taskId"] = json!(id);
        message["message"]["metadata"] =
            json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": proof});
        message
    };
    let too_little =
        ask(&service, "SendMessage", &paying(&v2(&sign(authorization(PRICE - 1))), &input))["task"].clone();
    assert_eq!(text(&too_little["status"], "state"), "TASK_STATE_INPUT_REQUIRED");
    let metadata = &too_little["status"]["message"]["metadata"];
    assert_eq!(text(metadata, "x402.payment.status"), "payment-failed");
    assert_eq!(text(metadata, "x402.payment.error"), "INVALID_AMOUNT");

    let mut proof = v2(&sign(authorization(PRICE)));
    proof["x402Version"] = json!(2.0);
    proof["accepted"]["maxTimeoutSeconds"] = json!(60.0);
    let paid = ask(&service, "SendMessage", &paying(&proof, &input))["task"].clone();
    assert_eq!(
        (text(&paid["status"], "state"), text(&paid, "id")),
        ("TASK_STATE_COMPLETED", id.as_str()),
        "{paid}"
    );
    let receipts = &paid["status"]["message"]["metadata"]["x402.payment.receipts"];
    let receipt = &paid["artifacts"][0]["parts"][0]["data"];
    assert_eq!(receipts[0]["transaction"], receipt["payment"]["transaction"]);
    let again = ask(&service, "SendMessage", &paying(&proof, &input))["task"].clone();
    assert_eq!(again["artifacts"], paid["artifacts"], "a retry is no second payment");
    let second =
        ask(&service, "SendMessage", &paying(&v2(&sign(authorization(PRICE))), &input))["task"].clone();
    assert_eq!(second["artifacts"], paid["artifacts"], "a task is paid for once");
    assert_eq!(second["status"]["message"]["metadata"], paid["status"]["message"]["metadata"]);
    let known = ask(&service, "GetTask", &json!({"id": id}));
    assert_eq!(known["artifacts"], paid["artifacts"]);
    assert_eq!(known["contextId"], paid["contextId"]);
    // Who knows the question, and not the task, is told nothing of the answer.
    let (request, _) = id.rsplit_once('.').unwrap();
    let guessed = ask(&service, "GetTask", &json!({"id": format!("{request}.{}", "0".repeat(32))}));
    assert_eq!(
        (text(&guessed["status"], "state"), guessed.get("artifacts")),
        ("TASK_STATE_INPUT_REQUIRED", None)
    );
    let other = paying(&proof, &json!({"agent": "a2a", "content": "another"}));
    assert_eq!(error(&service, "SendMessage", &other), -32602, "a payment for another task");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_task_whose_price_depends_on_its_question_names_no_price_without_it() {
    let service = dev();
    let input = json!({"agent": "a2a", "entities": ["Viktor Bout", "Evil Corp"]});
    let task = ask(&service, "SendMessage", &asking("screen-batch", &input))["task"].clone();
    let terms = &task["status"]["message"]["metadata"]["x402.payment.required"];
    assert_eq!(terms["accepts"][0]["amount"], "20000");
    let waiting = ask(&service, "GetTask", &json!({"id": task["id"]}));
    assert_eq!(text(&waiting["status"], "state"), "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(waiting["status"]["message"].get("metadata"), None, "{waiting}");
}

#[test]
fn a_message_may_have_as_much_as_its_skill_takes() {
    let service = dev();
    // More bytes than most skills take; each letter is sent as six.
    let text_of_letters = r"\u0041".repeat(100_000);
    let sent = asking("scan-text", &json!({"agent": "a2a-long", "text": "LETTERS"}));
    let sent = json!({"jsonrpc": "2.0", "id": 3, "method": "SendMessage", "params": sent}).to_string();
    let sent = sent.replace("LETTERS", &text_of_letters);
    let answer = service.send(&Request::post("/a2a", &sent).header("A2A-Version", "1.0")).expect(200).json();
    assert_eq!(answer["result"]["message"]["parts"][0]["data"]["class"], "scan-text", "{answer}");
    let input = json!({"agent": "a2a-long", "content": "x".repeat(400_000)});
    assert_eq!(error(&service, "SendMessage", &asking("commit", &input)), -32602);
}

#[test]
fn what_the_protocol_refuses_has_its_code() {
    let service = dev();
    for version in [None, Some("0.3"), Some("2.0"), Some("1"), Some("1.0x")] {
        let answer = send(&service, "GetTask", &json!({"id": "x"}), version).expect(200).json();
        assert_eq!(answer["error"]["code"], -32009, "{version:?}");
    }
    assert_eq!(error(&service, "GetTask", &json!({"id": "no-such-task"})), -32001);
    assert_eq!(error(&service, "GetTask", &json!({})), -32001);
    for (method, code) in [
        ("CancelTask", -32001),
        ("ListTasks", -32004),
        ("SendStreamingMessage", -32004),
        ("SubscribeToTask", -32004),
        ("CreateTaskPushNotificationConfig", -32003),
        ("GetExtendedAgentCard", -32007),
        ("message/send", -32601),
    ] {
        assert_eq!(error(&service, method, &json!({})), code, "{method}");
    }
    let message = |parts: Value| json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": parts}});
    for (params, code) in [
        (json!({}), -32602),
        (message(json!([])), -32602),
        (message(json!([{"text": "Is this signed?"}])), -32602),
        (message(json!([{"data": {"skill": "no-such-skill", "input": {}}}])), -32602),
        (message(json!([{"data": {"skill": "commit", "input": 7}}])), -32602),
        (message(json!([{"raw": "AAAA"}])), -32005),
        (
            message(
                json!([{"data": {"skill": "commit", "input": {}}}, {"data": {"skill": "commit", "input": {}}}]),
            ),
            -32602,
        ),
        (asking("claim-verdict", &json!({"agent": "a2a"})), -32602),
    ] {
        assert_eq!(error(&service, "SendMessage", &params), code, "{params}");
    }
    let mut task = asking("commit", &json!({"agent": "a2a", "content": 1}));
    task["message"]["taskId"] = json!("made-up");
    assert_eq!(error(&service, "SendMessage", &task), -32001);
    let batch = service.send(&Request::post("/a2a", "[]").header("A2A-Version", "1.0"));
    assert_eq!(batch.expect(200).json()["error"]["code"], -32600);
    let mut declined = asking("commit", &json!({"agent": "a2a", "content": 1}));
    declined["message"]["metadata"] = json!({"x402.payment.status": "payment-rejected"});
    let declined = ask(&service, "SendMessage", &declined);
    assert_eq!(declined["task"]["status"]["state"], "TASK_STATE_CANCELED");
}

#[test]
fn the_card_is_signed_under_a_type_of_its_own_and_has_no_empty_member() {
    let service = dev();
    let card = service.get("/.well-known/agent-card.json").expect(200);
    let Json::Object(mut members) = parse(&card.body).unwrap() else { panic!("{card:?}") };
    let signatures = members.remove("signatures").unwrap();
    let signature = &signatures.as_array().unwrap()[0];
    let part = |name: &str| signature.get(name).and_then(Json::as_str).unwrap();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part("protected")).unwrap()).unwrap();
    assert_eq!((text(&header, "alg"), text(&header, "typ")), ("EdDSA", "agent-card+jws"));
    let keys = service.get("/.well-known/jwks.json").expect(200).json();
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    let public: [u8; 32] = URL_SAFE_NO_PAD.decode(text(key, "x")).unwrap().try_into().unwrap();
    let canonical = Json::Object(members).canonical();
    let input = format!("{}.{}", part("protected"), URL_SAFE_NO_PAD.encode(&canonical));
    let signed: [u8; 64] = URL_SAFE_NO_PAD.decode(part("signature")).unwrap().try_into().unwrap();
    let public = ed25519_dalek::VerifyingKey::from_bytes(&public).unwrap();
    public.verify_strict(input.as_bytes(), &ed25519_dalek::Signature::from_bytes(&signed)).unwrap();
    let text = String::from_utf8(canonical).unwrap();
    for empty in ["\"\"", "[]", "{}", "null", "\"required\":false"] {
        assert!(!text.contains(empty), "{empty}: {text}");
    }
}
