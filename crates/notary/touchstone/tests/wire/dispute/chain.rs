//! Refunds on a real chain: paid from the hot wallet, each once, whatever crashes and whoever interferes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use payment::{Network, SignedAuthorization, U256, Wallet};
use peers::contracts::{transferCall, usage};
use rustix::process::Signal;

use super::*;
use crate::crash::crash;
use crate::support::chain::{Chain, authorization, paying, sign, wait};
use crate::support::gate::Gate;
use crate::support::money::{PRICE, commit, pays as local};

/// The key that refunds are paid by.
const PAYOUT_KEY: [u8; 32] = [0x7d; 32];

fn hot() -> Address {
    Wallet::from_bytes(PAYOUT_KEY).unwrap().address()
}

/// Where the key lies, beside the gas key.
fn payout_key(chain: &Chain) -> PathBuf {
    let path = chain.gas_key().with_file_name("payout.key");
    fs::write(&path, hex::encode(PAYOUT_KEY)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// A launch that pays refunds.
fn paying_refunds(chain: &Chain, launch: Launch) -> Launch {
    launch.set("PAYOUT_KEY", payout_key(chain).to_str().unwrap())
}

fn balance(chain: &Chain, account: Address) -> u64 {
    wait(chain.anvil.balance(account))
}

/// A commit that was paid for.
fn paid_commit(service: &Service) -> Value {
    service.send(&paying(commit("a"), &sign(authorization(PRICE)))).expect(200).json()
}

/// A dispute of a receipt, whose bond would be owed to the stranger.
fn for_the_stranger(receipt: &Value) -> Request {
    let mut question = question(hash(receipt));
    question["refund_to"] = json!(stranger().to_string());
    paying(Request::json("/dispute", &question), &sign(authorization(BOND)))
}

/// A dispute that is inconclusive, since its rerun dies: its bond is owed to the stranger.
fn inconclusive(service: &Service) {
    let receipt = paid_commit(service);
    let request = for_the_stranger(&receipt);
    let gate = Gate::shut(service);
    let mut connection = service.connect();
    connection.send(&request.bytes()).unwrap();
    gate.kill();
    gate.open();
    // A fault that is asked for may come before the answer.
    if let Ok(answer) = connection.answer("POST") {
        let dispute = answer.expect(200).json();
        assert_holds(service, &receipt, &dispute);
        assert_ended(&dispute, "INCONCLUSIVE", "rerun_exhausted");
    }
}

/// The transfers to the stranger, by their transactions.
fn payouts(chain: &Chain) -> Vec<String> {
    let topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let payee = format!("0x{:0>64}", hex::encode(stranger()));
    let filter = json!({
        "fromBlock": "0x0", "toBlock": "latest",
        "address": Network::base().token.to_string(), "topics": [topic, null, payee],
    });
    let logs = wait(chain.anvil.call("eth_getLogs", json!([filter])));
    logs.as_array().unwrap().iter().map(|log| text(log, "transactionHash").to_owned()).collect()
}

/// That the bond was paid once, in the transaction that is listed.
#[track_caller]
fn assert_paid_once(chain: &Chain, service: &Service) {
    assert_eq!(refunded(service, 1), [refund("bond", stranger(), "1.00")]);
    let transaction = text(&listed(service, &[])[0], "transaction").to_owned();
    assert_eq!((payouts(chain), balance(chain, stranger())), (vec![transaction], BOND));
}

#[test]
fn a_refund_is_paid_on_the_chain_once_and_its_key_is_never_told() {
    let Some(chain) = Chain::start("refunds from a hot wallet") else { return };
    wait(chain.anvil.mint(hot(), 5 * BOND));
    let launch = || paying_refunds(&chain, chain.launch());
    let first = launch().set("LOG", "trace");
    let data = first.data().clone();
    let service = first.start();
    inconclusive(&service);
    assert_paid_once(&chain, &service);
    let listed = listed(&service, &[]);
    let log = service.stop();
    let service = launch().on(&data).start();
    let printed = said(service.command(["config", "print"]), "");
    assert_paid_once(&chain, &service);
    assert_eq!((balance(&chain, hot()), chain.paid()), (4 * BOND, PRICE + BOND));
    assert_eq!(self::listed(&service, &[]), listed);
    assert!(log.contains("TRACE"), "nothing was said: {log}");
    let digits = hex::encode(PAYOUT_KEY);
    for (what, text) in [("the log", &log), ("the settings", &printed.out), ("an error", &printed.err)] {
        assert!(!text.to_ascii_lowercase().contains(&digits), "{what} has the payout key");
    }
}

/// That after a crash at a point of a payout the next start pays it once.
#[track_caller]
fn assert_finished(point: &str, paid_before: u64) {
    let Some(chain) = Chain::start(&format!("a crash at {point}")) else { return };
    wait(chain.anvil.mint(hot(), 5 * BOND));
    let launch = || paying_refunds(&chain, chain.launch());
    let first = launch().set("FAULT", point);
    let data = first.data().clone();
    let mut service = first.start();
    inconclusive(&service);
    let status = service.wait();
    assert_eq!(status.signal(), Some(Signal::ABORT.as_raw()), "{status}: {}", service.said());
    assert_eq!(balance(&chain, stranger()), paid_before);
    let service = launch().on(&data).start();
    assert_paid_once(&chain, &service);
    assert_eq!(balance(&chain, hot()), 4 * BOND);
}

#[test]
fn a_crash_between_storing_and_broadcasting_a_refund_is_finished() {
    assert_finished("refund_stored", 0);
}

#[test]
fn a_crash_past_the_broadcast_of_a_refund_is_finished() {
    assert_finished("refund_broadcast", BOND);
}

#[test]
fn what_an_empty_hot_wallet_cannot_pay_stays_owed_and_is_paid_once_it_is_funded() {
    let Some(chain) = Chain::start("an empty hot wallet") else { return };
    let launch = || paying_refunds(&chain, chain.launch());
    let service = launch().start();
    inconclusive(&service);
    until("a try", || service.said().contains("a refund is not paid yet"));
    let [owed] = &listed(&service, &["--owed"])[..] else { panic!("{}", service.said()) };
    assert_eq!((text(owed, "state"), &owed["transaction"]), ("owed", &Value::Null));
    assert_eq!(balance(&chain, stranger()), 0);
    wait(chain.anvil.mint(hot(), BOND));
    // A start does not wait for the next try.
    let data = Arc::clone(&service.data);
    service.stop();
    let service = launch().on(&data).start();
    assert_paid_once(&chain, &service);
    assert_eq!(balance(&chain, hot()), 0);
}

#[test]
fn a_payout_that_was_reverted_cannot_be_used_beside_the_next_try() {
    let Some(chain) = Chain::start("a payout that is reverted") else { return };
    wait(chain.anvil.mint(hot(), BOND));
    // After the two payments, right before the payout, somebody takes the hot wallet's money away.
    let (anvil, sent) = (Arc::clone(&chain.anvil), AtomicUsize::new(0));
    let node = chain.node(move |method, _| {
        if method == "eth_sendRawTransaction" && sent.fetch_add(1, Ordering::SeqCst) == 2 {
            let drain = transferCall { to: Address::repeat_byte(0x99), value: U256::from(BOND) };
            wait(anvil.send_as(hot(), Network::base().token, drain));
        }
        None
    });
    let service = paying_refunds(&chain, chain.launch_by(&node.url())).start();
    inconclusive(&service);
    let store = Store::of(service.data.path());
    until("a payout", || store.sent().is_some());
    let signed = SignedAuthorization::from_json(&store.sent().unwrap()).unwrap();
    until("what became of it", || {
        service.said().contains("a refund is not paid yet") || store.sent().is_none()
    });
    assert_eq!(balance(&chain, stranger()), 0);
    // There is enough for both, and the payee is quick: what was reverted was public.
    wait(chain.anvil.mint(hot(), 5 * BOND));
    wait(chain.anvil.send(Network::base().token, usage(&signed)));
    assert_paid_once(&chain, &service);
    assert_eq!(balance(&chain, hot()), 4 * BOND);
}

/// The files of a store that nobody has open.
fn store_files(data: &std::path::Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(data).unwrap().map(|file| file.unwrap().path());
    let is_stores = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("store.sqlite");
    files.filter(is_stores).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn a_store_that_was_set_back_to_before_the_disputes_receipt_pays_its_refund_no_second_time() {
    let Some(chain) = Chain::start("a store that was set back") else { return };
    wait(chain.anvil.mint(hot(), 5 * BOND));
    let launch = || paying_refunds(&chain, chain.launch());
    let first = chain.launch();
    let data = first.data().clone();
    let service = first.start();
    let receipt = paid_commit(&service);
    service.stop();
    crash(launch().on(&data), "settled", &for_the_stranger(&receipt));
    // So that nothing can be found.
    Store::of(data.path()).forget_request(&receipt);
    let backup = store_files(data.path());

    let service = launch().on(&data).start();
    until("the dispute's receipt", || listed(&service, &[]).len() == 1);
    assert_paid_once(&chain, &service);
    let first = listed(&service, &[]);
    service.stop();
    for (path, _) in store_files(data.path()) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in backup {
        fs::write(path, bytes).unwrap();
    }
    // The dispute's receipt is signed anew, so its hash is another one; the payment that it gives back is the same.
    let service = launch().on(&data).start();
    until("the dispute's receipt", || listed(&service, &[]).len() == 1);
    assert_paid_once(&chain, &service);
    let second = listed(&service, &[]);
    assert_ne!(first[0]["dispute"], second[0]["dispute"]);
    assert_eq!(first[0]["transaction"], second[0]["transaction"]);
    assert_eq!(balance(&chain, hot()), 4 * BOND);
}

/// A data folder of a development service that owes a bond. Its money goes by the same chain's number as the real.
fn owing_locally() -> Arc<tempfile::TempDir> {
    let service = launch().set("PAYOUT_PER_DAY", "0").start();
    let receipt = service.send(&with_proof(commit("a"), &local(PRICE))).expect(200).json();
    let gate = Gate::shut(&service);
    let mut connection = service.connect();
    connection.send(&with_bond(&receipt).bytes()).unwrap();
    gate.kill();
    gate.open();
    assert_ended(&connection.answer("POST").unwrap().expect(200).json(), "INCONCLUSIVE", "rerun_exhausted");
    let data = Arc::clone(&service.data);
    service.stop();
    data
}

/// That a service has tried to pay, and what is owed stays so, for this reason.
#[track_caller]
fn assert_still_owed(service: &Service, reason: &str) {
    until("a try", || service.said().contains(reason));
    let [owed] = &listed(service, &["--owed"])[..] else { panic!("{}", service.said()) };
    assert_eq!((text(owed, "state"), &owed["transaction"]), ("owed", &Value::Null));
}

#[test]
fn play_money_is_never_given_back_in_real_money_nor_real_money_in_play_money() {
    let Some(chain) = Chain::start("refunds of other money") else { return };
    wait(chain.anvil.mint(hot(), 5 * BOND));
    let data = owing_locally();
    let service = paying_refunds(&chain, chain.launch()).on(&data).start();
    assert_still_owed(&service, "money of the development profile");
    assert_eq!(balance(&chain, hot()), 5 * BOND);
    service.stop();

    let first = chain.launch();
    let data = first.data().clone();
    let service = first.start();
    inconclusive(&service);
    service.stop();
    let service = launch().on(&data).start();
    assert_still_owed(&service, "money of the development profile");
    assert_eq!(Store::of(data.path()).balance(stranger()), 0);
}
