//! A sound receipt: the process finds the same verdict, and the bond is forfeited to the reserve.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Value, json};

use super::*;
use crate::support::claims::signed;
use crate::support::log::sha256;
use crate::support::money::{PRICE, commit};
use crate::support::receipt::canonical;

/// Checks the process's signature as any reader of the receipt would, by the published key; what it signed.
#[track_caller]
fn replayed<'a>(dispute: &'a Value, notary: &Notary) -> &'a Value {
    let kid = text(&dispute["rerun"], "kid");
    let keys = notary.jwks["keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["kid"] == kid).unwrap();
    assert_eq!(text(key, "role"), "rerun");
    assert_ne!(kid, notary.kid);
    let x = URL_SAFE_NO_PAD.decode(text(key, "x")).unwrap();
    let key = VerifyingKey::from_bytes(&x.try_into().unwrap()).unwrap();
    let header = format!(r#"{{"alg":"EdDSA","kid":"{kid}","typ":"verdict-rerun+jws"}}"#);
    let replay = &dispute["replay"];
    let parts = [header.as_bytes(), &canonical(replay)].map(|part| URL_SAFE_NO_PAD.encode(part));
    let signature = URL_SAFE_NO_PAD.decode(text(&dispute["rerun"], "signature")).unwrap();
    key.verify_strict(parts.join(".").as_bytes(), &Signature::from_slice(&signature).unwrap()).unwrap();
    assert_eq!(text(replay, "receipt_hash"), text(dispute, "ref"));
    replay
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_sound_receipt_is_upheld_and_the_receipt_says_all_that_was_heard() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let dispute = disputed(&service, &receipt);
    assert_ended(&dispute, "UPHELD", "same_verdict");
    let names = [
        "agent",
        "class",
        "disputed",
        "disputer_reason",
        "evidence",
        "explanation",
        "found",
        "iss",
        "kid",
        "log_head",
        "method",
        "payment",
        "proof",
        "reason",
        "receipt_hash",
        "ref",
        "replay",
        "request_hash",
        "rerun",
        "salt",
        "scope",
        "signature",
        "signed_at",
        "source_changed",
        "v",
        "verdict",
    ];
    assert_eq!(members(&dispute), names);
    let original = json!({
        "receipt_hash": hash(&receipt), "class": "claim-verdict", "verdict": "CONFIRMED",
        "method": receipt["method"], "signed_at": receipt["signed_at"], "evidence_sha256": hex::encode(sha256(&canonical(&receipt["evidence"]))),
    });
    assert_eq!(dispute["disputed"], original);
    assert_eq!((text(&dispute, "agent"), text(&dispute, "found")), ("disputer", "CONFIRMED"));
    assert_eq!(text(&dispute, "disputer_reason"), "The document says otherwise.");
    assert_eq!((&dispute["source_changed"], text(&dispute, "method")), (&json!(false), "dispute/2"));
    assert!(text(&dispute, "scope").starts_with(server::DEV_NOTICE));
    assert_eq!((text(&dispute["payment"], "amount"), peer.asked().len()), ("1.00", 2));

    let replay = replayed(&dispute, &Notary::of(&service));
    assert_eq!(members(replay), ["evidence", "finding", "judged_at", "outcome", "receipt_hash", "sandbox"]);
    assert_eq!(
        (text(replay, "outcome"), &replay["judged_at"]),
        ("found", &receipt["evidence"]["fetched_at"])
    );
    let pieces = [("fetch", "record_sha256"), ("body", "body_sha256")]
        .map(|(role, address)| json!({"role": role, "sha256": receipt["evidence"][address]}));
    assert_eq!(replay["evidence"], json!(pieces));
    for name in ["verdict", "claim", "resolver_confidence", "evidence", "method"] {
        assert_eq!(replay["finding"][name], receipt[name], "{name}");
    }

    let evidence = &dispute["evidence"];
    assert_eq!(members(evidence), ["heard_at", "sha256", "source"]);
    let source = json!({"verdict": "CONFIRMED", "judged_at": evidence["heard_at"]});
    assert_eq!(evidence["source"], source);
    let heard = Store::of(service.data.path()).evidence(&dispute, "hearing");
    assert_eq!(text(evidence, "sha256"), hex::encode(sha256(&heard)));
    let heard: Value = serde_json::from_slice(&heard).unwrap();
    assert_eq!((&heard["replay"], &heard["disputed"]), (replay, &dispute["disputed"]));

    let checked = said(service.command(["verify", "-"]), dispute.to_string());
    assert_eq!(checked.code, Some(0), "{checked:?}");
}

#[test]
fn the_bond_is_forfeited_to_the_reserve_and_is_no_income() {
    let (service, peer) = (launch().start(), peer());
    assert_ended(&disputed(&service, &confirmed(&service, &peer)), "UPHELD", "same_verdict");
    assert!(listed(&service, &[]).is_empty());
    assert_balances(&service, BOND, 0);
    assert_eq!(Store::of(service.data.path()).reserve(), BOND);
    let stats = service.get("/stats").expect(200).json();
    let revenue = json!({"total": "0.00", "by_class": {}, "bonds": "1.00"});
    assert_eq!(stats["revenue"]["USDC"], revenue, "{stats}");
    assert_eq!((&stats["by_class"]["dispute"]["paid"], &stats["receipts_issued"]), (&json!(1), &json!(2)));
}

#[test]
fn a_question_without_a_source_and_a_content_that_was_handed_in_are_upheld() {
    let service = launch().start();
    let claim = service.claim(&signed("a"));
    let committed = service.send(&with_proof(commit("kept"), &pays(PRICE))).expect(200).json();
    for receipt in [claim, committed] {
        let dispute = disputed(&service, &receipt);
        assert_ended(&dispute, "UPHELD", "same_verdict");
        assert_eq!((&dispute["source_changed"], &dispute["evidence"].get("source")), (&Value::Null, &None));
        let replay = replayed(&dispute, &Notary::of(&service));
        assert_eq!((&replay["evidence"], &replay["finding"]["verdict"]), (&json!([]), &receipt["verdict"]));
    }
}

#[test]
fn the_identical_retry_gets_the_stored_answer_and_forfeits_nothing_more() {
    let (service, peer) = (launch().start(), peer());
    let request = with_bond(&confirmed(&service, &peer));
    let first = service.send(&request).expect(200).text();
    let service = restarted(service, |_| ());
    for _ in 0..2 {
        assert_eq!(service.send(&request).expect(200).text(), first);
    }
    assert_balances(&service, BOND, 0);
    assert_eq!(Store::of(service.data.path()).reserve(), BOND);
}
