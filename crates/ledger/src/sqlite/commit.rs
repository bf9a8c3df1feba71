//! One batch, one transaction: receipts, evidence, leaves, tiles, quota, counts and the checkpoint.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tlog::{Checkpoint, Hash, RightEdge, SigningKey, Stage};
use tokio::sync::oneshot;

use crate::published::{Board, Head, Published};
use crate::{Appended, Inclusion, LedgerError, PlaceKey, Record, TrialRequest};

/// A record that waits for its commit.
pub(super) struct Pending {
    pub(super) record: Record,
    pub(super) reply: oneshot::Sender<Result<Appended, LedgerError>>,
}

pub(super) type PendingTrial = (TrialRequest, oneshot::Sender<Result<(), LedgerError>>);

/// What the writer owns: the writing connection, the tree's edge and the log's key.
pub(super) struct Books {
    pub(super) connection: Connection,
    pub(super) edge: RightEdge,
    pub(super) head: Arc<Head>,
    pub(super) log_key: SigningKey,
}

impl Books {
    /// Commits a batch and answers it. An error means that the state of the store is not known.
    pub(super) fn commit(
        &mut self,
        pending: Vec<Pending>,
        trials: Vec<PendingTrial>,
        board: &Board,
    ) -> Result<(), LedgerError> {
        let mut stage = self.edge.stage();
        for waiting in &pending {
            stage.append(tlog::leaf_hash(&waiting.record.entry));
        }
        let head = self.next_head(&stage, &pending)?;
        let outcome = self.write(&pending, &trials, &stage, &head);
        if let Err(error) = outcome
            && !self.has_landed(&head, pending.is_empty())?
        {
            tracing::error!(%error, records = pending.len(), "a transaction was rolled back");
            refuse(pending, trials);
            return Ok(());
        }
        let proofs = proofs(&stage, &pending, &head)?;
        if !pending.is_empty() {
            self.edge = stage.commit();
            self.head = Arc::clone(&head);
            board.publish(Published { head, edge: self.edge.clone() });
        }
        answer(pending, trials, proofs);
        Ok(())
    }

    /// The head that the batch will make; the same head where the batch has no record.
    fn next_head(&self, stage: &Stage, pending: &[Pending]) -> Result<Arc<Head>, LedgerError> {
        if pending.is_empty() {
            return Ok(Arc::clone(&self.head));
        }
        let newest = pending.iter().map(|waiting| waiting.record.signed_at).max();
        let latest = newest.map_or(self.head.latest, |at| at.max(self.head.latest));
        Ok(Arc::new(signed_head(&self.log_key, stage.size(), stage.root(), latest)?))
    }

    fn write(
        &mut self,
        pending: &[Pending],
        trials: &[PendingTrial],
        stage: &Stage,
        head: &Head,
    ) -> Result<(), LedgerError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let first = head.size - pending.len() as u64;
        for (leaf, waiting) in (first..).zip(pending) {
            insert_record(&transaction, leaf, &waiting.record)?;
        }
        insert_tiles(&transaction, stage)?;
        insert_counts(&transaction, pending)?;
        insert_uses(&transaction, pending)?;
        for (request, _) in trials {
            insert_trial(&transaction, request)?;
        }
        if !pending.is_empty() {
            write_head(&transaction, head)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// After a failed write: whether the store holds the new head all the same. A commit can fail after
    /// it became durable; what the store says now decides, and nothing is signed before it is known.
    fn has_landed(&self, new: &Head, was_empty: bool) -> Result<bool, LedgerError> {
        let size = super::open::stored_size(&self.connection)?;
        match size {
            _ if was_empty => Ok(false),
            size if size == new.size => Ok(true),
            size if size == self.head.size => Ok(false),
            size => Err(LedgerError::Corrupt(format!("the head is at {size} after a failed commit"))),
        }
    }
}

/// Signs a head.
pub(super) fn signed_head(
    key: &SigningKey,
    size: u64,
    root: Hash,
    latest: receipt::time::Timestamp,
) -> Result<Head, LedgerError> {
    let checkpoint = Checkpoint::new(key.name(), size, root).and_then(|head| head.sign(key));
    let checkpoint = checkpoint.map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    Ok(Head { size, root, latest, checkpoint: checkpoint.into() })
}

pub(super) fn write_head(transaction: &Transaction<'_>, head: &Head) -> Result<(), LedgerError> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO head (only, size, root, latest, checkpoint) VALUES (1, ?, ?, ?, ?)")?
        .execute(params![head.size, head.root.0, head.latest.as_millis(), &*head.checkpoint])?;
    Ok(())
}

fn insert_record(transaction: &Transaction<'_>, leaf: u64, record: &Record) -> Result<(), LedgerError> {
    transaction
        .prepare_cached("INSERT INTO leaves (leaf, entry) VALUES (?, ?)")?
        .execute(params![leaf, record.entry])?;
    transaction
        .prepare_cached("INSERT INTO receipts (leaf, hash, signature, payload) VALUES (?, ?, ?, ?)")?
        .execute(params![leaf, record.hash.as_bytes(), record.signature, record.payload])?;
    transaction
        .prepare_cached("INSERT INTO requests (leaf, body) VALUES (?, ?)")?
        .execute(params![leaf, record.request])?;
    for (position, blob) in record.evidence.iter().enumerate() {
        let sha256 = blob.sha256();
        transaction
            .prepare_cached("INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")?
            .execute(params![sha256, blob.bytes])?;
        transaction
            .prepare_cached("INSERT INTO evidence (leaf, position, role, sha256) VALUES (?, ?, ?, ?)")?
            .execute(params![leaf, position, blob.role, sha256])?;
    }
    Ok(())
}

fn insert_tiles(transaction: &Transaction<'_>, stage: &Stage) -> Result<(), LedgerError> {
    for tile in stage.full_tiles() {
        let bytes = tlog::tile::encode_hashes(&tile.hashes);
        transaction
            .prepare_cached("INSERT INTO tiles (level, number, hashes) VALUES (?, ?, ?)")?
            .execute(params![tile.level, tile.index, bytes])?;
    }
    Ok(())
}

fn insert_counts(transaction: &Transaction<'_>, pending: &[Pending]) -> Result<(), LedgerError> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for waiting in pending {
        let (free, paid) = counts.entry(waiting.record.class).or_default();
        *if waiting.record.paid { paid } else { free } += 1;
    }
    for (class, (free, paid)) in counts {
        transaction
            .prepare_cached(
                "INSERT INTO counts (class, free, paid) VALUES (?, ?, ?)
                 ON CONFLICT (class) DO UPDATE SET free = free + excluded.free, paid = paid + excluded.paid",
            )?
            .execute(params![class, free, paid])?;
    }
    Ok(())
}

fn insert_uses(transaction: &Transaction<'_>, pending: &[Pending]) -> Result<(), LedgerError> {
    for place in pending.iter().filter_map(|waiting| waiting.record.place.as_ref()) {
        let PlaceKey { agent, class, day } = place.key();
        transaction
            .prepare_cached(
                "INSERT INTO used (day, class, agent, calls) VALUES (?, ?, ?, 1)
                 ON CONFLICT (day, class, agent) DO UPDATE SET calls = calls + 1",
            )?
            .execute(params![day, class, agent])?;
    }
    Ok(())
}

fn insert_trial(transaction: &Transaction<'_>, request: &TrialRequest) -> Result<(), LedgerError> {
    transaction
        .prepare_cached(
            "INSERT INTO trials (request_id, agent, endpoint, contact, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            request.request_id,
            request.agent,
            request.endpoint,
            request.contact,
            request.reason,
            request.at.as_millis()
        ])?;
    Ok(())
}

fn proofs(stage: &Stage, pending: &[Pending], head: &Head) -> Result<Vec<Appended>, LedgerError> {
    let first = head.size - pending.len() as u64;
    (first..head.size)
        .map(|leaf| {
            let path = stage.inclusion_path(leaf).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
            Ok(Appended { leaf, inclusion: Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) } })
        })
        .collect()
}

/// A caller that has gone away is not told; its receipt stands all the same.
fn answer(pending: Vec<Pending>, trials: Vec<PendingTrial>, proofs: Vec<Appended>) {
    for (Pending { record, reply }, appended) in pending.into_iter().zip(proofs) {
        if let Some(place) = record.place {
            place.use_up();
        }
        drop(reply.send(Ok(appended)));
    }
    for (_, reply) in trials {
        drop(reply.send(Ok(())));
    }
}

fn refuse(pending: Vec<Pending>, trials: Vec<PendingTrial>) {
    for Pending { reply, .. } in pending {
        drop(reply.send(Err(LedgerError::Busy)));
    }
    for (_, reply) in trials {
        drop(reply.send(Err(LedgerError::Busy)));
    }
}
