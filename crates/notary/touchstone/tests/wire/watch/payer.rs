//! Who has read a payment on the chain has its authorization, and not the watch that it bought.

use payment::local::faucet_wallet;
use payment::{Address, U256};

use super::*;
use crate::support::money::{assert_refused, attested, authorization, commit, named, sign, v2};

const IDENTIFIER: &str = "watch_0123456789abcdef";

/// What a problem says, but for the id of its request.
fn problem(answer: &Answer) -> Value {
    let mut problem = answer.problem(409);
    problem.as_object_mut().unwrap().remove("request_id").expect("an id");
    problem
}

fn paid_watches() -> Service {
    started(launch().configured("[routes.watch]\nfree = 0\n"), false)
}

#[track_caller]
fn assert_paid_once(service: &Service) {
    let stats = service.get("/stats").expect(200).json();
    assert_eq!(
        (text(&stats["revenue"]["USDC"], "total"), &stats["by_class"]["watch"]["paid"]),
        ("0.10", &json!(1))
    );
}

fn question() -> String {
    json!({"agent": "payer", "entity": PARTY}).to_string()
}

#[test]
fn an_observer_with_the_payers_header_gets_neither_the_watch_nor_a_hint_at_its_body() {
    let service = paid_watches();
    let proof = named(&sign(authorization(PRICE)), IDENTIFIER);
    let request = with_proof(Request::post("/watch", question()), &proof);
    let first = service.send(&request);
    let receipt = told(&first);
    // From another connection, at once, and with the very bytes.
    let observed = service.connect().exchange(&request);
    assert_eq!(text(&observed.problem(409), "error"), "payer_unproven");
    assert_eq!((observed.header("watch-id"), observed.header("payment-required")), (None, None));
    let guesses = [
        with_proof(
            Request::post("/watch", json!({"agent": "payer", "entity": "Nobody"}).to_string()),
            &proof,
        ),
        with_proof(Request::post("/watch", question() + " "), &proof),
        with_proof(commit("a"), &proof),
    ];
    for guess in guesses {
        assert_eq!(problem(&service.send(&guess)), problem(&observed), "a wrong guess is told the same");
    }
    let stranger = payment::Wallet::from_bytes([0x33; 32]).unwrap();
    let forged = attested(&stranger, &observed.problem(409), "/watch", question().as_bytes());
    assert_refused(
        &service.send(&with_proof(Request::post("/watch", question()), &forged)),
        "invalid_transaction",
    );
    // What others can fetch has no id either.
    for public in ["/receipts/{}", "/r/{}", "/verify?hash={}"] {
        let shown = service.get(&public.replace("{}", hash(&receipt))).expect(200);
        assert!(!shown.text().contains(&id(&receipt)) && shown.header("watch-id").is_none(), "{public}");
    }
    assert_eq!(text(&standing(&service, &receipt), "status"), "live");
    assert_paid_once(&service);
}

#[test]
fn the_payer_of_a_watch_gets_the_same_answer_again_by_either_way_to_show_himself() {
    let service = paid_watches();
    let request = |proof: &Value| with_proof(Request::post("/watch", question()), proof);
    let first = service.send(&request(&named(&sign(authorization(PRICE)), IDENTIFIER)));
    told(&first);
    let same = |answer: &Answer| {
        assert_eq!(answer.clone().expect(200).text(), first.text());
        assert_eq!(answer.header("watch-id"), first.header("watch-id"));
    };
    // By his name for the payment, and an authorization that would pay: it is not settled.
    same(&service.send(&request(&named(&sign(authorization(PRICE)), IDENTIFIER))));
    // By his signature over the request and the transaction.
    let unproven = service.send(&request(&named(&sign(authorization(PRICE)), IDENTIFIER))).expect(200).json();
    let settled = json!({"transaction": unproven["payment"]["transaction"], "log_index": 0});
    let shown = attested(&faucet_wallet(), &settled, "/watch", question().as_bytes());
    same(&service.send(&request(&shown)));
    assert_paid_once(&service);
}

#[test]
fn an_identifier_opens_nothing_with_an_authorization_that_would_not_pay() {
    let service = paid_watches();
    let request = |proof: &Value| with_proof(Request::post("/watch", question()), proof);
    service.send(&request(&named(&sign(authorization(PRICE)), IDENTIFIER))).expect(200);
    let now = crate::support::money::now();
    let good = || authorization(PRICE);
    for (public, code) in [
        (payment::Authorization { to: Address::repeat_byte(0x99), ..good() }, "invalid_pay_to"),
        (payment::Authorization { value: U256::from(1), ..good() }, "invalid_amount"),
        (payment::Authorization { valid_before: U256::from(now - 3600), ..good() }, "expired"),
        (payment::Authorization { valid_after: U256::from(now + 30), ..good() }, "not_yet_valid"),
    ] {
        assert_refused(&service.send(&request(&named(&sign(public), IDENTIFIER))), code);
    }
    assert_refused(
        &service.send(&request(&v2(&sign(payment::Authorization { value: U256::from(1), ..good() })))),
        "invalid_amount",
    );
    assert_paid_once(&service);
}
