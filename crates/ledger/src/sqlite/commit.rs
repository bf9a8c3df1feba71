//! One batch, one transaction: receipts, evidence, leaves, tiles, quota, counts and the checkpoint.

use std::collections::HashSet;
use std::sync::Arc;

use receipt::time::Timestamp;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tlog::{Checkpoint, Hash, RightEdge, SigningKey, Stage};
use tokio::sync::oneshot;

use super::index::{RecentKeys, Slice};
use super::rows;
use crate::places::day_number;
use crate::published::{Board, Head, Published};
use crate::{Appended, Inclusion, LedgerError, Record, TrialRequest};

pub(super) type Reply<T> = oneshot::Sender<Result<T, LedgerError>>;

/// A record that waits for its commit, with all that can be computed before it reaches the writer.
pub(super) struct Pending {
    pub(super) record: Record,
    leaf: Hash,
    /// The SHA-256 of each blob of evidence.
    pub(super) addresses: Vec<[u8; 32]>,
    reply: Reply<Appended>,
}

impl Pending {
    pub(super) fn new(record: Record, reply: Reply<Appended>) -> Self {
        let leaf = tlog::leaf_hash(&record.entry);
        let addresses = record.evidence.iter().map(verdict::EvidenceBlob::sha256).collect();
        Self { record, leaf, addresses, reply }
    }

    /// A caller that has gone away is not told; its receipt stands all the same.
    fn done(self, appended: Appended) {
        if let Some(place) = self.record.place {
            place.use_up();
        }
        drop(self.reply.send(Ok(appended)));
    }

    pub(super) fn refuse(self, why: LedgerError) {
        // The place first: who sees the refusal may ask for it again at once.
        drop(self.record);
        drop(self.reply.send(Err(why)));
    }
}

/// A wish for a trial that waits for its commit.
pub(super) struct PendingTrial {
    pub(super) request: TrialRequest,
    pub(super) reply: Reply<()>,
}

/// What the writer is asked to do.
pub(super) enum Job {
    Append(Box<Pending>),
    Trial(Box<PendingTrial>),
    /// Lets a test reach into the books between two batches.
    #[cfg(test)]
    Inspect(Inspection),
}

#[cfg(test)]
pub(super) type Inspection = Box<dyn FnOnce(&mut Books) + Send>;

impl Job {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Append(pending) => pending.record.bytes(),
            Self::Trial(trial) => trial.request.bytes(),
            #[cfg(test)]
            Self::Inspect(_) => 0,
        }
    }
}

/// What goes into one transaction.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) records: Vec<Pending>,
    pub(super) trials: Vec<PendingTrial>,
    #[cfg(test)]
    pub(super) inspections: Vec<Inspection>,
}

impl Batch {
    pub(super) fn add(&mut self, job: Job) {
        match job {
            Job::Append(pending) => self.records.push(*pending),
            Job::Trial(trial) => self.trials.push(*trial),
            #[cfg(test)]
            Job::Inspect(inspection) => self.inspections.push(inspection),
        }
    }

    /// What its receipts will be found by.
    fn keys(&self, first: u64) -> impl Iterator<Item = (i64, u64)> {
        self.records.iter().map(|pending| rows::receipt_key(&pending.record.hash)).zip(first..)
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.trials.is_empty()
    }

    /// Tells all what became of them.
    pub(super) fn answer(self, outcome: Outcome) {
        match outcome {
            Outcome::Committed(proofs) => {
                self.records.into_iter().zip(proofs).for_each(|(pending, appended)| pending.done(appended));
                self.trials.into_iter().for_each(|trial| drop(trial.reply.send(Ok(()))));
            }
            Outcome::RolledBack => {
                self.records.into_iter().for_each(|pending| pending.refuse(LedgerError::Busy));
                self.trials.into_iter().for_each(|trial| drop(trial.reply.send(Err(LedgerError::Busy))));
            }
        }
    }

    /// Refuses the records whose receipts the store has, or an earlier record of the batch.
    fn refuse_duplicates(&mut self, books: &Books) -> rusqlite::Result<()> {
        let mut seen = HashSet::with_capacity(self.records.len());
        let mut is_new = |pending: &Pending| {
            let key = rows::receipt_key(&pending.record.hash);
            Ok(seen.insert(key) && !books.recent.contains(&books.connection, key)?)
        };
        let are_new: Vec<bool> = self.records.iter().map(&mut is_new).collect::<rusqlite::Result<_>>()?;
        for (pending, is_new) in std::mem::take(&mut self.records).into_iter().zip(are_new) {
            if is_new {
                self.records.push(pending);
            } else {
                pending.refuse(LedgerError::Duplicate);
            }
        }
        Ok(())
    }
}

/// How a transaction is committed: a value, so that a test can be the disk that fails.
pub(super) type Seal = fn(Transaction<'_>) -> rusqlite::Result<()>;

/// What the writer owns: the writing connection, the tree's edge, the log's key; the recent keys it shares.
pub(super) struct Books {
    pub(super) connection: Connection,
    pub(super) edge: RightEdge,
    pub(super) head: Arc<Head>,
    pub(super) seal: Seal,
    pub(super) recent: Arc<RecentKeys>,
    log_key: SigningKey,
}

/// A transaction that failed.
enum Failure {
    /// Before its COMMIT: it did not happen.
    Before(rusqlite::Error),
    /// In its COMMIT: it may have happened.
    InCommit(rusqlite::Error),
}

/// What became of a batch.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is durable and published; these are the answers to its records.
    Committed(Vec<Appended>),
    /// The store failed, and nothing was changed.
    RolledBack,
}

impl Books {
    pub(super) fn new(
        connection: Connection,
        edge: RightEdge,
        head: Arc<Head>,
        recent: RecentKeys,
        log_key: SigningKey,
    ) -> Self {
        let seal: Seal = |transaction| transaction.commit();
        Self { connection, edge, head, seal, recent: Arc::new(recent), log_key }
    }

    /// Commits a batch, except for duplicates, which it takes out and refuses. The rest is the caller's to answer.
    ///
    /// An error means that the state of the store is not known, and nothing more may be signed on it.
    pub(super) fn commit(&mut self, batch: &mut Batch, board: &Board) -> Result<Outcome, LedgerError> {
        if let Err(error) = batch.refuse_duplicates(self) {
            tracing::error!(%error, "the store cannot be read");
            return Ok(Outcome::RolledBack);
        }
        if batch.is_empty() {
            return Ok(Outcome::Committed(Vec::new()));
        }
        let mut stage = self.edge.stage();
        for pending in &batch.records {
            stage.append(pending.leaf);
        }
        let head = self.next_head(&stage, batch)?;
        let slice = self.recent.slice(batch.records.len());
        if let Err(failure) = self.write(batch, &stage, &head, &slice) {
            let has_landed = self.has_landed(&failure, &head)?;
            let (Failure::Before(error) | Failure::InCommit(error)) = failure;
            if !has_landed {
                tracing::error!(%error, records = batch.records.len(), "a transaction was rolled back");
                return Ok(Outcome::RolledBack);
            }
            tracing::warn!(%error, "a commit was reported as failed, and is durable");
        }
        self.recent.committed(&slice, batch.keys(stage.base_size()));
        self.publish(stage, head, board)
    }

    /// The head that the batch will make; the same head where the batch has no record.
    fn next_head(&self, stage: &Stage, batch: &Batch) -> Result<Arc<Head>, LedgerError> {
        let Some(newest) = batch.records.iter().map(|pending| pending.record.signed_at).max() else {
            return Ok(Arc::clone(&self.head));
        };
        let latest = newest.max(self.head.latest);
        Ok(Arc::new(signed_head(&self.log_key, stage.size(), stage.root(), latest)?))
    }

    fn write(&mut self, batch: &Batch, stage: &Stage, head: &Head, slice: &Slice) -> Result<(), Failure> {
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(Failure::Before)?;
        let is_new_day = day_number(head.latest) != day_number(self.head.latest);
        fill(&transaction, batch, stage, head, slice, is_new_day).map_err(Failure::Before)?;
        (self.seal)(transaction).map_err(Failure::InCommit)
    }

    /// Whether the store holds the new head although the transaction failed.
    ///
    /// After a failed COMMIT the store is asked, and nothing is signed before it has answered. Where the disk
    /// failed, its answer is not enough: the commit may lie in the WAL, unseen by this process but found by the
    /// next one that recovers the store. Then the outcome is not known, and the ledger must stop.
    fn has_landed(&self, failure: &Failure, new: &Head) -> Result<bool, LedgerError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        let Failure::InCommit(error) = failure else { return Ok(false) };
        let stored = rows::stored_head(&self.connection)?;
        if stored == (self.head.size, self.head.root) {
            return match error.sqlite_error_code() {
                // Of these it is known that no commit was written; after anything else one may lie in the WAL.
                Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::ConstraintViolation)
                | None => Ok(false),
                Some(_) => Err(LedgerError::OutcomeUnknown),
            };
        }
        if stored == (new.size, new.root) {
            return Ok(true);
        }
        Err(LedgerError::Corrupt(format!("the head is at {} after a failed commit", stored.0)))
    }

    /// The stage is durable: publishes its head.
    fn publish(&mut self, stage: Stage, head: Arc<Head>, board: &Board) -> Result<Outcome, LedgerError> {
        let proofs = proofs(&stage, &head)?;
        if !proofs.is_empty() {
            self.edge = stage.commit();
            self.head = Arc::clone(&head);
            board.publish(Published::new(head, self.edge.clone()));
        }
        Ok(Outcome::Committed(proofs))
    }
}

fn fill(
    transaction: &Transaction<'_>,
    batch: &Batch,
    stage: &Stage,
    head: &Head,
    slice: &Slice,
    is_new_day: bool,
) -> rusqlite::Result<()> {
    for trial in &batch.trials {
        rows::insert_trial(transaction, &trial.request)?;
    }
    if batch.records.is_empty() {
        return Ok(());
    }
    rows::insert_records(transaction, stage.base_size(), &batch.records)?;
    rows::insert_entries(transaction, stage.base_size(), &batch.records)?;
    slice.insert(transaction)?;
    rows::insert_tiles(transaction, stage)?;
    rows::insert_counts(transaction, &batch.records)?;
    if is_new_day {
        rows::forget_uses(transaction, day_number(head.latest))?;
    }
    rows::insert_uses(transaction, &batch.records)?;
    rows::write_head(transaction, head, slice.indexed)
}

/// Signs a head.
pub(super) fn signed_head(
    key: &SigningKey,
    size: u64,
    root: Hash,
    latest: Timestamp,
) -> Result<Head, LedgerError> {
    let checkpoint = Checkpoint::new(key.name(), size, root).and_then(|head| head.sign(key));
    let checkpoint = checkpoint.map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    Ok(Head { size, root, latest, checkpoint: checkpoint.into() })
}

fn proofs(stage: &Stage, head: &Head) -> Result<Vec<Appended>, LedgerError> {
    (stage.base_size()..stage.size())
        .map(|leaf| {
            let path = stage.inclusion_path(leaf).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
            Ok(Appended {
                leaf,
                inclusion: Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) },
            })
        })
        .collect()
}
