//! Blocks that do not come, go away or cost too much, nodes that are down or another chain's, a token that lies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use payment::{B256, Network, Wallet};
use peers::Reply;
use peers::anvil::ETHER;
use peers::contracts::setLogsCall;
use serde_json::json;

use super::settling::assert_bought;
use crate::support::chain::{Chain, GAS_KEY, authorization, paying, persist, sign, until, wait};
use crate::support::http::Answer;
use crate::support::money::{PRICE, assert_earned, commit};
use crate::support::receipt::text;

/// What a caller is told whose payment goes on without him; the transaction.
#[track_caller]
fn assert_in_progress(answer: &Answer) -> String {
    let problem = answer.problem(503);
    assert_eq!((text(&problem, "module"), text(&problem, "error")), ("payment", "payment_in_progress"));
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!(wait > 0);
    assert!(answer.header("payment-required").is_none() && problem.get("accepts").is_none(), "{problem}");
    text(&problem, "transaction").to_owned()
}

#[test]
fn without_a_block_the_payment_goes_on_and_is_never_asked_for_again() {
    let Some(chain) = Chain::start("blocks that do not come") else { return };
    let service = chain.launch().start();
    wait(chain.anvil.automine(false));
    let signed = sign(authorization(PRICE));
    let request = paying(commit("a"), &signed);
    thread::scope(|scope| {
        let first = scope.spawn(|| service.send(&request));
        until("the broadcast", || {
            let pool = wait(chain.anvil.call("txpool_status", json!([])));
            pool["pending"] != "0x0"
        });
        let again = scope.spawn(|| service.send(&request));
        service.send(&paying(commit("b"), &signed)).problem(409);
        let [first, again] = [first, again].map(|sender| assert_in_progress(&sender.join().unwrap()));
        assert_eq!(first, again);
        assert!(first.starts_with("0x") && first.len() == 66, "{first}");
        assert_earned(&service, "0.00", 0, 0);
        wait(chain.anvil.mine(1));
        let bought = assert_bought(&persist(&service, &request), &service, "chain");
        assert_eq!((&bought, chain.transfers()), (&first, vec![first.clone()]));
    });
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_payment_that_nobody_waits_for_any_more_is_delivered_when_its_block_comes() {
    let Some(chain) = Chain::start("a restart while no blocks come") else { return };
    wait(chain.anvil.automine(false));
    let launch = chain.launch();
    let data = launch.data().clone();
    let service = launch.start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let transaction = assert_in_progress(&service.send(&request));
    drop(service);
    let service = chain.launch().on(&data).start();
    wait(chain.anvil.mine(1));
    until("the receipt", || service.get("/stats").expect(200).json()["receipts_issued"] == 1);
    assert_eq!(assert_bought(&service.send(&request), &service, "chain"), transaction);
    assert_eq!((chain.paid(), chain.transfers()), (PRICE, vec![transaction]));
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_reorganisation_before_the_confirmations_takes_nothing_twice() {
    let Some(chain) = Chain::start("reorganisations") else { return };
    wait(chain.anvil.mine(3));
    let service = chain.launch().set("CONFIRMATIONS", "3").start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    thread::scope(|scope| {
        let caller = scope.spawn(|| persist(&service, &request));
        chain.wait_until_paid(PRICE);
        wait(chain.anvil.mine(1));
        wait(chain.anvil.reorganise(2));
        assert_eq!(chain.paid(), 0);
        assert_earned(&service, "0.00", 0, 0);
        // It is broadcast again, since it was stored.
        chain.wait_until_paid(PRICE);
        assert_earned(&service, "0.00", 0, 0);
        wait(chain.anvil.mine(2));
        let transaction = assert_bought(&caller.join().unwrap(), &service, "chain");
        assert_eq!(chain.transfers(), [transaction]);
    });
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_node_that_cannot_be_reached_costs_nothing() {
    let Some(chain) = Chain::start("a node that is down") else { return };
    let down = Arc::new(AtomicBool::new(true));
    let is_down = Arc::clone(&down);
    let node = chain.node(move |_, _| is_down.load(Ordering::SeqCst).then_some(Reply::Cut));
    let service = chain.launch_by(&node.url()).start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let problem = service.send(&request).problem(503);
    assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None));
    assert_earned(&service, "0.00", 0, 0);
    down.store(false, Ordering::SeqCst);
    assert_bought(&service.send(&request), &service, "chain");
    assert_eq!(chain.paid(), PRICE);
}

#[test]
fn a_node_of_another_chain_settles_nothing() {
    let Some(chain) = Chain::start("a node of another chain") else { return };
    wait(chain.anvil.call("anvil_setChainId", json!([1])));
    let service = chain.launch().start();
    let problem = service.send(&paying(commit("a"), &sign(authorization(PRICE)))).problem(503);
    assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None));
    assert_eq!(chain.paid(), 0);
    assert_earned(&service, "0.00", 0, 0);
}

#[test]
fn without_gas_nothing_is_charged() {
    let Some(chain) = Chain::start("an empty gas account") else { return };
    let gas = Wallet::from_bytes(GAS_KEY).unwrap().address();
    wait(chain.anvil.set_ether(gas, 1000));
    let service = chain.launch().start();
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    let problem = service.send(&request).problem(503);
    assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None));
    assert_eq!(chain.paid(), 0);
    assert_earned(&service, "0.00", 0, 0);
    wait(chain.anvil.set_ether(gas, ETHER));
    assert_bought(&service.send(&request), &service, "chain");
    assert_eq!(chain.paid(), PRICE);
}

#[test]
fn a_transaction_that_has_become_too_cheap_is_replaced_and_pays_once() {
    let Some(chain) = Chain::start("a base fee that rises") else { return };
    let service = chain.launch().start();
    wait(chain.anvil.automine(false));
    let request = paying(commit("a"), &sign(authorization(PRICE)));
    thread::scope(|scope| {
        let caller = scope.spawn(|| persist(&service, &request));
        let waits = |count: &str| wait(chain.anvil.call("txpool_status", json!([])))["pending"] == count;
        until("the broadcast", || waits("0x1"));
        // Five gwei, where ten are paid at most.
        wait(chain.anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x12a05f200"])));
        wait(chain.anvil.mine(1));
        assert_eq!(chain.paid(), 0);
        wait(chain.anvil.automine(true));
        chain.wait_until_paid(PRICE);
        let transaction = assert_bought(&caller.join().unwrap(), &service, "chain");
        assert_eq!(chain.transfers(), [transaction]);
    });
    assert_eq!(chain.paid(), PRICE);
    assert_earned(&service, "0.10", 1, 1);
}

#[test]
fn a_success_without_the_exact_transfer_is_no_payment() {
    let Some(chain) = Chain::start("a token that lies") else { return };
    let token = Network::base().token;
    wait(chain.anvil.set_code(token, "FakeToken"));
    // The real token's storage means something else to it.
    wait(chain.anvil.call("anvil_setStorageAt", json!([token.to_string(), "0x0", B256::ZERO.to_string()])));
    let service = chain.launch().start();
    let gas = Wallet::from_bytes(GAS_KEY).unwrap().address().to_string();
    let sent = || wait(chain.anvil.call("eth_getTransactionCount", json!([gas, "latest"])));
    let mut connections = Vec::new();
    for lie in 1..=7 {
        wait(chain.anvil.send(token, setLogsCall { newLogs: lie }));
        let mut connection = service.connect();
        let request = paying(commit(&format!("lie {lie}")), &sign(authorization(PRICE)));
        connection.send(&request.bytes()).unwrap();
        until("its transaction", || sent() == json!(format!("{lie:#x}")));
        connections.push(connection);
    }
    for mut connection in connections {
        assert_in_progress(&connection.answer("POST").unwrap());
    }
    assert_earned(&service, "0.00", 0, 0);
}
