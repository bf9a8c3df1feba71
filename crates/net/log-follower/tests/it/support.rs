//! A log in memory that says whatever a test wants, and the helpers of the tests.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use log_follower::{
    Advance, FollowError, Follower, LogSource, Observer, ObserverError, SourceError, StateFolder,
};
use receipt::sign::log_entry;
use receipt::{ReceiptHash, Timestamp};
use serde_json::{Value, json};
use tlog::tile::{TileKind, encode_bundle, encode_hashes};
use tlog::{Checkpoint, Hash, Note, RightEdge, SigningKey, TilePath, VerifierKey, leaf_hash};

pub const ORIGIN: &str = "log.example/log";

pub fn key_of(origin: &str, seed: u8) -> SigningKey {
    SigningKey::from_seed(origin, &[seed; 32]).unwrap()
}

pub fn key() -> SigningKey {
    key_of(ORIGIN, 1)
}

pub fn vkey() -> VerifierKey {
    key().verifier()
}

/// The hash of the receipt with this number.
pub fn receipt(number: u64) -> ReceiptHash {
    ReceiptHash::of_payload(&number.to_be_bytes())
}

/// The entry of a notary's log.
pub fn entry(number: u64) -> Vec<u8> {
    let at = Timestamp::from_millis(1_000_000 + i64::try_from(number).unwrap()).unwrap();
    log_entry("commit", &receipt(number), "did:web:log.example#k", at, None)
}

pub fn entries(numbers: std::ops::Range<u64>) -> Vec<Vec<u8>> {
    numbers.map(entry).collect()
}

/// A log with all its tiles, and the lies that it tells.
#[derive(Default)]
pub struct Served {
    entries: Vec<Vec<u8>>,
    /// The hashes of each tile level.
    levels: Vec<Vec<Hash>>,
    edge: RightEdge,
    pub checkpoint: Option<String>,
    /// Checkpoints that are served before that one, each once.
    pub before: VecDeque<String>,
    /// True while no hash tile is served.
    pub is_without_hashes: bool,
    /// What is served in place of a tile; `None` for a tile that is gone.
    pub instead: HashMap<String, Option<Vec<u8>>>,
    /// From this bundle on there is no connection.
    pub lost_from: Option<u64>,
    pub requests: Vec<String>,
}

#[derive(Clone, Default)]
pub struct TestLog(pub Arc<Mutex<Served>>);

impl TestLog {
    pub fn of(entries: Vec<Vec<u8>>) -> Self {
        let log = Self::default();
        log.grow(entries);
        log
    }

    pub fn grow(&self, entries: Vec<Vec<u8>>) {
        let mut served = self.0.lock().unwrap();
        for entry in entries {
            let hash = leaf_hash(&entry);
            served.entries.push(entry);
            push(&mut served.levels, 0, hash);
            served.edge.append(hash);
        }
        served.checkpoint = Some(signed(&served.edge, &key()));
    }

    /// Has these keys, and no others, sign the checkpoint of the log as it is.
    pub fn sign_with(&self, keys: &[&SigningKey]) {
        self.with(|served| {
            let checkpoint = Checkpoint::new(ORIGIN, served.edge.size(), served.edge.root()).unwrap();
            served.checkpoint = Some(Note::sign(&checkpoint.to_string(), keys).unwrap().to_string());
        });
    }

    /// Serves another log from now on.
    pub fn become_other(&self, other: Self) {
        *self.0.lock().unwrap() = std::mem::take(&mut *other.0.lock().unwrap());
    }

    pub fn with<T>(&self, change: impl FnOnce(&mut Served) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub fn note(&self) -> String {
        self.with(|served| served.checkpoint.clone().unwrap())
    }

    pub fn bytes(&self, path: &str) -> Vec<u8> {
        self.with(|served| served.tile(path.parse().unwrap()).unwrap())
    }

    pub fn lie(&self, path: &str, bytes: Option<Vec<u8>>) {
        self.with(|served| served.instead.insert(path.to_owned(), bytes));
    }
}

/// A checkpoint over this tree.
pub fn signed(edge: &RightEdge, key: &SigningKey) -> String {
    Checkpoint::new(key.name(), edge.size(), edge.root()).unwrap().sign(key).unwrap()
}

fn push(levels: &mut Vec<Vec<Hash>>, level: usize, hash: Hash) {
    if levels.len() == level {
        levels.push(Vec::new());
    }
    levels[level].push(hash);
    if levels[level].len().is_multiple_of(256) {
        let mut tile = RightEdge::new();
        for hash in &levels[level][levels[level].len() - 256..] {
            tile.append(*hash);
        }
        push(levels, level + 1, tile.root());
    }
}

impl Served {
    fn tile(&self, path: TilePath) -> Option<Vec<u8>> {
        let first = usize::try_from(path.index()).unwrap() * 256;
        let range = first..first + usize::from(path.width());
        match path.kind() {
            TileKind::Entries => Some(encode_bundle(self.entries.get(range)?).unwrap()),
            TileKind::Hashes(level) => Some(encode_hashes(self.levels.get(usize::from(level))?.get(range)?)),
        }
    }
}

impl LogSource for TestLog {
    fn checkpoint(&self) -> BoxFuture<'_, Result<Bytes, SourceError>> {
        let note = self.with(|served| served.before.pop_front().or_else(|| served.checkpoint.clone()));
        let none = SourceError::Status { path: "checkpoint".to_owned(), status: 404 };
        async move { note.map(Bytes::from).ok_or(none) }.boxed()
    }

    fn tile(&self, path: TilePath) -> BoxFuture<'_, Result<Option<Bytes>, SourceError>> {
        let mut served = self.0.lock().unwrap();
        let name = path.to_string();
        served.requests.push(name.clone());
        let is_withheld = path.kind() != TileKind::Entries && served.is_without_hashes;
        let is_lost =
            path.kind() == TileKind::Entries && served.lost_from.is_some_and(|lost| path.index() >= lost);
        let found = if is_lost {
            Err(SourceError::Status { path: name, status: 503 })
        } else if is_withheld {
            Ok(None)
        } else {
            let instead = served.instead.get(&name).cloned();
            Ok(instead.unwrap_or_else(|| served.tile(path)).map(Bytes::from))
        };
        async move { found }.boxed()
    }
}

/// Remembers the leaves that it saw.
#[derive(Default, Debug)]
pub struct Witnessed {
    pub leaves: u64,
    pub verified: u64,
}

impl Observer for Witnessed {
    fn bundle(&mut self, index: u64, _: &[u8], entries: &[&[u8]], new: usize) -> Result<(), ObserverError> {
        assert_eq!(self.leaves, index * 256 + new as u64, "each leaf is seen once, in order");
        self.leaves += (entries.len() - new) as u64;
        Ok(())
    }

    fn verified(&mut self, _: &str, edge: &RightEdge) -> Result<(), ObserverError> {
        self.verified = edge.size();
        assert_eq!(self.leaves, self.verified);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.leaves)
    }

    fn restore(&mut self, state: &Value) -> Result<(), ObserverError> {
        self.leaves = if state.is_null() { 0 } else { state.as_u64().ok_or("no number")? };
        Ok(())
    }
}

pub fn follower<O: Observer>(log: &TestLog, folder: &Path, observer: O) -> Follower<O> {
    Follower::open(log.clone(), vkey(), StateFolder::open(folder).unwrap(), 8, observer).unwrap()
}

/// One step of a follower that begins anew from its folder. What it gives is told.
pub async fn step(log: &TestLog, folder: &Path) -> Result<Advance, FollowError> {
    let mut following = follower(log, folder, Witnessed::default());
    let advance = following.advance().await;
    following.told().unwrap();
    advance
}
