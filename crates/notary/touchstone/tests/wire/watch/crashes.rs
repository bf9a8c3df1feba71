//! A crash between a change and its webhook, and between a payment and its watch.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;

use payment::local::faucet_wallet;
use rustix::process::Signal;

use super::*;
use crate::crash::{crash, persist};
use crate::support::money::attested;

/// A data folder whose service has crashed at this point after the party was listed, and the watch's receipt.
fn crashed(point: &str, hook: &Hook) -> (Arc<tempfile::TempDir>, Value) {
    let mut service = started(launch().set("FAULT", point), false);
    let receipt = watch(&service, PARTY, Some(hook.url("localhost", "/")));
    assert_eq!(import(service.data.path(), &publication(21, true)).code, Some(0));
    let status = service.wait();
    assert_eq!(status.signal(), Some(Signal::ABORT.as_raw()), "{status}: {}", service.said());
    (Arc::clone(&service.data), receipt)
}

/// That after a crash at this point the change is told by one receipt, and its webhook is taken.
#[track_caller]
fn assert_made_good(point: &str, sent_before: usize) {
    let hook = Hook::willing();
    let (data, receipt) = crashed(point, &hook);
    assert_eq!(hook.received("/").len(), sent_before);
    let service = launch().on(&data).start();
    until("the webhook", || standing(&service, &receipt)["alerts"][0]["webhook"]["state"] == "delivered");
    let (alert, received) = (alerts(&service, &receipt, 1).remove(0), hook.received("/"));
    assert_eq!(received.len(), sent_before + 1);
    for sent in received {
        assert_eq!(sent.header("webhook-id"), text(&alert, "receipt_hash"));
        sent.verify(&webhook_key(&service));
    }
}

#[test]
fn a_crash_after_the_receipt_of_a_change_loses_no_webhook() {
    assert_made_good("alerted", 0);
}

#[test]
fn a_crash_after_a_webhook_was_sent_sends_it_again_under_the_same_id() {
    assert_made_good("webhook_sent", 1);
}

#[test]
fn a_crash_past_the_settlement_of_a_watch_leaves_no_payment_without_it() {
    for point in ["settled", "delivered"] {
        let service = started(launch().configured("[routes.watch]\nfree = 0\n"), false);
        let data = Arc::clone(&service.data);
        service.stop();
        let question = json!({"agent": "payer", "entity": PARTY});
        let request = with_proof(Request::json("/watch", &question), &pays(PRICE));
        crash(launch().on(&data), point, &request);
        let service = launch().on(&data).start();
        // Who only has the authorization learns nothing; its payer gets the watch.
        let unproven = persist(&service, &request).problem(409);
        let body = question.to_string();
        let shown = attested(&faucet_wallet(), &unproven, "/watch", body.as_bytes());
        let again = with_proof(Request::post("/watch", &body), &shown);
        let answer = service.send(&again);
        assert_eq!(text(&standing(&service, &told(&answer)), "status"), "live");
        assert_eq!(service.send(&again).expect(200).text(), answer.text(), "one watch for one payment");
    }
}
