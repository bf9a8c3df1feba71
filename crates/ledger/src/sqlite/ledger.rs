//! The trait, on SQLite.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension};
use tlog::tile::{TileKind, tile_width};
use tlog::{Hash, SigningKey, TilePath, TileReader};
use tokio::sync::oneshot;
use verdict::Clock;

use super::open;
use super::readers::Readers;
use super::writer::{Job, Writer};
use crate::published::{Board, Head, Published, TileCache};
use crate::{
    Admission, Appended, ClassCount, Identity, Inclusion, Ledger, LedgerError, Limiter, Place, PlaceKey,
    Places, Record, StoredBlob, StoredReceipt, TrialRequest, Visit,
};

/// Reading connections: as many reads at once as a small machine has cores, and a few to spare.
const READERS: usize = 4;

/// The embedded ledger of a single process.
pub struct SqliteLedger {
    writer: Writer,
    readers: Readers,
    board: Arc<Board>,
    tiles: Arc<TileCache>,
    places: Places,
    limiter: Limiter,
    _lock: File,
}

impl SqliteLedger {
    /// Opens the store at `path`, or makes it.
    ///
    /// # Errors
    /// Another process has it open; it was made with other keys; or its log does not meet its last signed
    /// checkpoint.
    pub fn open(
        path: &Path,
        log_key: SigningKey,
        identity: &Identity,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, LedgerError> {
        let lock = open::lock(path)?;
        let books = open::books(path, log_key, identity, clock.now())?;
        let places = open::places(&books.connection, crate::places::day_number(clock.now()))?;
        let published = Published { head: Arc::clone(&books.head), edge: books.edge.clone() };
        let board = Arc::new(Board::new(published));
        let readers = Readers::open(path, READERS)?;
        let writer = Writer::start(books, Arc::clone(&board))
            .map_err(|error| LedgerError::Open { path: path.display().to_string(), why: error.to_string() })?;
        let tiles = Arc::new(TileCache::new());
        Ok(Self { writer, readers, board, tiles, places, limiter: Limiter::new(clock), _lock: lock })
    }

    /// Runs `work` over the tiles of the newest published tree.
    async fn over_tiles<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Stored<'_>) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let (published, cache) = (self.board.newest(), Arc::clone(&self.tiles));
        self.readers
            .run(move |connection| work(&Stored { connection, cache: &cache, published: &published }))
            .await
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    fn head(&self) -> Arc<Head> {
        Arc::clone(&self.board.newest().head)
    }

    async fn admit(&self, visits: &[Visit]) -> Result<Admission, LedgerError> {
        Ok(self.limiter.admit(visits))
    }

    async fn note(&self, visit: Visit) -> Result<(), LedgerError> {
        self.limiter.note(visit);
        Ok(())
    }

    async fn reserve(&self, key: PlaceKey, allowance: u32) -> Result<Option<Place>, LedgerError> {
        Ok(self.places.reserve(key, allowance))
    }

    async fn append(&self, record: Record) -> Result<Appended, LedgerError> {
        let (reply, answer) = oneshot::channel();
        self.writer.submit(Job::Append(Box::new(record), reply))?;
        answer.await.map_err(|_| LedgerError::Busy)?
    }

    async fn receipt(&self, hash: &ReceiptHash) -> Result<Option<StoredReceipt>, LedgerError> {
        let hash = *hash;
        self.readers
            .run(move |connection| {
                let mut statement = connection
                    .prepare_cached("SELECT leaf, payload, signature FROM receipts WHERE hash = ?")?;
                let row = statement.query_row([hash.as_bytes()], |row| {
                    Ok(StoredReceipt { leaf: row.get(0)?, payload: row.get(1)?, signature: row.get(2)? })
                });
                Ok(row.optional()?)
            })
            .await
    }

    async fn request(&self, leaf: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached("SELECT body FROM requests WHERE leaf = ?")?;
                Ok(statement.query_row([leaf], |row| row.get(0)).optional()?)
            })
            .await
    }

    async fn evidence(&self, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT role, evidence.sha256, bytes FROM evidence LEFT JOIN blobs USING (sha256)
                     WHERE leaf = ? ORDER BY position",
                )?;
                let rows = statement.query_map([leaf], |row| {
                    Ok(StoredBlob { role: row.get(0)?, sha256: row.get(1)?, bytes: row.get(2)? })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn inclusion(&self, leaf: u64) -> Result<Inclusion, LedgerError> {
        self.over_tiles(move |stored| {
            let head = &stored.published.head;
            let path = tlog::inclusion_path(head.size, leaf, stored).map_err(unsound)?;
            Ok(Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) })
        })
        .await
    }

    async fn root_at(&self, size: u64) -> Result<Option<Hash>, LedgerError> {
        let newest = self.head();
        if size >= newest.size {
            return Ok((size == newest.size).then_some(newest.root));
        }
        self.over_tiles(move |stored| tlog::root_at(size, stored).map(Some).map_err(unsound)).await
    }

    async fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, LedgerError> {
        self.over_tiles(move |stored| stored.bytes(&path)).await
    }

    async fn counts(&self) -> Result<Vec<ClassCount>, LedgerError> {
        self.readers
            .run(|connection| {
                let mut statement = connection.prepare_cached("SELECT class, free, paid FROM counts")?;
                let rows = statement.query_map([], |row| {
                    Ok(ClassCount { class: row.get(0)?, free: row.get(1)?, paid: row.get(2)? })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn request_trial(&self, request: TrialRequest) -> Result<(), LedgerError> {
        let (reply, answer) = oneshot::channel();
        self.writer.submit(Job::Trial(request, reply))?;
        answer.await.map_err(|_| LedgerError::Busy)?
    }

    fn is_writable(&self) -> bool {
        self.writer.is_sound()
    }
}

fn unsound(error: impl std::fmt::Display) -> LedgerError {
    LedgerError::Corrupt(error.to_string())
}

/// The tiles of a published tree: full ones from the store, partial ones from the right edge.
struct Stored<'a> {
    connection: &'a Connection,
    cache: &'a TileCache,
    published: &'a Published,
}

impl Stored<'_> {
    /// The bytes of a tile as served, or `None` where the published tree does not have it at that width.
    fn bytes(&self, path: &TilePath) -> Result<Option<Vec<u8>>, LedgerError> {
        let width = path.width();
        let level = if let TileKind::Hashes(level) = path.kind() { level } else { 0 };
        if width > tile_width(self.published.head.size, level, path.index()) {
            return Ok(None);
        }
        match path.kind() {
            TileKind::Hashes(level) => {
                let hashes = self.tile(level, path.index(), width)?;
                Ok(Some(tlog::tile::encode_hashes(&hashes[..usize::from(width)])))
            }
            TileKind::Entries => {
                let first = path.index() * 256;
                let entries = open::entries(self.connection, first..first + u64::from(width))?;
                Ok(Some(tlog::tile::encode_bundle(&entries).map_err(unsound)?))
            }
        }
    }
}

impl TileReader for Stored<'_> {
    type Error = LedgerError;

    fn tile(&self, level: u8, index: u64, _width: u16) -> Result<Arc<[Hash]>, LedgerError> {
        let partial = self.published.edge.partial_tiles();
        if let Some(tile) = partial.into_iter().find(|tile| (tile.level, tile.index) == (level, index)) {
            return Ok(tile.hashes.into());
        }
        self.cache.get(level, index, || open::full_tile(self.connection, level, index))
    }
}
