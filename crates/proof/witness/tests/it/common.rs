//! A log whose tree may fork, and a store that can be made to fail or to be overtaken.

use std::sync::Mutex;

use futures_util::future::BoxFuture;
use tlog::{
    Checkpoint, CosignerKey, EMPTY_ROOT, Hash, KeyKind, Note, SigningKey, VerifierKey, leaf_hash, node_hash,
};
use witness::{AddCheckpoint, Answer, Latest, MemoryStore, StoreError, TreeHead, Witness, WitnessStore};

pub(crate) const ORIGIN: &str = "example.com/log";
pub(crate) const NOW: u64 = 1_700_000_000;

pub(crate) fn log_key() -> SigningKey {
    SigningKey::from_seed(ORIGIN, &[1; 32]).unwrap()
}

pub(crate) fn cosigner(kind: KeyKind) -> CosignerKey {
    CosignerKey::from_seed("witness.example/w", kind, &[2; 32]).unwrap()
}

pub(crate) fn both_cosigners() -> Vec<CosignerKey> {
    vec![cosigner(KeyKind::CosignatureV1), cosigner(KeyKind::MlDsa44)]
}

pub(crate) fn verifiers() -> Vec<VerifierKey> {
    both_cosigners().iter().map(CosignerKey::verifier).collect()
}

pub(crate) fn witness() -> Witness {
    Witness::new(both_cosigners()).unwrap().with_log(ORIGIN, vec![log_key().verifier()]).unwrap()
}

/// The leaves of a log. Two logs with another `branch` differ from the leaf `fork` on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    pub(crate) fork: u64,
    pub(crate) branch: u8,
}

/// The log that does not lie.
pub(crate) const HONEST: Log = Log { fork: 0, branch: 0 };

impl Log {
    fn leaf(self, index: u64) -> Hash {
        let branch = if index < self.fork { 0 } else { self.branch };
        leaf_hash(&[&[branch][..], &index.to_be_bytes()].concat())
    }

    /// MTH of the leaves from `start` to `end` (RFC 6962, section 2.1).
    fn mth(self, start: u64, end: u64) -> Hash {
        match end - start {
            0 => EMPTY_ROOT,
            1 => self.leaf(start),
            count => {
                let middle = start + count.next_power_of_two() / 2;
                node_hash(&self.mth(start, middle), &self.mth(middle, end))
            }
        }
    }

    /// PROOF(old, D[new]) (RFC 6962, section 2.1.2). Empty from the empty tree.
    pub(crate) fn proof(self, old: u64, new: u64) -> Vec<Hash> {
        if old == 0 || old > new { Vec::new() } else { self.subproof(old, 0, new, true) }
    }

    fn subproof(self, old: u64, start: u64, end: u64, whole: bool) -> Vec<Hash> {
        if old == end {
            return if whole { Vec::new() } else { vec![self.mth(start, end)] };
        }
        let middle = start + (end - start).next_power_of_two() / 2;
        let (mut proof, other) = if old <= middle {
            (self.subproof(old, start, middle, whole), self.mth(middle, end))
        } else {
            (self.subproof(old, middle, end, false), self.mth(start, middle))
        };
        proof.push(other);
        proof
    }

    pub(crate) fn head(self, size: u64) -> TreeHead {
        TreeHead { size, root: self.mth(0, size) }
    }

    pub(crate) fn checkpoint(self, size: u64) -> Checkpoint {
        Checkpoint::new(ORIGIN, size, self.head(size).root).unwrap()
    }

    pub(crate) fn note(self, size: u64) -> Note {
        self.checkpoint(size).sign(&log_key()).unwrap().parse().unwrap()
    }

    /// The body of a request from one size to another.
    pub(crate) fn body(self, old: u64, new: u64) -> String {
        AddCheckpoint::new(old, self.proof(old, new), self.note(new)).unwrap().to_string()
    }
}

pub(crate) fn ask(witness: &Witness, store: &dyn WitnessStore, body: &str) -> Answer {
    pollster::block_on(witness.add_checkpoint(store, body.as_bytes(), &|| NOW))
}

pub(crate) fn latest(store: &dyn WitnessStore) -> Option<TreeHead> {
    pollster::block_on(store.latest(ORIGIN)).unwrap().map(|latest| latest.head)
}

/// A trouble that befalls one compare-and-swap.
#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// It fails, and has changed nothing.
    FailsBefore,
    /// It fails, and has changed the record.
    FailsAfter,
    /// A body is answered by the same witness just before it.
    Overtaken(String),
}

/// A store in memory with troubles, which are used up from the last.
#[derive(Default)]
pub(crate) struct Troubled {
    pub(crate) inner: MemoryStore,
    pub(crate) troubles: Mutex<Vec<Trouble>>,
    /// The answers to the bodies that overtook another.
    pub(crate) overtakers: Mutex<Vec<Answer>>,
}

impl Troubled {
    pub(crate) fn with(troubles: Vec<Trouble>) -> Self {
        Self { troubles: Mutex::new(troubles), ..Self::default() }
    }
}

pub(crate) fn failure() -> StoreError {
    StoreError("the disk is on fire".into())
}

impl WitnessStore for Troubled {
    fn latest<'s>(&'s self, origin: &'s str) -> BoxFuture<'s, Result<Option<Latest>, StoreError>> {
        self.inner.latest(origin)
    }

    fn compare_and_swap<'s>(
        &'s self,
        origin: &'s str,
        expected: Option<TreeHead>,
        new: Latest,
    ) -> BoxFuture<'s, Result<bool, StoreError>> {
        Box::pin(async move {
            let trouble = self.troubles.lock().unwrap().pop();
            match trouble {
                Some(Trouble::FailsBefore) => return Err(failure()),
                Some(Trouble::FailsAfter) => {
                    self.inner.compare_and_swap(origin, expected, new).await?;
                    return Err(failure());
                }
                Some(Trouble::Overtaken(body)) => {
                    let answer = ask(&witness(), &self.inner, &body);
                    self.overtakers.lock().unwrap().push(answer);
                }
                None => {}
            }
            self.inner.compare_and_swap(origin, expected, new).await
        })
    }
}
