//! Checkpoints are cosigned by witnesses on loopback, each of which does what its script says.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod scripted;

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cosigning::{Cosigning, LogPolicy, WitnessEndpoint, collect};
use fetch::Endpoint;
use ledger::{Identity, Ledger, LedgerRecord, Owner};
use ledger_sqlite::SqliteLedger;
use receipt::hash::ReceiptHash;
use receipt::sign::SignedPayload;
use receipt::time::Timestamp;
use tlog::{SigningKey, TlogProof};
use tokio::time::{sleep, timeout};
use verdict::{Clock, SystemClock};

use scripted::{Script, Scripted};

/// The longest wait for what must happen.
const HANG: Duration = Duration::from_secs(60);

fn log_key() -> SigningKey {
    SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap()
}

fn open(folder: &Path) -> Arc<dyn Ledger> {
    let identity = Identity {
        receipt_kid: "notary-1".to_owned(),
        log_vkey: log_key().verifier().to_string(),
        ..Identity::default()
    };
    let path = folder.join("store.sqlite");
    Arc::new(SqliteLedger::open(&path, log_key(), &identity, Arc::new(SystemClock::start())).unwrap())
}

fn entry(number: u64) -> Vec<u8> {
    format!("entry {number}").into_bytes()
}

async fn append(ledger: &Arc<dyn Ledger>, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let payload = format!("payload {number}").into_bytes();
        let signed = SignedPayload { hash: ReceiptHash::of_payload(&payload), payload, signature: [0; 64] };
        let (at, request) = (Timestamp::EPOCH, b"{}".to_vec());
        let record = LedgerRecord::new(signed, "notary-1", "commit", entry(number), at, request);
        ledger.append(record).await.unwrap();
    }
}

struct Lab {
    ledger: Arc<dyn Ledger>,
    witnesses: Vec<Arc<Scripted>>,
    cosigning: Arc<Cosigning>,
    folder: tempfile::TempDir,
    policy: String,
}

impl Lab {
    /// A log of 3 leaves under the policy that `quorum` of these witnesses cosign.
    async fn new(quorum: usize, scripts: &[Script]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = open(folder.path());
        append(&ledger, 0..3).await;
        let mut witnesses = Vec::new();
        for (number, script) in (1..).zip(scripts) {
            witnesses.push(Scripted::start(number, *script, &log_key().verifier()).await);
        }
        let names: Vec<&str> = witnesses.iter().map(|witness| witness.name.as_str()).collect();
        let lines: String = witnesses.iter().map(|witness| witness.line()).collect();
        let policy = format!("{lines}group q {quorum} {}\nquorum q\n", names.join(" "));
        let cosigning = cosigning(&ledger, &policy, Arc::new(SystemClock::start()));
        Self { ledger, witnesses, cosigning, folder, policy }
    }

    fn start(&self) {
        tokio::spawn(Arc::clone(&self.cosigning).keep(Owner([1; 16])));
    }

    /// Waits until a quorum has cosigned this size.
    async fn cosigned(&self, size: u64) {
        let is_there = || self.cosigning.newest().is_some_and(|newest| newest.size == size);
        until(is_there, &|| format!("{:?}", self.cosigning.standing())).await;
    }

    /// Waits until a witness has an error with these words.
    async fn failed(&self, witness: usize, words: &str) {
        let has_failed = || {
            let standing = self.cosigning.standing();
            standing.witnesses[witness].error.as_ref().is_some_and(|error| error.contains(words))
        };
        until(has_failed, &|| format!("{words}: {:?}", self.cosigning.standing())).await;
    }

    /// Checks that a leaf is proven under a checkpoint that meets the policy.
    async fn check(&self, leaf: u64) {
        let proof: TlogProof = self.cosigning.proof(leaf).await.unwrap().unwrap().to_text().parse().unwrap();
        proof.verify(&entry(leaf), &log_key().verifier()).unwrap();
        let note = proof.checkpoint.parse().unwrap();
        assert!(self.cosigning.policy().policy().evaluate(&note).unwrap().is_met());
    }
}

fn cosigning(ledger: &Arc<dyn Ledger>, policy: &str, clock: Arc<dyn Clock>) -> Arc<Cosigning> {
    let policy = LogPolicy::read(policy.as_bytes(), &[log_key().verifier()], &[]).unwrap();
    let endpoint = |url: &str| WitnessEndpoint(Endpoint::system(url, &[], collect::limits()).unwrap());
    let endpoints = policy.witnesses().iter().map(|witness| endpoint(&witness.url)).collect();
    Arc::new(Cosigning::new(Arc::clone(ledger), clock, policy, endpoints).unwrap())
}

async fn until(is_so: impl Fn() -> bool, said: &dyn Fn() -> String) {
    let waited = timeout(HANG, async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    if waited.await.is_err() {
        panic!("it never came: {}", said());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quorum_cosigns_what_the_log_grows_to_though_one_witness_is_dead() {
    let lab = Lab::new(2, &[Script::Honest, Script::Honest, Script::Late]).await;
    assert!(lab.cosigning.proof(0).await.unwrap().is_none());
    lab.start();
    lab.cosigned(3).await;
    lab.check(0).await;
    append(&lab.ledger, 3..4).await;
    assert!(lab.cosigning.newest().unwrap().size <= 4);
    lab.cosigned(4).await;
    lab.check(3).await;
    append(&lab.ledger, 4..300).await;
    lab.cosigned(300).await;
    lab.check(3).await;
    lab.check(299).await;
    assert!(lab.cosigning.proof(300).await.unwrap().is_none());
    let standing = lab.cosigning.standing();
    assert!(standing.collects && !standing.is_late);
    assert_eq!(standing.witnesses[0].cosigned.unwrap().0, 300);
    assert_eq!(standing.witnesses[2].cosigned, None);
    assert!(lab.witnesses.iter().all(|witness| witness.most_at_once() <= 1), "one in flight each");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_quorum_nothing_is_cosigned_and_verdicts_go_on() {
    let lab = Lab::new(2, &[Script::Honest, Script::Late]).await;
    lab.start();
    until(|| lab.witnesses[1].requests() > 0, &|| "no request".to_owned()).await;
    append(&lab.ledger, 3..10).await;
    assert_eq!(lab.ledger.head().size, 10);
    assert_eq!(lab.cosigning.newest(), None);
    // The late answer counts, if it comes before the time is over; else the next one.
    lab.witnesses[1].script(Script::Honest);
    lab.witnesses[1].release.notify_waiters();
    lab.cosigned(10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_that_lies_is_named_with_what_it_did_and_does_not_count() {
    for (script, words) in [
        (Script::WrongNote, "does not verify"),
        (Script::WrongKey, "no signature is of a known key"),
        (Script::WrongTime, "time"),
        (Script::Garbage, "not a sequence of signature lines"),
        (Script::Status(404), "status 404"),
        (Script::Status(403), "status 403"),
        (Script::Status(413), "status 413"),
        (Script::Status(409), "another root"),
        (Script::Status(500), "status 500"),
        (Script::Conflict(1_000_000), "size 1000000"),
        (Script::Conflict(2), "says that it is right"),
        (Script::Endless, "no answer came"),
    ] {
        let lab = Lab::new(2, &[Script::Honest, script]).await;
        lab.start();
        lab.failed(1, words).await;
        assert_eq!(lab.cosigning.newest(), None, "{script:?}");
        // It is asked again, and counts once it does what it should.
        lab.witnesses[1].script(Script::Honest);
        lab.cosigned(3).await;
        assert_eq!(lab.cosigning.standing().witnesses[1].error, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_that_goes_back_does_not_count_any_more() {
    let lab = Lab::new(2, &[Script::Honest, Script::RolledBack(1)]).await;
    lab.start();
    lab.cosigned(3).await;
    append(&lab.ledger, 3..5).await;
    lab.failed(1, "gone back from size 3 to 1").await;
    assert_eq!(lab.cosigning.newest().unwrap().size, 3);
    lab.check(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_cosigned_is_served_after_a_restart_unless_the_policy_asks_for_more() {
    let lab = Lab::new(1, &[Script::Honest, Script::Status(500)]).await;
    lab.start();
    lab.cosigned(3).await;
    let note = lab.cosigning.newest().unwrap().note.clone();
    let again = cosigning(&lab.ledger, &lab.policy, Arc::new(SystemClock::start()));
    again.prepare().await;
    assert_eq!(again.newest().unwrap().note, note);
    let stricter =
        cosigning(&lab.ledger, &lab.policy.replace("group q 1", "group q 2"), Arc::new(SystemClock::start()));
    stricter.prepare().await;
    assert_eq!(stricter.newest(), None);
    let _kept_until_here = &lab.folder;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_asks_the_witnesses_and_the_other_follows() {
    let lab = Lab::new(1, &[Script::Honest]).await;
    let other = cosigning(&lab.ledger, &lab.policy, Arc::new(SystemClock::start()));
    lab.start();
    lab.cosigned(3).await;
    tokio::spawn(Arc::clone(&other).keep(Owner([2; 16])));
    until(|| other.newest().is_some_and(|newest| newest.size == 3), &|| "not followed".to_owned()).await;
    append(&lab.ledger, 3..7).await;
    until(|| other.newest().is_some_and(|newest| newest.size == 7), &|| "not followed".to_owned()).await;
    assert!(lab.cosigning.standing().collects && !other.standing().collects);
    assert_eq!(other.standing().witnesses[0].cosigned, None);
    assert_eq!(lab.cosigning.newest().unwrap().root, lab.ledger.head().root);
}

/// A clock that panics when a task other than the first one asks it for the second time: when the first answer of a witness
/// is there, and before it is used.
struct PanicsOnce {
    clock: SystemClock,
    keeper: OnceLock<Option<tokio::task::Id>>,
    asked: AtomicU32,
}

impl Clock for PanicsOnce {
    fn now(&self) -> Timestamp {
        let task = tokio::task::try_id();
        if *self.keeper.get_or_init(|| task) != task && self.asked.fetch_add(1, Ordering::SeqCst) == 1 {
            panic!("this clock panics once");
        }
        self.clock.now()
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_task_panicked_is_made_again() {
    let lab = Lab::new(1, &[Script::Honest]).await;
    let clock = PanicsOnce { clock: SystemClock::start(), keeper: OnceLock::new(), asked: AtomicU32::new(0) };
    let clock = Arc::new(clock);
    let cosigning = cosigning(&lab.ledger, &lab.policy, Arc::clone(&clock) as Arc<dyn Clock>);
    tokio::spawn(Arc::clone(&cosigning).keep(Owner([3; 16])));
    let is_cosigned = || cosigning.newest().is_some_and(|newest| newest.size == 3);
    until(is_cosigned, &|| format!("{:?}", cosigning.standing())).await;
    assert!(clock.asked.load(Ordering::SeqCst) > 2 && lab.witnesses[0].requests() >= 2);
}
