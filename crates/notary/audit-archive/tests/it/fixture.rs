//! A store with real receipts, and the members of its archives.

use std::path::PathBuf;
use std::sync::Arc;

use audit_archive::layout::{SUMS, sums_line};
use audit_archive::tar::{TarReader, header};
use audit_archive::{ArchiveReport, Exported, Filter, Published, PublishedHead, export, export_to, verify};
use ledger::{Identity, Ledger, LedgerRecord, Stamped as _, StampedCheckpoint};
use ledger_sqlite::SqliteLedger;
use peers::Stamper;
use peers::stamper::Lie;
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::key::{KeyId, PublishedKey, SigningKey, jwks};
use receipt::sign::{Signer, log_entry};
use receipt::time::Timestamp;
use receipt::verify::Keys;
use store_transfer::{Place, Progress, StoreReader};
use tempfile::TempDir;
use time_stamp::{Nonce, StampRequest};
use tokio::runtime::Runtime;
use verdict::{Clock, EvidenceBlob, SystemClock};

pub const BASE_URL: &str = "https://notary.example";
const START_MS: i64 = 1_795_000_000_000;

pub fn log_key() -> tlog::SigningKey {
    tlog::SigningKey::from_seed("notary.example/log", &[3; 32]).unwrap()
}

fn signer() -> Signer {
    let key = SigningKey::from_seed(&[9; 32]);
    let kid = key.id(BASE_URL).unwrap();
    Signer::new(key, kid)
}

fn published_keys() -> Vec<PublishedKey> {
    let key = SigningKey::from_seed(&[9; 32]).public_key();
    vec![PublishedKey::active(KeyId::new(BASE_URL, &key).unwrap(), key)]
}

pub fn keys() -> Keys {
    Keys::new(published_keys(), vec![log_key().verifier()]).unwrap()
}

pub fn published() -> Published {
    let jwks = jwks(&published_keys(), &[]).to_string().into_bytes();
    Published { log_key: log_key().verifier(), log_keys: Vec::new(), jwks, policy: None }
}

pub fn at(number: u64) -> Timestamp {
    Timestamp::from_millis(START_MS + i64::try_from(number).unwrap() * 1000).unwrap()
}

pub fn now() -> Timestamp {
    at(1_000_000)
}

/// Receipt `number` is of agent `a` or `b` and of class `commit` or `scan-text` by turns. Every fifth has evidence: a piece that it
/// names, and a piece that it shares with others and does not name.
pub fn record(number: u64) -> LedgerRecord {
    record_of(number, if number % 4 < 2 { "commit" } else { "scan-text" }, None)
}

pub fn record_of(number: u64, class: &'static str, reference: Option<&ReceiptHash>) -> LedgerRecord {
    let signer = signer();
    let kid = signer.kid().as_str().to_owned();
    let request = format!(r#"{{"content":{number}}}"#).into_bytes();
    let page = format!("page {number}").into_bytes();
    let envelope = Envelope {
        class,
        iss: BASE_URL,
        kid: &kid,
        agent: if number.is_multiple_of(2) { "a" } else { "b" },
        request_hash: sha256(&request),
        is_request_redacted: false,
        verdict: "COMMITTED",
        payment: None::<&()>,
        reference,
        salt: [7; 16],
        log_head: LogHead { size: 0, root: tlog::EMPTY_ROOT },
        signed_at: at(number),
    };
    let finding = serde_json::json!({ "evidence": hex::encode(sha256(&page)) });
    let signed = signer.sign(envelope.payload(&finding).unwrap());
    let evidence = if number.is_multiple_of(5) {
        vec![
            EvidenceBlob::new("page", page),
            EvidenceBlob::new("list", format!("list {}", number / 500).into_bytes()),
        ]
    } else {
        Vec::new()
    };
    let entry = log_entry(class, &signed.hash, &kid, at(number), reference);
    LedgerRecord { evidence, ..LedgerRecord::new(signed, kid, class, entry, at(number), request) }
}

pub fn identity() -> Identity {
    Identity {
        receipt_kid: signer().kid().as_str().to_owned(),
        log_vkey: log_key().verifier().to_string(),
        ..Identity::default()
    }
}

pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::start())
}

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub struct Store {
    pub folder: TempDir,
    size: u64,
}

impl Store {
    pub fn of(size: u64) -> Self {
        let mut store = Self { folder: tempfile::tempdir().unwrap(), size: 0 };
        store.grow(size);
        store
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("store.sqlite")
    }

    fn open(&self) -> (SqliteLedger, Runtime) {
        (SqliteLedger::open(&self.path(), log_key(), &identity(), clock()).unwrap(), runtime())
    }

    /// Has the newest checkpoint stamped, at the time of the receipt that comes next.
    pub fn stamp(&self, stamper: &Stamper) {
        let (ledger, runtime) = self.open();
        let (head, at) = (ledger.head(), at(self.size));
        let sha256 = sha256(head.checkpoint.as_bytes());
        let request = StampRequest { sha256, nonce: Nonce::new([5; 16]), policy: None };
        let answer = stamper.answer(&request.to_der(), at, Lie::None);
        let note = Arc::clone(&head.checkpoint);
        let stamped = StampedCheckpoint { size: head.size, root: head.root, note, answer, at };
        assert!(runtime.block_on(ledger.record_stamped(stamped)).unwrap());
    }

    /// Appends so many receipts, in their order.
    pub fn grow(&mut self, more: u64) {
        let (ledger, runtime) = self.open();
        runtime.block_on(async {
            let appends = (self.size..self.size + more).map(|number| ledger.append(record(number)));
            for appended in futures_util::future::join_all(appends).await {
                appended.unwrap();
            }
        });
        self.size += more;
    }

    /// Appends a receipt that says that the one of this number was erased.
    pub fn log_erasure(&mut self, number: u64) {
        let (ledger, runtime) = self.open();
        let erased = record(number).hash;
        runtime.block_on(ledger.append(record_of(self.size, "erasure", Some(&erased)))).unwrap();
        self.size += 1;
    }

    /// Appends a receipt with the time of an earlier one, as a notary that dates back does.
    pub fn append_again(&mut self, number: u64) {
        let (ledger, runtime) = self.open();
        runtime.block_on(ledger.append(record_of(number, "watch", None))).unwrap();
        self.size += 1;
    }

    pub fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.path()).unwrap().execute_batch(statement).unwrap();
    }

    pub fn reader(&self) -> StoreReader {
        StoreReader::open(&Place::File(self.path())).unwrap()
    }

    pub fn target(&self) -> PathBuf {
        self.folder.path().join("archive.tar")
    }

    pub fn part(&self) -> PathBuf {
        self.folder.path().join("archive.tar.part")
    }

    pub fn exported(&self, filter: &Filter) -> Vec<u8> {
        let target = self.target();
        export(&mut self.reader(), &published(), filter, &target, false, &mut ()).unwrap();
        let bytes = std::fs::read(&target).unwrap();
        std::fs::remove_file(target).unwrap();
        bytes
    }
}

/// Writes the archive under the head that the store has to a reader.
pub fn streamed(
    store: &mut StoreReader,
    filter: &Filter,
    to: &mut dyn std::io::Write,
) -> Result<Exported, audit_archive::ExportError> {
    let head = PublishedHead { size: store.head().size, checkpoint: store.head().checkpoint.clone() };
    export_to(store, &published(), filter, &head, to)
}

/// Panics at the leaf of this number, as a process that is killed there ends.
pub struct KilledAt(pub u64);

impl Progress for KilledAt {
    fn begin(&mut self, _: &str, _: u64) {}

    fn receipt(&mut self) {
        self.0 -= 1;
        assert!(self.0 > 0, "killed");
    }
}

pub fn verified(archive: &[u8]) -> ArchiveReport {
    verify(archive, Some(keys()), None, now(), &mut || ()).unwrap()
}

pub type Members = Vec<(String, Vec<u8>)>;

/// The members of an archive without its sums.
pub fn members(archive: &[u8]) -> Members {
    let (mut reader, mut found) = (TarReader::new(archive), Vec::new());
    while let Some(member) = reader.next_member().unwrap() {
        let (mut content, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            match reader.read_content(&mut buffer).unwrap() {
                0 => break,
                count => content.extend_from_slice(&buffer[..count]),
            }
        }
        found.push((member.name, content));
    }
    assert_eq!(found.pop().unwrap().0, SUMS);
    found
}

/// The archive of these members, with its right sums.
pub fn archive(members: &Members) -> Vec<u8> {
    let sums: String = members.iter().map(|(name, content)| sums_line(&sha256(content), name)).collect();
    let mut bytes = Vec::new();
    for (name, content) in members.iter().chain([&(SUMS.to_owned(), sums.into_bytes())]) {
        bytes.extend(header(name, content.len() as u64).unwrap());
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}
