//! A receipt that its evidence does not bear out: the bond, the fee and a bounty are owed, and paid once.

use super::*;
use crate::limits::well_before_midnight;
use crate::support::claims::with;
use crate::support::store::Forger;

/// The same dispute, of which the stranger is to be paid what is owed to the disputer.
fn for_the_stranger(receipt: &Value) -> Request {
    let mut question = question(hash(receipt));
    question["refund_to"] = json!(stranger().to_string());
    with_proof(Request::json("/dispute", &question), &pays(BOND))
}

#[test]
fn evidence_that_says_otherwise_overturns_and_the_bond_goes_back_to_its_payer() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let service = restarted(service, |store| tamper(store, &receipt));
    let dispute = disputed(&service, &receipt);
    assert_ended(&dispute, "OVERTURNED", "other_verdict");
    assert_eq!((text(&dispute, "found"), text(&dispute["disputed"], "verdict")), ("REFUTED", "CONFIRMED"));
    assert_eq!(dispute["replay"]["finding"]["evidence"]["found"]["value"], "down");
    assert_eq!(dispute["source_changed"], json!(false), "the source itself says what it said");
    // Nobody had paid for the receipt, and the reserve is empty.
    assert_eq!(refunded(&service, 1), [refund("bond", faucet(), "1.00")]);
    assert_balances(&service, 0, 0);
}

#[test]
fn a_verdict_that_does_not_follow_from_its_evidence_is_overturned() {
    let (service, peer) = (launch().start(), peer());
    let receipt = confirmed(&service, &peer);
    let data = Arc::clone(&service.data);
    service.stop();
    let forger = Forger::at(data.path(), BASE_URL, text(&receipt, "signed_at").parse().unwrap());
    let lie = forger.lie(&receipt, "REFUTED");
    drop(forger);
    let service = launch().on(&data).start();
    verify(&lie, &Notary::of(&service));
    let dispute = disputed(&service, &lie);
    assert_ended(&dispute, "OVERTURNED", "other_verdict");
    assert_eq!((text(&dispute, "found"), text(&dispute["disputed"], "verdict")), ("CONFIRMED", "REFUTED"));
    // The receipt beside it, on the same evidence, is as sound as ever.
    assert_ended(&disputed(&service, &receipt), "UPHELD", "same_verdict");
    assert_eq!(refunded(&service, 1), [refund("bond", faucet(), "1.00")]);
    assert_balances(&service, BOND, 0);
}

#[test]
fn the_fee_goes_to_the_original_payer_and_bond_and_bounty_to_whom_the_disputer_names() {
    let (service, peer) = (launch().configured(CLAIMS_COST).start(), peer());
    let [sound, tampered] = [bought(&service, &peer), bought(&service, &peer)];
    assert_ended(&disputed(&service, &sound), "UPHELD", "same_verdict");
    let service = restarted(service, |store| tamper(store, &tampered));
    let dispute = service.send(&for_the_stranger(&tampered)).expect(200).json();
    assert_holds(&service, &tampered, &dispute);
    assert_ended(&dispute, "OVERTURNED", "other_verdict");
    assert_eq!(text(&dispute, "refund_to"), stranger().to_string());
    let owed = [
        refund("fee", faucet(), "0.05"),
        refund("bounty", stranger(), "1.00"),
        refund("bond", stranger(), "1.00"),
    ];
    assert_eq!(refunded(&service, 3), owed);
    // Two claims of which one was given back, and two bonds.
    assert_balances(&service, CLAIM + 2 * BOND, 2 * BOND);
    let revenue = json!({"total": "0.05", "by_class": {"claim-verdict": "0.05"}, "bonds": "2.00"});
    assert_eq!(service.get("/stats").expect(200).json()["revenue"]["USDC"], revenue);
    assert_eq!(Store::of(service.data.path()).reserve(), 0);
}

#[test]
fn the_bounty_is_no_more_than_the_reserve_has() {
    let (service, peer) = (launch().configured("[routes.dispute]\nprice = \"0.40\"\n").start(), peer());
    let [sound, tampered] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    let cheap = service.send(&with_proof(dispute(&sound), &pays(400_000))).expect(200).json();
    assert_ended(&cheap, "UPHELD", "same_verdict");
    std::fs::write(service.path("touchstone.toml"), "").unwrap();
    let service = restarted(service, |store| tamper(store, &tampered));
    let dispute = service.send(&for_the_stranger(&tampered)).expect(200).json();
    assert_ended(&dispute, "OVERTURNED", "other_verdict");
    let owed = [refund("bounty", stranger(), "0.40"), refund("bond", stranger(), "1.00")];
    assert_eq!(refunded(&service, 2), owed);
    assert_balances(&service, BOND + 400_000, BOND + 400_000);
}

#[test]
fn the_bounty_is_no_more_than_the_bond() {
    let (service, peer) = (launch().configured("[routes.dispute]\nprice = \"3.00\"\n").start(), peer());
    let [sound, tampered] = [confirmed(&service, &peer), confirmed(&service, &peer)];
    service.send(&with_proof(dispute(&sound), &pays(3 * BOND))).expect(200);
    std::fs::write(service.path("touchstone.toml"), "").unwrap();
    let service = restarted(service, |store| tamper(store, &tampered));
    service.send(&for_the_stranger(&tampered)).expect(200);
    let owed = [refund("bounty", stranger(), "1.00"), refund("bond", stranger(), "1.00")];
    assert_eq!(refunded(&service, 2), owed);
    assert_eq!(Store::of(service.data.path()).reserve(), 2 * BOND);
    assert_balances(&service, 4 * BOND, 2 * BOND);
}

#[test]
fn a_second_dispute_that_overturns_owes_its_bond_and_no_second_fee() {
    let (service, peer) = (launch().configured(CLAIMS_COST).start(), peer());
    let receipt = bought(&service, &peer);
    let service = restarted(service, |store| tamper(store, &receipt));
    let bond = refund("bond", faucet(), "1.00");
    assert_ended(&disputed(&service, &receipt), "OVERTURNED", "other_verdict");
    assert_eq!(refunded(&service, 2), [refund("fee", faucet(), "0.05"), bond.clone()]);
    assert_ended(&disputed(&service, &receipt), "OVERTURNED", "other_verdict");
    assert_eq!(refunded(&service, 3), [refund("fee", faucet(), "0.05"), bond.clone(), bond]);
    assert_balances(&service, 0, 0);
}

#[test]
fn a_fee_that_is_owed_back_gives_its_agent_no_reputation() {
    well_before_midnight();
    let launch =
        || Launch::dev().set("BASE_URL", BASE_URL).configured("[routes.claim-verdict]\nprice = \"1.00\"\n");
    let (service, peer) = (launch().start(), peer());
    let asked = |service: &Service, agent: &str, proof: Option<u64>| {
        let claim = with(at(&peer.url("/"), "status", "ok"), "/agent", json!(agent));
        let claim = Request::json("/claim-verdict", &claim);
        service.send(&match proof {
            Some(value) => with_proof(claim, &pays(value)),
            None => claim,
        })
    };
    // Who has settled a dollar has a call more a day than the three.
    let paid = ["deceived", "served"].map(|agent| {
        let free = (0..3).map(|_| asked(&service, agent, None).expect(200).json());
        assert!(free.collect::<Vec<_>>().iter().all(|receipt| receipt.get("payment").is_none()));
        asked(&service, agent, Some(1_000_000)).expect(200).json()
    });
    let data = Arc::clone(&service.data);
    service.stop();
    tamper(&Store::of(data.path()), &paid[0]);
    let service = launch().on(&data).start();
    assert_ended(&disputed(&service, &paid[0]), "OVERTURNED", "other_verdict");
    asked(&service, "deceived", None).problem(402);
    asked(&service, "served", None).expect(200);
}
