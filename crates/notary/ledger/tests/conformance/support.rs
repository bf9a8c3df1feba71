//! Shared by the cases: keys, a clock, records, and an auditor who trusts nothing but the published log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use ledger::{
    AppendedRecord, FreeCallKey, Head, Identity, Ledger, LedgerRecord, NewGrant, Period, QuotaKey,
    QuotaRequest, QuotaReservation, StoredRequest,
};
use receipt::hash::ReceiptHash;
use receipt::sign::SignedPayload;
use receipt::time::Timestamp;
use tlog::tile::{decode_bundle, decode_hashes, tile_width};
use tlog::{Checkpoint, Hash, SigningKey, TilePath, TileReader, TlogProof, VerifierKey, leaf_hash};
use verdict::{Clock, EvidenceBlob};

/// The key seed that all cases use unless they say otherwise.
pub const SEED: u8 = 7;
pub const DAY_MS: i64 = 86_400_000;
/// 2026-11-21T02:00:00Z.
pub const START_MS: i64 = 1_795_226_400_000;

pub fn log_key(seed: u8) -> SigningKey {
    SigningKey::from_seed("notary.example/log", &[seed; 32]).unwrap()
}

pub fn verifier() -> VerifierKey {
    log_key(SEED).verifier()
}

pub fn identity(seed: u8) -> Identity {
    Identity {
        receipt_kid: format!("did:web:notary.example#{seed}"),
        log_vkey: log_key(seed).verifier().to_string(),
        ..Identity::default()
    }
}

/// A clock that is set by hand. Time of day and monotonic time go together until one of them is set.
pub struct ManualClock {
    now: AtomicI64,
    monotonic: AtomicI64,
}

impl ManualClock {
    pub fn start() -> Arc<Self> {
        Arc::new(Self { now: AtomicI64::new(START_MS), monotonic: AtomicI64::new(0) })
    }

    pub fn advance(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
        self.monotonic.fetch_add(millis, Ordering::SeqCst);
    }

    /// Milliseconds since the start, by the time of day.
    pub fn passed(&self) -> i64 {
        self.now.load(Ordering::SeqCst) - START_MS
    }

    /// Sets the time of day alone.
    pub fn set(&self, at: Timestamp) {
        self.now.store(at.as_millis(), Ordering::SeqCst);
    }

    /// The time of day jumps, forwards or backwards.
    pub fn jump(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::SeqCst)).unwrap()
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.monotonic.load(Ordering::SeqCst).try_into().unwrap())
    }
}

pub fn payload(number: u64) -> Vec<u8> {
    format!(r#"{{"number":{number},"verdict":"CONFIRMED"}}"#).into_bytes()
}

pub fn hash(number: u64) -> ReceiptHash {
    ReceiptHash::of_payload(&payload(number))
}

pub fn request(number: u64) -> Vec<u8> {
    format!(r#"{{"claim":"claim {number}"}}"#).into_bytes()
}

/// A time of its own, before it is signed.
pub fn judged_at(number: u64) -> Timestamp {
    Timestamp::from_millis(START_MS - 1000 - i64::try_from(number % 1_000_000).unwrap()).unwrap()
}

pub fn stored_request(number: u64) -> StoredRequest {
    StoredRequest { body: request(number), judged_at: judged_at(number) }
}

pub fn entry(number: u64) -> Vec<u8> {
    format!(r#"{{"class":"claim-verdict","n":{number}}}"#).into_bytes()
}

/// A record without reservation or evidence; its number makes it unlike all others.
pub fn record(number: u64) -> LedgerRecord {
    let mut signature = [0; 64];
    signature[..8].copy_from_slice(&number.to_be_bytes());
    let signed = SignedPayload { hash: hash(number), payload: payload(number), signature };
    let (kid, signed_at) = (identity(SEED).receipt_kid, Timestamp::from_millis(START_MS).unwrap());
    LedgerRecord {
        judged_at: judged_at(number),
        ..LedgerRecord::new(signed, kid, "claim-verdict", entry(number), signed_at, request(number))
    }
}

pub fn blob(role: &'static str, bytes: &[u8]) -> EvidenceBlob {
    EvidenceBlob::new(role, bytes.to_vec())
}

pub fn place_key(agent: &str, clock: &ManualClock) -> FreeCallKey {
    FreeCallKey::new(agent, "192.0.2.1/32".parse().unwrap(), "claim-verdict", clock.now())
}

/// A grant of so many calls a month of all classes, for a year.
pub fn new_grant(agent: &str, calls: u32, clock: &ManualClock) -> NewGrant {
    NewGrant {
        name: "trial".to_owned(),
        agent: agent.to_owned(),
        class: None,
        calls,
        period: Period::Month,
        until: clock.now().saturating_add_millis(365 * DAY_MS),
        networks: Vec::new(),
        priority: false,
        request_id: None,
        at: clock.now(),
    }
}

pub async fn reserve(
    ledger: &dyn Ledger,
    agent: &str,
    clock: &ManualClock,
    allowance: u32,
) -> Option<QuotaReservation> {
    take_free(ledger, place_key(agent, clock), allowance).await
}

/// A place of the free calls of a key.
pub async fn take_free(ledger: &dyn Ledger, key: FreeCallKey, allowance: u32) -> Option<QuotaReservation> {
    ledger.reserve(vec![QuotaRequest::one(QuotaKey::Free(key), allowance)]).await.unwrap().ok()
}

/// Appends records of these numbers, all at once, and gives the answers in their order.
pub async fn append_all(
    ledger: &Arc<dyn Ledger>,
    numbers: impl IntoIterator<Item = u64>,
) -> Vec<(u64, AppendedRecord)> {
    let appends: Vec<_> = numbers
        .into_iter()
        .map(|number| {
            let ledger = Arc::clone(ledger);
            tokio::spawn(async move { (number, ledger.append(record(number)).await.unwrap()) })
        })
        .collect();
    let mut appended = Vec::new();
    for append in appends {
        appended.push(append.await.unwrap());
    }
    appended
}

/// The checkpoint that an answer proves its entry under.
pub fn verified(number: u64, inclusion: &ledger::Inclusion) -> Checkpoint {
    let proof: TlogProof = inclusion.to_text().parse().unwrap();
    assert_eq!(proof.index, inclusion.leaf);
    proof.verify(&entry(number), &verifier()).unwrap()
}

/// The head's checkpoint, verified and the same as the head's own words.
pub fn signed(head: &Head) -> Checkpoint {
    let checkpoint = Checkpoint::open(&head.checkpoint, &[verifier()]).unwrap();
    assert_eq!((checkpoint.size(), checkpoint.root()), (head.size, head.root));
    checkpoint
}

/// All hash tiles of the log as published, and its entries.
pub struct Auditor {
    pub size: u64,
    pub tiles: BTreeMap<(u8, u64), Arc<[Hash]>>,
    pub entries: Vec<Vec<u8>>,
}

impl Auditor {
    /// Fetches the whole log at its newest head.
    pub async fn fetch(ledger: &dyn Ledger) -> Self {
        let size = ledger.head().size;
        let mut auditor = Self { size, tiles: BTreeMap::new(), entries: Vec::new() };
        for level in 0..8 {
            for index in 0.. {
                let width = tile_width(size, level, index);
                if width == 0 {
                    break;
                }
                let path = TilePath::hashes(level, index, width).unwrap();
                let bytes = ledger.tile(path).await.unwrap().expect("a tile of the published tree");
                let hashes = decode_hashes(&bytes).unwrap();
                assert_eq!(hashes.len(), usize::from(width));
                auditor.tiles.insert((level, index), hashes.into());
                if level == 0 {
                    let path = TilePath::entries(index, width).unwrap();
                    let bundle = ledger.tile(path).await.unwrap().expect("a bundle of the published tree");
                    let entries = decode_bundle(&bundle).unwrap();
                    assert_eq!(entries.len(), usize::from(width));
                    auditor.entries.extend(entries.into_iter().map(<[u8]>::to_vec));
                }
            }
        }
        auditor
    }

    /// Recomputes the whole tree from its entries, one tile level from the one below, and compares.
    pub fn audit(&self, head: &Head) {
        assert_eq!((self.size, self.entries.len() as u64), (head.size, head.size));
        let mut hashes: Vec<Hash> = self.entries.iter().map(|entry| leaf_hash(entry)).collect();
        let mut expected = BTreeMap::new();
        for level in 0..8 {
            for (index, tile) in (0..).zip(hashes.chunks(256)) {
                expected.insert((level, index), Arc::<[Hash]>::from(tile));
            }
            hashes = hashes.chunks_exact(256).map(root).collect();
        }
        assert_eq!(self.tiles, expected);
        assert_eq!(tlog::root_at(self.size, self).unwrap(), head.root);
    }
}

/// The root over a power of two of hashes, by the definition.
pub fn root(hashes: &[Hash]) -> Hash {
    match hashes {
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            tlog::node_hash(&root(left), &root(right))
        }
    }
}

impl TileReader for Auditor {
    type Error = String;

    fn tile(&self, level: u8, index: u64, _: u16) -> Result<Arc<[Hash]>, String> {
        self.tiles.get(&(level, index)).cloned().ok_or_else(|| format!("no tile {level}/{index}"))
    }
}
