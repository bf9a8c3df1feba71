//! The [`Ledger`] of one process, on SQLite, and its parts: payments, refunds, grants, watches, retention.

mod cosigned;
mod grants;
mod payments;
mod refunds;
mod replicas;
mod retention;
mod shared;
mod stamped;
mod watches;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use ledger::back_end::{PublishedHead, PublishedTree};
use ledger::{
    Admission, AppendedRecord, Backlog, ClassCount, CounterKey, DayCount, Head, Identity, Inclusion, Ledger,
    LedgerError, LedgerRecord, Limiter, LogKeyRing, MAX_RECORD_BYTES, MAX_SHORT_RECEIPTS, MemoryKey,
    QuotaCounter, QuotaKey, QuotaRequest, QuotaReservation, RateLimitHit, StoredBlob, StoredReceipt,
    StoredRequest, TrialRequest,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::Connection;
use tlog::{Hash, TilePath};
use tokio::sync::oneshot;
use verdict::{Clock, Memory};

use crate::backlog_rows;
use crate::failure::ConnectionError;
use crate::files::{self, cannot_open};
use crate::key_rows;
use crate::log::batch::PendingRecord;
use crate::log::commit::LogWriter;
use crate::log::index::RecentKeys;
use crate::log::readers::ReadConnections;
use crate::log::reads;
use crate::log::rows;
use crate::log::step::Change;
use crate::log::tree::{Caches, TreeView};
use crate::log::wal::WalCheckpointer;
use crate::log::writer::{Job, Writer};
use crate::mark_row;
use crate::open;
use replicas::OnlyReplica;

/// Reading connections: as many reads at once as a small machine has cores, and a few to spare.
const READERS: usize = 4;
/// The most bytes of evidence that are hashed where a request is served: they take half a millisecond at most.
const HASHED_HERE: usize = 256 << 10;

/// The embedded ledger of a single process: one file, locked while it is open.
///
/// # Example
/// A record is appended, and its receipt proven under the newest checkpoint.
///
/// ```
/// use std::sync::Arc;
///
/// use ledger::{Identity, Ledger as _, LedgerRecord};
/// use ledger_sqlite::SqliteLedger;
/// use receipt::hash::ReceiptHash;
/// use receipt::sign::SignedPayload;
/// use receipt::time::Timestamp;
/// use verdict::SystemClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let log_key = tlog::SigningKey::from_seed("notary.example/log", &[7; 32])?;
/// let identity = Identity {
///     receipt_kid: "notary-1".to_owned(),
///     log_vkey: log_key.verifier().to_string(),
///     ..Identity::default()
/// };
/// let clock = Arc::new(SystemClock::start());
/// let ledger = SqliteLedger::open(&folder.path().join("store.sqlite"), log_key, &identity, clock)?;
///
/// let payload = br#"{"verdict":"MATCH"}"#.to_vec();
/// let (hash, entry) = (ReceiptHash::of_payload(&payload), b"an entry of the log".to_vec());
/// let signed = SignedPayload { hash, payload, signature: [0; 64] };
/// let (kid, class, request) = ("notary-1", "screen-entity", b"{}".to_vec());
/// let record = LedgerRecord::new(signed, kid, class, entry.clone(), Timestamp::EPOCH, request);
/// let appended = ledger.append(record).await?;
/// assert_eq!(appended.leaf, 0);
///
/// let (receipt, inclusion) = ledger.receipt_with_inclusion(&hash).await?.expect("it was appended");
/// let (head, leaf_hash) = (ledger.head(), tlog::leaf_hash(&entry));
/// tlog::verify_inclusion(receipt.leaf, head.size, &leaf_hash, &inclusion.path, &head.root)?;
/// # Ok(())
/// # }
/// ```
pub struct SqliteLedger {
    // In this order: the writer, who closes last, then finds no reader and leaves no WAL behind.
    readers: ReadConnections,
    pub(crate) writer: Writer,
    board: Arc<PublishedHead>,
    caches: Caches,
    recent: Arc<RecentKeys>,
    quotas: QuotaCounter,
    limiter: Limiter,
    clock: Arc<dyn Clock>,
    replica: OnlyReplica,
    /// True if the store is an archive, which takes no changes.
    is_archive: bool,
    _lock: File,
}

impl SqliteLedger {
    /// Opens the store at `path`, or creates it.
    ///
    /// # Errors
    /// Another process has it open; it was made with other keys; its schema is newer than this program; or its log
    /// does not meet its last signed checkpoint; or the checkpoint over a new store's empty log is not signed.
    pub fn open(
        path: &Path,
        log_keys: impl Into<LogKeyRing>,
        identity: &Identity,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LedgerError> {
        let lock = files::lock(path)?;
        let log_writer = open::log_writer(path, log_keys.into(), identity, clock.now())?;
        Self::serve(path, log_writer, clock, lock)
    }

    /// The identity that the store at `path` is bound to, whether or not a process has it open; `None` where there is
    /// no store, or where it is not bound yet. The store has no retired keys, so that list is empty.
    ///
    /// # Errors
    /// The store cannot be read, or is not to be served: see [`TransferMark`](ledger::TransferMark).
    pub fn stored_identity(path: &Path) -> Result<Option<Identity>, LedgerError> {
        Ok(open::stored_identity(path)?)
    }

    /// Returns true if a process has the store at `path` open.
    #[must_use]
    pub fn is_open_elsewhere(path: &Path) -> bool {
        files::is_locked(path)
    }

    fn serve(
        path: &Path,
        log_writer: LogWriter,
        clock: Arc<dyn Clock>,
        lock: File,
    ) -> Result<Self, LedgerError> {
        let is_archive = mark_row::is_archive(&log_writer.connection, path)?;
        let quotas = open::quotas(&log_writer.connection, log_writer.head.latest)?;
        let published = PublishedTree::new(Arc::clone(&log_writer.head), log_writer.edge.clone());
        let board = Arc::new(PublishedHead::new(published));
        let readers = ReadConnections::open(path, READERS)?;
        let recent = Arc::clone(&log_writer.recent);
        let checkpointer = WalCheckpointer::start(path)?;
        let writer = Writer::start(log_writer, checkpointer, Arc::clone(&board), Arc::clone(&clock))
            .map_err(|error| cannot_open(path, error))?;
        let caches = Caches::new();
        Ok(Self {
            readers,
            writer,
            board,
            caches,
            recent,
            quotas,
            limiter: Limiter::new(Arc::clone(&clock)),
            replica: OnlyReplica::new(clock.now()),
            clock,
            is_archive,
            _lock: lock,
        })
    }

    /// Leaves of the published tree.
    pub(crate) fn published_size(&self) -> u64 {
        self.board.newest().head.size
    }

    /// Refuses changes of an archive.
    fn check_takes_changes(&self) -> Result<(), LedgerError> {
        if self.is_archive { Err(LedgerError::Busy) } else { Ok(()) }
    }

    /// Makes a change of so many bytes in the next transaction. See [`Change::new`].
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&Connection) -> Result<T, ConnectionError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        self.check_takes_changes()?;
        if bytes > MAX_RECORD_BYTES {
            return Err(LedgerError::Unfit(format!("{bytes} bytes, more than {MAX_RECORD_BYTES}")));
        }
        let (reply, answer) = oneshot::channel();
        self.writer.submit(Job::Step(Box::new(Change::new(bytes, work, reply))))?;
        answer.await.map_err(|_| LedgerError::OutcomeUnknown)?
    }

    /// A short read.
    pub(crate) async fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        self.readers.run_here(|connection| Ok(work(connection)?)).await
    }

    /// A read of what may be large.
    pub(crate) async fn read_aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ConnectionError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        self.readers.run(work).await
    }

    /// A short read over the tiles of the newest published tree.
    async fn over_tiles<T>(
        &self,
        work: impl FnOnce(&TreeView<'_>) -> Result<T, ConnectionError>,
    ) -> Result<T, LedgerError> {
        let work = |connection: &Connection| {
            let published = self.board.newest();
            work(&TreeView::new(connection, &self.caches, &published))
        };
        self.readers.run_here(work).await
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    fn head(&self) -> Arc<Head> {
        Arc::clone(&self.board.newest().head)
    }

    async fn admit(&self, hits: &[RateLimitHit]) -> Result<Admission, LedgerError> {
        Ok(self.limiter.admit(hits))
    }

    async fn note(&self, hit: RateLimitHit) -> Result<(), LedgerError> {
        self.limiter.note(hit);
        Ok(())
    }

    async fn reserve(
        &self,
        requests: Vec<QuotaRequest>,
    ) -> Result<Result<QuotaReservation, usize>, LedgerError> {
        Ok(self.quotas.reserve(requests))
    }

    async fn taken(&self, keys: &[QuotaKey]) -> Result<Vec<u64>, LedgerError> {
        Ok(self.quotas.taken(keys))
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
        self.writer.submit(Job::Append(Box::new(pending)))?;
        answer.await.map_err(|_| LedgerError::OutcomeUnknown)?
    }

    async fn receipt(&self, hash: &ReceiptHash) -> Result<Option<StoredReceipt>, LedgerError> {
        let found =
            self.readers.run_here(|connection| reads::receipt(connection, &self.recent, hash)).await?;
        Ok(found.filter(|receipt| receipt.leaf < self.published_size()))
    }

    async fn short_receipts(
        &self,
        hashes: &[ReceiptHash],
    ) -> Result<Vec<Option<StoredReceipt>>, LedgerError> {
        let hashes = hashes[..hashes.len().min(MAX_SHORT_RECEIPTS)].to_vec();
        let recent = Arc::clone(&self.recent);
        let work = move |connection: &Connection| reads::short_receipts(connection, &recent, &hashes);
        let found = self.readers.run(work).await?;
        // Asked for after the read, as for a single receipt.
        let size = self.published_size();
        Ok(found.into_iter().map(|receipt| receipt.filter(|receipt| receipt.leaf < size)).collect())
    }

    async fn receipt_with_inclusion(
        &self,
        hash: &ReceiptHash,
    ) -> Result<Option<(StoredReceipt, Inclusion)>, LedgerError> {
        let work = |connection: &Connection| {
            let Some(receipt) = reads::receipt(connection, &self.recent, hash)? else { return Ok(None) };
            // Asked for after the read: a receipt that this tree does not have is not published yet.
            let published = self.board.newest();
            let stored = TreeView::new(connection, &self.caches, &published);
            Ok(stored.inclusion(receipt.leaf)?.map(|inclusion| (receipt, inclusion)))
        };
        self.readers.run_here(work).await
    }

    async fn key_records(&self) -> Result<Vec<StoredReceipt>, LedgerError> {
        self.read_aside(|connection| Ok(key_rows::records(connection)?)).await
    }

    async fn request(&self, leaf: u64) -> Result<Option<StoredRequest>, LedgerError> {
        self.readers.run(move |connection| reads::request(connection, leaf)).await
    }

    async fn evidence_elsewhere(&self, leaf: u64) -> Result<Option<Vec<[u8; 32]>>, LedgerError> {
        self.read(move |connection| reads::evidence_elsewhere(connection, leaf)).await
    }

    async fn evidence(&self, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError> {
        self.readers.run(move |connection| reads::evidence(connection, leaf)).await
    }

    async fn inclusion(&self, leaf: u64) -> Result<Inclusion, LedgerError> {
        let proof = self.over_tiles(|stored| stored.inclusion(leaf)).await?;
        proof.ok_or(LedgerError::NoSuchLeaf(leaf))
    }

    async fn root_at(&self, size: u64) -> Result<Option<Hash>, LedgerError> {
        let newest = self.head();
        if size >= newest.size {
            return Ok((size == newest.size).then_some(newest.root));
        }
        self.over_tiles(|stored| stored.root_at(size)).await.map(Some)
    }

    async fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, LedgerError> {
        self.over_tiles(|stored| stored.bytes(&path)).await
    }

    async fn counts(&self) -> Result<Vec<ClassCount>, LedgerError> {
        self.readers.run_here(reads::counts).await
    }

    async fn days(&self, since: u32) -> Result<Vec<DayCount>, LedgerError> {
        self.readers.run_here(|connection| reads::days(connection, since)).await
    }

    async fn counted(&self, keys: &[CounterKey]) -> Result<Vec<u64>, LedgerError> {
        self.readers.run_here(|connection| reads::counted(connection, keys)).await
    }

    async fn memory(&self, key: MemoryKey) -> Result<Option<Memory>, LedgerError> {
        self.read(|connection| reads::memory(connection, key)).await
    }

    async fn request_trial(
        &self,
        request: TrialRequest,
        reservation: Option<QuotaReservation>,
    ) -> Result<(), LedgerError> {
        let bytes = request.bytes();
        let work = move |transaction: &Connection| {
            if rows::has_all_trials(transaction)? {
                return Err(LedgerError::TrialLimit.into());
            }
            rows::insert_trial(transaction, &request)?;
            reservation.iter().try_for_each(|reservation| rows::insert_use(transaction, reservation))?;
            Ok(reservation)
        };
        if let Some(reservation) = self.change(bytes, work).await? {
            reservation.use_up();
        }
        Ok(())
    }

    async fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError> {
        self.readers.run(move |connection| reads::trials(connection, most)).await
    }

    async fn backlog(&self, now: Timestamp) -> Result<Backlog, LedgerError> {
        // Counting all watches takes more than a moment.
        self.read_aside(move |connection| Ok(backlog_rows::backlog(connection, now)?)).await
    }

    fn is_writable(&self) -> bool {
        !self.is_archive && self.writer.is_writable()
    }
}
