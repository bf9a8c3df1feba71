//! `touchstone refunds`: what the service does not pay, the operator does, while it runs.

use super::*;
use crate::command::Said;
use crate::crash::crash;
use crate::support::scrape::{self, measured};
use crate::support::store::Forger;

/// A production service, which pays nothing by itself, on which a fee, a bounty and a bond are owed. The dispute, and
/// the receipt.
fn owing() -> (Service, Value, Value) {
    let (service, peer) = (launch().configured(CLAIMS_COST).start(), peer());
    let [sound, receipt] = [bought(&service, &peer), bought(&service, &peer)];
    disputed(&service, &sound);
    let data = Arc::clone(&service.data);
    service.stop();
    tamper(&Store::of(data.path()), &receipt);
    let mut question = question(hash(&receipt));
    question["refund_to"] = json!(stranger().to_string());
    let request = with_proof(Request::json("/dispute", &question), &pays(BOND));
    // The development service would pay within seconds.
    crash(launch().on(&data), "delivered", &request);
    let service = measured(Launch::serve().without_limits().on(&data)).start();
    let shown = service.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json();
    let dispute = shown["disputes"][0].clone();
    assert_eq!(text(&dispute, "verdict"), "OVERTURNED");
    (service, dispute, receipt)
}

fn told(service: &Service, arguments: &[&str]) -> Said {
    said(service.command([&["refunds"], arguments].concat()), "")
}

fn ids(refunds: &[Value]) -> Vec<u64> {
    refunds.iter().map(|refund| refund["id"].as_u64().unwrap()).collect()
}

/// That a command is refused with this word, and nothing is changed by it.
#[track_caller]
fn assert_told(service: &Service, arguments: &[&str], word: &str) {
    let before = listed(service, &[]);
    let said = told(service, arguments);
    assert!(matches!(said.code, Some(1 | 2)) && said.out.is_empty() && said.err.contains(word), "{said:?}");
    assert_eq!(listed(service, &[]), before);
}

/// A data folder with so many receipts whose disputes are inconclusive.
fn inconclusive_receipts(count: usize) -> (Arc<tempfile::TempDir>, Vec<Value>) {
    let data = launch().data().clone();
    let now = verdict::Timestamp::try_from(std::time::SystemTime::now()).unwrap();
    let forger = Forger::at(data.path(), BASE_URL, now);
    let request = |at| json!({"agent": "liar", "resolver": at});
    let receipts = (0..count).map(|at| forger.sign("claim-verdict", &request(at), "CONFIRMED")).collect();
    (data, receipts)
}

#[test]
fn what_is_owed_past_the_days_cap_waits_also_over_a_restart_and_the_operator_is_told_once() {
    let (data, receipts) = inconclusive_receipts(3);
    let launch = |cap: &str| launch().on(&data).with_name_server().set("PAYOUT_PER_DAY", cap);
    let service = launch("2.5").start();
    for receipt in &receipts {
        assert_ended(&disputed(&service, receipt), "INCONCLUSIVE", "request_refused");
    }
    let store = Store::of(data.path());
    let alarm = "the day's cap on payouts is reached";
    let capped = |service: &Service| {
        until("the alarm", || service.said().contains(alarm));
        let health = service.get("/health").expect(200).json();
        assert_eq!(
            (text(&health, "status"), &health["modules"]["payouts"]),
            ("degraded", &json!("daily_cap"))
        );
        assert_eq!(store.unpaid(), 1);
    };
    capped(&service);
    assert_balances(&service, BOND, 0);
    let log = service.stop();
    assert_eq!(log.matches(alarm).count(), 1, "{log}");
    assert!(log.lines().any(|line| line.contains("ERROR") && line.contains(alarm)), "{log}");
    // The ledger counts: a start gives no new day.
    let service = launch("2.5").start();
    capped(&service);
    service.stop();
    let service = launch("3").start();
    until("the last one", || store.unpaid() == 0);
    assert_eq!(service.get("/health").expect(200).json()["status"], "ok");
    assert_balances(&service, 0, 0);
}

#[test]
fn what_is_owed_is_listed_exported_and_noted_as_paid_while_the_service_runs() {
    let (service, dispute, receipt) = owing();
    let refunds = listed(&service, &[]);
    assert_eq!(listed(&service, &["--owed"]), refunds);
    let expected: Vec<Value> = [
        ("fee", faucet(), "0.05"),
        ("bounty", stranger(), "1.00"),
        ("bond", stranger(), "1.00"),
    ]
    .into_iter()
    .zip(&refunds)
    .map(|((kind, payee, amount), refund)| {
        json!({
            "id": refund["id"], "state": "owed", "kind": kind, "payee": payee.to_string(), "amount": amount,
            "token": "USDC", "chain_id": payment::Network::local().chain_id,
            "dispute": dispute["receipt_hash"], "disputed": hash(&receipt), "transaction": null,
            "owed_at": dispute["signed_at"], "paid_at": null,
        })
    })
    .collect();
    assert_eq!(refunds, expected);
    let [fee, bounty, bond] = ids(&refunds)[..] else { panic!("{refunds:?}") };
    let owed = || {
        let scrape = scrape::of(&service);
        let of = |name| scrape.sum(name, &[("asset", "USDC")]).unwrap();
        (of("touchstone_refunds_owed"), of("touchstone_refunds_owed_usd"))
    };
    assert_eq!(owed(), (3.0, 2.05));

    let line = |id, payee: Address, amount, kind| {
        let (chain, dispute) = (payment::Network::local().chain_id, text(&dispute, "receipt_hash"));
        format!("{id},{payee},{amount},USDC,{chain},{kind},{dispute}\n")
    };
    let head = "id,payee,amount,token,chain_id,kind,dispute\n".to_owned();
    let lines = [
        line(fee, faucet(), "0.05", "fee"),
        line(bounty, stranger(), "1.00", "bounty"),
        line(bond, stranger(), "1.00", "bond"),
    ];
    let exported = told(&service, &["export"]);
    assert_eq!((exported.code, exported.out), (Some(0), [&head, &*lines.concat()].concat()));

    let transaction = format!("0x{}", "ab".repeat(32));
    let paid = told(&service, &["pay", &bounty.to_string(), "--transaction", &transaction]);
    assert_eq!(paid.code, Some(0), "{paid:?}");
    assert_eq!(ids(&listed(&service, &["--owed"])), [fee, bond]);
    assert_eq!(owed(), (2.0, 1.05));
    let all = listed(&service, &[]);
    assert_eq!((all.len(), text(&all[1], "state"), text(&all[1], "transaction")), (3, "paid", &*transaction));
    assert!(all[1]["paid_at"].is_string(), "{all:?}");
    let exported = told(&service, &["export"]);
    assert_eq!(exported.out, [&*head, &lines[0], &lines[2]].concat());
    // The service has gone on, and what was noted is still so after a restart.
    service.get("/health").expect(200);
    let data = Arc::clone(&service.data);
    service.stop();
    let service = Launch::serve().without_limits().on(&data).start();
    assert_eq!(listed(&service, &[]), all);
}

#[test]
fn what_is_paid_already_or_unknown_or_no_transaction_is_refused() {
    let (service, ..) = owing();
    let id = ids(&listed(&service, &[]))[0].to_string();
    let transaction = format!("0x{}", "ab".repeat(32));
    assert_told(&service, &["pay", "4711", "--transaction", &transaction], "refund");
    assert_told(&service, &["pay", "18446744073709551615", "--transaction", &transaction], "refund");
    assert_told(&service, &["pay", "-1", "--transaction", &transaction], "");
    for bad in ["", "0x", &transaction[..65], &format!("{transaction}00"), "hello"] {
        assert_told(&service, &["pay", &id, "--transaction", bad], "transaction");
    }
    assert_told(&service, &["pay", &id], "--transaction");
    assert_eq!(told(&service, &["pay", &id, "--transaction", &transaction]).code, Some(0));
    let other = format!("0x{}", "cd".repeat(32));
    for again in [&transaction, &other] {
        assert_told(&service, &["pay", &id, "--transaction", again], "paid");
    }
}

#[test]
fn where_nothing_is_owed_nothing_is_listed_and_a_store_that_is_not_there_is_told() {
    let service = launch().start();
    assert!(listed(&service, &[]).is_empty());
    assert_eq!(told(&service, &["export"]).out.lines().count(), 1);
    let mut elsewhere = service.command(["refunds", "list"]);
    let nowhere = service.path("nowhere");
    elsewhere.env("TOUCHSTONE_DATA_DIR", &nowhere);
    let said = said(elsewhere, "");
    assert!(said.code == Some(1) && said.out.is_empty(), "{said:?}");
    assert!(!nowhere.exists(), "it makes no store");
}
