//! The HTTP authentication scheme `Payment`: the same price, paid by the same authorization, in another envelope.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payment::eip712::Domain;
use payment::local::{faucet_wallet, payee};
use payment::{Authorization, Network, SignedAuthorization, U256};
use serde_json::{Value, json};

use crate::support::http::{Answer, Request};
use crate::support::money::{assert_earned, commit, now, v2, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{Launch, Service, dev};

/// The parameters of the challenge of a 402.
fn challenge(answer: &Answer) -> Value {
    assert_eq!(answer.status, 402, "{answer:?}");
    let header = answer.header("www-authenticate").unwrap_or_else(|| panic!("{answer:?}"));
    let parameters = header.strip_prefix("Payment ").unwrap().split(", ");
    let pairs = parameters.map(|parameter| parameter.split_once('=').unwrap());
    Value::Object(pairs.map(|(name, value)| (name.to_owned(), json!(value.trim_matches('"')))).collect())
}

/// What a wallet signs for a challenge: the terms that it names, under the nonce that follows from it.
fn authorized(challenge: &Value) -> SignedAuthorization {
    let request: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text(challenge, "request")).unwrap()).unwrap();
    let expires: jiff::Timestamp = text(challenge, "expires").parse().unwrap();
    let nonce = [text(challenge, "id"), text(challenge, "realm")].concat();
    let authorization = Authorization {
        from: faucet_wallet().address(),
        to: text(&request, "recipient").parse().unwrap(),
        value: text(&request, "amount").parse().unwrap(),
        valid_after: U256::ZERO,
        valid_before: U256::from(expires.as_second().unsigned_abs()),
        nonce: alloy_primitives::keccak256(nonce),
    };
    assert_eq!(authorization.to, payee());
    faucet_wallet().authorize(&Domain::new(&Network::local()), authorization)
}

fn credential(challenge: &Value, signed: &SignedAuthorization) -> Value {
    let mut payload = signed.payload()["authorization"].clone();
    payload["type"] = json!("authorization");
    payload["signature"] = signed.payload()["signature"].clone();
    json!({"challenge": challenge, "payload": payload})
}

fn header(credential: &Value) -> String {
    format!("Payment {}", URL_SAFE_NO_PAD.encode(credential.to_string()))
}

fn with_credential(request: Request, credential: &Value) -> Request {
    request.header("Authorization", &header(credential))
}

#[test]
fn a_credential_buys_the_answer_once_whatever_its_envelope() {
    let service = Launch::dev().start();
    let asked = challenge(&service.send(&commit("by challenge")));
    assert_eq!((text(&asked, "method"), text(&asked, "intent")), ("evm", "charge"));
    let signed = authorized(&asked);
    let credential = credential(&asked, &signed);
    let answer = service.send(&with_credential(commit("by challenge"), &credential)).expect(200);
    let receipt = answer.json();
    assert_eq!(text(&receipt, "verdict"), "COMMITTED");
    verify(&receipt, &Notary::of(&service));
    let settled = answer.header("payment-receipt").unwrap();
    let settled: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(settled).unwrap()).unwrap();
    assert_eq!((text(&settled, "status"), text(&settled, "method")), ("success", "evm"));
    assert_eq!(text(&settled, "reference"), text(&receipt["payment"], "transaction"));
    assert_eq!(text(&settled, "challengeId"), text(&asked, "id"));
    assert_eq!(answer.header("payment-response"), None);
    // Again, in either envelope: the answer that was bought.
    assert_eq!(
        service.send(&with_credential(commit("by challenge"), &credential)).expect(200).json(),
        receipt
    );
    let over_x402 = with_proof(commit("by challenge"), &v2(&signed));
    assert_eq!(service.send(&over_x402).expect(200).json(), receipt);
    // Also where the challenge is not known any more, as after a change of the notary's key.
    let mut unknown = credential.clone();
    unknown["challenge"]["id"] = json!("AAAA");
    assert_eq!(service.send(&with_credential(commit("by challenge"), &unknown)).expect(200).json(), receipt);
    // For another request: neither the credential nor the authorization in it.
    let elsewhere = service.send(&with_credential(commit("something else"), &credential));
    assert_eq!(elsewhere.problem(402)["code"], "invalid_challenge");
    let elsewhere = service.send(&with_proof(commit("something else"), &v2(&signed)));
    assert_eq!(elsewhere.problem(409)["code"], "payment_used");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn an_authorization_that_paid_by_x402_pays_no_second_time_by_challenge() {
    let service = Launch::dev().start();
    let asked = challenge(&service.send(&commit("once")));
    let signed = authorized(&asked);
    let receipt = service.send(&with_proof(commit("once"), &v2(&signed))).expect(200).json();
    let again = service.send(&with_credential(commit("once"), &credential(&asked, &signed)));
    assert_eq!(again.expect(200).json(), receipt);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_challenge_that_was_changed_or_made_up_does_not_pay() {
    let service = dev();
    let asked = challenge(&service.send(&commit("changed")));
    let changes: [(&str, Value); 6] = [
        ("id", json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        ("realm", json!("other.example")),
        ("expires", json!("2099-01-01T00:00:00.000Z")),
        ("digest", json!("sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")),
        ("opaque", json!("e30")),
        ("request", json!(URL_SAFE_NO_PAD.encode(
            r#"{"amount":"1","currency":"0x869F92c5102A9A054C3643CCE097A486B4A7F0ce","methodDetails":{"chainId":8453},"recipient":"RECIPIENT"}"#
                .replace("RECIPIENT", &payee().to_string())
        ))),
    ];
    for (name, value) in changes {
        let mut changed = asked.clone();
        changed[name] = value;
        let credential = credential(&changed, &authorized(&changed));
        let answer = service.send(&with_credential(commit("changed"), &credential));
        assert_eq!(answer.problem(402)["code"], "invalid_challenge", "{name}");
        assert!(answer.header("www-authenticate").is_some() && answer.header("payment-receipt").is_none());
    }
    let mut unsigned = credential(&asked, &authorized(&asked));
    unsigned["payload"]["signature"] = json!(format!("0x{}1b", "11".repeat(64)));
    let answer = service.send(&with_credential(commit("changed"), &unsigned));
    assert_eq!(answer.problem(402)["code"], "invalid_signature");
    let mut longer = credential(&asked, &authorized(&asked));
    longer["payload"]["validBefore"] = json!((now() + 10).to_string());
    let answer = service.send(&with_credential(commit("changed"), &longer));
    assert_eq!(answer.problem(402)["code"], "invalid_signature");
}

#[test]
fn what_is_no_credential_is_named_and_other_schemes_are_no_payment() {
    let service = dev();
    for value in ["Payment", "Payment %%%", "Payment e30", "payment eyJjaGFsbGVuZ2UiOnt9LCJwYXlsb2FkIjp7fX0"]
    {
        let answer = service.send(&commit("form").header("Authorization", value));
        if value == "Payment" {
            assert_eq!(answer.problem(402)["code"], "payment_required");
        } else {
            answer.names("Authorization", "malformed");
        }
    }
    let other = service.send(&commit("form").header("Authorization", "Bearer abc"));
    assert_eq!(other.problem(402)["code"], "payment_required");
    let asked = challenge(&service.send(&commit("two")));
    let signed = authorized(&asked);
    let two = with_proof(with_credential(commit("two"), &credential(&asked, &signed)), &v2(&signed));
    service.send(&two).names("Authorization", "malformed");
}

/// A call of the tool over MCP, of a client that answers challenges.
fn over_mcp(service: &Service, meta: &Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "commit", "arguments": {"agent": "payer", "content": "over mcp"}, "_meta": meta}});
    let request = Request::json("/mcp", &message).header("Host", "localhost");
    service.send(&request.header("Accept-Payment", "evm/charge")).expect(200).json()
}

#[test]
fn over_mcp_a_challenge_is_an_error_and_a_credential_pays_there_and_over_http() {
    let service = Launch::dev().start();
    let error = over_mcp(&service, &json!({}))["error"].clone();
    assert_eq!((&error["code"], &error["data"]["httpStatus"]), (&json!(-32042), &json!(402)), "{error}");
    let native = error["data"]["challenges"][0].clone();
    assert_eq!(native["request"]["amount"], "100000");
    let mut asked = native.clone();
    asked["request"] = json!(URL_SAFE_NO_PAD.encode(native["request"].to_string()));
    let signed = authorized(&asked);
    let credential = credential(&native, &signed);
    let paid = over_mcp(&service, &json!({"org.paymentauth/credential": credential}))["result"].clone();
    assert_eq!(paid["structuredContent"]["verdict"], "COMMITTED", "{paid}");
    assert_eq!(paid["_meta"]["org.paymentauth/receipt"]["challengeId"], asked["id"]);
    let mut over_http = credential.clone();
    over_http["challenge"] = asked;
    let body = r#"{"agent":"payer","content":"over mcp"}"#;
    let answer = service.send(&with_credential(Request::post("/commit", body), &over_http)).expect(200);
    assert_eq!(answer.json(), paid["structuredContent"]);
    let mut refused = credential;
    refused["challenge"]["id"] = json!("AAAA");
    refused["payload"]["nonce"] = json!(format!("0x{}", "11".repeat(32)));
    let error = over_mcp(&service, &json!({"org.paymentauth/credential": refused}))["error"].clone();
    assert_eq!(
        (&error["code"], &error["data"]["problem"]["code"]),
        (&json!(-32043), &json!("invalid_challenge"))
    );
    assert_earned(&service, "0.10", 1, 1);
}
