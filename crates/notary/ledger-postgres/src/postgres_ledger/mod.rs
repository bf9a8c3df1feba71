//! The [`Ledger`](ledger::Ledger) of several replicas, on PostgreSQL, and its parts: payments, refunds, grants, watches, retention.

mod cosigned;
mod grants;
mod head_reads;
mod payments;
mod reader;
mod refunds;
mod replicas;
mod retention;
mod shared;
mod snapshot;
mod stamped;
mod watches;

pub(crate) use reader::ReadPools;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use ledger::back_end::{PublishedHead, PublishedTree, fits_a_column};
use ledger::{
    Admission, AppendedRecord, Backlog, ClassCount, CounterKey, DayCount, Grant, Head, Identity, Inclusion,
    Ledger, LedgerError, LedgerRecord, Limiter, LogKeyRing, MAX_RECORD_BYTES, MAX_SHORT_RECEIPTS, MemoryKey,
    QuotaKey, QuotaRequest, QuotaReservation, RateLimitHit, Replicas, StoredBlob, StoredReceipt,
    StoredRequest, TrialRequest,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::{Hash, TilePath};
use tokio::sync::oneshot;
use tokio::task::JoinError;
use verdict::{Clock, Memory};

use self::head_reads::HeadReads;
use self::snapshot::WriterKeys;
use crate::admission::{AdmissionJob, AdmissionWriter, Taken, Unreleased};
use crate::backlog_rows;
use crate::claims::money;
use crate::coalesced::Coalesced;
use crate::config::{PostgresConfig, Server};
use crate::connection::{Connection, Result as ConnectionResult};
use crate::grants::grant_rows;
use crate::log::append::LogWriter;
use crate::log::batch::PendingRecord;
use crate::log::parts::Caches;
use crate::log::{quota_rows, reads, stored};
use crate::open::{self, OpenedStore};
use crate::replica_rows::{OwnReport, OwnRow};
use crate::sequencer::Sequencer;
use crate::step::{AnyChange, Change, StepFn};
use crate::work::Work;

/// The longest time for which a hit waits to be counted in the store, and then the process counts it by itself; and for which a
/// read waits until what was released is given back.
const ADMISSION_WAIT: Duration = Duration::from_secs(3);
/// The most bytes of evidence that are hashed where a request is served: they take half a millisecond at most.
const HASHED_HERE: usize = 256 << 10;

/// The ledger of several replicas over one PostgreSQL store.
pub struct PostgresLedger {
    pools: Arc<ReadPools>,
    writer_keys: WriterKeys,
    server: Server,
    log_keys: LogKeyRing,
    board: Arc<PublishedHead>,
    caches: Caches,
    log: Sequencer<Box<PendingRecord>>,
    work: Sequencer<Box<dyn AnyChange>>,
    /// Makes changes under the lock of the log as well.
    retention: Sequencer<Box<dyn AnyChange>>,
    admission: Sequencer<AdmissionJob>,
    unreleased: Unreleased,
    /// The amounts that are used up or reserved of several quotas.
    taken: Coalesced<Vec<QuotaKey>, Vec<u64>>,
    /// The grants of an agent in force at a time.
    grants: Coalesced<(String, Timestamp), Vec<Grant>>,
    /// The amount that an agent has settled since a day.
    settled: Coalesced<(String, u32), u64>,
    /// Counts hits while the store cannot.
    limiter: Limiter,
    head_reads: HeadReads,
    report: OwnReport,
    /// True if the store is an archive, which takes no changes.
    is_archive: bool,
}

impl PostgresLedger {
    /// Opens the store, or makes its tables and binds it to these keys where the database is empty. Several processes
    /// may have it open.
    ///
    /// # Errors
    /// The store cannot be reached; it was made with other keys; its schema is newer than this program can use; or its
    /// log does not meet its last signed checkpoint; or the checkpoint over a new store's empty log is not signed.
    pub async fn open(
        config: &PostgresConfig,
        log_keys: impl Into<LogKeyRing>,
        identity: &Identity,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LedgerError> {
        let (server, log_keys) = (Server::new(config)?, log_keys.into());
        let OpenedStore { tree: known, is_archive } =
            open::tree(config, &server, &log_keys, identity, clock.now()).await?;
        let published = PublishedTree::new(Arc::clone(&known.head), known.edge.clone());
        let board = Arc::new(PublishedHead::new(published));
        let pools = Arc::new(ReadPools::new(&server)?);
        let mut process = [0; 16];
        getrandom::fill(&mut process).map_err(|error| config.error(error))?;
        let unreleased = Unreleased::default();
        let writer = LogWriter::new(log_keys.clone(), server.clone(), Arc::clone(&board), known);
        let report = OwnReport::default();
        let own_row = OwnRow::new(process, report.clone(), Arc::clone(&board), server.clone());
        let admission = AdmissionWriter::new(unreleased.clone(), own_row);
        let taken = Coalesced::start(Arc::clone(&pools), taken_of_all);
        let grants = Coalesced::start(Arc::clone(&pools), |connection, of| {
            Box::pin(grant_rows::in_force_of_all(connection, of))
        });
        let settled = Coalesced::start(Arc::clone(&pools), |connection, of| {
            Box::pin(money::settled_by(connection, of))
        });
        Ok(Self {
            taken,
            grants,
            settled,
            pools,
            writer_keys: WriterKeys::new(process, reader::READERS),
            log_keys,
            board,
            caches: Caches::new(),
            log: Sequencer::start(writer, server.clone(), Arc::clone(&clock))?,
            work: Sequencer::start(Work { with_log: false }, server.clone(), Arc::clone(&clock))?,
            retention: Sequencer::start(Work { with_log: true }, server.clone(), Arc::clone(&clock))?,
            admission: Sequencer::start(admission, server.clone(), Arc::clone(&clock))?,
            server,
            unreleased,
            limiter: Limiter::new(clock),
            head_reads: HeadReads::default(),
            report,
            is_archive,
        })
    }

    /// The identity that the store is bound to; `None` where the database is empty. The store has no retired keys, so that
    /// list is empty.
    ///
    /// # Errors
    /// The store cannot be reached, is no store of this program, or is not to be served: see
    /// [`TransferMark`](ledger::TransferMark).
    pub async fn stored_identity(config: &PostgresConfig) -> Result<Option<Identity>, LedgerError> {
        Ok(open::stored_identity(config).await?)
    }

    /// Closes the ledger: ends what waits, and the leases of this process. A ledger that is dropped does the same on its own
    /// tasks, as far as the process lets them.
    pub async fn close(self) {
        let Self { log, work, retention, admission, .. } = self;
        let ended = |end: Result<(), JoinError>| {
            drop(end.inspect_err(|error| tracing::error!(%error, "a sequencer has not ended well")));
        };
        let (log, work, retention) = tokio::join!(log.close(), work.close(), retention.close());
        [log, work, retention].into_iter().for_each(ended);
        // It ends the leases that the others' jobs may use up.
        ended(admission.close().await);
    }

    /// Makes a change in a transaction of the work sequencer. `bytes` is what it adds to the queue. The work is done
    /// again with the same arguments where its transaction was rolled back for the sake of another one; it refuses
    /// before it has changed anything.
    pub(crate) async fn change<A: Send + Sync + 'static, T: Send + 'static>(
        &self,
        bytes: usize,
        args: A,
        work: StepFn<A, T>,
    ) -> Result<T, LedgerError> {
        self.check_takes_changes()?;
        if bytes > MAX_RECORD_BYTES {
            return Err(LedgerError::Unfit(format!("{bytes} bytes, more than {MAX_RECORD_BYTES}")));
        }
        let (reply, answer) = oneshot::channel();
        self.work.queue.submit(Box::new(Change::new(bytes, args, work, reply)))?;
        self.noted(answer.await.map_err(|_| LedgerError::OutcomeUnknown)?)
    }

    /// Who was told that something is durable finds it at once: reads go to the server that takes writes again.
    fn noted<T>(&self, answer: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if answer.is_ok() {
            self.pools.note_there();
        }
        answer
    }

    /// Refuses changes of an archive.
    fn check_takes_changes(&self) -> Result<(), LedgerError> {
        if self.is_archive { Err(LedgerError::Busy) } else { Ok(()) }
    }

    /// Returns true if the store takes changes and all sequencers can commit.
    fn takes_changes(&self) -> bool {
        !self.is_archive
            && self.log.queue.is_writable()
            && self.work.queue.is_writable()
            && self.admission.queue.is_writable()
    }

    /// Counts hits in the store.
    async fn admit_in_store(&self, hits: &[RateLimitHit]) -> Result<Admission, LedgerError> {
        let (reply, answer) = oneshot::channel();
        self.admission.queue.submit(AdmissionJob::Admit { hits: hits.to_vec(), reply: Some(reply) })?;
        answer.await.map_err(|_| LedgerError::Busy)?
    }

    /// Waits until what was released is given back in the store. While that takes no changes, it counts as taken.
    async fn give_back(&self) {
        let (reply, answer) = oneshot::channel();
        if self.admission.queue.submit(AdmissionJob::GiveBack { reply }).is_ok() {
            drop(tokio::time::timeout(ADMISSION_WAIT, answer).await);
        }
    }

    /// Reserves a part of each quota, or none.
    pub(crate) async fn reserve_quotas(
        &self,
        requests: Vec<QuotaRequest>,
    ) -> Result<Result<QuotaReservation, usize>, LedgerError> {
        let most = requests.iter().map(|request| request.units).max();
        most.map_or(Ok(()), fits_a_column)?;
        let (reply, answer) = oneshot::channel();
        self.admission.queue.submit(AdmissionJob::Reserve { requests, reply })?;
        answer.await.map_err(|_| LedgerError::Busy)?
    }
}

/// The amounts of the quotas of several requests.
fn taken_of_all<'a>(
    connection: Connection<'a>,
    requests: &'a [Vec<QuotaKey>],
) -> BoxFuture<'a, ConnectionResult<Vec<Vec<u64>>>> {
    Box::pin(async move {
        let keys: Vec<&QuotaKey> = requests.iter().flatten().collect();
        let taken = Taken::read(connection, &keys).await?;
        Ok(requests.iter().map(|keys| keys.iter().map(|key| taken.of(key)).collect()).collect())
    })
}

#[async_trait]
impl Ledger for PostgresLedger {
    fn head(&self) -> Arc<Head> {
        Arc::clone(&self.board.newest().head)
    }

    /// While the store takes no changes, receipts and the log are served all the same, so each process counts by itself.
    async fn admit(&self, hits: &[RateLimitHit]) -> Result<Admission, LedgerError> {
        match tokio::time::timeout(ADMISSION_WAIT, self.admit_in_store(hits)).await {
            Ok(Ok(admission)) => Ok(admission),
            Ok(Err(_)) | Err(_) => Ok(self.limiter.admit(hits)),
        }
    }

    async fn note(&self, hit: RateLimitHit) -> Result<(), LedgerError> {
        let noted = self.admission.queue.submit(AdmissionJob::Admit { hits: vec![hit], reply: None });
        if noted.is_err() && !self.admission.queue.is_writable() {
            self.limiter.note(hit);
            return Ok(());
        }
        noted
    }

    async fn reserve(
        &self,
        requests: Vec<QuotaRequest>,
    ) -> Result<Result<QuotaReservation, usize>, LedgerError> {
        self.reserve_quotas(requests).await
    }

    async fn taken(&self, keys: &[QuotaKey]) -> Result<Vec<u64>, LedgerError> {
        if self.unreleased.has_any_of(keys) {
            self.give_back().await;
        }
        self.taken.read(keys.to_vec()).await
    }

    async fn append(&self, record: LedgerRecord) -> Result<AppendedRecord, LedgerError> {
        record.check()?;
        self.check_takes_changes()?;
        let (reply, answer) = oneshot::channel();
        let pending = if record.bytes() <= HASHED_HERE {
            PendingRecord::new(record, reply)
        } else {
            let hashing = tokio::task::spawn_blocking(move || PendingRecord::new(record, reply));
            hashing.await.map_err(|_| LedgerError::Busy)?
        };
        self.log.queue.submit(Box::new(pending))?;
        metrics::gauge!("touchstone_ledger_queue_jobs").set(self.log.queue.depth() as f64);
        self.noted(answer.await.map_err(|_| LedgerError::OutcomeUnknown)?)
    }

    async fn receipt(&self, hash: &ReceiptHash) -> Result<Option<StoredReceipt>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let found = reads::receipt(snapshot.connection(), hash).await?;
        let found = snapshot.known(found)?;
        snapshot.end().await?;
        Ok(found)
    }

    async fn short_receipts(
        &self,
        hashes: &[ReceiptHash],
    ) -> Result<Vec<Option<StoredReceipt>>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let hashes = &hashes[..hashes.len().min(MAX_SHORT_RECEIPTS)];
        let found = reads::short_receipts(snapshot.connection(), hashes).await?;
        let found = found.into_iter().map(|found| snapshot.known(found)).collect::<Result<Vec<_>, _>>()?;
        snapshot.end().await?;
        Ok(found)
    }

    async fn receipt_with_inclusion(
        &self,
        hash: &ReceiptHash,
    ) -> Result<Option<(StoredReceipt, Inclusion)>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let found = match snapshot.known(reads::receipt(snapshot.connection(), hash).await?)? {
            Some(receipt) => {
                let inclusion = snapshot.tree().inclusion(receipt.leaf).await?;
                inclusion.map(|inclusion| (receipt, inclusion))
            }
            None => None,
        };
        snapshot.end().await?;
        Ok(found)
    }

    async fn key_records(&self) -> Result<Vec<StoredReceipt>, LedgerError> {
        if self.is_archive {
            return Ok(reads::key_records(self.reader().await?.connection()).await?);
        }
        // They decide which key signs, so they are read within a transaction that writes: see `Shared`.
        self.change(0, (), |connection, ()| Box::pin(reads::key_records(connection.confirm()))).await
    }

    async fn request(&self, leaf: u64) -> Result<Option<StoredRequest>, LedgerError> {
        Ok(stored::request(self.reader().await?.connection(), leaf).await?)
    }

    async fn evidence_elsewhere(&self, leaf: u64) -> Result<Option<Vec<[u8; 32]>>, LedgerError> {
        Ok(stored::evidence_elsewhere(self.reader().await?.connection(), leaf).await?)
    }

    async fn evidence(&self, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError> {
        Ok(stored::evidence(self.reader().await?.connection(), leaf).await?)
    }

    async fn inclusion(&self, leaf: u64) -> Result<Inclusion, LedgerError> {
        let snapshot = self.snapshot().await?;
        let inclusion = snapshot.tree().inclusion(leaf).await?;
        snapshot.end().await?;
        inclusion.ok_or(LedgerError::NoSuchLeaf(leaf))
    }

    async fn newest_head(&self) -> Result<Arc<Head>, LedgerError> {
        match self.head_reads.share(async { self.snapshot().await?.end().await }).await {
            Err(_) if Replicas::is_away(self) => {}
            read => read?,
        }
        Ok(self.head())
    }

    async fn root_at(&self, size: u64) -> Result<Option<Hash>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let head = Arc::clone(&snapshot.published().head);
        let root = if size < head.size {
            Some(snapshot.tree().root_at(size).await?)
        } else {
            (size == head.size).then_some(head.root)
        };
        snapshot.end().await?;
        Ok(root)
    }

    async fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let bytes = snapshot.tree().bytes(&path).await?;
        snapshot.end().await?;
        Ok(bytes)
    }

    async fn counts(&self) -> Result<Vec<ClassCount>, LedgerError> {
        Ok(stored::counts(self.reader().await?.connection()).await?)
    }

    async fn days(&self, since: u32) -> Result<Vec<DayCount>, LedgerError> {
        Ok(stored::days(self.reader().await?.connection(), since).await?)
    }

    async fn counted(&self, keys: &[CounterKey]) -> Result<Vec<u64>, LedgerError> {
        Ok(stored::counted(self.reader().await?.connection(), keys).await?)
    }

    async fn memory(&self, key: MemoryKey) -> Result<Option<Memory>, LedgerError> {
        Ok(stored::memory(self.reader().await?.connection(), key).await?)
    }

    async fn request_trial(
        &self,
        request: TrialRequest,
        reservation: Option<QuotaReservation>,
    ) -> Result<(), LedgerError> {
        self.check_takes_changes()?;
        let bytes = request.bytes();
        let (reply, answer) = oneshot::channel();
        let work: StepFn<(TrialRequest, Option<QuotaReservation>), ()> =
            |connection, (request, reservation)| {
                Box::pin(async move {
                    if stored::has_all_trials(connection).await? {
                        return Err(LedgerError::TrialLimit.into());
                    }
                    if let Some(reservation) = reservation {
                        quota_rows::use_up_one(connection, reservation).await?;
                    }
                    stored::insert_trial(connection, request).await
                })
            };
        let change = Change::new(bytes, (request, reservation), work, reply)
            .and_then(|(_, reservation)| reservation.map_or((), QuotaReservation::use_up));
        self.work.queue.submit(Box::new(change))?;
        answer.await.map_err(|_| LedgerError::OutcomeUnknown)?
    }

    async fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError> {
        Ok(stored::trials(self.reader().await?.connection(), most).await?)
    }

    async fn backlog(&self, now: Timestamp) -> Result<Backlog, LedgerError> {
        Ok(backlog_rows::backlog(self.reader().await?.connection(), now).await?)
    }

    fn is_writable(&self) -> bool {
        self.takes_changes()
    }
}
