//! A ledger whose log's signer does what its script says. It fails with each answer that is no signature in time, keeps what it
//! has, and goes on by itself; it never signs a second tree of one size.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod softhsm;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ledger::{Identity, Ledger, LedgerError, LedgerRecord};
use ledger_sqlite::SqliteLedger;
use log_signer::remote::{Backend, Failure};
use log_signer::{RemoteSigner, SignerState};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::{Checkpoint, Hash, LogSigners, NoteSigner as _, SignError, SigningKey, leaf_hash};
use verdict::SystemClock;

const ORIGIN: &str = "notary.example/log";
/// The limit for a signature. An act that hangs takes as long.
const LIMIT: Duration = Duration::from_secs(2);
/// The most attempts at an append that must succeed: a machine may be slow, and the signer late by that.
const ATTEMPTS: u32 = 30;

/// What the signer does when it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// Waits until it is let go, long after the limit, and answers then, with the right signature.
    Hang,
    /// Gives up after the limit, as a command that is killed.
    GiveUp,
    Fail,
    Die,
    Garbage,
    /// Answers with the signature over the message before this one.
    Former,
    /// Signs with another key.
    OtherKey,
}

struct Scripted {
    key: SigningKey,
    next: Arc<Mutex<Option<Act>>>,
    asked: Arc<AtomicU32>,
    former: [u8; 64],
    let_go: Receiver<()>,
}

impl Backend for Scripted {
    fn sign(&mut self, message: &[u8], _: Duration) -> Result<[u8; 64], Failure> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let signature = self.key.sign(message).unwrap();
        let former = std::mem::replace(&mut self.former, signature);
        let act = self.next.lock().unwrap().take();
        match act {
            None => Ok(signature),
            Some(Act::Hang) => {
                self.let_go.recv().unwrap();
                Ok(signature)
            }
            Some(Act::GiveUp) => Err(Failure::Late),
            Some(Act::Fail) => Err(Failure::Other("no key".to_owned())),
            Some(Act::Die) => panic!("the signer has died"),
            Some(Act::Garbage) => Ok([0x5a; 64]),
            Some(Act::Former) => Ok(former),
            Some(Act::OtherKey) => Ok(key(9).sign(message).unwrap()),
        }
    }
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(ORIGIN, &[seed; 32]).unwrap()
}

struct Scene {
    signer: Arc<RemoteSigner>,
    next: Arc<Mutex<Option<Act>>>,
    /// The number of times that the signer was asked.
    asked: Arc<AtomicU32>,
    let_go: Sender<()>,
    ledger: SqliteLedger,
    /// The roots of all checkpoints that the ledger has shown, by size.
    shown: BTreeMap<u64, Hash>,
    entries: Vec<Vec<u8>>,
}

impl Scene {
    fn open(folder: &Path) -> Self {
        let (let_go, waiting) = channel();
        let (next, asked) = <(Arc<Mutex<Option<Act>>>, Arc<AtomicU32>)>::default();
        let scripted = Scripted {
            key: key(7),
            next: Arc::clone(&next),
            asked: Arc::clone(&asked),
            former: [0; 64],
            let_go: waiting,
        };
        let signer = RemoteSigner::start(key(7).verifier(), Box::new(scripted), LIMIT).unwrap();
        let signer = Arc::new(signer);
        let identity = Identity {
            receipt_kid: "notary-1".to_owned(),
            log_vkey: key(7).verifier().to_string(),
            ..Identity::default()
        };
        let signers = LogSigners::new(Arc::clone(&signer) as _);
        let path = folder.join("store.sqlite");
        let ledger = SqliteLedger::open(&path, signers, &identity, Arc::new(SystemClock::start())).unwrap();
        Self { signer, next, asked, let_go, ledger, shown: BTreeMap::new(), entries: Vec::new() }
    }

    /// Looks at what the ledger shows: a signed checkpoint, and the only root of its size.
    fn look(&mut self) -> u64 {
        let head = self.ledger.head();
        let signed = Checkpoint::open(&head.checkpoint, &[key(7).verifier()]).unwrap();
        assert_eq!((signed.size(), signed.root()), (head.size, head.root));
        let known = self.shown.insert(head.size, head.root);
        assert!(known.is_none_or(|root| root == head.root), "two roots of size {}", head.size);
        head.size
    }

    async fn append(&mut self, text: &str) -> Result<u64, LedgerError> {
        let entry = format!("entry {text}").into_bytes();
        let appended = self.ledger.append(record(text, &entry)).await;
        self.look();
        let appended = appended?;
        self.entries.push(entry);
        Ok(appended.leaf)
    }

    /// Appends; a signer that is late on a slow machine is asked again.
    async fn append_surely(&mut self, text: &str) -> u64 {
        for _ in 0..ATTEMPTS {
            match self.append(text).await {
                Ok(leaf) => return leaf,
                Err(error) => assert!(!error.is_refusal(), "{error}"),
            }
            // As the service looks for the signer's return.
            let _still_late = self.signer.probe();
        }
        panic!("it does not recover");
    }

    fn script(&self, act: Act) {
        *self.next.lock().unwrap() = Some(act);
    }
}

fn record(text: &str, entry: &[u8]) -> LedgerRecord {
    let payload = format!("payload {text}").into_bytes();
    LedgerRecord {
        hash: ReceiptHash::of_payload(&payload),
        payload,
        signature: [0; 64],
        entry: entry.to_vec(),
        class: "commit",
        signed_at: Timestamp::EPOCH,
        request: b"{}".to_vec(),
        evidence: Vec::new(),
        judged_at: Timestamp::EPOCH,
        reservation: None,
        claim: None,
        dispute: None,
        watch: None,
        counters: Vec::new(),
        memory: None,
        erases: None,
        kid: "notary-1".to_owned(),
        key: None,
    }
}

#[tokio::test]
async fn an_append_without_a_signature_in_time_fails_whole_and_the_next_tree_is_signed_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::open(folder.path());
    scene.append_surely("first").await;
    for act in [Act::GiveUp, Act::Fail, Act::Die, Act::Garbage, Act::Former, Act::OtherKey, Act::Hang] {
        let before = scene.look();
        scene.script(act);
        let failed = scene.append(&format!("{act:?}, refused")).await;
        let error = failed.unwrap_err();
        assert!(!error.is_refusal(), "{act:?}: {error}");
        assert_eq!(scene.look(), before, "{act:?}: nothing is committed");
        assert!(matches!(*scene.signer.state().borrow(), SignerState::Down(_)), "{act:?}");
        if act == Act::Hang {
            // The signature over the tree with the other record comes now, when nobody waits for it.
            scene.let_go.send(()).unwrap();
        }
        // Another record takes the place of the one that failed: this tree has another root.
        assert_eq!(scene.append_surely(&format!("{act:?}, then")).await, before);
    }
    // The log is one: each entry is the leaf that its answer said, under the newest checkpoint.
    let size = scene.look();
    assert_eq!(size, scene.entries.len() as u64);
    for (leaf, entry) in (0..size).zip(&scene.entries) {
        let proof = scene.ledger.inclusion(leaf).await.unwrap();
        let head = scene.ledger.head();
        tlog::verify_inclusion(leaf, head.size, &leaf_hash(entry), &proof.path, &head.root).unwrap();
    }
}

#[tokio::test]
async fn while_a_signer_hangs_it_is_not_waited_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::open(folder.path());
    scene.script(Act::Hang);
    scene.append("hangs").await.unwrap_err();
    let late = SignError::Late { key: ORIGIN.to_owned(), limit_ms: 2000 };
    assert_eq!(*scene.signer.state().borrow(), SignerState::Down(late.clone()));
    // More than ever wait, and none is asked about once the signer is back.
    for _ in 0..20 {
        assert_eq!(scene.signer.probe(), Err(late.clone()));
    }
    scene.let_go.send(()).unwrap();
    scene.append_surely("back").await;
    assert_eq!(scene.look(), 1);
}

#[tokio::test]
async fn after_a_call_that_was_given_up_the_ledger_waits_for_none_until_a_probe_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::open(folder.path());
    scene.append_surely("first").await;
    scene.script(Act::GiveUp);
    scene.append("given up").await.unwrap_err();
    let asked = scene.asked.load(Ordering::SeqCst);
    for number in 0..20 {
        let error = scene.append(&format!("refused {number}")).await.unwrap_err();
        assert!(matches!(error, LedgerError::Busy), "{error}");
        assert!(scene.ledger.is_writable(), "the store has not failed");
    }
    assert_eq!(scene.asked.load(Ordering::SeqCst), asked, "none of them was waited for");
    scene.signer.probe().unwrap();
    assert_eq!(scene.append("then").await.unwrap(), 1);
}

#[tokio::test]
async fn after_an_answer_that_came_too_late_the_ledger_waits_for_none_until_a_probe_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::open(folder.path());
    scene.append_surely("first").await;
    scene.script(Act::Hang);
    scene.append("hangs").await.unwrap_err();
    let asked = scene.asked.load(Ordering::SeqCst);
    scene.let_go.send(()).unwrap();
    let began = Instant::now();
    // It rests for 5 s.
    for number in (0..20).take_while(|_| began.elapsed() < Duration::from_secs(3)) {
        // The signer's thread is free again after one of them.
        tokio::time::sleep(Duration::from_millis(10)).await;
        scene.append(&format!("refused {number}")).await.unwrap_err();
    }
    assert_eq!(scene.asked.load(Ordering::SeqCst), asked, "none of them was waited for");
    assert_eq!(scene.append_surely("then").await, 1);
}

#[tokio::test]
async fn a_store_is_not_begun_without_a_signature() {
    let folder = tempfile::tempdir().unwrap();
    let (_let_go, waiting) = channel();
    let next = Arc::new(Mutex::new(Some(Act::Garbage)));
    let asked = Arc::default();
    let scripted = Scripted { key: key(7), next, asked, former: [0; 64], let_go: waiting };
    let signer = RemoteSigner::start(key(7).verifier(), Box::new(scripted), LIMIT).unwrap();
    let signers = LogSigners::new(Arc::new(signer));
    let identity = Identity {
        receipt_kid: "notary-1".to_owned(),
        log_vkey: key(7).verifier().to_string(),
        ..Identity::default()
    };
    let path = folder.path().join("store.sqlite");
    let opened = SqliteLedger::open(&path, signers.clone(), &identity, Arc::new(SystemClock::start()));
    assert!(matches!(opened.err(), Some(LedgerError::NotSigned(SignError::Invalid(_)))));
    // Nothing of the attempt is left.
    let opened = SqliteLedger::open(&path, signers, &identity, Arc::new(SystemClock::start())).unwrap();
    assert_eq!(opened.head().size, 0);
}
