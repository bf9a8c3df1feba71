//! What is in the way of a dispute is told before any money: nothing is charged, and the proof stays good.

use std::io::Write as _;
use std::time::SystemTime;

use verdict::Timestamp;

use super::*;
use crate::fetches::gzip;
use crate::support::claims::signed;
use crate::support::money::{PRICE, assert_refused};
use crate::support::peer::answer;
use crate::support::store::Forger;

/// A bond that is refused for one reason after the other.
struct Bond<'a> {
    service: &'a Service,
    proof: Value,
}

impl Bond<'_> {
    fn offered(&self, question: &Value) -> crate::support::http::Answer {
        self.service.send(&with_proof(Request::json("/dispute", question), &self.proof))
    }

    #[track_caller]
    fn conflicts(&self, receipt: &Value, code: &str) {
        assert_eq!(text(&self.offered(&question(hash(receipt))).problem(409), "error"), code);
    }
}

#[test]
fn what_is_wrong_with_a_dispute_is_told_first_and_the_proof_stays_good() {
    let (service, peer) = (launch().start(), peer());
    let [receipt, other] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let ended = disputed(&service, &other);
    let bond = Bond { service: &service, proof: pays(BOND) };
    let good = question(hash(&receipt));
    let with =
        |name: &str, value: Value| crate::support::claims::with(good.clone(), &format!("/{name}"), value);

    bond.offered(&with("receipt_hash", json!("00".repeat(32)))).problem(404);
    bond.offered(&question(hash(&ended))).names("receipt_hash", "not_applicable");
    for (field, value, reason) in [
        ("receipt_hash", json!(hash(&receipt).to_uppercase()), "malformed"),
        ("receipt_hash", json!([]), "wrong_type"),
        ("reason", json!(""), "empty"),
        ("reason", json!("x".repeat(4097)), "too_long"),
        ("refund_to", json!("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "malformed"),
        ("refund_to", json!(Address::ZERO.to_string()), "malformed"),
        ("agent", json!(""), "empty"),
    ] {
        bond.offered(&with(field, value)).names(field, reason);
    }
    for field in ["agent", "receipt_hash", "reason"] {
        let without = crate::support::claims::without(good.clone(), &format!("/{field}"));
        bond.offered(&without).names(field, "missing");
    }
    let body = service.send(&with_proof(Request::post("/dispute", "{"), &bond.proof));
    body.names("body", "malformed");
    assert_balances(&service, BOND, 0);

    let dispute = bond.offered(&good).expect(200).json();
    assert_holds(&service, &receipt, &dispute);
    assert_balances(&service, 2 * BOND, 0);
}

#[test]
fn what_nobody_could_judge_again_is_refused_before_any_money() {
    let data = launch().data().clone();
    let forger = Forger::at(data.path(), BASE_URL, Timestamp::try_from(SystemTime::now()).unwrap());
    // As receipts on large documents were, before such a document decided nothing.
    let older = forger.sign_finding(
        "claim-verdict",
        &signed("a"),
        "CONFIRMED",
        &json!({"evidence": {"body_kept": false}}),
    );
    drop(forger);
    let (service, peer) = (launch().on(&data).start(), peer());
    let bare = json!({"agent": "payer", "content_hash": format!("sha256:{}", "ab".repeat(32))});
    let bare = service.send(&with_proof(Request::json("/commit", &bare), &pays(PRICE))).expect(200).json();
    let [bodyless, forgotten] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let asked = peer.asked().len();
    let data = Arc::clone(&service.data);
    service.stop();
    Store::of(data.path()).forget(&bodyless, "body");
    Store::of(data.path()).forget_request(&forgotten);
    let service = launch().on(&data).start();
    let bond = Bond { service: &service, proof: pays(BOND) };
    for receipt in [&older, &bare, &bodyless, &forgotten] {
        bond.conflicts(receipt, "not_disputable");
        let shown = service.get(&format!("/verify?hash={}", hash(receipt))).expect(200).json();
        assert_eq!((&shown["valid"], &shown["disputes"]), (&json!(true), &json!([])));
    }
    assert_balances(&service, PRICE, 0);
    assert_eq!((peer.asked().len(), listed(&service, &[]).len()), (asked, 0));
    bond.offered(&question(hash(&confirmed(&service, &peer)))).expect(200);
}

#[test]
fn a_document_that_is_too_large_to_keep_decides_nothing_and_that_can_be_disputed() {
    let mut body = br#"{"status":"ok"}"#.to_vec();
    body.resize((1 << 20) + 1, b' ');
    let body = gzip(|to| to.write_all(&body).unwrap());
    let head = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";
    let (service, peer) = (launch().start(), Peer::http(move |_| answer("200 OK", head, &body)));
    let receipt = service.claim(&at(&peer.url("/"), "status", "ok"));
    assert_eq!((text(&receipt, "verdict"), text(&receipt, "reason")), ("UNRESOLVED", "too_large_to_keep"));
    assert_eq!((&receipt["resolver_confidence"], receipt["evidence"].get("body_kept")), (&json!(0), None));
    assert_ended(&disputed(&service, &receipt), "UPHELD", "same_verdict");
    assert_balances(&service, BOND, 0);
}

#[test]
fn after_two_disputes_there_is_no_third() {
    let (service, peer) = (launch().start(), peer());
    let [receipt, other] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let bond = Bond { service: &service, proof: pays(BOND) };
    for _ in 0..2 {
        assert_ended(&disputed(&service, &receipt), "UPHELD", "same_verdict");
    }
    bond.conflicts(&receipt, "dispute_limit");
    assert_balances(&service, 2 * BOND, 0);
    let proof = bond.proof;
    let service = restarted(service, |_| ());
    let bond = Bond { service: &service, proof };
    bond.conflicts(&receipt, "dispute_limit");
    assert_balances(&service, 2 * BOND, 0);
    bond.offered(&question(hash(&other))).expect(200);
    assert_balances(&service, 3 * BOND, 0);
}

/// A service whose log begins with a receipt that was signed so long ago.
fn long_ago(hours: i64) -> (Service, Value) {
    let data = launch().data().clone();
    let now = Timestamp::try_from(SystemTime::now()).unwrap();
    let at = now.saturating_add_millis(-hours * 3_600_000);
    let forger = Forger::at(data.path(), BASE_URL, at);
    let receipt = forger.sign("claim-verdict", &signed("a"), "CONFIRMED");
    drop(forger);
    let service = launch().on(&data).start();
    verify(&receipt, &Notary::of(&service));
    (service, receipt)
}

#[test]
fn a_receipt_can_be_disputed_for_three_days() {
    let (service, receipt) = long_ago(73);
    let bond = Bond { service: &service, proof: pays(BOND) };
    bond.conflicts(&receipt, "window_closed");
    assert_balances(&service, 0, 0);
    bond.offered(&question(hash(&service.claim(&signed("b"))))).expect(200);
    assert_balances(&service, BOND, 0);

    let (service, receipt) = long_ago(71);
    // It is heard. The same verdict is found, on more than the forger has written down as evidence.
    assert_ended(&disputed(&service, &receipt), "INCONCLUSIVE", "evidence_missing");
}

#[test]
fn without_a_proof_the_terms_are_told_whatever_the_body_holds() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let dispute = disputed(&service, &receipt);
    let unknown = question(&"00".repeat(32)).to_string();
    let nested = question(hash(&dispute)).to_string();
    for body in ["", "{", "[]", "{}", "\u{0}", r#"{"agent":""}"#, &unknown, &nested] {
        let problem = service.post("/dispute", body).problem(402);
        assert_eq!(text(&problem, "error"), "payment_required");
        assert_eq!(text(&problem["accepts"][0], "amount"), "1.00");
    }
    service.get("/dispute").problem(405);
}

#[test]
fn a_bond_that_is_no_bond_opens_no_dispute() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    for value in [BOND - 1, BOND + 1, CLAIM, 0] {
        assert_refused(&service.send(&with_proof(dispute(&receipt), &pays(value))), "invalid_amount");
    }
    assert_balances(&service, 0, 0);
    let shown = service.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json();
    assert_eq!(shown["disputes"], json!([]));
}
