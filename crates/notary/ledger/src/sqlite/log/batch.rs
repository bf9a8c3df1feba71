//! What waits for the writer, and how it is told what became of it.

use std::collections::HashSet;

use rusqlite::Connection;
use tlog::Hash;

use super::delivery;
use super::index::{RecentKeys, receipt_key};
use super::step::{Reply, Step};
use crate::sqlite::watches::watch_steps;
use crate::{Appended, ClaimId, ClaimState, LedgerError, Record, WatchId, WatchKey, WatchStep};

/// A record that waits for its commit, with all that can be computed before it reaches the writer.
pub(crate) struct Pending {
    pub(crate) record: Record,
    pub(crate) leaf: Hash,
    /// The SHA-256 of each blob of evidence.
    pub(crate) addresses: Vec<[u8; 32]>,
    reply: Reply<Appended>,
}

impl Pending {
    pub(crate) fn new(record: Record, reply: Reply<Appended>) -> Self {
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

    fn refuse(self, why: LedgerError) {
        // The place first: who sees the refusal may ask for it again at once.
        drop(self.record);
        drop(self.reply.send(Err(why)));
    }
}

/// What goes into one transaction: first the steps, in the order of their coming, then the records.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) steps: Vec<Box<dyn Step>>,
    pub(crate) records: Vec<Pending>,
    /// Records that were taken out of the batch. They too are answered after the commit: a step of the same
    /// transaction may be the reason.
    refused: Vec<(Pending, LedgerError)>,
}

/// What became of a batch.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is durable and published; these are the answers to its records.
    Committed(Vec<Appended>),
    /// There was nothing to be written: all its jobs were refused, or found what they wished for.
    Unchanged,
    /// The store failed, and nothing was changed.
    RolledBack,
}

impl Batch {
    /// What its receipts will be found by.
    pub(crate) fn keys(&self, first: u64) -> impl Iterator<Item = (i64, u64)> {
        self.records.iter().map(|pending| receipt_key(&pending.record.hash)).zip(first..)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.steps.is_empty()
    }

    /// Takes the steps.
    pub(crate) fn take_steps(&mut self, transaction: &Connection) -> Result<(), LedgerError> {
        self.steps.iter_mut().try_for_each(|step| step.take(transaction))
    }

    /// Takes out the records that must not be logged.
    pub(crate) fn sort_out(
        &mut self,
        transaction: &Connection,
        recent: &RecentKeys,
    ) -> Result<(), LedgerError> {
        let mut taken = Taken::default();
        for pending in std::mem::take(&mut self.records) {
            match taken.refusal(transaction, recent, &pending.record)? {
                Some(why) => self.refused.push((pending, why)),
                None => self.records.push(pending),
            }
        }
        Ok(())
    }

    /// Tells all what became of them.
    pub(crate) fn answer(self, outcome: Outcome) {
        let is_durable = !matches!(outcome, Outcome::RolledBack);
        self.steps.into_iter().for_each(|step| step.answer(is_durable));
        for (pending, why) in self.refused {
            pending.refuse(if is_durable { why } else { LedgerError::Busy });
        }
        match outcome {
            Outcome::Committed(proofs) => {
                self.records.into_iter().zip(proofs).for_each(|(pending, appended)| pending.done(appended));
            }
            Outcome::Unchanged | Outcome::RolledBack => {
                self.records.into_iter().for_each(|pending| pending.refuse(LedgerError::Busy));
            }
        }
    }
}

/// What the records of a batch have taken that no second one may take.
#[derive(Default)]
struct Taken {
    keys: HashSet<i64>,
    claims: HashSet<ClaimId>,
    watches: HashSet<WatchId>,
    /// Watches that the batch opens, and those of them that nobody paid for.
    opened: HashSet<WatchKey>,
    opened_unpaid: Vec<watch_steps::Opened>,
}

impl Taken {
    /// Why a record must not be logged: the store, or an earlier record of the batch, has its receipt or has delivered
    /// its claim, or the claim is not to be delivered.
    fn refusal(
        &mut self,
        transaction: &Connection,
        recent: &RecentKeys,
        record: &Record,
    ) -> Result<Option<LedgerError>, LedgerError> {
        let key = receipt_key(&record.hash);
        if self.keys.contains(&key) || recent.contains(transaction, key)? {
            return Ok(Some(LedgerError::Duplicate));
        }
        if let Some(claim) = record.claim {
            match delivery::check(transaction, claim, record.dispute.as_ref()) {
                Err(why) if why.is_refusal() => return Ok(Some(why)),
                checked => checked?,
            }
            if self.claims.contains(&claim.id) {
                return Ok(Some(LedgerError::WrongState(ClaimState::Delivered)));
            }
        }
        if let Some(why) = self.watch_refusal(transaction, record)? {
            return Ok(Some(why));
        }
        if let Some(claim) = record.claim {
            self.claims.insert(claim.id);
        }
        self.keys.insert(key);
        Ok(None)
    }

    /// Why a record must not do to a watch what it says.
    fn watch_refusal(
        &mut self,
        transaction: &Connection,
        record: &Record,
    ) -> Result<Option<LedgerError>, LedgerError> {
        match &record.watch {
            Some(WatchStep::Opened(new)) if self.opened.contains(&new.key) => {
                return Ok(Some(LedgerError::Duplicate));
            }
            Some(WatchStep::Changed(change)) if self.watches.contains(&change.id) => {
                return Ok(Some(LedgerError::NotOwner));
            }
            _ => {}
        }
        match watch_steps::check(transaction, record, &self.opened_unpaid) {
            Err(why) if why.is_refusal() => return Ok(Some(why)),
            checked => checked?,
        }
        match &record.watch {
            Some(WatchStep::Opened(new)) => {
                self.opened.insert(new.key);
                if let (None, Some(network)) = (record.claim, new.network) {
                    self.opened_unpaid.push(watch_steps::Opened { agent: new.agent.clone(), network });
                }
            }
            Some(WatchStep::Changed(change)) => {
                self.watches.insert(change.id);
            }
            None => {}
        }
        Ok(None)
    }
}
