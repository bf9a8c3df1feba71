//! A record that waits for its commit, and the reasons for which it is not logged.

use std::collections::HashSet;

use ledger::rules::batches::BatchKeys;
use ledger::rules::keys::KeysInUse;
use ledger::{AppendedRecord, Identity, LedgerError, LedgerRecord};
use receipt::hash::ReceiptHash;
use tlog::Hash;

use super::quota_rows::{Held, parts_of};
use crate::claims::delivery;
use crate::connection::{Connection, Result};
use crate::key_rows;
use crate::retention::erase_steps;
use crate::sequencer::Weight;
use crate::step::Reply;
use crate::watches::watch_steps;

/// The key that a receipt is found by: the first 8 bytes of its hash. An index of integers is a third the size of one of
/// hashes, and no two receipts share the number but by a chance of one in 10^10 at a billion receipts; the
/// second of two such is refused as a duplicate, and signed again with another salt.
pub(crate) fn receipt_key(hash: &ReceiptHash) -> i64 {
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    i64::from_be_bytes(*first)
}

/// A record that waits for its commit, with all that can be computed before it reaches the sequencer.
pub(crate) struct PendingRecord {
    pub(crate) record: LedgerRecord,
    pub(crate) leaf: Hash,
    /// The SHA-256 of each blob of evidence.
    pub(crate) addresses: Vec<[u8; 32]>,
    pub(crate) key: i64,
    /// The reason for which it is not logged.
    pub(crate) refusal: Option<LedgerError>,
    reply: Reply<AppendedRecord>,
}

impl PendingRecord {
    pub(crate) fn new(record: LedgerRecord, reply: Reply<AppendedRecord>) -> Self {
        let leaf = tlog::leaf_hash(&record.entry);
        let addresses = record.evidence.iter().map(verdict::EvidenceBlob::sha256).collect();
        let key = receipt_key(&record.hash);
        Self { record, leaf, addresses, key, refusal: None, reply }
    }

    /// Returns true if it is decided under the lock of the work sequencer as well.
    pub(crate) fn is_of_work(&self) -> bool {
        self.record.claim.is_some() || self.record.watch.is_some() || self.record.erases.is_some()
    }

    /// Answers its caller. One that has gone away is not told; its receipt stands all the same.
    pub(crate) fn done(self, appended: AppendedRecord) {
        if let Some(reservation) = self.record.reservation {
            reservation.use_up();
        }
        drop(self.reply.send(Ok(appended)));
    }

    pub(crate) fn refuse(self, why: LedgerError) {
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

    /// Answers that nobody knows whether it is logged. Its reservation stays: the receipt may have used it up.
    pub(crate) fn doubt(self) {
        if let Some(reservation) = self.record.reservation {
            reservation.use_up();
        }
        drop(self.reply.send(Err(LedgerError::OutcomeUnknown)));
    }
}

impl Weight for Box<PendingRecord> {
    fn bytes(&self) -> usize {
        self.record.bytes()
    }
}

/// What the store says of the records of a batch.
pub(crate) struct Facts {
    /// The keys that the log has already.
    pub(crate) known: HashSet<i64>,
    /// The reserved amounts, less those of records that were taken.
    pub(crate) held: Held,
    /// The keys that the store is bound to.
    pub(crate) keys: KeysInUse,
}

/// Notes for each record whether it is refused, and returns the keys in use after the others. A record is refused if another
/// receipt key is in use, or a log key that this process does not have; the store, or an earlier record of the batch, has its
/// receipt or has delivered its claim, or the claim is not to be delivered, or the watch not to be opened or changed, or what
/// was reserved for it is no longer held.
pub(crate) async fn sort_out(
    connection: Connection<'_>,
    records: &mut [Box<PendingRecord>],
    mut facts: Facts,
) -> Result<Identity> {
    let mut taken = BatchKeys::default();
    for pending in records {
        pending.refusal = match check(connection, &mut facts, &taken, pending).await {
            Ok(()) => {
                taken.take(pending.key, &pending.record);
                facts.keys.take(&pending.record);
                None
            }
            Err(error) if error.is_refusal() || error.is_busy() => Some(error.into()),
            Err(failure) => return Err(failure),
        };
    }
    if let Some(identity) = facts.keys.changed() {
        key_rows::bind(connection, identity).await?;
    }
    Ok(facts.keys.identity().clone())
}

async fn check(
    connection: Connection<'_>,
    facts: &mut Facts,
    taken: &BatchKeys<i64>,
    pending: &PendingRecord,
) -> Result<()> {
    let PendingRecord { record, key, .. } = pending;
    facts.keys.check(record)?;
    if taken.has_receipt(key) || facts.known.contains(key) {
        return Err(LedgerError::Duplicate.into());
    }
    if let Some(claim) = record.claim {
        delivery::check(connection, claim, record.dispute.as_ref()).await?;
        taken.check_claim(claim.id)?;
    }
    if let Some(step) = &record.watch {
        taken.check_watch(step)?;
        watch_steps::check(connection, record, step, taken.opened_unpaid()).await?;
    }
    if let Some(erases) = &record.erases {
        taken.check_erased(erases.leaf)?;
        erase_steps::check(connection, erases).await?;
    }
    // The last check, since it takes amounts away.
    if let Some(reservation) = &record.reservation {
        let parts = parts_of(reservation.parts(), reservation.lease());
        if !facts.held.take(&parts) {
            return Err(LedgerError::Busy.into());
        }
    }
    Ok(())
}
