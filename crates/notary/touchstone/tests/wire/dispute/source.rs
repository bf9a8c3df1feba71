//! `source_changed`: what the source says now. Nothing is decided on it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::support::peer::{Step, answer};

/// A document that is answered first as it should be, and from then on like this.
fn changing(later: impl Fn() -> Vec<Step> + Send + Sync + 'static) -> Peer {
    let asked = AtomicUsize::new(0);
    Peer::http(move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => document(r#"{"status":"ok"}"#),
        _ => later(),
    })
}

/// The dispute of a receipt whose source has changed like this since. The receipt is sound.
#[track_caller]
fn upheld(peer: &Peer) -> Value {
    let service = launch().start();
    let dispute = disputed(&service, &confirmed(&service, peer));
    assert_ended(&dispute, "UPHELD", "same_verdict");
    assert_eq!((text(&dispute, "found"), peer.asked().len()), ("CONFIRMED", 2));
    dispute
}

#[test]
fn a_source_that_says_otherwise_now_is_told_and_changes_nothing() {
    for (later, verdict) in [
        (document(r#"{"status":"down"}"#), "REFUTED"),
        (document(r#"{}"#), "UNRESOLVED"),
        (answer("503 Service Unavailable", "", "{}"), "UNRESOLVED"),
    ] {
        let dispute = upheld(&changing(move || later.clone()));
        assert_eq!(
            (&dispute["source_changed"], text(&dispute["evidence"]["source"], "verdict")),
            (&json!(true), verdict)
        );
    }
}

#[test]
fn a_source_that_says_the_same_in_other_words_has_not_changed() {
    let dispute = upheld(&changing(|| document(r#"{"more": [1, 2], "status": "ok"}"#)));
    assert_eq!(dispute["source_changed"], json!(false));
}

#[test]
fn a_source_that_does_not_answer_in_time_is_not_waited_for() {
    let peer = changing(|| vec![Step::Gate]);
    let dispute = upheld(&peer);
    assert_eq!((&dispute["source_changed"], dispute["evidence"].get("source")), (&Value::Null, None));
    peer.open_gate();
}

#[test]
fn evidence_that_gives_the_same_verdict_and_is_not_what_the_receipt_was_found_on_upholds_nothing() {
    let peer = changing(|| document(r#"{"status":"ok"}"#));
    let service = launch().start();
    let receipt = confirmed(&service, &peer);
    let service = restarted(service, |store| store.tamper(&receipt, br#"{"status":"ok","more":1}"#));
    let dispute = disputed(&service, &receipt);
    assert_ended(&dispute, "INCONCLUSIVE", "evidence_missing");
    assert_eq!((text(&dispute, "found"), &dispute["source_changed"]), ("CONFIRMED", &json!(false)));
}
