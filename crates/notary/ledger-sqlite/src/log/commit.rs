//! One batch, one transaction: steps, receipts, evidence, leaves, tiles, quota, counts and the checkpoint.

use std::sync::Arc;

use ledger::back_end::{PublishedHead, PublishedTree};
use ledger::rules::commits::{self, StoreMark};
use ledger::rules::log::LogDraft;
use ledger::{Head, LedgerError, LogKeyRing};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tlog::RightEdge;

use super::batch::{Batch, BatchOutcome};
use super::index::{RecentKeys, Slice};
use super::rows;
use crate::failure::ConnectionError;

/// The function that commits a transaction: a value, so that a test can be the disk that fails.
pub(crate) type CommitFn = fn(Transaction<'_>) -> rusqlite::Result<()>;

/// The writer's state: the writing connection, the tree's edge and the log's key. The recent keys are shared.
pub(crate) struct LogWriter {
    pub(crate) connection: Connection,
    pub(crate) edge: RightEdge,
    pub(crate) head: Arc<Head>,
    pub(crate) commit_fn: CommitFn,
    pub(crate) recent: Arc<RecentKeys>,
    /// The reason why the last transaction was rolled back, until it is logged.
    pub(crate) rolled_back: Option<RolledBack>,
    /// The number of batches that the store has had.
    batch: u64,
    /// True from the start, and after a new day, until all used quotas that are kept no longer are gone.
    has_uses_to_forget: bool,
    log_keys: LogKeyRing,
}

/// The reason why a transaction was rolled back.
pub(crate) struct RolledBack {
    /// The error.
    pub(crate) why: String,
    /// True if the log's signer gave no signature: that says nothing of the store.
    pub(crate) is_of_signer: bool,
}

/// The changes of a batch that is being committed.
struct Draft {
    log: LogDraft,
    slice: Slice,
    has_uses_to_forget: bool,
}

/// A transaction that failed.
enum TransactionFailure {
    /// The transaction failed before its COMMIT: it did not happen.
    Before(ConnectionError),
    /// The transaction failed in its COMMIT: it may have happened.
    InCommit(rusqlite::Error, Box<Draft>),
}

impl<E: Into<ConnectionError>> From<E> for TransactionFailure {
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
        log_keys: LogKeyRing,
    ) -> rusqlite::Result<Self> {
        let commit_fn: CommitFn = |transaction| transaction.commit();
        let StoreMark { batch, .. } = rows::stored_mark(&connection)?;
        Ok(Self {
            connection,
            edge,
            head,
            commit_fn,
            recent: Arc::new(recent),
            rolled_back: None,
            batch,
            has_uses_to_forget: true,
            log_keys,
        })
    }

    /// Commits a batch, which takes out the records that it refuses. To answer it is the caller's.
    ///
    /// An error means that the state of the store is not known, and nothing more may be signed on it.
    pub(crate) fn commit(
        &mut self,
        batch: &mut Batch,
        board: &PublishedHead,
    ) -> Result<BatchOutcome, ConnectionError> {
        if batch.is_empty() {
            return Ok(BatchOutcome::Unchanged);
        }
        let draft = match self.write(batch) {
            Ok(Some(draft)) => draft,
            Ok(None) => return Ok(BatchOutcome::Unchanged),
            Err(failure) => match self.recover(failure)? {
                Some(draft) => draft,
                None => return Ok(BatchOutcome::RolledBack),
            },
        };
        self.batch += 1;
        self.has_uses_to_forget = draft.has_uses_to_forget;
        self.recent.committed(&draft.slice, batch.keys(draft.log.stage.base_size()));
        self.publish(draft.log, board)
    }

    /// Writes a batch and commits it; `None` where there was nothing to be written.
    fn write(&mut self, batch: &mut Batch) -> Result<Option<Draft>, TransactionFailure> {
        let Self { connection, edge, head, recent, has_uses_to_forget, log_keys, .. } = self;
        let written_before = connection.total_changes();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        batch.take_steps(&transaction)?;
        let in_use = batch.sort_out(&transaction, recent, log_keys)?;
        if batch.records.is_empty() && transaction.total_changes() == written_before {
            return Ok(None);
        }
        let records = batch.records.iter().map(|pending| (pending.leaf, pending.record.signed_at));
        let signers = log_keys.signers(in_use.log_vkeys())?;
        let log = LogDraft::new(edge, head, &signers, records)?;
        let slice = recent.slice(batch.records.len());
        fill(&transaction, batch, &log)?;
        let today = log.head.latest.unix_days();
        let is_new_day = today != head.latest.unix_days();
        let has_uses_to_forget =
            (is_new_day || *has_uses_to_forget) && rows::forget_uses(&transaction, today)?;
        slice.insert(&transaction)?;
        rows::write_head(&transaction, &log.head, slice.indexed, self.batch + 1)?;
        let draft = Draft { log, slice, has_uses_to_forget };
        match (self.commit_fn)(transaction) {
            Ok(()) => Ok(Some(draft)),
            Err(error) => Err(TransactionFailure::InCommit(error, Box::new(draft))),
        }
    }

    /// The draft of a transaction that has happened although it reported a failure; `None` where it is rolled back.
    fn recover(&mut self, failure: TransactionFailure) -> Result<Option<Draft>, ConnectionError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        match failure {
            TransactionFailure::InCommit(error, draft) if self.has_landed(&error, &draft.log.head)? => {
                tracing::warn!(%error, "a commit was reported as failed, and is durable");
                Ok(Some(*draft))
            }
            TransactionFailure::InCommit(error, _) => {
                self.rolled_back = Some(RolledBack { why: error.to_string(), is_of_signer: false });
                Ok(None)
            }
            TransactionFailure::Before(error) => {
                let is_of_signer = matches!(error.0, LedgerError::NotSigned(_));
                self.rolled_back = Some(RolledBack { why: error.to_string(), is_of_signer });
                Ok(None)
            }
        }
    }

    /// Says whether the store holds the batch although its COMMIT failed: the store is read, and nothing is signed before it
    /// has answered. See [`commits::has_landed`].
    fn has_landed(&self, error: &rusqlite::Error, new: &Head) -> Result<bool, ConnectionError> {
        let stored = rows::stored_mark(&self.connection)?;
        let before = StoreMark { batch: self.batch, size: self.head.size, root: self.head.root };
        let after = StoreMark { batch: self.batch + 1, size: new.size, root: new.root };
        // After anything else a commit may lie in the WAL.
        let is_surely_unwritten = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::ConstraintViolation) | None
        );
        Ok(commits::has_landed(stored, before, after, is_surely_unwritten)?)
    }

    /// The draft is durable: publishes its head.
    fn publish(&mut self, draft: LogDraft, board: &PublishedHead) -> Result<BatchOutcome, ConnectionError> {
        let proofs = draft.proofs;
        if !proofs.is_empty() {
            self.edge = draft.stage.commit();
            self.head = Arc::clone(&draft.head);
            board.publish(PublishedTree::new(draft.head, self.edge.clone()));
        }
        Ok(BatchOutcome::Committed(proofs))
    }
}

fn fill(transaction: &Transaction<'_>, batch: &Batch, draft: &LogDraft) -> rusqlite::Result<()> {
    let LogDraft { stage, proofs, .. } = draft;
    if batch.records.is_empty() {
        return Ok(());
    }
    rows::insert_records(transaction, &batch.records, proofs)?;
    rows::insert_entries(transaction, stage.base_size(), &batch.records)?;
    rows::insert_tiles(transaction, stage)?;
    rows::insert_counts(transaction, &batch.records)?;
    rows::insert_counted(transaction, &batch.records)?;
    rows::insert_memories(transaction, &batch.records)?;
    rows::insert_uses(transaction, &batch.records)
}
