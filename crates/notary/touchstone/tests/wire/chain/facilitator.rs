//! Through a facilitator that does what facilitators should not: no answer unpaid, none paid for twice, no 500.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use payment::{B256, SignedAuthorization};
use peers::Reply;
use serde_json::{Value, json};

use super::settling::assert_bought;
use crate::crash::crash;
use crate::support::chain::{
    Chain, authorization, paying, persist, serve, sign, until, used_by_another, wallet,
};
use crate::support::facilitator::{failure, nonce_of, scripted, settling, success, valid};
use crate::support::http::Answer;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit};
use crate::support::receipt::text;
use crate::support::service::Service;

/// What a script says to each authorization, by its nonce.
type Script = BTreeMap<B256, (&'static str, Reply)>;

/// An authorization for each reply, and what the script says to it.
fn script(replies: Vec<(&'static str, Reply)>) -> (Vec<SignedAuthorization>, Script) {
    let signed: Vec<_> = replies.iter().map(|_| sign(authorization(PRICE))).collect();
    let nonces = signed.iter().map(|signed| signed.authorization.nonce);
    let script = nonces.zip(replies).collect();
    (signed, script)
}

/// What is no answer to any question.
fn nonsense() -> Vec<(&'static str, Reply)> {
    vec![
        ("cut", Reply::Cut),
        ("silence", Reply::Silence),
        ("a redirect", Reply::Redirect(308, "/verify".to_owned())),
        ("not json", Reply::Text(200, "OK".to_owned())),
        ("empty", Reply::Text(200, String::new())),
        ("an empty object", Reply::Json(200, json!({}))),
        ("an array", Reply::Json(200, json!([true]))),
        ("null", Reply::Json(200, Value::Null)),
        ("an error", Reply::Json(500, json!({"error": "internal"}))),
        ("too much", Reply::Text(200, "x".repeat(100_000))),
    ]
}

/// The answers to one commit for each authorization, all at once.
fn at_once(service: &Service, signed: &[SignedAuthorization]) -> Vec<Answer> {
    thread::scope(|scope| {
        let ask = |(at, signed)| service.send(&paying(commit(&format!("{at}")), signed));
        let senders: Vec<_> = signed.iter().enumerate().map(|one| scope.spawn(move || ask(one))).collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    })
}

#[test]
fn only_a_sound_verification_lets_a_payment_pass() {
    let mut replies = nonsense();
    replies.extend([
        ("a text", Reply::Json(200, json!({"isValid": "true"}))),
        ("a number", Reply::Json(200, json!({"isValid": 1}))),
        ("of another payer", Reply::Json(200, json!({"isValid": true, "payer": B256::ZERO.to_string()}))),
        ("with status 500", Reply::Json(500, json!({"isValid": true}))),
    ]);
    let (signed, script) = script(replies);
    let heals = Arc::new(AtomicBool::new(false));
    let is_healed = Arc::clone(&heals);
    let stub = scripted(
        move |request| {
            if is_healed.load(Ordering::SeqCst) { valid() } else { script[&nonce_of(request)].1.clone() }
        },
        |request| success(nonce_of(request)),
    );
    let service = serve().set("FACILITATOR", &stub.url()).start();
    for answer in at_once(&service, &signed) {
        let problem = answer.problem(503);
        assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None), "{problem}");
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
    }
    assert!(stub.requests().iter().all(|(path, _)| path == "/verify"));
    assert_earned(&service, "0.00", 0, 0);
    // Nothing was charged or claimed: the same proofs pay later, each once.
    heals.store(true, Ordering::SeqCst);
    let count = signed.len() as u64;
    for answer in at_once(&service, &signed) {
        assert_bought(&answer, &service, "facilitator");
    }
    let settled = stub.requests().iter().filter(|(path, _)| path == "/settle").count() as u64;
    assert_eq!(settled, count);
    assert_earned(&service, &format!("{:.2}", count as f64 / 10.0), count, count);
}

#[test]
fn a_refusal_is_a_402_whatever_its_status() {
    let reason = |reason: &str| json!({"isValid": false, "invalidReason": reason});
    let expected = ["insufficient_funds", "nonce_used", "transfer_refused", "insufficient_funds"];
    let (signed, script) = script(vec![
        ("funds", Reply::Json(200, reason("insufficient_funds"))),
        ("nonce", Reply::Json(400, reason("invalid_exact_evm_nonce_already_used"))),
        ("something", Reply::Json(200, reason("<script>secret</script>"))),
        ("500", Reply::Json(500, reason("insufficient_funds"))),
    ]);
    let stub = scripted(move |request| script[&nonce_of(request)].1.clone(), |_| Reply::Cut);
    let service = serve().set("FACILITATOR", &stub.url()).start();
    for (answer, code) in at_once(&service, &signed).iter().zip(expected) {
        assert_refused(answer, code);
        assert!(!answer.text().contains("script"), "{}", answer.text());
    }
    assert_earned(&service, "0.00", 0, 0);
}

/// What leaves the outcome of a settlement open.
fn open_outcomes() -> Vec<(&'static str, Reply)> {
    let changed = |name: &str, value: Value| {
        let Reply::Json(status, mut answer) = success(B256::repeat_byte(0x77)) else { unreachable!() };
        answer[name] = value;
        Reply::Json(status, answer)
    };
    let mut replies = nonsense();
    replies.extend([
        ("a text", changed("success", json!("true"))),
        ("no transaction", changed("transaction", json!(""))),
        ("transaction zero", changed("transaction", json!(B256::ZERO.to_string()))),
        ("another network", changed("network", json!("eip155:1"))),
        ("another payer", changed("payer", json!("0x00000000000000000000000000000000000000aa"))),
        ("a failure without a reason", Reply::Json(200, json!({"success": false}))),
        ("pending", failure(200, "settlement_pending")),
        ("a used nonce", failure(200, "invalid_exact_evm_nonce_already_used")),
        ("a refusal with status 500", failure(500, "insufficient_funds")),
    ]);
    replies
}

#[test]
fn a_settlement_of_unknown_outcome_is_never_an_answer_and_never_asked_for_again() {
    let (signed, script) = script(open_outcomes());
    let (names, heals) = (script.clone(), Arc::new(AtomicBool::new(false)));
    let is_healed = Arc::clone(&heals);
    let stub = settling(move |request| {
        let nonce = nonce_of(request);
        if is_healed.load(Ordering::SeqCst) { success(nonce) } else { script[&nonce].1.clone() }
    });
    let service = serve().set("FACILITATOR", &stub.url()).start();
    for (answer, signed) in at_once(&service, &signed).iter().zip(&signed) {
        let problem = answer.problem(503);
        let name = names[&signed.authorization.nonce].0;
        assert_eq!(text(&problem, "error"), "payment_in_progress", "{name}");
        assert!(answer.header("payment-required").is_none(), "{name}");
    }
    assert_earned(&service, "0.00", 0, 0);
    // As soon as it says so, each is paid, once.
    heals.store(true, Ordering::SeqCst);
    let count = signed.len() as u64;
    thread::scope(|scope| {
        for (at, signed) in signed.iter().enumerate() {
            let service = &service;
            scope.spawn(move || {
                let request = paying(commit(&format!("{at}")), signed);
                let answer = persist(service, &request);
                let transaction = assert_bought(&answer, service, "facilitator");
                assert_eq!(transaction, signed.authorization.nonce.to_string());
                assert_eq!(service.send(&request).expect(200).text(), answer.text());
            });
        }
    });
    assert_earned(&service, &format!("{:.2}", count as f64 / 10.0), count, count);
}

#[test]
fn a_first_settlement_that_fails_with_200_is_a_402() {
    for (status, reason, code) in [
        (200, "insufficient_funds", "insufficient_funds"),
        (400, "invalid_exact_evm_payload_signature", "invalid_signature"),
    ] {
        let stub = settling(move |_| failure(status, reason));
        let service = serve().set("FACILITATOR", &stub.url()).start();
        let signed = sign(authorization(PRICE));
        let request = paying(commit("a"), &signed);
        assert_refused(&service.send(&request), code);
        assert_refused(&service.send(&request), "settlement_failed");
        service.send(&paying(commit("b"), &signed)).problem(409);
        let settled = stub.requests().iter().filter(|(path, _)| path == "/settle").count();
        assert_eq!(settled, 1);
        assert_earned(&service, "0.00", 0, 0);
    }
}

#[test]
fn a_facilitator_that_lies_beside_a_node_buys_nothing_until_the_chain_has_it() {
    let Some(chain) = Chain::start("a lying facilitator beside a node") else { return };
    let (signed, other) = (sign(authorization(PRICE)), sign(authorization(PRICE)));
    // A real transaction, which paid for something else.
    let others = chain.used_by_another(&other);
    let stub = settling(move |_| success(others));
    let service = serve().set("FACILITATOR", &stub.url()).set("RPC", chain.anvil.url()).start();
    let request = paying(commit("a"), &signed);
    let problem = service.send(&request).problem(503);
    assert_eq!(text(&problem, "error"), "payment_in_progress");
    assert_earned(&service, "0.00", 0, 0);
    let real = chain.used_by_another(&signed);
    let transaction = assert_bought(&persist(&service, &request), &service, "facilitator");
    assert_eq!((transaction, chain.paid()), (real.to_string(), 2 * PRICE));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_facilitator_that_settles_and_denies_it_is_believed_no_more_than_the_chain() {
    let Some(chain) = Chain::start("a facilitator that denies, beside a node") else { return };
    let replies = [
        failure(200, "insufficient_funds"),
        failure(200, "invalid_exact_evm_nonce_already_used"),
        Reply::Cut,
        Reply::Redirect(308, "/elsewhere".to_owned()),
    ];
    let turn = Arc::new(AtomicU8::new(0));
    let (anvil, at) = (Arc::clone(&chain.anvil), Arc::clone(&turn));
    let settled = Mutex::new(Vec::new());
    let stub = settling(move |request| {
        let nonce = nonce_of(request);
        let mut settled = settled.lock().unwrap();
        if !settled.contains(&nonce) {
            settled.push(nonce);
            used_by_another(&anvil, &of(request));
        }
        replies[usize::from(at.load(Ordering::SeqCst))].clone()
    });
    let service = serve().set("FACILITATOR", &stub.url()).set("RPC", chain.anvil.url()).start();
    for number in 1..=4 {
        let request = paying(commit("a"), &sign(authorization(PRICE)));
        assert_bought(&persist(&service, &request), &service, "facilitator");
        assert_eq!(chain.paid(), u64::from(number) * PRICE);
        turn.store(number.min(3), Ordering::SeqCst);
    }
    assert_earned(&service, "0.40", 4, 4);
}

/// The signed authorization in a request to a facilitator.
pub fn of(request: &Value) -> SignedAuthorization {
    let payload = &request["paymentPayload"]["payload"];
    let member = |name: &str| payload["authorization"][name].as_str().unwrap();
    let mut authorization = authorization(PRICE);
    assert_eq!(member("from"), wallet().address().to_string());
    authorization.nonce = member("nonce").parse().unwrap();
    authorization.valid_before = member("validBefore").parse().unwrap();
    SignedAuthorization { authorization, signature: text(payload, "signature").parse().unwrap() }
}

#[test]
fn a_crash_between_its_settlement_and_ours_is_one_payment() {
    let Some(chain) = Chain::start("a crash beside a facilitator") else { return };
    let anvil = Arc::clone(&chain.anvil);
    let settled = Mutex::new(None);
    let stub = settling(move |request| {
        success(*settled.lock().unwrap().get_or_insert_with(|| used_by_another(&anvil, &of(request))))
    });
    let launch = || serve().set("FACILITATOR", &stub.url()).set("RPC", chain.anvil.url());
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let data = crash(launch(), "broadcast", &request);
    let service = launch().on(&data).start();
    until("the receipt", || service.get("/stats").expect(200).json()["receipts_issued"] == 1);
    let transaction = assert_bought(&service.send(&request), &service, "facilitator");
    assert_eq!((chain.paid(), chain.transfers()), (PRICE, vec![transaction]));
    assert_earned(&service, "0.10", 1, 1);
}
