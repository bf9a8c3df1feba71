//! Sanctions screens: the demo list in development, real lists as they are imported, and disputes over them.

mod bad_input;
mod cleared;
mod contradictions;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::{Said, said};
use crate::support::chain::until;
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

/// A small publication of 2026-08-20: IVAN PETROVICH EXAMPLOV (101), an organisation, a ship and an aircraft.
pub const SDN_XML: &str = include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn.xml");
/// A bond.
const BOND: u64 = 1_000_000;
/// The price of an entity of a batch.
const ENTITY: u64 = 10_000;

/// Imports a publication beside the running service.
pub fn import(data: &Path, xml: &str) -> Said {
    import_named(data, "sdn.xml", xml)
}

/// The same of a file of that name.
fn import_named(data: &Path, name: &str, text: &str) -> Said {
    let file = data.join(name);
    std::fs::write(&file, text).unwrap();
    let mut command = touchstone(["lists", "import"]);
    command.arg(file).env("TOUCHSTONE_DATA_DIR", data);
    said(command, "")
}

fn screen(service: &Service, entity: &str) -> Value {
    service.ask("/screen-entity", &json!({"agent": "a", "entity": entity})).expect(200).json()
}

#[test]
fn development_screens_on_the_demo_list_and_every_receipt_says_so() {
    let service = Launch::dev().without_limits().start();
    let receipt = screen(&service, "Viktor Anatolyevich Bout");
    assert_eq!((text(&receipt, "class"), text(&receipt, "verdict")), ("screen-entity", "MATCH"));
    assert_eq!(receipt["lists"][0]["demo"], true);
    assert!(text(&receipt, "scope").contains("demo list"));
    verify(&receipt, &Notary::of(&service));
    let wallet = json!({"agent": "a", "wallet": "0x098b716b8aaf21512996dc57eb0615e2383e2f96"});
    let receipt = service.ask("/screen-wallet", &wallet).expect(200).json();
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["matches"][0]["name"]),
        ("MATCH", &json!("LAZARUS GROUP"))
    );
    service.ask("/screen-entity", &json!({"agent": "a", "entity": "Ltd."})).names("entity", "empty");
    let mistyped = json!({"agent": "a", "wallet": "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qj"});
    service.ask("/screen-wallet", &mistyped).names("wallet", "malformed");
}

#[test]
fn production_has_no_list_until_one_is_imported_and_takes_it_over_while_it_runs() {
    let service = Launch::serve().without_limits().start();
    let ask = |route: &str, body: Value| service.ask(route, &body);
    let name = || ask("/screen-entity", json!({"agent": "a", "entity": "Ivan Petrovich Examplov"}));
    let wallet =
        || ask("/screen-wallet", json!({"agent": "a", "wallet": "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi"}));
    for answer in [name(), wallet()] {
        let problem = answer.problem(503);
        assert_eq!(text(&problem, "module"), "sanctions");
        assert!(text(&problem, "detail").starts_with("no_list"));
    }
    assert_eq!(import(service.data.path(), SDN_XML).code, Some(0));
    until("the list is live", || name().status == 200);
    let receipt = name().expect(200).json();
    assert_eq!((text(&receipt, "verdict"), &receipt["matches"][0]["uid"]), ("MATCH", &json!("101")));
    assert_eq!(
        (&receipt["lists"][0]["published"], &receipt["lists"][0]["demo"]),
        (&json!("2026-08-20"), &json!(false))
    );
    assert_eq!(text(&wallet().expect(200).json(), "verdict"), "MATCH");
}

#[test]
fn a_batch_costs_its_price_for_each_entity_and_has_one_receipt() {
    let service = Launch::dev().without_limits().start();
    let batch =
        json!({"agent": "a", "entities": ["Nobody Of That Kind", {"entity": "Evil Corp"}, "Lazarus Group"]});
    let paid = with_proof(Request::json("/screen-batch", &batch), &pays(3 * ENTITY));
    let receipt = service.send(&paid).expect(200).json();
    assert_eq!((text(&receipt, "verdict"), text(&receipt["payment"], "amount")), ("MATCH", "0.03"));
    assert_eq!(receipt["results"].as_array().unwrap().len(), 3);
    verify(&receipt, &Notary::of(&service));
    let wrong = json!({"agent": "a", "entities": ["Evil Corp", {"entity": "Evil Corp", "type": "ship"}]});
    let wrong = with_proof(Request::json("/screen-batch", &wrong), &pays(2 * ENTITY));
    service.send(&wrong).names("entities.1.type", "unknown_value");
}

#[test]
fn a_dispute_replays_on_the_snapshot_of_then_after_a_new_list_is_live() {
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).start();
    let demo = screen(&service, "Viktor Anatolyevich Bout");
    let data = service.data.path();
    assert_eq!(import(data, SDN_XML).code, Some(0));
    until("the list is live", || screen(&service, "Ivan Petrovich Examplov")["lists"][0]["demo"] == false);
    let first = screen(&service, "Ivan Petrovich Examplov");
    let next = SDN_XML.replace("08/20/2026", "08/21/2026").replace("EXAMPLOV", "UNRELATED");
    assert_eq!(import(data, &next).code, Some(0));
    until("the next list is live", || {
        screen(&service, "Ivan Petrovich Examplov")["lists"][0]["published"] == "2026-08-21"
    });
    for receipt in [demo, first] {
        assert_eq!(text(&receipt, "verdict"), "MATCH");
        dispute(&service, &receipt);
    }
}

/// That the receipt is upheld.
fn dispute(service: &Service, receipt: &Value) {
    let hash = text(receipt, "receipt_hash");
    let question = json!({"agent": "disputer", "receipt_hash": hash, "reason": "It is not on the list."});
    let dispute = Request::json("/dispute", &question);
    let dispute = with_proof(dispute, &pays(BOND));
    // On a machine that is busy the rerun may be made later, for the bond that has settled.
    until("the rerun", || service.send(&dispute).status != 503);
    let dispute = service.send(&dispute).expect(200).json();
    assert_eq!((text(&dispute, "verdict"), text(&dispute, "reason")), ("UPHELD", "same_verdict"));
}

/// A list as OpenSanctions publishes it, of so many parties with addresses of two kilobytes each.
fn targets(dataset: &str, parties: usize) -> String {
    let mut csv =
        "id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,dataset\n".to_owned();
    for party in 0..parties {
        let address = format!("{party} Long Street, ").repeat(100);
        writeln!(
            csv,
            "{dataset}-{party},Person,Listed{party} Of {dataset},,,,\"{address}\",,Listed,{dataset}"
        )
        .unwrap();
    }
    csv
}

#[test]
fn a_dispute_replays_on_lists_that_are_larger_than_any_record_together() {
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).start();
    let data = service.data.path();
    assert_eq!(import(data, SDN_XML).code, Some(0));
    let sets = ["eu_fsf", "gb_fcdo_sanctions", "un_sc_sanctions"];
    let mut bytes = 0;
    for set in sets {
        let file = data.join(format!("{set}.csv"));
        let csv = targets(set, 7_000);
        bytes += csv.len();
        std::fs::write(&file, csv).unwrap();
        let mut command = touchstone(["lists", "import"]);
        command.arg(&file).env("TOUCHSTONE_DATA_DIR", data);
        assert_eq!(said(command, "").code, Some(0));
    }
    assert!(bytes > 2 * ledger::MAX_RECORD_BYTES, "{bytes}");
    let ask = || screen(&service, "Listed17 Of eu_fsf");
    until("all lists are live", || ask()["lists"].as_array().is_some_and(|lists| lists.len() == 4));
    let receipt = ask();
    assert_eq!(text(&receipt, "verdict"), "MATCH");
    let next = SDN_XML.replace("08/20/2026", "08/21/2026");
    assert_eq!(import(data, &next).code, Some(0));
    until("the next list is live", || ask()["lists"][0]["published"] == "2026-08-21");
    dispute(&service, &receipt);
}
