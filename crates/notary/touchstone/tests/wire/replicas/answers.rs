//! Several replicas over one PostgreSQL: whichever answers, it answers as one notary would.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use peers::postgres::{Database, Server};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, assert_earned, commit, is_in_progress, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, verify};
use crate::support::service::{BASE_URL, Launch, Service};
use crate::support::{HANG, KEY_RECORDS};

/// How often the order to send again is followed.
const ORDERS: usize = 12;

/// Replicas of one notary.
struct Replicas {
    services: Vec<Service>,
    database: Database,
}

impl Replicas {
    fn start(count: usize, launch: impl Fn() -> Launch) -> Self {
        Self::start_on(Server::shared().database(), count, launch)
    }

    fn start_on(database: Database, count: usize, launch: impl Fn() -> Launch) -> Self {
        let mut replicas = Self { services: Vec::new(), database };
        for _ in 0..count {
            let service = replicas.one_more(&launch);
            replicas.services.push(service);
        }
        replicas
    }

    /// Starts a replica, with the keys of the first.
    fn one_more(&self, launch: impl Fn() -> Launch) -> Service {
        let launch = launch().set("STORE", &self.database.address()).set("BASE_URL", BASE_URL);
        if let Some(first) = self.services.first() {
            copy_keys(&first.data, launch.data());
        }
        launch.start()
    }

    /// The replicas, one after the other, over and over.
    fn in_turn(&self) -> impl Iterator<Item = &Service> {
        self.services.iter().cycle()
    }
}

fn copy_keys(from: &Arc<TempDir>, to: &Arc<TempDir>) {
    let (from, to) = (from.path().join("keys"), to.path().join("keys"));
    fs::create_dir_all(&to).unwrap();
    for key in fs::read_dir(from).unwrap() {
        let key = key.unwrap();
        fs::copy(key.path(), to.join(key.file_name())).unwrap();
    }
}

fn unlimited() -> Launch {
    Launch::dev().without_limits()
}

#[test]
fn what_one_replica_has_answered_every_other_finds_at_once() {
    let replicas = Replicas::start(2, unlimited);
    let [one, other] = &replicas.services[..] else { panic!("two") };
    let notary = Notary::of(one);
    assert_eq!(Notary::of(other).jwks, notary.jwks);
    for (answering, asked) in [(one, other), (other, one), (one, other)] {
        let receipt = answering.claim(&signed("scout"));
        let logged = verify(&receipt, &notary);
        let path = format!("/receipts/{}", hash(&receipt));
        let found = asked.get(&path).expect(200).json();
        assert_eq!(found["signature"], receipt["signature"]);
        assert!(verify(&found, &notary).checkpoint.size >= logged.checkpoint.size);
        let verified = asked.get(&format!("/verify?hash={}", hash(&receipt))).expect(200).json();
        assert_eq!(verified["valid"], true, "{verified}");
        let checkpoint = asked.get("/log/checkpoint").expect(200).text();
        assert!(checkpoint.lines().nth(1).unwrap().parse::<u64>().unwrap() > logged.index);
    }
}

#[test]
fn a_replica_that_logs_nothing_serves_the_checkpoint_that_another_has_served() {
    let replicas = Replicas::start(2, unlimited);
    let [one, other] = &replicas.services[..] else { panic!("two") };
    let checkpoint = |of: &Service| of.get("/log/checkpoint").expect(200).text();
    let mut sizes = Vec::new();
    for _ in 0..5 {
        one.claim(&signed("scout"));
        for replica in [one, other, one] {
            sizes.push(checkpoint(replica).lines().nth(1).unwrap().parse::<u64>().unwrap());
        }
    }
    assert!(sizes.is_sorted(), "a monitor sees a log that goes back: {sizes:?}");
    assert_eq!(checkpoint(one), checkpoint(other));
}

#[test]
fn free_calls_and_rates_are_counted_over_all_replicas() {
    let replicas = Replicas::start(3, Launch::dev);
    let statuses: Vec<u16> = replicas
        .in_turn()
        .take(5)
        .map(|replica| replica.ask("/claim-verdict", &signed("scout")).status)
        .collect();
    assert_eq!(statuses, [200, 200, 200, 402, 402], "three calls a day are free");
}

#[test]
fn one_proof_that_is_sent_to_all_replicas_at_once_is_one_grant_and_one_transfer() {
    let replicas = Replicas::start(3, unlimited);
    let request = with_proof(commit("a"), &pays(PRICE));
    let answers: Vec<Answer> = thread::scope(|scope| {
        let asked = replicas.in_turn().take(30).map(|replica| {
            let request = &request;
            scope.spawn(move || {
                let mut answer = replica.send(request);
                for _ in 0..ORDERS {
                    if is_in_progress(&answer) {
                        answer = replica.send(request);
                    }
                }
                answer
            })
        });
        asked.collect::<Vec<_>>().into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    let bodies: BTreeSet<String> = answers.into_iter().map(|answer| answer.expect(200).text()).collect();
    assert_eq!(bodies.len(), 1);
    replicas.services.iter().for_each(|replica| assert_earned(replica, "0.10", 1, 1));
}

#[test]
fn a_replica_that_is_killed_loses_nothing_that_was_answered_and_one_more_goes_on() {
    let mut replicas = Replicas::start(2, unlimited);
    let notary = Notary::of(&replicas.services[0]);
    let paid = with_proof(commit("a"), &pays(PRICE));
    let bought = replicas.services[1].send(&paid).expect(200).text();
    let mut answered: Vec<Value> =
        replicas.in_turn().take(8).map(|replica| replica.claim(&signed("scout"))).collect();
    // It is killed as it is dropped.
    drop(replicas.services.pop());
    let third = replicas.one_more(unlimited);
    replicas.services.push(third);
    assert_eq!(replicas.services[1].send(&paid).expect(200).text(), bought);
    answered.extend(replicas.in_turn().take(4).map(|replica| replica.claim(&signed("scout"))));
    for (receipt, replica) in answered.iter().zip(replicas.in_turn()) {
        let found = replica.get(&format!("/receipts/{}", hash(receipt))).expect(200).json();
        verify(&found, &notary);
    }
    let sizes: BTreeSet<u64> = answered.iter().map(|receipt| verify(receipt, &notary).index).collect();
    assert_eq!(sizes.len(), answered.len(), "each has a leaf of its own");
}

#[test]
fn a_database_that_crashes_under_load_loses_nothing_that_was_answered_and_takes_no_money_twice() {
    // One of its own: what crashes it crashes all that is on it.
    let server = Server::start(&[]);
    let replicas = Replicas::start_on(server.database(), 2, unlimited);
    let notary = Notary::of(&replicas.services[0]);
    let rounds = 4_usize;
    let over = AtomicBool::new(false);
    // Each asks, and pays, until the end: a call that was not answered is repeated as it was, with the same proof.
    let (free, paid) = thread::scope(|scope| {
        let claims: Vec<_> = replicas
            .in_turn()
            .take(6)
            .map(|replica| {
                let over = &over;
                scope.spawn(move || {
                    let mut receipts = Vec::new();
                    while !over.load(Ordering::SeqCst) {
                        let answer = replica.ask("/claim-verdict", &signed("scout"));
                        match answer.status {
                            200 => receipts.push(answer.json()),
                            503 => thread::sleep(Duration::from_millis(20)),
                            status => panic!("{status}: {answer:?}"),
                        }
                    }
                    receipts
                })
            })
            .collect();
        let payers: Vec<_> = (0..6)
            .map(|payer| {
                let (over, replicas) = (&over, &replicas);
                scope.spawn(move || {
                    let mut receipts = Vec::new();
                    let mut number = 0;
                    while !over.load(Ordering::SeqCst) {
                        number += 1;
                        let call = with_proof(commit(&format!("{payer} {number}")), &pays(PRICE));
                        receipts.push(answered(replicas, &call));
                    }
                    receipts
                })
            })
            .collect();
        for _ in 0..rounds {
            thread::sleep(Duration::from_millis(700));
            server.crash();
            answered(&replicas, &Request::json("/claim-verdict", &signed("scout")));
        }
        over.store(true, Ordering::SeqCst);
        let all = |asked: Vec<thread::ScopedJoinHandle<'_, Vec<Value>>>| -> Vec<Value> {
            asked.into_iter().flat_map(|asking| asking.join().unwrap()).collect()
        };
        (all(claims), all(payers))
    });
    let mut leaves = BTreeSet::new();
    for (receipt, replica) in free.iter().chain(&paid).zip(replicas.in_turn()) {
        let found = replica.get(&format!("/receipts/{}", hash(receipt))).expect(200).json();
        assert!(leaves.insert(verify(&found, &notary).index), "two receipts of one leaf");
    }
    // A free call whose answer was lost has a receipt that nobody was given; a payment has exactly one.
    let stats = replicas.services[0].get("/stats").expect(200).json();
    let issued = stats["log"]["size"].as_u64().unwrap() - KEY_RECORDS;
    assert!(issued >= (free.len() + paid.len() + rounds) as u64, "{stats}");
    let total = format!("{}.{}0", paid.len() / 10, paid.len() % 10);
    let bought = paid.len() as u64;
    replicas.services.iter().for_each(|replica| assert_earned(replica, &total, bought, issued));
}

/// Asks the replicas in turn, with one and the same call, until it is answered.
fn answered(replicas: &Replicas, call: &Request) -> Value {
    let began = Instant::now();
    for replica in replicas.in_turn() {
        let answer = replica.send(call);
        match answer.status {
            200 => return answer.json(),
            503 => thread::sleep(Duration::from_millis(20)),
            status => panic!("{status}: {answer:?}"),
        }
        assert!(began.elapsed() < HANG, "{answer:?}");
    }
    unreachable!("there are replicas")
}

#[test]
fn a_replica_with_other_keys_refuses_to_start_and_names_them() {
    let replicas = Replicas::start(1, unlimited);
    let said = unlimited().set("STORE", &replicas.database.address()).set("BASE_URL", BASE_URL).refused();
    assert!(said.contains("receipt.pem") || said.contains("receipt key"), "{said}");
    assert!(!said.contains("postgres@"), "the user of the database is not printed: {said}");
}
