//! `touchstone refunds` on rows that no dispute of a test leaves.

use payment::{Authorization, U256};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::{Said, said};
use crate::support::chain::{authorization, sign};
use crate::support::money::now;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

fn told(service: &Service, arguments: &[&str]) -> Said {
    said(service.command([&["refunds"], arguments].concat()), "")
}

#[track_caller]
fn lines(service: &Service, arguments: &[&str]) -> Vec<Value> {
    let said = told(service, arguments);
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rows(service: &Service) -> Connection {
    Connection::open(service.path("store.sqlite")).unwrap()
}

/// A refund that is on its way by an authorization which is good until then.
fn sending(service: &Service, id: u64, valid_before: u64) {
    let terms = Authorization { valid_before: U256::from(valid_before), ..authorization(1_000_000) };
    let insert =
        "INSERT INTO refunds (id, claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state,
            origin, log_index, settlement, proof, raw, hash, owed_at, lease_until)
        VALUES (?1, ?1, 0, ?2, ?2, 8453, 'USDC', ?3, 1000000, 1, ?2, 0, 'chain', ?4, x'', ?2, 0, 0)";
    let (hash, payee) = ([0x5a_u8; 32], [0x77_u8; 20]);
    rows(service).execute(insert, params![id, hash, payee, sign(terms).to_json()]).unwrap();
}

#[test]
fn a_refund_on_its_way_is_noted_as_paid_once_its_authorization_is_over_and_not_before() {
    let service = Launch::serve().start();
    sending(&service, 1, now() + 3600);
    sending(&service, 2, now() - 1);
    let transaction = format!("0x{}", "ab".repeat(32));
    let early = told(&service, &["pay", "1", "--transaction", &transaction]);
    assert!(early.code == Some(1) && early.err.contains("sending"), "{early:?}");
    let paid = told(&service, &["pay", "2", "--transaction", &transaction]);
    assert_eq!(paid.code, Some(0), "{paid:?}");
    let listed = lines(&service, &["list"]);
    let states: Vec<_> = listed.iter().map(|refund| text(refund, "state")).collect();
    assert_eq!((states, text(&listed[1], "transaction")), (vec!["sending", "paid"], &*transaction));
}

#[test]
fn the_bounty_reserve_is_told_by_token() {
    let service = Launch::serve().start();
    assert_eq!(lines(&service, &["reserve"]), Vec::<Value>::new());
    let insert = "INSERT INTO reserve (chain_id, symbol, settlement, amount) VALUES (8453, ?, 'chain', ?)";
    for (symbol, amount) in [("USDC", 2_500_000), ("EURC", 10_000)] {
        rows(&service).execute(insert, params![symbol, amount]).unwrap();
    }
    let expected = [json!({"token": "EURC", "amount": "0.01"}), json!({"token": "USDC", "amount": "2.50"})];
    assert_eq!(lines(&service, &["reserve"]), expected);
    assert_eq!(lines(&service, &["reserve", "--json"]), expected);
}
