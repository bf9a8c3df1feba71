//! A bond is a stake: it is there before anybody works for it, and what has not settled is in nobody's way.

use std::thread;

use payment::Wallet;

use super::*;
use crate::support::chain::{Chain, authorization, paying, persist, sign, sign_in_a_crowd, wait};
use crate::support::gate::Gate;
use crate::support::money::{PRICE, assert_refused, commit, pays_from};

/// How the disputes of a receipt are shown.
fn shown(service: &Service, receipt: &Value) -> Value {
    service.get(&format!("/verify?hash={}", hash(receipt))).expect(200).json()["disputes"].clone()
}

#[test]
fn the_money_of_a_bond_cannot_be_spent_elsewhere_while_its_dispute_is_heard() {
    let (service, peer) = (launch().start(), peer());
    let [receipt, other] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let attacker = Wallet::from_bytes([0x66; 32]).unwrap();
    let store = Store::of(service.data.path());
    store.fund(attacker.address(), BOND);
    let gate = Gate::shut(&service);
    let first = with_proof(dispute(&receipt), &pays_from(&attacker, BOND));
    thread::scope(|scope| {
        let held = scope.spawn(|| service.send(&first));
        gate.wait();
        assert_eq!(store.balance(attacker.address()), 0, "the bond is there before the rerun");
        let elsewhere = with_proof(dispute(&other), &pays_from(&attacker, BOND));
        assert_refused(&service.send(&elsewhere), "insufficient_funds");
        assert_eq!(shown(&service, &other), json!([]));
        gate.let_pass();
        assert_ended(&held.join().unwrap().expect(200).json(), "UPHELD", "same_verdict");
    });
    gate.open();
    // Whoever held it has lost the stake, and the honest disputer has a turn.
    assert_ended(&disputed(&service, &receipt), "UPHELD", "same_verdict");
    assert_eq!(store.balance(attacker.address()), 0);
}

#[test]
fn a_bond_that_has_not_settled_holds_nothing_and_of_two_that_settle_at_once_one_is_given_back() {
    let Some(chain) = Chain::start("bonds that settle at once") else { return };
    let chain = chain.with_a_crowd(1);
    let service = chain.launch().start();
    let receipt = service.send(&paying(commit("a"), &sign(authorization(PRICE)))).expect(200).json();
    wait(chain.anvil.automine(false));
    let bonds = [
        paying(dispute(&receipt), &sign_in_a_crowd(0, BOND)),
        paying(dispute(&receipt), &sign(authorization(BOND))),
    ];
    // Neither is in the other's way while no block comes.
    let mut connections: Vec<_> = bonds
        .iter()
        .map(|bond| {
            let mut connection = service.connect();
            connection.send(&bond.bytes()).unwrap();
            connection
        })
        .collect();
    let pending = || wait(chain.anvil.call("txpool_status", json!([])));
    until("both bonds", || pending()["pending"] == "0x2");
    assert_eq!(shown(&service, &receipt), json!([]));
    wait(chain.anvil.automine(true));
    wait(chain.anvil.mine(1));
    for connection in &mut connections {
        let status = connection.answer("POST").unwrap().status;
        assert!(matches!(status, 200 | 503), "{status}");
    }
    let ends: Vec<Value> = bonds.iter().map(|bond| persist(&service, bond).expect(200).json()).collect();
    ends.iter().for_each(|end| assert_holds(&service, &receipt, end));
    let mut verdicts: Vec<_> = ends.iter().map(|end| (text(end, "verdict"), text(end, "reason"))).collect();
    verdicts.sort_unstable();
    assert_eq!(verdicts, [("INCONCLUSIVE", "another_dispute"), ("UPHELD", "same_verdict")]);
    // The one that came late was no dispute, and its bond is owed.
    let shown = shown(&service, &receipt);
    assert_eq!((shown.as_array().unwrap().len(), text(&shown[0], "verdict")), (1, "UPHELD"), "{shown}");
    let [owed] = &listed(&service, &["--owed"])[..] else { panic!("one bond") };
    let late = ends.iter().find(|end| text(end, "verdict") == "INCONCLUSIVE").unwrap();
    assert_eq!((text(owed, "kind"), text(owed, "amount")), ("bond", "1.00"));
    assert_eq!(text(owed, "payee"), text(&late["payment"], "payer"));
}
