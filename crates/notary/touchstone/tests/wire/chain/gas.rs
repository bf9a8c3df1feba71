//! Payments that fail at our expense: seen through where they can be, else their payers wait, and a day has a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use payment::{Address, Authorization, SignedAuthorization, Wallet};
use peers::contracts::setRefusesCall;
use serde_json::json;

use super::settling::assert_bought;
use crate::support::chain::{Chain, GAS_KEY, WEALTH, authorization, paying, sign, wait};
use crate::support::claims::signed as claim;
use crate::support::http::Answer;
use crate::support::money::{PRICE, assert_earned, assert_refused, commit};
use crate::support::receipt::text;
use crate::support::scrape;

const WALLET: Address = Address::repeat_byte(0x1c);
const CLONE: Address = Address::repeat_byte(0x1d);

/// A contract wallet with money.
fn deploy(chain: &Chain, wallet: Address, contract: &str) {
    wait(chain.anvil.set_code(wallet, contract));
    wait(chain.anvil.mint(wallet, WEALTH));
}

/// A payment of one price by a wallet that takes every signature.
fn signed_by(wallet: Address) -> SignedAuthorization {
    sign(Authorization { from: wallet, ..authorization(PRICE) })
}

/// How many transactions the gas account has sent.
fn sent(chain: &Chain) -> u64 {
    let gas = Wallet::from_bytes(GAS_KEY).unwrap().address().to_string();
    let count = wait(chain.anvil.call("eth_getTransactionCount", json!([gas, "pending"])));
    u64::from_str_radix(&count.as_str().unwrap()[2..], 16).unwrap()
}

/// That a payer was told to wait, and for how long.
#[track_caller]
fn assert_waits(answer: &Answer) -> u64 {
    assert_refused(answer, "recent_failures");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&seconds), "{seconds}");
    assert!(text(&answer.json(), "detail").contains(&format!("{seconds} s")), "{}", answer.text());
    seconds
}

#[test]
fn a_wallet_that_pays_only_where_gas_has_no_price_is_refused_before_anything_is_sent() {
    let Some(chain) = Chain::start("a wallet that looks at the price of gas") else { return };
    deploy(&chain, WALLET, "FreeGasWallet");
    let service = chain.launch().start();
    for at in 0..5 {
        let request = paying(commit(&format!("{at}")), &signed_by(WALLET));
        assert_refused(&service.send(&request), "invalid_signature");
    }
    assert_eq!((sent(&chain), chain.paid()), (0, 0));
    assert_earned(&service, "0.00", 0, 0);
    assert_bought(&service.send(&paying(commit("a"), &sign(authorization(PRICE)))), &service, "chain");
}

#[test]
fn after_a_payment_that_was_reverted_its_payer_waits_and_so_does_a_new_wallet_of_its_code() {
    let Some(chain) = Chain::start("a payment that is reverted in spite of its simulation") else { return };
    for wallet in [WALLET, CLONE] {
        deploy(&chain, wallet, "SwitchWallet");
    }
    // It refuses while our transaction is on its way, and at no other time.
    let (anvil, is_refusing) = (Arc::clone(&chain.anvil), AtomicBool::new(false));
    let set = move |refuses| wait(anvil.send(WALLET, setRefusesCall { newRefuses: refuses }));
    let armed = Arc::new(AtomicBool::new(true));
    let is_armed = Arc::clone(&armed);
    let node = chain.node(move |method, _| {
        if method == "eth_sendRawTransaction" && is_armed.load(Ordering::SeqCst) {
            set(true);
            is_refusing.store(true, Ordering::SeqCst);
        } else if method == "eth_getTransactionReceipt" && is_refusing.swap(false, Ordering::SeqCst) {
            set(false);
        }
        None
    });
    let service = chain.launch_by(&node.url()).start();
    let failed = paying(commit("a"), &signed_by(WALLET));
    assert_refused(&service.send(&failed), "settlement_failed");
    assert_eq!((sent(&chain), chain.paid()), (1, 0));
    armed.store(false, Ordering::SeqCst);

    let asked = node.requests().len();
    for content in ["b", "c"] {
        assert_waits(&service.send(&paying(commit(content), &signed_by(WALLET))));
    }
    assert_eq!(node.requests().len(), asked, "a payer that waits costs no call");
    assert_waits(&service.send(&paying(commit("d"), &signed_by(CLONE))));
    assert_eq!((sent(&chain), chain.paid()), (1, 0));
    // Nobody else waits, and the failed payment is told as before.
    assert_bought(&service.send(&paying(commit("e"), &sign(authorization(PRICE)))), &service, "chain");
    assert_refused(&service.send(&failed), "settlement_failed");
    assert_eq!((sent(&chain), chain.paid()), (2, PRICE));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn when_the_gas_of_a_day_is_used_up_payments_wait_for_the_next_and_all_else_goes_on() {
    let Some(chain) = Chain::start("the gas of a day") else { return };
    let service =
        chain.launch().with_name_server().set("GAS_PER_DAY", "0.0015").set("METRICS", "127.0.0.1:0").start();
    let catalog = service.get("/catalog").expect(200).json();
    assert_eq!(text(&catalog["bounds"]["settlement"], "gas_per_day"), "0.0015");
    assert_eq!(service.get("/health").expect(200).json()["status"], "ok");
    let pay = |at: u64| service.send(&paying(commit(&format!("{at}")), &sign(authorization(PRICE))));
    let mut paid = 0;
    let refused = loop {
        let answer = pay(paid);
        if answer.status != 200 {
            break answer;
        }
        paid += 1;
        assert!(paid < 100, "the gas of the day is never used up");
    };
    assert!(paid > 0, "{refused:?}");
    for answer in [refused, pay(1000), pay(1001)] {
        let problem = answer.problem(503);
        assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None), "{problem}");
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&seconds), "{seconds}");
        assert!(answer.header("payment-required").is_none(), "{answer:?}");
    }
    assert_eq!((sent(&chain), chain.paid()), (paid, paid * PRICE));

    let health = service.get("/health").expect(200).json();
    assert_eq!(
        (&health["status"], &health["modules"]),
        (&json!("degraded"), &json!({"payment": "gas_used_up"}))
    );
    let said = service.said();
    assert_eq!(said.matches("the gas of this day is used up").count(), 1, "{said}");
    let scrape = scrape::of(&service);
    assert_eq!(scrape.sum("touchstone_gas_used_up", &[]), Some(1.0));
    assert_eq!(scrape.sum("touchstone_payments_settled_total", &[("back_end", "chain")]), Some(paid as f64));
    assert_eq!(
        scrape.sum("touchstone_settlement_duration_seconds_count", &[("back_end", "chain")]),
        Some(paid as f64)
    );
    // What costs nothing, and what was paid for, is answered as ever.
    assert_eq!(text(&service.claim(&claim("free")), "verdict"), "CONFIRMED");
    let total = format!("{:.2}", paid as f64 / 10.0);
    assert_earned(&service, &total, paid, paid + 1);
}
