//! Replicas over one store, of which one changes a key and another follows.

use std::fs;
use std::path::Path;

use dispute::rerun::Reruns;
use ledger::{Identity, KeyStep, Ledger, LedgerRecord, LogKeyRing};
use ledger_sqlite::SqliteLedger;
use log_signer::LogSignerSettings;
use notary::KeyRing;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tempfile::TempDir;
use verdict::{Clock, SystemClock};

use super::files::Revocation;
use super::*;
use crate::keys::NotaryKeys;

const BASE_URL: &str = "https://notary.example";
const PRIVATE: [&str; 4] = ["receipt.pem", "rerun.pem", "webhook.pem", "log.pem"];

/// A store, and folders of keys beside it.
struct Store {
    folder: TempDir,
    ledger: Arc<dyn Ledger>,
    ring: LogKeyRing,
    clock: Arc<dyn Clock>,
}

fn open(folder: &Path) -> NotaryKeys {
    NotaryKeys::open(folder, BASE_URL, true, &LogSignerSettings::default()).unwrap()
}

impl Store {
    /// A store that is bound to the keys in the folder `one`, which are made.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keys = open(&folder.path().join("one"));
        let webhook = NotedKey::webhook(keys.webhook.unwrap().public_key());
        let identity = Identity {
            receipt_kid: keys.kid.to_string(),
            log_vkey: keys.log.verifier().to_string(),
            rerun_kid: Some(keys.rerun.kid.to_string()),
            webhook_key: Some(webhook.name().to_owned()),
            ..Identity::default()
        };
        let ring = NotaryKeys::log_ring(keys.log, None);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let path = folder.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, ring.clone(), &identity, Arc::clone(&clock)).unwrap();
        Self { folder, ledger: Arc::new(ledger), ring, clock }
    }

    fn keys(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Another folder with the keys that `one` has now.
    fn copied(&self, name: &str) {
        fs::create_dir(self.keys(name)).unwrap();
        for file in PRIVATE {
            fs::copy(self.keys("one").join(file), self.keys(name).join(file)).unwrap();
        }
    }

    /// A process that has started with the keys in a folder.
    fn replica(&self, name: &str) -> KeyChanges {
        let keys = open(&self.keys(name));
        let first = keys.log.verifier();
        let rerun = VerifyingKey::new(keys.rerun.key).unwrap();
        let reruns = Reruns::new(PathBuf::from("/bin/false"), Vec::new(), keys.rerun.kid.clone(), rerun);
        let signer = Signer::new(keys.receipt, keys.kid);
        let notary = Notary {
            iss: BASE_URL.to_owned(),
            keys: Arc::new(KeyRing::new(signer, keys.published, vec![first.clone()]).unwrap()),
            ledger: Arc::clone(&self.ledger),
            clock: Arc::clone(&self.clock),
            scope_prefix: None,
        };
        let others = OtherKeys {
            webhook: WebhookKey::new(keys.webhook.unwrap()),
            reruns: reruns.keys(),
            log: LogKeys { first, ring: self.ring.clone(), cosigning: None, is_elsewhere: false },
        };
        KeyChanges::new(Arc::new(notary), self.keys(name), others, Background::default())
    }

    /// Puts a new key into a folder, which is to come.
    fn put_next(&self, name: &str, role: KeyRole) -> SigningKey {
        let next = SigningKey::generate().unwrap();
        next.save(&KeyFiles::new(&self.keys(name), role).next_path()).unwrap();
        next
    }
}

fn signs(changes: &KeyChanges) -> String {
    changes.notary.keys.signer().kid().to_string()
}

fn accepted(changes: &KeyChanges) -> Vec<String> {
    changes.others.reruns.accepted().into_iter().map(|(kid, _)| kid.to_string()).collect()
}

fn kid(private: &SigningKey) -> String {
    private.id(BASE_URL).unwrap().to_string()
}

fn why(outcome: anyhow::Result<()>) -> String {
    format!("{:#}", outcome.unwrap_err())
}

#[tokio::test]
async fn a_replica_that_missed_a_change_takes_the_receipt_key_from_its_folder() {
    let store = Store::new();
    let one = store.replica("one");
    one.begin().await.unwrap();
    for name in ["receipt.next.pem", "receipt.pem"] {
        store.copied(name);
        let other = store.replica(name);
        other.begin().await.unwrap();
        let next = store.put_next("one", KeyRole::Receipt);
        one.round().await.unwrap();
        assert_eq!(signs(&one), kid(&next));
        let missed = why(other.round().await);
        assert!(missed.contains("does not have"), "{missed}");
        fs::copy(store.keys("one").join("receipt.pem"), store.keys(name).join(name)).unwrap();
        other.round().await.unwrap();
        assert_eq!(signs(&other), kid(&next), "{name}");
        let here = SigningKey::load(&store.keys(name).join("receipt.pem")).unwrap();
        assert_eq!(here.public_key(), next.public_key(), "{name}");
    }
}

#[tokio::test]
async fn a_process_with_a_former_receipt_key_or_over_a_broken_history_does_not_begin() {
    let store = Store::new();
    let one = store.replica("one");
    one.begin().await.unwrap();
    store.copied("other");
    store.put_next("one", KeyRole::Receipt);
    one.round().await.unwrap();
    let refused = why(store.replica("other").begin().await);
    assert!(refused.contains("does not have"), "{refused}");
    // One of an earlier program, say.
    let payload = b"{}".to_vec();
    let record = LedgerRecord {
        key: Some(KeyStep::Introduced { name: "other".to_owned() }),
        ..LedgerRecord::new(
            receipt::sign::SignedPayload {
                hash: ReceiptHash::of_payload(&payload),
                payload,
                signature: [0; 64],
            },
            signs(&one),
            receipt::history::KEY_CLASS,
            b"entry".to_vec(),
            Timestamp::EPOCH,
            b"{}".to_vec(),
        )
    };
    store.ledger.append(record).await.unwrap();
    let refused = why(store.replica("one").begin().await);
    assert!(refused.contains("its class is another"), "{refused}");
}

#[tokio::test]
async fn a_replica_with_the_same_folder_accepts_reruns_under_the_key_that_is_to_come() {
    let store = Store::new();
    let (one, other) = (store.replica("one"), store.replica("one"));
    one.begin().await.unwrap();
    other.begin().await.unwrap();
    let before = accepted(&other);
    let given_up = store.put_next("one", KeyRole::Rerun);
    other.read_coming().unwrap();
    assert_eq!(accepted(&other), [before.clone(), vec![kid(&given_up)]].concat());
    fs::remove_file(store.keys("one").join("rerun.next.pem")).unwrap();
    other.settle_files().unwrap();
    assert_eq!(accepted(&other), before);
    let next = store.put_next("one", KeyRole::Rerun);
    other.read_coming().unwrap();
    one.round().await.unwrap();
    assert!(!store.keys("one").join("rerun.next.pem").exists());
    // It does not know of the record yet, and a process that it starts signs with the new key.
    other.settle_files().unwrap();
    assert_eq!(accepted(&other), [before.clone(), vec![kid(&next)]].concat());
    other.round().await.unwrap();
    assert_eq!(accepted(&other), [vec![kid(&next)], before].concat());
}

#[tokio::test]
async fn a_rerun_key_that_is_revoked_after_its_end_is_accepted_no_more() {
    let store = Store::new();
    let (one, other) = (store.replica("one"), store.replica("one"));
    one.begin().await.unwrap();
    other.begin().await.unwrap();
    let [former] = &*accepted(&one) else { panic!("{:?}", accepted(&one)) };
    let next = store.put_next("one", KeyRole::Rerun);
    one.round().await.unwrap();
    other.round().await.unwrap();
    assert_eq!(accepted(&other), [kid(&next), former.clone()]);
    let revocation = Revocation { kid: former.clone(), reason: "a backup was lost".to_owned() };
    one.files(KeyRole::Rerun).ask_revocation(&revocation).unwrap();
    for replica in [one, other] {
        replica.round().await.unwrap();
        assert_eq!(accepted(&replica), [kid(&next)]);
    }
}

#[tokio::test]
async fn a_replica_with_the_same_folder_signs_with_the_log_key_that_signs_alone() {
    let store = Store::new();
    let (one, other) = (store.replica("one"), store.replica("one"));
    one.begin().await.unwrap();
    other.begin().await.unwrap();
    let former = SigningKey::load(&store.keys("one").join("log.pem")).unwrap();
    let next = store.put_next("one", KeyRole::Log);
    for replica in [&one, &other] {
        replica.round().await.unwrap();
        assert_eq!(in_use(replica), 2);
        assert!(replica.notary.keys.log_signer().is_none(), "the former one goes on until its end");
    }
    one.files(KeyRole::Log).ask_end(&one.others.log.first.to_string()).unwrap();
    for replica in [&one, &other] {
        replica.round().await.unwrap();
        assert_eq!((in_use(replica), store.keys("one").join("log.next.pem").exists()), (1, false));
        assert_eq!(replica.notary.keys.log_signer().unwrap().kid().as_str(), kid(&next));
    }
    let version = other.notary.keys.version();
    other.round().await.unwrap();
    assert_eq!(other.notary.keys.version(), version, "it is set once");

    former.save(&store.keys("one").join("log.next.pem")).unwrap();
    let refused = why(one.round().await);
    assert!(refused.contains("no key comes into use twice"), "{refused}");
    assert_eq!(in_use(&one), 1);
}

fn in_use(changes: &KeyChanges) -> usize {
    changes.notary.keys.current().history.log_keys_in_use().count()
}

#[tokio::test]
async fn a_key_in_the_folder_takes_no_place_of_a_log_key_that_is_elsewhere() {
    let store = Store::new();
    let mut one = store.replica("one");
    one.others.log.is_elsewhere = true;
    one.begin().await.unwrap();
    store.put_next("one", KeyRole::Log);
    let refused = why(one.round().await);
    assert!(refused.contains("log_signer") && refused.contains("log.next.pem"), "{refused}");
    assert_eq!(in_use(&one), 1);
}
