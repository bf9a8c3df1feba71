//! Erasing the receipt that has opened a watch.

use super::*;
use crate::command::said;

#[test]
fn the_receipt_of_a_running_watch_is_not_erased_and_that_of_an_ended_one_is() {
    let service = started(launch(), false);
    let receipt = watch(&service, PARTY, None);
    let erase = || {
        let told = said(service.command(["erase", hash(&receipt)]), "");
        let line: Value = serde_json::from_str(&told.out).unwrap_or_else(|_| panic!("{told:?}"));
        (told.code, line)
    };
    let (code, line) = erase();
    assert_eq!((code, &line["state"]), (Some(1), &json!("refused")), "{line}");
    let until = text(&receipt["watch"], "until");
    let why = text(&line, "why");
    assert!(why.contains(&format!("is running until {until}")), "{why}");
    assert!(why.contains(&format!("can be erased after {until}")), "{why}");
    service.get(&format!("/receipts/{}", hash(&receipt))).expect(200);
    assert_eq!(text(&standing(&service, &receipt), "status"), "live");

    service.send(&Request::new("DELETE", &path(&receipt))).expect(204);
    let (code, line) = erase();
    assert_eq!((code, &line["state"]), (Some(0), &json!("erased")), "{line}");
    for shown in ["/verify?hash=", "/r/"] {
        let problem = service.get(&format!("{shown}{}", hash(&receipt))).problem(410);
        assert!(text(&problem, "detail").starts_with("erased on 20"), "{problem}");
    }
    service.get(&path(&receipt)).problem(404);
}
