//! A batch: the records and steps of one transaction, the records that it refuses, and the answers.

use ledger::rules::batches::BatchKeys;
use ledger::rules::keys::KeysInUse;
use ledger::{AppendedRecord, Identity, LedgerError, LedgerRecord, LogKeyRing};
use rusqlite::Connection;
use tlog::Hash;

use super::delivery;
use super::index::{RecentKeys, receipt_key};
use super::step::{AnyChange, Reply};
use crate::failure::ConnectionError;
use crate::key_rows;
use crate::retention::erase_steps;
use crate::watches::watch_steps;

/// A record that waits for its commit, with all that can be computed before it reaches the writer.
pub(crate) struct PendingRecord {
    pub(crate) record: LedgerRecord,
    pub(crate) leaf: Hash,
    /// The SHA-256 of each blob of evidence.
    pub(crate) addresses: Vec<[u8; 32]>,
    reply: Reply<AppendedRecord>,
}

impl PendingRecord {
    pub(crate) fn new(record: LedgerRecord, reply: Reply<AppendedRecord>) -> Self {
        let leaf = tlog::leaf_hash(&record.entry);
        let addresses = record.evidence.iter().map(verdict::EvidenceBlob::sha256).collect();
        Self { record, leaf, addresses, reply }
    }

    /// A caller that has gone away is not told; its receipt stands all the same.
    fn done(self, appended: AppendedRecord) {
        if let Some(reservation) = self.record.reservation {
            reservation.use_up();
        }
        drop(self.reply.send(Ok(appended)));
    }

    fn refuse(self, why: LedgerError) {
        let Self { record, reply, .. } = self;
        let why = match why {
            LedgerError::FormerKey { current, .. } => {
                LedgerError::FormerKey { current, record: Some(Box::new(record)) }
            }
            why => {
                // The reservation first: who sees the refusal may ask for it again at once.
                drop(record);
                why
            }
        };
        drop(reply.send(Err(why)));
    }
}

/// The content of one transaction: first the steps, in the order in which they came, then the records.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) steps: Vec<Box<dyn AnyChange>>,
    pub(crate) records: Vec<PendingRecord>,
    /// Records that were taken out of the batch. These records too are answered after the commit: a step of the same
    /// transaction may be the reason.
    refused: Vec<(PendingRecord, LedgerError)>,
}

/// The outcome of a batch.
#[derive(Debug)]
pub(crate) enum BatchOutcome {
    /// The batch is durable and published; these are the answers to its records.
    Committed(Vec<AppendedRecord>),
    /// There was nothing to be written: all its jobs were refused, or changed nothing.
    Unchanged,
    /// The store failed, and nothing was changed.
    RolledBack,
}

impl Batch {
    /// The index keys of its receipts, with their leaves.
    pub(crate) fn keys(&self, first: u64) -> impl Iterator<Item = (i64, u64)> {
        self.records.iter().map(|pending| receipt_key(&pending.record.hash)).zip(first..)
    }

    /// Returns true if it erases a receipt.
    pub(crate) fn has_erasures(&self) -> bool {
        self.records.iter().any(|pending| pending.record.erases.is_some())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.steps.is_empty()
    }

    /// Takes the steps.
    pub(crate) fn take_steps(&mut self, transaction: &Connection) -> Result<(), ConnectionError> {
        self.steps.iter_mut().try_for_each(|step| step.take(transaction))
    }

    /// Takes out the records that must not be logged. Returns the keys in use after the others.
    pub(crate) fn sort_out(
        &mut self,
        transaction: &Connection,
        recent: &RecentKeys,
        log_keys: &LogKeyRing,
    ) -> Result<Identity, ConnectionError> {
        let mut taken = BatchKeys::default();
        let mut keys = key_rows::in_use(
            transaction,
            log_keys.vkeys(),
            self.records.iter().map(|pending| &pending.record),
        )?;
        for pending in std::mem::take(&mut self.records) {
            match refusal(transaction, recent, (&taken, &keys), &pending.record)? {
                Some(why) => self.refused.push((pending, why)),
                None => {
                    keys.take(&pending.record);
                    taken.take(receipt_key(&pending.record.hash), &pending.record);
                    self.records.push(pending);
                }
            }
        }
        keys.changed().map_or(Ok(()), |identity| key_rows::bind(transaction, identity))?;
        Ok(keys.identity().clone())
    }

    /// Answers all callers.
    pub(crate) fn answer(self, outcome: BatchOutcome) {
        let is_durable = !matches!(outcome, BatchOutcome::RolledBack);
        self.steps.into_iter().for_each(|step| step.answer(is_durable));
        for (pending, why) in self.refused {
            pending.refuse(if is_durable { why } else { LedgerError::Busy });
        }
        match outcome {
            BatchOutcome::Committed(proofs) => {
                self.records.into_iter().zip(proofs).for_each(|(pending, appended)| pending.done(appended));
            }
            BatchOutcome::Unchanged | BatchOutcome::RolledBack => {
                self.records.into_iter().for_each(|pending| pending.refuse(LedgerError::Busy));
            }
        }
    }
}

/// The reason why a record must not be logged, where there is one: another receipt key is in use; the store, or an earlier record of the batch, has its
/// receipt or has delivered its claim, or the claim is not to be delivered, or the watch not to be opened or changed.
fn refusal(
    transaction: &Connection,
    recent: &RecentKeys,
    before: (&BatchKeys<i64>, &KeysInUse),
    record: &LedgerRecord,
) -> Result<Option<LedgerError>, ConnectionError> {
    match check(transaction, recent, before, record) {
        Ok(()) => Ok(None),
        Err(why) if why.0.is_refusal() => Ok(Some(why.0)),
        Err(failure) => Err(failure),
    }
}

fn check(
    transaction: &Connection,
    recent: &RecentKeys,
    (taken, keys): (&BatchKeys<i64>, &KeysInUse),
    record: &LedgerRecord,
) -> Result<(), ConnectionError> {
    keys.check(record)?;
    let key = receipt_key(&record.hash);
    if taken.has_receipt(&key) || recent.contains(transaction, key)? {
        return Err(LedgerError::Duplicate.into());
    }
    if let Some(claim) = record.claim {
        delivery::check(transaction, claim, record.dispute.as_ref())?;
        taken.check_claim(claim.id)?;
    }
    if let Some(step) = &record.watch {
        taken.check_watch(step)?;
        watch_steps::check(transaction, record, step, taken.opened_unpaid())?;
    }
    if let Some(erases) = &record.erases {
        taken.check_erased(erases.leaf)?;
        erase_steps::check(transaction, erases)?;
    }
    Ok(())
}
