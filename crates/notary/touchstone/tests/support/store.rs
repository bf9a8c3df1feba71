//! A store without its service: what was preserved and what is owed, read and changed behind the notary's back; and
//! receipts that its service would not have signed.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ledger::{Identity, Ledger as _, LedgerRecord, OperatorStore as _, RefundState};
use ledger_sqlite::{SqliteLedger, SqliteOperatorStore};
use payment::Address;
use receipt::envelope::{ENVELOPE_MEMBERS, Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::Json;
use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::{Signer, log_entry};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use verdict::{Clock, EvidenceBlob, Timestamp};

use super::receipt::{canonical, hash, text};

/// The rows of a data folder.
pub struct Store {
    rows: Connection,
    store: SqliteOperatorStore,
}

impl Store {
    pub fn of(data: &Path) -> Self {
        let path = data.join("store.sqlite");
        Self { store: SqliteOperatorStore::open(&path).unwrap(), rows: Connection::open(path).unwrap() }
    }

    /// What an account has of the development profile's money, in atomic units.
    pub fn balance(&self, account: Address) -> u64 {
        let select = "SELECT balance FROM local_accounts WHERE account = ?";
        let balance = self.rows.query_row(select, [account.into_array()], |row| row.get(0));
        balance.optional().unwrap().unwrap_or(0)
    }

    /// Gives an account so much of it, out of nothing.
    pub fn fund(&self, account: Address, amount: u64) {
        let insert = "INSERT INTO local_accounts (account, balance) VALUES (?, ?)";
        self.rows.execute(insert, params![account.into_array(), amount]).unwrap();
    }

    /// Lets bonds whose disputes were not heard yet have been asked for so long ago, in milliseconds.
    pub fn let_bonds_have_waited(&self, millis: i64) {
        let update = "UPDATE claim_works SET judged_at = judged_at - ? WHERE finding IS NULL";
        assert!(self.rows.execute(update, [millis]).unwrap() > 0);
    }

    /// Gives a payer so many claims of this amount that nobody finishes for an hour.
    pub fn leave_unfinished(&self, payer: Address, claims: u32, amount: u64) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        let until = i64::try_from(now).unwrap() + 3_600_000;
        let insert = "INSERT INTO claims (state, owner, lease_until, chain_id, asset, payer, nonce, fingerprint, class,
            agent, symbol, amount, bond) VALUES (0, zeroblob(16), ?, ?, zeroblob(20), ?, randomblob(32), zeroblob(32),
            'commit', 'payer', 'USDC', ?, 0)";
        let chain = payment::Network::local().chain_id;
        for _ in 0..claims {
            self.rows.execute(insert, params![until, chain, payer.into_array(), amount]).unwrap();
        }
    }

    /// Frees all claims of a payer that are not finished.
    pub fn finish(&self, payer: Address) {
        let delete = "DELETE FROM claims WHERE payer = ? AND state < 4";
        self.rows.execute(delete, [payer.into_array()]).unwrap();
    }

    /// How many refunds are not paid.
    pub fn unpaid(&self) -> usize {
        self.store.refunds(&[RefundState::Owed, RefundState::Sending]).unwrap().len()
    }

    /// What the first refund is paid by, as far as it was sent.
    pub fn sent(&self) -> Option<Vec<u8>> {
        self.store.refunds(&RefundState::ALL).unwrap().first().and_then(|refund| refund.proof.clone())
    }

    /// What the bounty reserve has, in atomic units.
    pub fn reserve(&self) -> u64 {
        self.store.reserve().unwrap().iter().map(|(_, amount)| amount).sum()
    }

    fn leaf(&self, receipt: &Value) -> i64 {
        let hash: ReceiptHash = hash(receipt).parse().unwrap();
        let select = "SELECT leaf FROM receipts WHERE hash = ?";
        self.rows.query_row(select, [hash.as_bytes()], |row| row.get(0)).unwrap()
    }

    /// The request behind a receipt is not kept any more.
    pub fn forget_request(&self, receipt: &Value) {
        let forgotten = self.rows.execute("DELETE FROM requests WHERE leaf = ?", [self.leaf(receipt)]);
        assert_eq!(forgotten.unwrap(), 1);
    }

    /// A piece of evidence is not kept any more; its address stays.
    pub fn forget(&self, receipt: &Value, role: &str) {
        let forgotten = self.rows.execute(
            "DELETE FROM blobs WHERE sha256 = (SELECT sha256 FROM evidence WHERE leaf = ? AND role = ?)",
            params![self.leaf(receipt), role],
        );
        assert_eq!(forgotten.unwrap(), 1);
    }

    /// Lets a watch have been over for so long, in milliseconds.
    pub fn let_watch_be_over(&self, receipt: &Value, millis: i64) {
        let key = hex::decode(text(&receipt["watch"], "sha256")).unwrap();
        let update = "UPDATE watches SET until = screened_at - ? WHERE key = ?";
        assert_eq!(self.rows.execute(update, params![millis, key]).unwrap(), 1);
    }

    /// A piece of evidence behind a receipt.
    pub fn evidence(&self, receipt: &Value, role: &str) -> Vec<u8> {
        let select = "SELECT bytes FROM blobs WHERE sha256 = (SELECT sha256 FROM evidence WHERE leaf = ? AND role = ?)";
        self.rows.query_row(select, params![self.leaf(receipt), role], |row| row.get(0)).unwrap()
    }

    /// Puts other bytes in its place, under their own address.
    fn replace(&self, receipt: &Value, role: &str, bytes: &[u8]) {
        let address = sha256(bytes);
        let insert = "INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING";
        self.rows.execute(insert, params![address, bytes]).unwrap();
        let update = "UPDATE evidence SET sha256 = ? WHERE leaf = ? AND role = ?";
        let replaced = self.rows.execute(update, params![address, self.leaf(receipt), role]);
        assert_eq!(replaced.unwrap(), 1);
    }

    /// Lets the source of a `url_json` claim have answered this, in all that is kept of it.
    pub fn tamper(&self, receipt: &Value, body: &[u8]) {
        let mut record: Value = serde_json::from_slice(&self.evidence(receipt, "fetch")).unwrap();
        record["body_sha256"] = hex::encode(sha256(body)).into();
        record["body_bytes"] = body.len().into();
        self.replace(receipt, "fetch", &serde_json::to_vec(&record).unwrap());
        self.replace(receipt, "body", body);
    }
}

/// A clock that stands.
struct Stopped(Timestamp);

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

/// A notary that signs whatever it is told, with the keys of a data folder whose service does not run.
pub struct Forger {
    ledger: SqliteLedger,
    signer: Signer,
    iss: String,
    at: Timestamp,
}

impl Forger {
    /// Keys and store are made where there are none, and it is this time.
    pub fn at(data: &Path, iss: &str, at: Timestamp) -> Self {
        let folder = data.join("keys");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
        let key = |name| SigningKey::load_or_create(&folder.join(name)).unwrap();
        let receipt = key("receipt.pem");
        let kid = receipt.id(iss).unwrap();
        let origin = log_origin_from_base_url(iss).unwrap();
        let log = tlog::SigningKey::from_seed(&origin, &key("log.pem").seed()).unwrap();
        let identity = Identity {
            receipt_kid: kid.to_string(),
            log_vkey: log.verifier().to_string(),
            ..Identity::default()
        };
        let store = data.join("store.sqlite");
        let ledger = SqliteLedger::open(&store, log, &identity, Arc::new(Stopped(at))).unwrap();
        Self { ledger, signer: Signer::new(receipt, kid), iss: iss.to_owned(), at }
    }

    /// A receipt that was paid by nobody.
    pub fn sign(&self, class: &'static str, request: &Value, verdict: &str) -> Value {
        let finding = json!({"evidence": {}, "scope": "All and nothing.", "method": "forgery/1"});
        self.append(class, canonical(request), verdict, &finding, Vec::new(), self.at)
    }

    /// The same with these members of its finding besides.
    pub fn sign_finding(
        &self,
        class: &'static str,
        request: &Value,
        verdict: &str,
        finding: &Value,
    ) -> Value {
        let mut whole = json!({"evidence": {}, "scope": "All and nothing.", "method": "forgery/1"});
        whole.as_object_mut().unwrap().extend(finding.as_object().unwrap().clone());
        self.append(class, canonical(request), verdict, &whole, Vec::new(), self.at)
    }

    /// The receipt with another verdict, on the same evidence.
    pub fn lie(&self, receipt: &Value, verdict: &str) -> Value {
        let preserved = async {
            let hash = hash(receipt).parse().unwrap();
            let leaf = self.ledger.receipt(&hash).await.unwrap().unwrap().leaf;
            let request = self.ledger.request(leaf).await.unwrap().unwrap();
            (request, self.ledger.evidence(leaf).await.unwrap())
        };
        let (request, evidence) = wait(preserved);
        let blob = |blob: ledger::StoredBlob| EvidenceBlob::new(blob.role, blob.bytes.unwrap());
        let evidence = evidence.into_iter().map(blob).collect();
        let mut finding = receipt.as_object().unwrap().clone();
        let own = ENVELOPE_MEMBERS.into_iter().chain(["receipt_hash", "signature", "proof"]);
        own.for_each(|name| drop(finding.remove(name)));
        let finding = Value::Object(finding);
        assert_eq!(text(receipt, "class"), "claim-verdict");
        self.append("claim-verdict", request.body, verdict, &finding, evidence, request.judged_at)
    }

    fn append(
        &self,
        class: &'static str,
        request: Vec<u8>,
        verdict: &str,
        finding: &Value,
        evidence: Vec<EvidenceBlob>,
        judged_at: Timestamp,
    ) -> Value {
        let head = self.ledger.head();
        let kid = self.signer.kid().as_str();
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).unwrap();
        let envelope = Envelope::<Json> {
            class,
            iss: &self.iss,
            kid,
            agent: "liar",
            request_hash: sha256(&request),
            is_request_redacted: false,
            verdict,
            payment: None,
            reference: None,
            salt,
            log_head: LogHead { size: head.size, root: head.root },
            signed_at: self.at,
        };
        let signed = self.signer.sign(envelope.payload(finding).unwrap());
        let entry = log_entry(class, &signed.hash, kid, self.at, None);
        let record = LedgerRecord {
            evidence,
            judged_at,
            ..LedgerRecord::new(signed.clone(), kid, class, entry, self.at, request)
        };
        let appended = wait(self.ledger.append(record)).unwrap();
        serde_json::from_slice(&signed.to_json(Some(&appended.inclusion.to_text()))).unwrap()
    }
}

fn wait<F: Future>(future: F) -> F::Output {
    Runtime::new().unwrap().block_on(future)
}
