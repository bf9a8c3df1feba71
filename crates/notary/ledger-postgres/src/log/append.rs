//! The log sequencer: one batch, one transaction: receipts, evidence, leaves, tiles, quotas, counts and the checkpoint.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use ledger::back_end::{PublishedHead, PublishedTree};
use ledger::rules::log::LogDraft;
use ledger::{Head, Identity, LedgerError, LogKeyRing};

use super::batch::{Facts, PendingRecord, sort_out};
use super::head::{self, EDGE, KnownTree, StoredHead};
use super::parts::{Caches, NewParts, TreeView};
use super::quota_rows::{self, Held};
use super::rows;
use super::signing::blocking;
use crate::config::Server;
use crate::connection::{Connection, Result};
use crate::key_rows;
use crate::sequencer::{Outcome, Sequence, Written};
use crate::together::together;
use crate::work;

const KNOWN_KEYS: &str = "SELECT key FROM receipts WHERE key = ANY($1::BIGINT[])";

/// The log sequencer. Any replica extends the log, under the lock of its head.
pub(crate) struct LogWriter {
    log_keys: LogKeyRing,
    /// The keys in use after the present transaction.
    in_use: Option<Identity>,
    server: Server,
    board: Arc<PublishedHead>,
    /// The newest tree that this process has read or written, durable or not.
    known: KnownTree,
    /// The head that was locked last, and the newest durable one that was known before.
    locked: Option<(StoredHead, Arc<Head>)>,
    /// The log after the present transaction.
    draft: Option<LogDraft>,
    /// True if the store, as it was compared last, contradicts what is known to be durable.
    is_contradicted: bool,
    /// True after a new day, until all used quotas that are kept no longer are gone.
    has_uses_to_forget: bool,
}

impl LogWriter {
    pub(crate) fn new(
        log_keys: LogKeyRing,
        server: Server,
        board: Arc<PublishedHead>,
        known: KnownTree,
    ) -> Self {
        let (in_use, locked, draft) = Default::default();
        let (is_contradicted, has_uses_to_forget) = (false, false);
        Self { log_keys, in_use, server, board, known, locked, draft, is_contradicted, has_uses_to_forget }
    }

    /// Reads what decides about the records, on the tree that the transaction has locked.
    async fn read_facts(
        &mut self,
        connection: Connection<'_>,
        batch: &[Box<PendingRecord>],
    ) -> Result<Facts> {
        let (locked, durable) =
            self.locked.take().ok_or_else(|| LedgerError::Corrupt("the head is not locked".to_owned()))?;
        let (size, root) = locked.mark()?;
        let is_known = (self.known.head.size, self.known.head.root) == (size, root);
        // Not against the known tree: a failover may have taken back what was only read.
        head::check_not_behind((size, root), &durable)?;
        let keys: Vec<i64> = batch.iter().map(|pending| pending.key).collect();
        let reservations = batch.iter().filter_map(|pending| pending.record.reservation.as_ref());
        let edge = async { if is_known { Ok(Vec::new()) } else { connection.rows(EDGE, &[]).await } };
        let work = async {
            let is_of_work = batch.iter().any(|pending| pending.is_of_work());
            if is_of_work { work::lock(connection).await } else { Ok(()) }
        };
        let keys: [crate::connection::Param<'_>; 1] = [&keys];
        let has_step = batch.iter().any(|pending| pending.record.key.is_some());
        let (edge, known, held, keys, ()) = together!(
            edge,
            connection.rows(KNOWN_KEYS, &keys),
            Held::lock(connection, reservations),
            key_rows::in_use(connection, self.log_keys.vkeys(), has_step),
            work,
        )?;
        // Without a log key that is in use, nothing is logged, and the head may be signed by that key alone.
        if !is_known && keys.missing_log_key().is_none() {
            let head = locked.checked(&self.log_keys.known())?;
            let edge = head::edge_of(&edge, &head)?;
            self.known = KnownTree { head: Arc::new(head), edge };
        }
        let known =
            known.iter().map(|row| row.try_get(0)).collect::<std::result::Result<HashSet<i64>, _>>()?;
        Ok(Facts { known, held, keys })
    }

    /// Checks that the log which the transaction has locked begins with the newest one that is known to be durable. One that
    /// was put back to an earlier state may have grown again, past the known size.
    async fn check_locked(&self, connection: Connection<'_>) -> Result<()> {
        let Some((locked, durable)) = &self.locked else { return Ok(()) };
        let mark = locked.mark()?;
        head::check_not_behind(mark, durable)?;
        if mark == (durable.size, durable.root) {
            return Ok(());
        }
        let head = locked.checked(&self.log_keys.known())?;
        let edge = head::edge(connection, &head).await?;
        let published = PublishedTree::new(Arc::new(head), edge);
        let (caches, new_parts) = (Caches::new(), NewParts::default());
        let new_parts = Some(&new_parts);
        let tree = TreeView { connection, caches: &caches, published: &published, new_parts };
        tree.check_extends(durable).await
    }

    /// Writes the records that are not refused.
    async fn fill(&mut self, connection: Connection<'_>, batch: &[Box<PendingRecord>]) -> Result<Written> {
        let records: Vec<&PendingRecord> =
            batch.iter().map(|pending| &**pending).filter(|pending| pending.refusal.is_none()).collect();
        if records.is_empty() {
            return Ok(Written::Nothing);
        }
        let not_bound = || LedgerError::Corrupt("it is not bound to any keys".to_owned());
        let signers = self.log_keys.signers(self.in_use.as_ref().ok_or_else(not_bound)?.log_vkeys())?;
        let KnownTree { head, edge } = &self.known;
        let leaves: Vec<_> = records.iter().map(|pending| (pending.leaf, pending.record.signed_at)).collect();
        let (edge, before, signers) = (edge.clone(), Arc::clone(head), signers);
        let draft = blocking(move || LogDraft::new(&edge, &before, &signers, leaves.into_iter())).await?;
        let is_new_day = draft.head.latest.unix_days() != head.latest.unix_days();
        let first = draft.stage.base_size();
        let reservations: Vec<_> =
            records.iter().filter_map(|pending| pending.record.reservation.as_ref()).collect();
        together!(
            rows::insert_receipts(connection, first, &records),
            rows::insert_requests(connection, first, &records),
            rows::insert_entries(connection, first, &records),
            rows::insert_evidence(connection, first, &records),
            rows::insert_tiles(connection, &draft.stage),
            rows::insert_counts(connection, &records),
            rows::insert_counted(connection, &records),
            rows::insert_memories(connection, &records),
            quota_rows::use_up(connection, &reservations),
            head::write(connection, &draft.head),
            head::write_edge(connection, &draft.stage),
        )?;
        rows::insert_steps(connection, &records, &draft.proofs).await?;
        if is_new_day || self.has_uses_to_forget {
            self.has_uses_to_forget =
                quota_rows::forget_uses(connection, draft.head.latest.unix_days()).await?;
        }
        self.draft = Some(draft);
        Ok(Written::Something)
    }

    /// The draft is durable: publishes its head, and answers the callers.
    #[expect(clippy::vec_box, reason = "a job of the queue is a box, so that it is moved as a pointer")]
    fn publish(&mut self, batch: Vec<Box<PendingRecord>>) {
        let mut appended = Vec::new();
        if let Some(LogDraft { stage, head, proofs }) = self.draft.take() {
            metrics::histogram!("touchstone_ledger_batch_receipts").record(proofs.len() as f64);
            self.known = KnownTree { head: Arc::clone(&head), edge: stage.commit() };
            self.board.advance(&Arc::new(PublishedTree::new(head, self.known.edge.clone())));
            appended = proofs;
        }
        let mut appended = appended.into_iter();
        for mut pending in batch {
            match pending.refusal.take() {
                Some(why) => pending.refuse(why),
                None => match appended.next() {
                    Some(proof) => pending.done(proof),
                    None => pending.refuse(LedgerError::Busy),
                },
            }
        }
    }
}

impl Sequence for LogWriter {
    type Job = Box<PendingRecord>;

    fn name(&self) -> &'static str {
        "log"
    }

    fn prepare<'a>(&'a self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            for statement in
                [head::LOCK, EDGE, KNOWN_KEYS, key_rows::IN_USE, rows::RECEIPTS, rows::REQUESTS, rows::LEAVES]
            {
                connection.prepare(statement).await?;
            }
            Ok(())
        })
    }

    fn lock<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let durable = Arc::clone(&self.board.newest().head);
            self.locked = Some((StoredHead::lock(connection).await?, durable));
            Ok(())
        })
    }

    fn compare<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.is_contradicted = match self.check_locked(connection).await {
                Ok(()) => false,
                Err(error) if error.is_corrupt() || error.is_behind() => {
                    tracing::error!(%error, "the store was put back to an earlier state");
                    true
                }
                Err(error) => return Err(error),
            };
            Ok(())
        })
    }

    fn is_sound(&self) -> bool {
        !self.is_contradicted
    }

    fn write<'a>(
        &'a mut self,
        connection: Connection<'a>,
        _: i64,
        batch: &'a mut Vec<Self::Job>,
    ) -> BoxFuture<'a, Result<Written>> {
        Box::pin(async move {
            self.draft = None;
            // The log's time never runs ahead of the database's: it would silence the replicas whose clocks are right.
            if !self.server.is_clock_right() {
                batch.iter_mut().for_each(|pending| pending.refusal = Some(LedgerError::Busy));
                return Ok(Written::Nothing);
            }
            let facts = self.read_facts(connection, batch).await?;
            self.in_use = Some(sort_out(connection, batch, facts).await?);
            self.fill(connection, batch).await
        })
    }

    fn answer(&mut self, batch: Vec<Self::Job>, outcome: Outcome) {
        match outcome {
            Outcome::Durable => self.publish(batch),
            Outcome::RolledBack => {
                self.draft = None;
                batch.into_iter().for_each(|pending| pending.refuse(LedgerError::Busy));
            }
            Outcome::Unknown => {
                self.draft = None;
                batch.into_iter().for_each(|pending| pending.doubt());
            }
        }
    }

    fn close<'a>(&'a mut self, _: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}
