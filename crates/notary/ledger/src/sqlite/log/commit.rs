//! One batch, one transaction: steps, receipts, evidence, leaves, tiles, quota, counts and the checkpoint.

use std::sync::Arc;

use receipt::time::Timestamp;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tlog::{Checkpoint, Hash, RightEdge, SigningKey, Stage};

use super::batch::{Batch, Outcome};
use super::index::{RecentKeys, Slice};
use super::rows;
use crate::published::{Head, PublishedHead, PublishedTree};
use crate::rules::commits::{self, StoreMark};
use crate::{AppendedRecord, Inclusion, LedgerError};

/// The function that commits a transaction: a value, so that a test can be the disk that fails.
pub(crate) type CommitFn = fn(Transaction<'_>) -> rusqlite::Result<()>;

/// The writer's state: the writing connection, the tree's edge and the log's key. The recent keys are shared.
pub(crate) struct LogWriter {
    pub(crate) connection: Connection,
    pub(crate) edge: RightEdge,
    pub(crate) head: Arc<Head>,
    pub(crate) commit_fn: CommitFn,
    pub(crate) recent: Arc<RecentKeys>,
    /// The number of batches that the store has had.
    batch: u64,
    log_key: SigningKey,
}

/// The log as a batch would extend it.
struct Draft {
    stage: Stage,
    /// The head; the one before where the batch has no record.
    head: Arc<Head>,
    slice: Slice,
    /// The answers to the batch's records.
    proofs: Vec<AppendedRecord>,
}

/// A transaction that failed.
enum Failure {
    /// The transaction failed before its COMMIT: it did not happen.
    Before(LedgerError),
    /// The transaction failed in its COMMIT: it may have happened.
    InCommit(rusqlite::Error, Box<Draft>),
}

impl<E: Into<LedgerError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Before(error.into())
    }
}

impl LogWriter {
    pub(crate) fn new(
        connection: Connection,
        edge: RightEdge,
        head: Arc<Head>,
        recent: RecentKeys,
        log_key: SigningKey,
    ) -> rusqlite::Result<Self> {
        let commit_fn: CommitFn = |transaction| transaction.commit();
        let StoreMark { batch, .. } = rows::stored_mark(&connection)?;
        Ok(Self { connection, edge, head, commit_fn, recent: Arc::new(recent), batch, log_key })
    }

    /// Commits a batch, which takes out the records that it refuses. To answer it is the caller's.
    ///
    /// An error means that the state of the store is not known, and nothing more may be signed on it.
    pub(crate) fn commit(
        &mut self,
        batch: &mut Batch,
        board: &PublishedHead,
    ) -> Result<Outcome, LedgerError> {
        if batch.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        let draft = match self.write(batch) {
            Ok(Some(draft)) => draft,
            Ok(None) => return Ok(Outcome::Unchanged),
            Err(failure) => match self.recover(failure)? {
                Some(draft) => draft,
                None => return Ok(Outcome::RolledBack),
            },
        };
        self.batch += 1;
        self.recent.committed(&draft.slice, batch.keys(draft.stage.base_size()));
        self.publish(draft, board)
    }

    /// Writes a batch and commits it; `None` where there was nothing to be written.
    fn write(&mut self, batch: &mut Batch) -> Result<Option<Draft>, Failure> {
        let Self { connection, edge, head, recent, log_key, .. } = self;
        let written_before = connection.total_changes();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        batch.take_steps(&transaction)?;
        batch.sort_out(&transaction, recent)?;
        if batch.records.is_empty() && transaction.total_changes() == written_before {
            return Ok(None);
        }
        let draft = Draft::new(edge, head, recent, log_key, batch)?;
        let is_new_day = draft.head.latest.unix_days() != head.latest.unix_days();
        fill(&transaction, batch, &draft, is_new_day)?;
        draft.slice.insert(&transaction)?;
        rows::write_head(&transaction, &draft.head, draft.slice.indexed, self.batch + 1)?;
        match (self.commit_fn)(transaction) {
            Ok(()) => Ok(Some(draft)),
            Err(error) => Err(Failure::InCommit(error, Box::new(draft))),
        }
    }

    /// The draft of a transaction that has happened although it reported a failure; `None` where it is rolled back.
    fn recover(&self, failure: Failure) -> Result<Option<Draft>, LedgerError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        match failure {
            Failure::InCommit(error, draft) if self.has_landed(&error, &draft.head)? => {
                tracing::warn!(%error, "a commit was reported as failed, and is durable");
                Ok(Some(*draft))
            }
            Failure::InCommit(error, _) => {
                tracing::error!(%error, "a commit failed, and was rolled back");
                Ok(None)
            }
            Failure::Before(error) => {
                tracing::error!(%error, "a transaction was rolled back");
                Ok(None)
            }
        }
    }

    /// Says whether the store holds the batch although its COMMIT failed: the store is read, and nothing is signed before it
    /// has answered. See [`commits::has_landed`].
    fn has_landed(&self, error: &rusqlite::Error, new: &Head) -> Result<bool, LedgerError> {
        let stored = rows::stored_mark(&self.connection)?;
        let before = StoreMark { batch: self.batch, size: self.head.size, root: self.head.root };
        let after = StoreMark { batch: self.batch + 1, size: new.size, root: new.root };
        // After anything else a commit may lie in the WAL.
        let is_surely_unwritten = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::ConstraintViolation) | None
        );
        commits::has_landed(stored, before, after, is_surely_unwritten)
    }

    /// The draft is durable: publishes its head.
    fn publish(&mut self, draft: Draft, board: &PublishedHead) -> Result<Outcome, LedgerError> {
        let proofs = draft.proofs;
        if !proofs.is_empty() {
            self.edge = draft.stage.commit();
            self.head = Arc::clone(&draft.head);
            board.publish(PublishedTree::new(draft.head, self.edge.clone()));
        }
        Ok(Outcome::Committed(proofs))
    }
}

impl Draft {
    /// Over the records of a batch.
    fn new(
        edge: &RightEdge,
        head: &Arc<Head>,
        recent: &RecentKeys,
        log_key: &SigningKey,
        batch: &Batch,
    ) -> Result<Self, LedgerError> {
        let mut stage = edge.stage();
        for pending in &batch.records {
            stage.append(pending.leaf);
        }
        let slice = recent.slice(batch.records.len());
        let newest = batch.records.iter().map(|pending| pending.record.signed_at).max();
        let head = match newest {
            Some(newest) => {
                Arc::new(signed_head(log_key, stage.size(), stage.root(), newest.max(head.latest))?)
            }
            None => Arc::clone(head),
        };
        let proofs = proofs(&stage, &head)?;
        Ok(Self { stage, head, slice, proofs })
    }
}

fn fill(
    transaction: &Transaction<'_>,
    batch: &Batch,
    draft: &Draft,
    is_new_day: bool,
) -> rusqlite::Result<()> {
    let Draft { stage, head, proofs, .. } = draft;
    if batch.records.is_empty() {
        return Ok(());
    }
    rows::insert_records(transaction, &batch.records, proofs)?;
    rows::insert_entries(transaction, stage.base_size(), &batch.records)?;
    rows::insert_tiles(transaction, stage)?;
    rows::insert_counts(transaction, &batch.records)?;
    if is_new_day {
        rows::forget_uses(transaction, head.latest.unix_days())?;
    }
    rows::insert_uses(transaction, &batch.records)
}

/// Signs a head.
pub(crate) fn signed_head(
    key: &SigningKey,
    size: u64,
    root: Hash,
    latest: Timestamp,
) -> Result<Head, LedgerError> {
    let checkpoint = Checkpoint::new(key.name(), size, root).and_then(|head| head.sign(key));
    let checkpoint = checkpoint.map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    Ok(Head { size, root, latest, checkpoint: checkpoint.into() })
}

fn proofs(stage: &Stage, head: &Head) -> Result<Vec<AppendedRecord>, LedgerError> {
    (stage.base_size()..stage.size())
        .map(|leaf| {
            let path = stage.inclusion_path(leaf).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
            Ok(AppendedRecord {
                leaf,
                inclusion: Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) },
            })
        })
        .collect()
}
