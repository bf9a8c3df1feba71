//! What a call costs when prices change, what a paid call counts towards, and what nobody is told.

use payment::local::faucet_wallet;
use serde_json::Value;

use crate::support::http::Request;
use crate::support::money::{
    PRICE, assert_earned, assert_refused, authorization, commit, pays, sign, v2, with_proof,
};
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, read};

/// A configuration in which `commit` has this price.
fn priced(price: &str) -> String {
    format!("[routes.commit]\nprice = \"{price}\"\n")
}

#[test]
fn a_price_is_good_for_a_while_after_it_was_changed_and_no_other_is() {
    let launch = || Launch::dev().without_limits().set("BASE_URL", BASE_URL);
    let first = launch();
    let data = first.data().clone();
    let service = first.configured(&priced("0.10")).start();
    let quoted = service.send(&commit("old")).problem(402);
    assert_eq!(text(&quoted["accepts"][0], "amount"), "0.10");
    service.stop();

    let service = launch().on(&data).configured(&priced("0.30")).start();
    let quoted = service.send(&commit("old")).problem(402);
    assert_eq!(text(&quoted["accepts"][0], "amount"), "0.30");
    for (content, value, amount) in [("old", 100_000, "0.10"), ("new", 300_000, "0.30")] {
        let receipt = service.send(&with_proof(commit(content), &pays(value))).expect(200).json();
        assert_eq!(text(&receipt["payment"], "amount"), amount);
    }
    for never in [200_000, 100_001, 299_999, 400_000, 50_000] {
        assert_refused(&service.send(&with_proof(commit("never"), &pays(never))), "invalid_amount");
    }
    assert_earned(&service, "0.40", 2, 2);
    service.stop();

    // Down again: the dearer one holds for whoever signed it.
    let service = launch().on(&data).configured(&priced("0.20")).start();
    for value in [200_000, 300_000, 100_000] {
        service.send(&with_proof(commit(&value.to_string()), &pays(value))).expect(200);
    }
    assert_earned(&service, "1.00", 5, 5);
}

#[test]
fn an_amount_that_was_not_signed_is_told_beside_the_one_that_was() {
    let service = Launch::dev().without_limits().start();
    for (accepted, told) in
        [("99999", "99999"), ("0.10", "no whole number"), (&"9".repeat(99), "no whole number")]
    {
        let mut proof = v2(&sign(authorization(PRICE)));
        proof["accepted"]["amount"] = accepted.into();
        let problem = service.send(&with_proof(commit("a"), &proof)).problem(402);
        assert_eq!(text(&problem, "error"), "invalid_amount");
        let detail = text(&problem, "detail");
        assert!(detail.contains(told) && detail.contains("100000"), "{detail}");
    }
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn a_body_that_is_mended_after_a_400_is_paid_for_by_the_same_proof() {
    let service = Launch::dev().without_limits().start();
    let proof = pays(PRICE);
    let sent = |body: &str| service.send(&with_proof(Request::post("/commit", body), &proof));
    sent("{").names("body", "malformed");
    sent(r#"{"agent":"payer"}"#).names("content", "missing");
    sent(r#"{"agent":"payer","content":"mended"}"#).expect(200);
    assert_eq!(text(&sent(r#"{"agent":"payer","content":"another"}"#).problem(409), "error"), "payment_used");
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_price_of_another_route_is_none_of_this_one() {
    let service = Launch::dev().without_limits().start();
    // Those of `dispute`, `claim-verdict` and `screen-batch`.
    for other in [1_000_000, 50_000, 10_000] {
        assert_refused(&service.send(&with_proof(commit("a"), &pays(other))), "invalid_amount");
    }
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn a_paid_retry_of_what_was_answered_402_is_not_counted_again() {
    let service = Launch::dev().configured("[routes.commit]\nrate = 2\n").start();
    let proofs = [pays(PRICE), pays(PRICE)];
    for (content, proof) in ["a", "b"].into_iter().zip(&proofs) {
        service.send(&commit(content)).problem(402);
        service.send(&with_proof(commit(content), proof)).expect(200);
    }
    // The rate of the name is used up by the two that asked for the price, and that of the payer by none.
    service.send(&commit("c")).problem(429);
    for content in ["c", "d"] {
        service.send(&with_proof(commit(content), &pays(PRICE))).expect(200);
    }
    service.send(&with_proof(commit("e"), &pays(PRICE))).problem(429);
    // What was bought is not refused to whoever bought it.
    service.send(&with_proof(commit("a"), &proofs[0])).expect(200);
    assert_earned(&service, "0.40", 4, 4);
}

#[test]
fn a_paid_call_that_nobody_was_quoted_counts_and_stays_unpaid_where_it_is_refused() {
    let service = Launch::dev().configured("[routes.commit]\nrate = 1\n").start();
    service.send(&with_proof(commit("a"), &pays(PRICE))).expect(200);
    service.send(&with_proof(commit("b"), &pays(PRICE))).problem(429);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn no_secret_and_nothing_of_the_inside_is_told() {
    let service = Launch::dev().without_limits().set("LOG", "trace").start();
    let keys = ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"]
        .map(|name| String::from_utf8(read(&service.path("keys").join(name))).unwrap());
    let folder = service.path("");
    let folder = folder.to_str().unwrap().trim_end_matches('/').to_owned();
    let paid = pays(PRICE);
    let forged = {
        let mut proof = pays(PRICE);
        proof["payload"]["signature"] = paid["payload"]["signature"].clone();
        proof
    };
    let answers = [
        service.send(&commit("a")).expect(402),
        service.send(&with_proof(commit("a"), &forged)).expect(402),
        service.send(&with_proof(commit("a"), &pays(1))).expect(402),
        service.send(&with_proof(commit("a"), &paid)).expect(200),
        service.send(&with_proof(commit("b"), &paid)).expect(409),
        service.send(&Request::get("/stats")).expect(200),
    ];
    let faucet = faucet_key();
    for answer in &answers {
        let told = format!("{answer:?}").to_ascii_lowercase();
        for inside in [&*faucet, "sqlite", "src/", ".rs:", "panicked", &*folder, "claim_", "ledgererror"] {
            assert!(!told.contains(&inside.to_ascii_lowercase()), "{inside} in {told}");
        }
    }
    let said = service.stop();
    assert!(said.contains("TRACE"), "it was asked to say all: {said}");
    assert!(!said.contains(&faucet), "the faucet's key was logged");
    for key in keys {
        assert!(!said.contains(key.lines().nth(1).unwrap()), "a key was logged");
    }
    for proof in [&paid, &forged] {
        assert!(!said.contains(signature_of(proof)), "a payer's signature was logged");
    }
}

/// The digits of the faucet's key, as every Ethereum development tool prints it.
fn faucet_key() -> String {
    let key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    let wallet = payment::Wallet::from_hex(key).unwrap();
    assert_eq!(wallet.address(), faucet_wallet().address());
    key.to_owned()
}

fn signature_of(proof: &Value) -> &str {
    text(&proof["payload"], "signature").trim_start_matches("0x")
}
