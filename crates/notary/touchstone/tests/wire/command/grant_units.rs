//! A grant that serves batches: each entity is a call of it.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use super::said;
use crate::support::http::{Answer, Request};
use crate::support::money::{assert_earned, pays, with_proof};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

/// The price of an entity.
const ENTITY: u64 = 10_000;

fn granted(service: &Service, calls: &str) {
    let said = said(service.command(["grant", "screener", "--calls", calls]), "");
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// The calls that the one grant has used.
fn used(service: &Service) -> u64 {
    let said = said(service.command(["grant", "list"]), "");
    let grant: Value = serde_json::from_str(said.out.trim()).unwrap();
    grant["used"].as_u64().unwrap()
}

fn batch(entities: usize) -> Request {
    let entities = vec!["Nobody Of That Kind"; entities];
    Request::json("/screen-batch", &json!({"agent": "screener", "entities": entities}))
}

fn ask(service: &Service, entities: usize) -> Answer {
    service.send(&batch(entities))
}

#[test]
fn a_batch_uses_as_many_granted_calls_as_it_has_entities_or_is_told_its_price() {
    let service = Launch::dev().start();
    granted(&service, "500");
    let terms = ask(&service, 1000).problem(402);
    assert_eq!(text(&terms["accepts"][0], "amount"), "10.00");
    assert_eq!(used(&service), 0, "what was not covered took nothing");
    ask(&service, 400).expect(200);
    assert_eq!(used(&service), 400);
    ask(&service, 101).problem(402);
    ask(&service, 100).expect(200);
    ask(&service, 1).problem(402);
    assert_eq!(used(&service), 500);
    assert_earned(&service, "0.00", 0, 2);
}

#[test]
fn a_thousand_entities_use_exactly_a_thousand_calls_and_a_proof_beside_them_buys_nothing() {
    let service = Launch::dev().start();
    granted(&service, "2500");
    let receipt = ask(&service, 1000).expect(200).json();
    assert_eq!(receipt["results"].as_array().unwrap().len(), 1000);
    assert_eq!(used(&service), 1000);
    let beside = with_proof(batch(1000), &pays(1000 * ENTITY));
    assert!(service.send(&beside).expect(200).json()["payment"].is_null());
    assert_eq!(used(&service), 2000);
    assert_earned(&service, "0.00", 0, 2);
    // The rest does not cover it, so it is paid for, whole.
    let paid = with_proof(batch(1000), &pays(1000 * ENTITY));
    assert_eq!(text(&service.send(&paid).expect(200).json()["payment"], "amount"), "10.00");
    assert_eq!(used(&service), 2000);
    assert_earned(&service, "10.00", 1, 3);
}

#[test]
fn a_batch_that_fails_uses_no_granted_call() {
    // Without a list there is no answer, and without a settlement back end no price.
    let service = Launch::serve().start();
    granted(&service, "999");
    assert_eq!(text(&ask(&service, 999).problem(503), "module"), "sanctions");
    let wrong =
        json!({"agent": "screener", "entities": ["Evil Corp", {"entity": "Evil Corp", "type": "ship"}]});
    service.ask("/screen-batch", &wrong).names("entities.1.type", "unknown_value");
    assert_eq!(used(&service), 0);
    // All of them can still be had.
    assert_eq!(text(&ask(&service, 999).problem(503), "module"), "sanctions");
    assert_eq!(text(&ask(&service, 1000).problem(503), "module"), "payment");
}

#[test]
fn of_two_batches_at_once_that_a_grant_covers_one_of_one_is_served() {
    let service = Launch::dev().start();
    granted(&service, "1500");
    let together = Barrier::new(2);
    let statuses = thread::scope(|scope| {
        let calls = [0; 2].map(|_| {
            scope.spawn(|| {
                let mut connection = service.connect();
                together.wait();
                connection.exchange(&batch(1000)).status
            })
        });
        let mut statuses = calls.map(|call| call.join().unwrap());
        statuses.sort_unstable();
        statuses
    });
    assert_eq!((statuses, used(&service)), ([200, 402], 1000));
    ask(&service, 500).expect(200);
    assert_eq!(used(&service), 1500);
}
