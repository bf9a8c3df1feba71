//! A dispute is the rerun's to decide: who has the notary's other keys cannot have one end as he likes.

use super::*;
use crate::command::Said;
use crate::support::claims::{with, without};
use crate::support::notary::Notary;
use crate::support::thief::Thief;

/// What the check of the rerun says, to who asks the notary and to who verifies offline.
#[track_caller]
fn refused(service: &Service, dispute: &Value) -> String {
    let answer = service.ask("/verify", dispute).expect(200).json();
    let check = &answer["checks"]["rerun"];
    assert_eq!((&answer["valid"], &check["ok"]), (&json!(false), &json!(false)), "{answer}");
    let said = offline(service, dispute);
    let detail = text(check, "detail");
    assert!(said.code == Some(1) && said.out.contains(&format!("  rerun: {detail}\n")), "{said:?}");
    // Nothing else is wrong with it: the keys are the notary's, and offline nobody sees whose tree it is.
    assert_eq!(said.out.matches("\n  ").count(), 1, "{said:?}");
    detail.to_owned()
}

fn offline(service: &Service, dispute: &Value) -> Said {
    said(service.command(["verify", "-"]), dispute.to_string())
}

#[test]
fn a_dispute_that_the_reruns_key_did_not_sign_or_that_does_not_follow_is_refused_by_name() {
    let (service, peer) = (launch().start(), peer());
    let dispute = disputed(&service, &confirmed(&service, &peer));
    let thief = Thief::of(&service);
    let sound = thief.sign(dispute.clone());
    assert_eq!(offline(&service, &sound).code, Some(0), "the thief signs as the notary does");
    let forged = |pointer: &str, value: Value| thief.sign(with(dispute.clone(), pointer, value));
    let signature = "rerun.signature over the replay does not verify";
    let other = forged("/replay/finding/verdict", json!("REFUTED"));
    assert_eq!(refused(&service, &other), signature);
    let overturned = forged("/verdict", json!("OVERTURNED"));
    assert_eq!(refused(&service, &overturned), "the verdict does not follow: it would be UPHELD");
    let lie = with(with(other, "/verdict", json!("OVERTURNED")), "/found", json!("REFUTED"));
    let lie = thief.sign(with(lie, "/reason", json!("other_verdict")));
    assert_eq!(refused(&service, &lie), signature);
    let by_the_receipt_key = forged("/rerun/kid", json!(Notary::of(&service).kid));
    assert!(refused(&service, &by_the_receipt_key).contains("not one of the known keys of reruns"));
    let unheard = without(without(without(dispute.clone(), "/replay"), "/rerun"), "/found");
    assert!(refused(&service, &thief.sign(unheard)).contains("there is no replay"));
}

#[test]
fn keys_without_the_reruns_say_so_and_take_no_dispute() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let dispute = disputed(&service, &receipt);
    let Notary { mut jwks, vkey, .. } = Notary::of(&service);
    let path = service.path("known.json");
    let verified = |jwks: &Value| {
        std::fs::write(&path, jwks.to_string()).unwrap();
        let arguments = ["verify", "-", "--keys", path.to_str().unwrap(), "--log-key", &vkey];
        [&receipt, &dispute].map(|receipt| said(service.command(arguments), receipt.to_string()))
    };
    assert_eq!(verified(&jwks).map(|said| said.code), [Some(0), Some(0)]);
    jwks["keys"].as_array_mut().unwrap().retain(|key| key.get("role").is_none());
    let [receipt, dispute] = verified(&jwks);
    assert_eq!(receipt.code, Some(0), "{receipt:?}");
    assert!(
        dispute.code == Some(1) && dispute.out.contains("not one of the known keys of reruns"),
        "{dispute:?}"
    );
}
