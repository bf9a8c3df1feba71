//! More payments than can be settled: refused early, nothing charged, and those under way are finished.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use peers::{Reply, Service as Peer};
use serde_json::json;

use super::settling::assert_bought_by;
use crate::support::chain::{Chain, one_of_a_crowd, paying, serve, sign_in_a_crowd, until, wait};
use crate::support::facilitator::{failure, nonce_of, scripted, success, valid};
use crate::support::http::{Answer, Connection, Request};
use crate::support::money::{PRICE, assert_earned, commit, is_in_progress};
use crate::support::receipt::text;
use crate::support::service::{Service, raise_the_limit_of_files};

/// That a payment was refused before anything of it was kept.
#[track_caller]
fn assert_refused_early(answer: &Answer) {
    let problem = answer.problem(503);
    assert_eq!((text(&problem, "module"), problem.get("error")), ("payment", None), "{problem}");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    assert!(answer.header("payment-required").is_none(), "{answer:?}");
}

/// Sends all requests, each on a connection of its own.
fn send_all(service: &Service, requests: &[Request]) -> Vec<Connection> {
    let send = |request: &Request| {
        let mut connection = service.connect();
        connection.send(&request.bytes()).unwrap();
        connection
    };
    requests.iter().map(send).collect()
}

fn read_all(connections: Vec<Connection>) -> Vec<Answer> {
    connections.into_iter().map(|mut connection| connection.answer("POST").unwrap()).collect()
}

/// Commits of their own, each with a payment of its own.
fn payments(count: usize) -> Vec<Request> {
    (0..count).map(|at| paying(commit(&format!("content {at}")), &sign_in_a_crowd(at, PRICE))).collect()
}

/// How many transactions one gas key may have under way.
const UNDER_WAY: usize = 64;

#[test]
fn while_no_blocks_come_so_many_settlements_wait_and_the_others_are_refused_early() {
    let Some(chain) = Chain::start("a flood of settlements while no blocks come") else { return };
    let chain = chain.with_a_crowd(UNDER_WAY + 16);
    let service = chain.launch().start();
    wait(chain.anvil.automine(false));
    let requests = payments(UNDER_WAY + 16);
    let answers = read_all(send_all(&service, &requests));
    let waiting = answers.iter().filter(|answer| is_in_progress(answer)).count();
    answers.iter().filter(|answer| !is_in_progress(answer)).for_each(assert_refused_early);
    assert_eq!(waiting, UNDER_WAY);
    assert_earned(&service, "0.00", 0, 0);

    wait(chain.anvil.automine(true));
    wait(chain.anvil.mine(1));
    // Those under way are finished without their callers, and the others' proofs are as good as before.
    let issued = || service.get("/stats").expect(200).json()["receipts_issued"].clone();
    until("the receipts", || issued() == json!(UNDER_WAY));
    assert_eq!(chain.paid(), UNDER_WAY as u64 * PRICE);
    for (at, request) in requests.iter().enumerate() {
        assert_bought_by(&one_of_a_crowd(at), &service.send(request), &service, "chain");
    }
    assert_eq!((chain.paid(), chain.transfers().len()), (requests.len() as u64 * PRICE, requests.len()));
    assert_earned(&service, "8.00", 80, 80);
}

/// How many payments a facilitator was asked about.
fn verified(stub: &Peer) -> usize {
    stub.requests().iter().filter(|(path, _)| path == "/verify").count()
}

/// An answer of a facilitator that names no payer: here there are many.
fn unnamed(reply: Reply) -> Reply {
    let Reply::Json(status, mut answer) = reply else { panic!("a facilitator answers in JSON") };
    answer.as_object_mut().unwrap().remove("payer");
    Reply::Json(status, answer)
}

/// As `/catalog` publishes it.
fn most_unfinished(service: &Service) -> usize {
    let catalog = service.get("/catalog").expect(200).json();
    let most = catalog["bounds"]["payments"]["unfinished"].as_u64();
    most.unwrap_or_else(|| panic!("{catalog}")).try_into().unwrap()
}

#[test]
fn past_the_most_unfinished_payments_new_ones_are_refused_before_anybody_judges() {
    raise_the_limit_of_files();
    let pending = Arc::new(AtomicBool::new(true));
    let is_pending = Arc::clone(&pending);
    let settle = move |request: &serde_json::Value| {
        let still = is_pending.load(Ordering::SeqCst);
        unnamed(if still { failure(200, "settlement_pending") } else { success(nonce_of(request)) })
    };
    let stub = scripted(|_| unnamed(valid()), settle);
    // A proxy's connections have no bound of their own.
    let service = serve().set("FACILITATOR", &stub.url()).set("PROXIES", "127.0.0.1").start();
    let most = most_unfinished(&service);
    let requests = payments(most + 32);
    let mut connections = Vec::new();
    for some in requests.chunks(32) {
        connections.extend(send_all(&service, some));
        // No more at once than are asked of a facilitator at once.
        until("their verification", || verified(&stub) >= connections.len());
    }
    let answers = read_all(connections);
    let (waiting, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| is_in_progress(answer));
    refused.into_iter().for_each(assert_refused_early);
    assert_eq!(waiting.len(), most);
    assert_earned(&service, "0.00", 0, 0);
    let is_late = |at: usize| !is_in_progress(&answers[at]);
    let late_at = (0..answers.len()).find(|at| is_late(*at)).unwrap();
    let late = &requests[late_at];
    assert_refused_early(&service.send(late));
    // What is known is still answered for what it is.
    let known = &requests[(0..answers.len()).find(|at| !is_late(*at)).unwrap()];
    service.send(&known.clone().body(r#"{"agent":"payer","content":"moved"}"#)).problem(409);

    pending.store(false, Ordering::SeqCst);
    until("a place", || service.send(late).status == 200);
    assert_bought_by(&one_of_a_crowd(late_at), &service.send(late), &service, "facilitator");
}

#[test]
fn a_crowd_that_floods_is_not_in_the_way_of_free_calls() {
    let Some(chain) = Chain::start("free calls beside a flood") else { return };
    let chain = chain.with_a_crowd(UNDER_WAY + 16);
    let service = chain.launch().start();
    wait(chain.anvil.automine(false));
    let requests = payments(UNDER_WAY + 16);
    thread::scope(|scope| {
        let flood = scope.spawn(|| read_all(send_all(&service, &requests)));
        let receipt = service.claim(&crate::support::claims::signed("free"));
        assert_eq!((text(&receipt, "verdict"), receipt.get("payment")), ("CONFIRMED", None));
        assert!(flood.join().unwrap().iter().all(|answer| answer.status == 503));
    });
    assert_earned(&service, "0.00", 0, 1);
}
