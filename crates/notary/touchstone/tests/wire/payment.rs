//! Payment terms, and proofs that come with a request.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{self, PRICE, commit};
use crate::support::receipt::text;
use crate::support::service::{Launch, dev, production};

/// What the `PAYMENT-REQUIRED` header says.
fn terms(answer: &Answer) -> Value {
    let header = answer.header("payment-required").unwrap_or_else(|| panic!("{answer:?}"));
    assert!(header.len() < 3 << 10, "{} bytes", header.len());
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// A proof of payment by its form; nothing was ever paid with it.
fn proof(form: &Value) -> String {
    STANDARD.encode(form.to_string())
}

fn v1() -> Value {
    json!({"x402Version": 1, "scheme": "exact", "network": "base", "payload": {"signature": "0x00", "authorization": {
        "from": "0x0000000000000000000000000000000000000001", "to": "0x0000000000000000000000000000000000000002",
        "value": "100000", "validAfter": "0", "validBefore": "99999999999", "nonce": format!("0x{}", "00".repeat(32))}}})
}

const PRICES: &[(&str, &str, &str)] =
    &[("commit", "0.10", "100000"), ("dispute", "1.00", "1000000"), ("screen-batch", "0.01", "10000")];

#[test]
fn a_402_has_the_exact_terms_in_its_body_and_in_the_form_of_x402_v2() {
    let service = dev();
    for (class, price, atomic) in PRICES {
        let answer = service.post(&format!("/{class}"), "");
        let problem = answer.problem(402);
        assert_eq!(text(&problem, "error"), "payment_required");
        for told in ["PAYMENT-REQUIRED", "PAYMENT-SIGNATURE", "/llms.txt", *price] {
            assert!(text(&problem, "detail").contains(told), "{told}: {problem}");
        }
        let [accept] = &problem["accepts"].as_array().unwrap()[..] else { panic!("{problem}") };
        assert_eq!(members(accept), ["amount", "asset", "network", "payTo", "scheme"]);
        assert_eq!((text(accept, "scheme"), text(accept, "network")), ("exact", "base"));
        assert_eq!((text(accept, "asset"), text(accept, "amount")), ("USDC", *price));
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));

        let v2 = terms(&answer);
        assert_eq!(v2["x402Version"], 2);
        assert_eq!(
            text(&v2["resource"], "url"),
            format!("http://localhost:{}/{class}", service.address.port())
        );
        let [exact] = &v2["accepts"].as_array().unwrap()[..] else { panic!("{v2}") };
        assert_eq!(
            (text(exact, "scheme"), text(exact, "network"), text(exact, "amount")),
            ("exact", "eip155:8453", *atomic)
        );
        assert_eq!(text(exact, "payTo"), text(accept, "payTo"));
        assert!(is_address(text(exact, "asset")) && is_address(text(exact, "payTo")), "{exact}");
        assert!(exact["maxTimeoutSeconds"].as_u64().unwrap() > 0);
        assert!(text(&exact["extra"], "name").len() > 1 && !text(&exact["extra"], "version").is_empty());
    }
}

/// The names of an object's members, sorted.
fn members(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

#[test]
fn a_caller_of_x402_v1_gets_a_pure_v1_body() {
    let service = dev();
    let answer =
        service.send(&Request::post("/commit", "{}").header("X-Accept-Payment", "x402-v1")).expect(402);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    let body = answer.json();
    assert_eq!(members(&body), ["accepts", "error", "x402Version"]);
    assert_eq!(body["x402Version"], 1);
    let [exact] = &body["accepts"].as_array().unwrap()[..] else { panic!("{body}") };
    assert_eq!((text(exact, "scheme"), text(exact, "network")), ("exact", "base"));
    assert_eq!(text(exact, "maxAmountRequired"), "100000");
    assert_eq!(text(exact, "resource"), format!("http://localhost:{}/commit", service.address.port()));
    for member in ["asset", "payTo", "description", "mimeType", "maxTimeoutSeconds", "extra"] {
        assert!(exact.get(member).is_some(), "{member} in {exact}");
    }
    assert_eq!(text(&terms(&answer)["accepts"][0], "payTo"), text(exact, "payTo"));
    // Any other wish changes nothing.
    service.send(&Request::post("/commit", "{}").header("X-Accept-Payment", "x402-v9")).problem(402);
}

#[test]
fn the_local_token_is_worth_nothing_on_a_real_chain() {
    let local = text(&terms(&dev().post("/commit", ""))["accepts"][0], "asset").to_ascii_lowercase();
    for real in ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "0x036cbd53842c5426634e7929541ec2318f3dcf7e"] {
        assert_ne!(local, real);
    }
    // An address to pay to is not yet somebody who settles.
    let unsettled = Launch::serve().set("PAY_TO", "0x00000000000000000000000000000000000000aa").start();
    assert_eq!(text(&unsettled.post("/commit", "").problem(503), "module"), "payment");
}

#[test]
fn without_a_settlement_back_end_what_costs_is_503_with_or_without_a_proof() {
    let service = production();
    for request in [
        Request::post("/commit", "{}"),
        Request::json("/commit", &json!({"agent": "a", "content": 1})).header("X-PAYMENT", &proof(&v1())),
    ] {
        let answer = service.send(&request);
        assert_eq!(text(&answer.problem(503), "module"), "payment");
        assert!(answer.header("retry-after").is_some());
    }
    let limited = Launch::serve().start();
    (0..3).for_each(|_| drop(limited.claim(&signed("a"))));
    for request in [
        Request::json("/claim-verdict", &signed("a")),
        Request::json("/claim-verdict", &signed("a")).header("X-PAYMENT", &proof(&v1())),
    ] {
        assert_eq!(text(&limited.send(&request).problem(503), "module"), "payment");
    }
    let used_up = limited.send(&Request::json("/claim-verdict", &signed("a")));
    assert!(text(&used_up.problem(503), "detail").contains("begin anew at 00:00 UTC"), "{used_up:?}");
    assert!(used_up.header("retry-after").unwrap().parse::<u64>().unwrap() <= 86_400);
}

#[test]
fn two_payment_headers_or_one_that_is_no_proof_are_refused_by_their_name() {
    let service = dev();
    let claim = || Request::json("/claim-verdict", &signed("a"));
    for name in ["X-PAYMENT", "PAYMENT-SIGNATURE"] {
        for value in [
            "",
            "!",
            "e30=!",
            &STANDARD.encode("not JSON"),
            &STANDARD.encode("[]"),
            &STANDARD.encode("{}"),
            &STANDARD.encode("7"),
        ] {
            service.send(&claim().header(name, value)).names(name, "malformed");
        }
        service
            .send(&claim().header(name, &proof(&v1())).header(name, &proof(&v1())))
            .names(name, "malformed");
        let long = proof(&json!({"x402Version": 2, "pad": "x".repeat(20_000)}));
        service.send(&claim().header(name, &long)).names(name, "too_long");
        let commit = Request::json("/commit", &json!({"agent": "a", "content": 1})).header(name, "!");
        service.send(&commit).names(name, "malformed");
    }
    let both = claim().header("X-PAYMENT", &proof(&v1())).header("PAYMENT-SIGNATURE", &proof(&v1()));
    let problem = service.send(&both).problem(400);
    assert!(["X-PAYMENT", "PAYMENT-SIGNATURE"].contains(&text(&problem, "field")), "{problem}");
}

#[test]
fn a_proof_that_repeats_a_member_is_refused_by_its_header() {
    let service = dev();
    for name in ["X-PAYMENT", "PAYMENT-SIGNATURE"] {
        let twice = STANDARD.encode(r#"{"x402Version":1,"x402Version":2}"#);
        service.send(&commit("a").header(name, &twice)).names(name, "duplicate_key");
        let deep = STANDARD.encode("[".repeat(100));
        service.send(&commit("a").header(name, &deep)).names(name, "too_deep");
    }
}

#[test]
fn both_alphabets_of_base64_are_taken_with_and_without_padding() {
    let service = dev();
    for (at, engine) in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD].iter().enumerate() {
        let mut proof = money::v2(&money::sign(money::authorization(PRICE)));
        // Of these the two alphabets make different letters, and their length needs padding.
        proof["resource"] = json!({"url": "?>?>?>~~~ÿÿ"});
        let mut form = proof.to_string();
        while form.len() % 3 != 1 {
            form.push(' ');
        }
        let value = engine.encode(form);
        let content = format!("alphabet {at}");
        let receipt = service.send(&commit(&content).header("PAYMENT-SIGNATURE", &value)).expect(200).json();
        assert_eq!(text(&receipt["payment"], "settlement"), "local");
    }
}

#[test]
fn a_bad_proof_sent_along_with_a_free_call_is_ignored_until_it_is_due() {
    let service = Launch::dev().start();
    let request = Request::json("/claim-verdict", &signed("a")).header("X-PAYMENT", &proof(&v1()));
    for _ in 0..3 {
        let receipt = service.send(&request).expect(200).json();
        assert_eq!((text(&receipt, "verdict"), receipt.get("payment")), ("CONFIRMED", None));
    }
    money::assert_refused(&service.send(&request), "invalid_pay_to");
    money::assert_earned(&service, "0.00", 0, 3);
}

#[test]
fn a_proof_on_a_route_without_a_free_tier_gets_past_the_terms() {
    let service = dev();
    let with_proof =
        |body: &str| service.send(&Request::post("/commit", body).header("X-PAYMENT", &proof(&v1())));
    money::assert_refused(&with_proof(r#"{"agent":"a","content":1}"#), "invalid_pay_to");
    with_proof("{").names("body", "malformed");
    with_proof("{}").names("agent", "missing");
    with_proof(r#"{"agent":"a"}"#).names("content", "missing");
    with_proof(r#"{"agent":"a","content_hash":"00"}"#).names("content_hash", "malformed");
}

#[test]
fn a_refused_proof_is_told_so_in_a_pure_v1_body_too() {
    let service = dev();
    let request = commit("a").header("X-PAYMENT", &proof(&v1())).header("X-Accept-Payment", "x402-v1");
    let answer = service.send(&request).expect(402);
    let body = answer.json();
    assert_eq!(
        (members(&body), text(&body, "error")),
        (vec!["accepts", "error", "x402Version"], "invalid_pay_to")
    );
    let response = money::decoded(&answer, "x-payment-response");
    assert_eq!((&response["success"], text(&response, "network")), (&json!(false), "base"));
}
