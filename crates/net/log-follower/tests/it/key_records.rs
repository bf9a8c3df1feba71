//! A monitor holds each leaf against its key's range, as the notary's records of keys say, and the records against the log.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use log_follower::monitor::FindingKind;
use log_follower::{
    Advance, Entries, FollowError, Follower, KeyRecords, LogWithKeys, Monitor, RecordSource, SourceError,
    StateFolder,
};
use receipt::envelope::{Envelope, LogHead};
use receipt::history::{KEY_CLASS, KeyRecord, NotedKey};
use receipt::json::Json;
use receipt::key::SigningKey;
use receipt::sign::{Signer, log_entry};
use receipt::{Timestamp, sha256};
use tempfile::{TempDir, tempdir};
use tlog::TlogProof;

use crate::support::{TestLog, receipt, vkey};

const BASE_URL: &str = "https://log.example";

pub fn signer(seed: u8) -> Signer {
    let key = SigningKey::from_seed(&[seed; 32]);
    let kid = key.id(BASE_URL).unwrap();
    Signer::new(key, kid)
}

pub fn noted(seed: u8) -> NotedKey {
    let signer = signer(seed);
    NotedKey::receipt(signer.kid(), signer.key().public_key())
}

fn at(leaf: u64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + i64::try_from(leaf).unwrap()).unwrap()
}

/// The entry of a commit that this key signed.
pub fn commit(leaf: u64, seed: u8) -> Vec<u8> {
    log_entry("commit", &receipt(leaf), signer(seed).kid().as_str(), at(leaf), None)
}

/// Records by their leaves.
pub type Records = Vec<(u64, String)>;

/// The records that the notary gives, two an answer; none at all where it has no such route.
#[derive(Clone, Default)]
pub struct Given(Arc<Mutex<Option<Records>>>);

impl Given {
    pub fn change(&self, change: impl FnOnce(&mut Records)) {
        change(self.0.lock().unwrap().get_or_insert_default());
    }

    /// Adds a record, and returns its entry.
    pub fn add(&self, leaf: u64, record: &KeyRecord, by: u8) -> Vec<u8> {
        let signer = signer(by);
        let mut finding = record.finding();
        let Some(Json::String(verdict)) = finding.remove("verdict") else { panic!("no verdict") };
        let envelope = Envelope {
            class: KEY_CLASS,
            iss: BASE_URL,
            kid: signer.kid().as_str(),
            agent: "notary",
            request_hash: sha256(b"{}"),
            is_request_redacted: false,
            verdict: &verdict,
            payment: None::<&()>,
            reference: None,
            salt: [0; 16],
            log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
            signed_at: at(leaf),
        };
        let signed = signer.sign(envelope.payload(&Json::Object(finding)).unwrap());
        let note = TestLog::of(vec![b"x".to_vec()]).note();
        let proof = TlogProof { extra: None, index: leaf, path: Vec::new(), checkpoint: note }.to_string();
        let json = String::from_utf8(signed.to_json(Some(&proof))).unwrap();
        self.change(|records| records.push((leaf, json)));
        log_entry(KEY_CLASS, &signed.hash, signer.kid().as_str(), at(leaf), None)
    }
}

impl RecordSource for Given {
    fn records(&self, from: u64) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        let answer = self.0.lock().unwrap().as_ref().map(|records| {
            let mut later = records.iter().filter(|(leaf, _)| *leaf >= from);
            let shown: Vec<&str> = later.by_ref().take(2).map(|(_, json)| json.as_str()).collect();
            let next = later.next().map_or_else(|| "null".to_owned(), |(leaf, _)| leaf.to_string());
            Bytes::from(format!(r#"{{"receipts":[{}],"next":{next}}}"#, shown.join(",")))
        });
        async move { Ok(answer) }.boxed()
    }
}

/// A log whose key 1 was rotated at leaf 3 to key 2, and that was revoked at leaf 6 for key 3.
fn rotated() -> (TestLog, Given) {
    let given = Given::default();
    let replacing = |seed: u8, replaces: u8, reason: Option<&str>| {
        let replaces = signer(replaces).kid().to_string();
        KeyRecord::replacing(noted(seed), signer(seed).key(), &replaces, reason.map(str::to_owned))
    };
    let entries = vec![
        given.add(0, &KeyRecord::introduced(noted(1), false), 1),
        commit(1, 1),
        commit(2, 1),
        given.add(3, &replacing(2, 1, None), 1),
        commit(4, 2),
        commit(5, 2),
        given.add(6, &replacing(3, 2, Some("stolen")), 3),
        commit(7, 3),
    ];
    (TestLog::of(entries), given)
}

struct Monitored {
    log: TestLog,
    given: Given,
    folder: TempDir,
}

impl Monitored {
    fn new((log, given): (TestLog, Given)) -> Self {
        Self { log, given, folder: tempdir().unwrap() }
    }

    /// One run of a monitor: the end of its step, and the alarms.
    async fn run(&self) -> (Result<Advance, FollowError>, Vec<(u64, FindingKind)>) {
        self.run_with(self.given.clone()).await
    }

    async fn run_with(
        &self,
        source: impl RecordSource + 'static,
    ) -> (Result<Advance, FollowError>, Vec<(u64, FindingKind)>) {
        let records = KeyRecords::default();
        let source = LogWithKeys { log: self.log.clone(), source, records: records.clone() };
        let state = StateFolder::open(self.folder.path()).unwrap();
        let monitor = Monitor::new(Entries::Notary, records);
        let mut follower = Follower::open(source, vkey(), state, 8, monitor).unwrap();
        let advance = follower.advance().await;
        let findings = follower.observer().take_findings();
        follower.told().unwrap();
        let alarms = findings.first.iter().filter(|finding| finding.kind.is_alarm());
        (advance, alarms.map(|finding| (finding.leaf, finding.kind)).collect())
    }

    async fn alarms(&self) -> Vec<(u64, FindingKind)> {
        let (advance, alarms) = self.run().await;
        advance.unwrap();
        alarms
    }
}

#[tokio::test]
async fn an_honest_log_is_silent_through_rotations_and_runs() {
    let monitored = Monitored::new(rotated());
    assert_eq!(monitored.alarms().await, []);
    monitored.log.grow(vec![commit(8, 3)]);
    assert_eq!(monitored.alarms().await, []);
}

#[tokio::test]
async fn a_leaf_under_a_retired_or_revoked_key_or_one_that_nobody_introduced_is_named() {
    let monitored = Monitored::new(rotated());
    monitored.log.grow(vec![commit(8, 1), commit(9, 3), commit(10, 2), commit(11, 4)]);
    let refused = [8, 10, 11].map(|leaf| (leaf, FindingKind::KeyRefused));
    assert_eq!(monitored.alarms().await, refused);
    // Also before its range.
    let (_, given) = rotated();
    let early = TestLog::of(vec![commit(0, 2)]);
    let alarms = Monitored::new((early, given)).alarms().await;
    assert_eq!(alarms, [(0, FindingKind::KeyRefused), (0, FindingKind::KeyRecord)]);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_hidden_invented_or_changed_is_named() {
    // The end of key 1 is hidden, so that it goes on.
    let hidden = Monitored::new(rotated());
    hidden.given.change(|records| records.truncate(1));
    hidden.log.grow(vec![commit(8, 1)]);
    let alarms = hidden.alarms().await;
    for leaf in [3, 6] {
        assert!(alarms.contains(&(leaf, FindingKind::KeyRecord)), "{alarms:?}");
    }
    // A notary without the route, whose log has records.
    let none = Monitored::new((rotated().0, Given::default()));
    assert_eq!(none.alarms().await, [0, 3, 6].map(|leaf| (leaf, FindingKind::KeyRecord)));
    // A record of a leaf that is another's.
    let invented = Monitored::new(rotated());
    let revoking = KeyRecord::revoking(noted(3), signer(1).kid().as_str(), "lost".to_owned());
    invented.given.add(7, &revoking, 3);
    assert_eq!(invented.alarms().await, [(7, FindingKind::KeyRecord)]);
    // In a later run: the log has the entry of leaf 6, and not of this record.
    let changed = Monitored::new(rotated());
    assert_eq!(changed.alarms().await, []);
    let (given, log) = (Given::default(), changed.log.clone());
    given.add(0, &KeyRecord::introduced(noted(1), false), 1);
    log.grow(vec![commit(8, 1)]);
    let changed = Monitored { given, ..changed };
    assert_eq!(changed.alarms().await, [3, 6].map(|leaf| (leaf, FindingKind::KeyRecord)));
}

#[tokio::test]
async fn a_log_whose_records_contradict_one_another_is_an_alarm() {
    let given = Given::default();
    let first = given.add(0, &KeyRecord::introduced(noted(1), false), 1);
    let second = given.add(1, &KeyRecord::introduced(noted(2), false), 1);
    let alarms = Monitored::new((TestLog::of(vec![first, second]), given)).alarms().await;
    assert_eq!(alarms, [(1, FindingKind::KeyRecord)]);
}

#[tokio::test(start_paused = true)]
async fn a_log_without_records_is_silent_on_keys_and_a_malformed_answer_says_nothing() {
    let before = Monitored::new((TestLog::of(vec![commit(0, 1), commit(1, 2)]), Given::default()));
    assert_eq!(before.alarms().await, []);
    for record in ["7", r#"{"proof":"x"}"#] {
        let malformed = Monitored::new(rotated());
        malformed.given.change(|records| records[1].1 = record.to_owned());
        let (advance, alarms) = malformed.run().await;
        let error = advance.unwrap_err();
        assert!(matches!(error, FollowError::Source(SourceError::Keys { .. })), "{error}");
        assert!(!error.is_alarm() && alarms.is_empty());
    }
}

/// Gives the records as one replica has them, and from then on as another one has.
struct Late {
    first: Mutex<Option<Given>>,
    then: Given,
}

impl RecordSource for Late {
    fn records(&self, from: u64) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        let first = self.first.lock().unwrap().take();
        async move { first.as_ref().unwrap_or(&self.then).records(from).await }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_given_a_moment_late_is_no_alarm() {
    let monitored = Monitored::new(rotated());
    let first = rotated().1;
    first.change(|records| records.truncate(1));
    let late = Late { first: Mutex::new(Some(first)), then: monitored.given.clone() };
    let (advance, alarms) = monitored.run_with(late).await;
    assert_eq!((advance.unwrap(), alarms), (Advance::Verified { from: 0, size: 8 }, vec![]));
}
