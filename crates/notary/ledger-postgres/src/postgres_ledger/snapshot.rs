//! Reads of one moment, with the head of the log at that moment.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use deadpool_postgres::Object;
use ledger::back_end::PublishedTree;
use ledger::{LedgerError, StoredReceipt};

use super::PostgresLedger;
use super::reader::{BegunRead, ReadFrom};
use crate::connection::{Connection, Marks, Result};
use crate::failure::ConnectionError;
use crate::log::head::{self, StoredHead};
use crate::log::parts::{NewParts, TreeView};
use crate::together::together;

/// A read-only transaction. All that is read in it is of one moment, and so is its head.
///
/// A server that was cut off from its standby, or that has just been promoted, may show commits which nobody was told of,
/// and which are lost when another server takes its place. So nothing is handed out under a head that this process does not
/// know to be durable, before the same server has acknowledged a write that was begun after the read (see
/// docs/decisions/0040). It acknowledges none while its standby has not got all that was read.
///
/// While no server takes writes, another one is read. It acknowledges nothing, so it answers under the head that this
/// process knows to be durable and no later one, and only if its log is the one of that head.
pub(crate) struct Snapshot<'l> {
    client: Option<Object>,
    offset: i64,
    marks: Marks,
    ledger: &'l PostgresLedger,
    published: Arc<PublishedTree>,
    is_durable: bool,
    /// True if it has all that was answered by any replica. A server that takes no writes may lack the newest.
    is_whole: bool,
    /// The parts of the tree that were read under a head that is not known to be durable.
    new_parts: Option<NewParts>,
}

const CONFIRM: &str = "INSERT INTO writers (writer, token, resolved, at)
    VALUES ($1, 0, 1, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT)
    ON CONFLICT (writer) DO UPDATE SET resolved = writers.resolved + 1, at = excluded.at";

impl Snapshot<'_> {
    pub(crate) fn connection(&self) -> Connection<'_> {
        let client = self.client.as_ref().expect("it is taken at the end alone");
        Connection::new(client, self.offset, &self.marks)
    }

    pub(crate) fn published(&self) -> &Arc<PublishedTree> {
        &self.published
    }

    /// The receipt that was found in it, if any.
    ///
    /// # Errors
    /// [`LedgerError::Busy`] where the read can neither show the receipt nor say that there is none: the server may lack the
    /// newest receipts, and those that it has past the known head may be lost again.
    pub(crate) fn known(
        &self,
        found: Option<StoredReceipt>,
    ) -> std::result::Result<Option<StoredReceipt>, LedgerError> {
        match found {
            Some(receipt) if receipt.leaf < self.published.head.size => Ok(Some(receipt)),
            None if self.is_whole => Ok(None),
            Some(_) | None => Err(LedgerError::Busy),
        }
    }

    /// The tree of the log at that moment.
    pub(crate) fn tree(&self) -> TreeView<'_> {
        TreeView {
            connection: self.connection(),
            caches: &self.ledger.caches,
            published: &self.published,
            new_parts: self.new_parts.as_ref(),
        }
    }

    /// Ends a read whose result nobody uses.
    pub(crate) async fn abandon(mut self) -> std::result::Result<(), LedgerError> {
        self.connection().batch("COMMIT").await?;
        drop(self.client.take());
        Ok(())
    }

    /// Ends the read. What was read may be handed out if this succeeds, and not before.
    pub(crate) async fn end(mut self) -> std::result::Result<(), LedgerError> {
        self.connection().batch("COMMIT").await?;
        if !self.is_durable && !self.is_known_by_now() {
            let warnings = self.ledger.pools.warnings.load(Ordering::Acquire);
            let key = self.ledger.writer_keys.take();
            self.connection().run(CONFIRM, &[&key.bytes()]).await?;
            // Of whichever connection: at worst this read is refused for the sake of another one.
            if self.ledger.pools.warnings.load(Ordering::Acquire) != warnings {
                return Err(ConnectionError::NoConnection("the server confirms no reads".to_owned()).into());
            }
            self.ledger.board.advance(&self.published);
        }
        if let Some(parts) = self.new_parts.take() {
            self.ledger.caches.keep(parts);
        }
        drop(self.client.take());
        Ok(())
    }

    /// Returns true if the very head of this read was found to be durable meanwhile, by this process's writer or by another
    /// read.
    fn is_known_by_now(&self) -> bool {
        let known = self.ledger.board.newest();
        (known.head.size, known.head.root) == (self.published.head.size, self.published.head.root)
    }
}

/// A connection with an open transaction serves nobody else.
impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

impl PostgresLedger {
    /// Begins a read of one moment.
    pub(crate) async fn snapshot(&self) -> std::result::Result<Snapshot<'_>, LedgerError> {
        // Known before the snapshot begins, which therefore has it.
        let known = self.board.newest();
        let BegunRead { client, from, newer } = self.begin_read(Some(&known)).await?;
        let is_durable = newer.is_none();
        Ok(Snapshot {
            client: Some(client),
            offset: self.server.offset(),
            marks: Marks::default(),
            ledger: self,
            published: newer.map_or(known, Arc::new),
            is_durable,
            is_whole: from == ReadFrom::Primary,
            new_parts: (!is_durable).then(NewParts::default),
        })
    }

    /// Begins the transaction. Returns the tree at its moment, where that is newer than the known one and may be handed out
    /// once it was confirmed.
    pub(super) async fn begin_snapshot(
        &self,
        known: &PublishedTree,
        connection: Connection<'_>,
        from: ReadFrom,
    ) -> Result<Option<PublishedTree>> {
        let newer = self.newer_than(known, connection, from).await?;
        if let Some(newer) = &newer {
            // The end of the read makes this tree the known one, which the writer compares the store with: it must extend the last.
            self.check_extends(known, newer, connection).await?;
        }
        Ok(newer.filter(|_| from == ReadFrom::Primary))
    }

    /// Checks that the log of a snapshot begins with the known one.
    async fn check_extends(
        &self,
        known: &PublishedTree,
        newer: &PublishedTree,
        connection: Connection<'_>,
    ) -> Result<()> {
        // What was read here is of no use to others: it may be lost again.
        let new_parts = NewParts::default();
        let tree =
            TreeView { connection, caches: &self.caches, published: newer, new_parts: Some(&new_parts) };
        tree.check_extends(&known.head).await
    }

    /// Begins the transaction. Returns the tree at its moment, where that is newer than the known one.
    async fn newer_than(
        &self,
        known: &PublishedTree,
        connection: Connection<'_>,
        from: ReadFrom,
    ) -> Result<Option<PublishedTree>> {
        let begin = connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let ((), stored) = together!(begin, StoredHead::read(connection))?;
        let (size, root) = stored.mark()?;
        if (size, root) == (known.head.size, known.head.root) {
            return Ok(None);
        }
        if size < known.head.size && from == ReadFrom::Any {
            let why = "the server that can be read is behind the log that this process knows";
            return Err(ConnectionError::NoConnection(why.to_owned()));
        }
        head::check_not_behind((size, root), &known.head)?;
        let head = stored.checked(&self.log_keys.known())?;
        let edge = head::edge(connection, &head).await?;
        Ok(Some(PublishedTree::new(Arc::new(head), edge)))
    }
}

/// The keys in `writers` under which reads are confirmed: one for each connection of the pool, so that no read waits for
/// another one, and their number is bounded.
pub(super) struct WriterKeys {
    /// Random bits of this process.
    process: [u8; 16],
    free: Mutex<Vec<u8>>,
}

impl WriterKeys {
    pub(super) fn new(process: [u8; 16], connections: u8) -> Self {
        Self { process, free: Mutex::new((0..connections).collect()) }
    }

    fn take(&self) -> WriterKey<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // There are as many as connections. One that two reads share makes one of them wait.
        WriterKey { number: free.pop().unwrap_or(u8::MAX), keys: self }
    }
}

/// A key that one read uses at a time.
struct WriterKey<'k> {
    number: u8,
    keys: &'k WriterKeys,
}

impl WriterKey<'_> {
    fn bytes(&self) -> Vec<u8> {
        [self.keys.process.as_slice(), &[self.number]].concat()
    }
}

impl Drop for WriterKey<'_> {
    fn drop(&mut self) {
        if self.number < u8::MAX {
            self.keys.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
        }
    }
}
