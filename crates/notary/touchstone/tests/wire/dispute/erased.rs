//! Erasing a receipt that is disputed: refused with the date from which it is possible, and done after that.

use std::thread;

use super::*;
use crate::command::Said;
use crate::support::gate::Gate;

const HOUR_MS: i64 = 3_600_000;

/// Asks to erase a receipt beside the running service.
fn erase(service: &Service, receipt: &Value) -> Said {
    said(service.command(["erase", hash(receipt)]), "")
}

/// That it is refused; the reason.
#[track_caller]
fn refused(service: &Service, receipt: &Value) -> String {
    let told = erase(service, receipt);
    assert_eq!(told.code, Some(1), "{told:?}");
    let line: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(line["state"], "refused", "{line}");
    service.get(&format!("/receipts/{}", hash(receipt))).expect(200);
    text(&line, "why").to_owned()
}

#[test]
fn a_receipt_is_erased_only_once_no_dispute_of_it_can_come() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let signed_at: verdict::Timestamp = text(&receipt, "signed_at").parse().unwrap();
    let gate = Gate::shut(&service);
    let request = with_bond(&receipt);
    let dispute = thread::scope(|scope| {
        let dispute = scope.spawn(|| service.send(&request));
        gate.wait();
        let why = refused(&service, &receipt);
        let until = signed_at.saturating_add_millis(72 * HOUR_MS);
        let from = until.saturating_add_millis(HOUR_MS);
        assert!(why.contains(&format!("can be disputed until {until}")), "{why}");
        assert!(why.contains(&format!("can be erased after {from}")), "{why}");
        gate.let_pass();
        dispute.join().unwrap().expect(200).json()
    });
    assert_ended(&dispute, "UPHELD", "same_verdict");
    refused(&service, &receipt);

    // Without its request no other dispute of it can come.
    Store::of(service.data.path()).forget_request(&receipt);
    let told = erase(&service, &receipt);
    assert_eq!(told.code, Some(0), "{told:?}");
    for path in ["/verify?hash=", "/r/"] {
        let problem = service.get(&format!("{path}{}", hash(&receipt))).problem(410);
        assert!(text(&problem, "detail").starts_with("erased on 20"), "{problem}");
        assert_eq!(problem["valid"], false, "{path}");
    }
    // The receipt of the dispute is another one, and stays.
    service.get(&format!("/receipts/{}", hash(&dispute))).expect(200);
    assert_holds(&service, &receipt, &dispute);
    let report = service.ask("/verify", &receipt).expect(200).json();
    assert_eq!(report["valid"], true, "whoever has it verifies it: {report}");
}
