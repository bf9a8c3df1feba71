//! Calls that were paid: what they get, and what a retry gets.

use payment::local::faucet_wallet;
use payment::payer::{self, Demand};
use serde_json::{Value, json};

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{
    PRICE, PRICE_TEXT, assert_earned, assert_refused, authorization, commit, decoded, nonce, now, pays,
    pays_from, sign, v1, v2, with_proof,
};
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service};
use crate::support::store::Store;

fn unlimited() -> Service {
    Launch::dev().without_limits().start()
}

/// That an answer is a sound receipt of one price, paid by the faucet, and says so in this header.
#[track_caller]
fn assert_paid(answer: &Answer, service: &Service, header: &str, network: &str) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let receipt = answer.json();
    verify(&receipt, &Notary::of(service));
    let payment = &receipt["payment"];
    let payer = faucet_wallet().address().to_string();
    let transaction = text(payment, "transaction");
    assert!(transaction.len() == 66 && transaction.starts_with("0x"), "{payment}");
    let paid = json!({
        "network": "base", "asset": "USDC", "amount": PRICE_TEXT, "payer": payer,
        "transaction": transaction, "settlement": "local",
    });
    assert_eq!(*payment, paid);
    let response = decoded(answer, header);
    assert_eq!(response["success"], true, "{response}");
    assert_eq!((text(&response, "transaction"), text(&response, "payer")), (transaction, &*payer));
    assert_eq!((text(&response, "network"), text(&response, "amount")), (network, "100000"));
    receipt
}

#[test]
fn what_a_402_asks_for_buys_a_receipt_that_says_how_it_was_paid() {
    let service = unlimited();
    let quoted = service.send(&commit("v2")).expect(402);
    let demand = Demand::decode(quoted.header("payment-required").unwrap().as_bytes()).unwrap();
    let proof = demand.pay(&faucet_wallet(), now(), nonce(), None);
    let answer = service.send(&commit("v2").header("PAYMENT-SIGNATURE", &proof));
    let receipt = assert_paid(&answer, &service, "payment-response", "eip155:8453");
    assert_eq!((text(&receipt, "class"), text(&receipt, "verdict")), ("commit", "COMMITTED"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn x_payment_takes_payloads_of_both_versions() {
    let service = unlimited();
    let answer = service.send(&with_proof(commit("v1"), &pays(PRICE)));
    assert_paid(&answer, &service, "x-payment-response", "base");
    let proof = v2(&sign(authorization(PRICE)));
    let answer = service.send(&with_proof(commit("v2"), &proof)).expect(200);
    assert_eq!(text(&answer.json()["payment"], "amount"), PRICE_TEXT);
    assert_eq!(decoded(&answer, "x-payment-response")["success"], true);
    assert_earned(&service, "0.20", 2, 2);
    let stats = service.get("/stats").expect(200).json();
    assert_eq!(stats["revenue"]["USDC"]["by_class"], json!({"commit": "0.20"}));
    assert_eq!(stats["by_class"]["commit"]["paid"], 2);
    assert_eq!(stats["by_class"]["commit"]["free"], 0);
}

#[test]
fn a_v2_payload_is_answered_in_v2_whatever_header_it_came_in() {
    let service = unlimited();
    let proof = v2(&sign(authorization(PRICE)));
    let answer = service.send(&with_proof(commit("v2"), &proof));
    assert_paid(&answer, &service, "x-payment-response", "eip155:8453");
}

/// A receipt without its proof, whose checkpoint may be a newer one.
fn unproved(answer: &Answer) -> Value {
    let mut receipt = answer.json();
    receipt.as_object_mut().unwrap().remove("proof").expect("a proof");
    receipt
}

#[test]
fn the_identical_retry_gets_the_stored_receipt_and_pays_nothing_even_after_a_restart() {
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL);
    let data = launch.data().clone();
    let service = launch.start();
    let request = with_proof(commit("again"), &pays(PRICE));
    let first = service.send(&request).expect(200);
    for _ in 0..3 {
        assert_eq!(service.send(&request).expect(200).text(), first.text());
    }
    assert_earned(&service, "0.10", 1, 1);
    service.stop();

    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).on(&data).start();
    let again = service.send(&request);
    assert_eq!(again.clone().expect(200).text(), first.text());
    assert_paid(&again, &service, "x-payment-response", "base");
    service.send(&with_proof(commit("other"), &pays(PRICE))).expect(200);
    assert_eq!(unproved(&service.send(&request).expect(200)), unproved(&first));
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn the_stored_answer_stays_the_same_bytes_as_the_log_grows() {
    let service = unlimited();
    let request = with_proof(commit("again"), &pays(PRICE));
    let first = service.send(&request).expect(200).text();
    for content in ["b", "c"] {
        service.send(&with_proof(commit(content), &pays(PRICE))).expect(200);
        assert_eq!(service.send(&request).expect(200).text(), first);
    }
}

#[test]
fn the_retry_of_an_authorization_gets_its_answer_in_either_header_and_version() {
    let service = unlimited();
    let paid = sign(authorization(PRICE));
    let first = service.send(&with_proof(commit("a"), &v1(&paid))).expect(200).text();
    assert_eq!(service.send(&with_proof(commit("a"), &v2(&paid))).expect(200).text(), first);
    let signature = commit("a").header("PAYMENT-SIGNATURE", &payer::header(&v2(&paid)));
    assert_eq!(service.send(&signature).expect(200).text(), first);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_retry_whose_signature_is_not_the_payers_gets_nothing() {
    let service = unlimited();
    let proof = pays(PRICE);
    service.send(&with_proof(commit("a"), &proof)).expect(200);
    let mut forged = proof.clone();
    forged["payload"]["signature"] = pays(PRICE)["payload"]["signature"].clone();
    assert_refused(&service.send(&with_proof(commit("a"), &forged)), "invalid_signature");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_proof_that_was_used_is_409_for_another_body_path_method_or_query() {
    let service = unlimited();
    let proof = pays(PRICE);
    let body = json!({"agent": "payer", "content": "a"}).to_string();
    service.send(&with_proof(Request::post("/commit", &body), &proof)).expect(200);
    for other in [
        commit("b"),
        // The same value spelled otherwise is another request.
        Request::post("/commit", format!("{body} ")),
        Request::post("/dispute", &body),
        Request::post("/claim-verdict", &body),
        Request::post("/commit?", "{}"),
        Request::post("/commit?a=b", &body),
        Request::get("/awards?agent=payer&content=a"),
    ] {
        let problem = service.send(&with_proof(other.clone(), &proof)).problem(409);
        assert!(problem.get("receipt_hash").is_none(), "{other:?}");
    }
    // That a free route has no use for a payment changes nothing for the payment.
    service.send(&with_proof(Request::post("/commit", &body), &proof)).expect(200);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_payment_identifier_stands_for_one_request() {
    let service = unlimited();
    let identified = |content: &str, id: &str| {
        let mut proof = v2(&sign(authorization(PRICE)));
        proof["extensions"]["payment-identifier"] = json!({"info": {"required": false, "id": id}});
        service.send(&commit(content).header("PAYMENT-SIGNATURE", &payer::header(&proof)))
    };
    let first = identified("a", "pay_0123456789abcdef").expect(200).text();
    assert_eq!(identified("a", "pay_0123456789abcdef").expect(200).text(), first, "with another nonce");
    identified("b", "pay_0123456789abcdef").problem(409);
    assert_earned(&service, "0.10", 1, 1);
    let other = identified("a", "pay_another_one_of_it").expect(200).text();
    assert_ne!(other, first, "another identifier is another payment");
    for id in ["too-short", "pay_0123456789abcde!", &"x".repeat(129)] {
        identified("c", id).names("PAYMENT-SIGNATURE", "malformed");
    }
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn a_wallet_pays_exactly_the_price_until_it_has_less() {
    // The faucet has a million dollars: two of these, and one dollar is left.
    let dear = 499_999_500_000;
    let service =
        Launch::dev().without_limits().configured("[routes.commit]\nprice = \"499999.50\"\n").start();
    for content in ["a", "b"] {
        service.send(&with_proof(commit(content), &pays(dear))).expect(200);
    }
    let short = with_proof(commit("c"), &pays(dear));
    assert_refused(&service.send(&short), "insufficient_funds");
    assert_earned(&service, "999999.00", 2, 2);
    let nobody = payment::Wallet::from_bytes([7; 32]).unwrap();
    let mut authorization = authorization(dear);
    authorization.from = nobody.address();
    let domain = payment::eip712::Domain::new(&payment::Network::local());
    let proof = v1(&nobody.authorize(&domain, authorization));
    assert_refused(&service.send(&with_proof(commit("d"), &proof)), "insufficient_funds");
}

#[test]
fn a_payer_has_so_many_payments_under_way_and_no_more_than_its_balance_covers() {
    let service = unlimited();
    let wallet = payment::Wallet::from_bytes([0x51; 32]).unwrap();
    let store = Store::of(service.data.path());
    store.fund(wallet.address(), 10 * PRICE);
    let request = with_proof(commit("a"), &pays_from(&wallet, PRICE));
    let catalog = service.get("/catalog").expect(200).json();
    let most = catalog["bounds"]["payments"]["unfinished_per_payer"].as_u64().unwrap();
    store.leave_unfinished(wallet.address(), u32::try_from(most).unwrap(), 0);
    let answer = service.send(&request);
    assert_eq!(text(&answer.problem(503), "error"), "payer_limit");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    // Another payer's are others.
    service.send(&with_proof(commit("b"), &pays(PRICE))).expect(200);
    store.finish(wallet.address());
    store.leave_unfinished(wallet.address(), 1, 9 * PRICE + 1);
    assert_refused(&service.send(&request), "insufficient_funds");
    store.finish(wallet.address());
    store.leave_unfinished(wallet.address(), 1, 9 * PRICE);
    service.send(&request).expect(200);
    assert_earned(&service, "0.20", 2, 2);
}

#[test]
fn what_is_left_is_enough_for_the_last_price() {
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL);
    let data = launch.data().clone();
    let service = launch.configured("[routes.commit]\nprice = \"999999.90\"\n").start();
    service.send(&with_proof(commit("a"), &pays(999_999_900_000))).expect(200);
    service.stop();
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL).on(&data).configured("");
    let service = launch.start();
    service.send(&with_proof(commit("b"), &pays(PRICE))).expect(200);
    assert_refused(&service.send(&with_proof(commit("c"), &pays(PRICE))), "insufficient_funds");
    assert_earned(&service, "1000000.00", 2, 2);
}

#[test]
fn a_free_call_leaves_the_proof_that_came_along_unused() {
    let service = Launch::dev().start();
    let proof = pays(50_000);
    let request = with_proof(Request::json("/claim-verdict", &signed("a")), &proof);
    for _ in 0..3 {
        let receipt = service.send(&request).expect(200).json();
        assert_eq!((text(&receipt, "verdict"), receipt.get("payment")), ("CONFIRMED", None));
    }
    assert_earned(&service, "0.00", 0, 3);
    // From here on it is due, and the same proof pays.
    let paid = service.send(&request).expect(200);
    assert_eq!(text(&paid.json()["payment"], "amount"), "0.05");
    assert_eq!(service.send(&request).expect(200).text(), paid.text());
    assert_earned(&service, "0.05", 1, 4);
}

#[test]
fn a_proof_for_what_is_not_available_stays_good() {
    // Nobody listens where the source should be.
    let settings =
        "[routes.composite]\nfree = 0\nprice = \"0.10\"\n[market]\ncboe = \"http://127.0.0.1:1\"\n";
    let service = Launch::dev().without_limits().configured(settings).start();
    let proof = pays(PRICE);
    let problem =
        service.send(&with_proof(Request::json("/composite", &json!({"agent": "a"})), &proof)).problem(503);
    assert!(problem["module"].is_string(), "{problem}");
    let refused = service.send(&with_proof(Request::json("/commit", &json!({"agent": "a"})), &proof));
    refused.names("content", "missing");
    service.send(&with_proof(commit("a"), &proof)).expect(200);
    assert_earned(&service, "0.10", 1, 1);
}
