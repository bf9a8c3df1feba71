//! A store of any size, filled through the ledger with receipts that are truly signed and logged. It is kept
//! between runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use claim::{ClaimFinding, ClaimVerdict, Evidence, METHOD, ResolverType, SignatureEvidence};
use ledger::{Ledger, LedgerRecord};
use ledger_sqlite::SqliteLedger;
use receipt::envelope::{Envelope, LogHead};
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::Json;
use receipt::sign::{SignedPayload, Signer, log_entry};
use receipt::time::Timestamp;
use verdict::{Clock, SystemClock};

use crate::identity::{BASE_URL, Identity};
use crate::questions::{Random, message};

/// Appends that wait for the writer at once: two full batches, under the queue's bound.
const IN_FLIGHT: usize = 2048;

const CLASS: &str = "claim-verdict";
const SCOPE: &str = "Development notary: its keys, its settlement and its answers are for trying out only. This \
    verdict says whether the signature is valid over the message under the given key, by strict Ed25519 \
    verification; it does not prove that the key belongs to any identity, or that what the message says is true.";

/// A data folder with a full store.
pub struct Store {
    /// The notary's data folder.
    pub folder: PathBuf,
    /// Hashes of the receipts in it.
    pub hashes: Vec<ReceiptHash>,
}

impl Store {
    /// The store of `count` receipts under `folder`, made where it is not there yet.
    pub fn of(folder: &Path, count: u32) -> anyhow::Result<Self> {
        let folder = folder.join(format!("receipts-{count}"));
        let list = folder.join("hashes.bin");
        // The list is written last: where it is, the store is whole.
        if !list.exists() {
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))?;
            }
            fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
            let hashes = fill(&folder, count)?;
            fs::write(&list, hashes.concat()).with_context(|| format!("write {}", list.display()))?;
        }
        let bytes = fs::read(&list).with_context(|| format!("read {}", list.display()))?;
        let (hashes, rest) = bytes.as_chunks::<32>();
        anyhow::ensure!(rest.is_empty() && hashes.len() == count as usize, "{} is damaged", list.display());
        Ok(Self { folder, hashes: hashes.iter().copied().map(ReceiptHash).collect() })
    }

    /// A random choice of its receipts' hashes.
    pub fn random_hashes(&self, count: usize) -> Vec<ReceiptHash> {
        let mut random = Random::new(1);
        (0..count).map(|_| self.hashes[random.below(self.hashes.len() as u64) as usize]).collect()
    }
}

fn fill(folder: &Path, count: u32) -> anyhow::Result<Vec<[u8; 32]>> {
    eprintln!("filling a store with {count} receipts, once: {}", folder.display());
    let started = Instant::now();
    let identity = Identity::of(folder)?;
    let binding = identity.binding();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let ledger =
        SqliteLedger::open(&folder.join("store.sqlite"), identity.log, &binding, Arc::clone(&clock))?;
    let signer = Signer::new(identity.receipt, identity.kid);
    let filler = Arc::new(Filler { ledger, signer, clock, next: AtomicU32::new(0), count });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let hashes = runtime.block_on(async {
        let tasks: Vec<_> = (0..IN_FLIGHT).map(|_| tokio::spawn(Arc::clone(&filler).run())).collect();
        let mut hashes = Vec::with_capacity(count as usize);
        for task in tasks {
            hashes.extend(task.await.context("a task of the filler ended")??);
        }
        anyhow::Ok(hashes)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("filled in {seconds:.0} s, {:.0} receipts/s", f64::from(count) / seconds);
    Ok(hashes)
}

struct Filler {
    ledger: SqliteLedger,
    signer: Signer,
    clock: Arc<dyn Clock>,
    next: AtomicU32,
    count: u32,
}

impl Filler {
    /// Appends until all numbers are taken.
    async fn run(self: Arc<Self>) -> anyhow::Result<Vec<[u8; 32]>> {
        let mut hashes = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return Ok(hashes);
            }
            let head = self.ledger.head();
            let at = self.clock.now().max(head.latest);
            let case = Case::new(number, at, LogHead { size: head.size, root: head.root }, &self.signer)?;
            hashes.push(*case.signed.hash.as_bytes());
            self.ledger.append(case.into_record()).await?;
        }
    }
}

/// A receipt as the notary would sign it for a question of [`questions`](crate::questions).
pub struct Case {
    /// The signed payload.
    pub signed: SignedPayload,
    /// The log entry of the record.
    pub entry: Vec<u8>,
    request: Vec<u8>,
    at: Timestamp,
    kid: String,
}

impl Case {
    /// Signs the finding of question `number`. Neither its key nor its signature is a real one: nobody verifies
    /// the question here.
    pub fn new(number: u32, at: Timestamp, log_head: LogHead, signer: &Signer) -> anyhow::Result<Self> {
        let mut random = Random::new(u64::from(number));
        let (key, message) = (random.bytes(), message(number, &mut random));
        let agent = format!("bench-{:04}", number % 1000);
        let claim = format!("The carrier signed delivery note {number}.");
        let signature = [random.bytes(), random.bytes()].concat();
        let request = format!(
            r#"{{"agent":"{agent}","claim":"{claim}","resolver":{{"message":"{message}","public_key":"{}","public_key_encoding":"hex","signature":"{}","signature_encoding":"hex","type":"ed25519_signature"}}}}"#,
            hex::encode(key),
            hex::encode(&signature),
        )
        .into_bytes();
        let kid = signer.kid().as_str();
        let envelope = Envelope::<Json> {
            class: CLASS,
            iss: BASE_URL,
            kid,
            agent: &agent,
            request_hash: sha256(&request),
            is_request_redacted: false,
            verdict: "CONFIRMED",
            payment: None,
            reference: None,
            salt: random.bytes()[..16].try_into().context("a salt is half as long")?,
            log_head,
            signed_at: at,
        };
        let mut finding = receipt::json::from_serialize(&finding(claim, &key, &message, &signature, at))?;
        if let Json::Object(members) = &mut finding {
            members.remove("verdict");
        }
        let signed = signer.sign(envelope.payload(&finding)?);
        let entry = log_entry(CLASS, &signed.hash, kid, at, None);
        Ok(Self { signed, entry, request, at, kid: kid.to_owned() })
    }

    /// The record of it, of a call that used up nothing.
    pub fn into_record(self) -> LedgerRecord {
        let Self { signed, entry, request, at, kid } = self;
        LedgerRecord::new(signed, kid, CLASS, entry, at, request)
    }
}

fn finding(claim: String, key: &[u8; 32], message: &str, signature: &[u8], at: Timestamp) -> ClaimFinding {
    ClaimFinding {
        explanation: String::new(),
        verdict: ClaimVerdict::Confirmed,
        claim,
        resolver_confidence: 1,
        reason: None,
        resolver: ResolverType::Ed25519Signature,
        evidence: Evidence::Ed25519Signature(SignatureEvidence {
            verified_at: at,
            message_sha256: hex::encode(sha256(message.as_bytes())),
            message_bytes: message.len() as u64,
            signature_sha256: hex::encode(sha256(signature)),
            public_key: Some(hex::encode(key)),
            public_key_sha256: Some(hex::encode(sha256(key))),
            public_key_thumbprint: Some(receipt::key::PublicKey(*key).thumbprint()),
        }),
        scope: SCOPE.into(),
        method: METHOD.into(),
    }
}
