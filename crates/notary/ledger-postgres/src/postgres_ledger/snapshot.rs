//! Reads of one moment, with the head of the log at that moment.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use deadpool_postgres::Object;
use ledger::LedgerError;
use ledger::back_end::PublishedTree;

use super::{PostgresLedger, reader};
use crate::connection::{Connection, Marks, Result};
use crate::log::head::{self, StoredHead};
use crate::log::parts::TreeView;

/// A read-only transaction. All that is read in it is of one moment, and so is its head.
///
/// A server that was cut off from its standby, or that has just been promoted, may show commits which nobody was told of,
/// and which are lost when another server takes its place. So nothing is handed out under a head that this process does not
/// know to be durable, before the same server has acknowledged a write that was begun after the read (see
/// docs/decisions/0040). It acknowledges none while its standby has not got all that was read.
pub(crate) struct Snapshot<'l> {
    client: Option<Object>,
    offset: i64,
    marks: Marks,
    ledger: &'l PostgresLedger,
    published: Arc<PublishedTree>,
    is_durable: bool,
}

const CONFIRM: &str = "INSERT INTO writers (writer, token, resolved) VALUES ($1, 0, 1)
    ON CONFLICT (writer) DO UPDATE SET resolved = writers.resolved + 1";

impl Snapshot<'_> {
    pub(crate) fn connection(&self) -> Connection<'_> {
        let client = self.client.as_ref().expect("it is taken at the end alone");
        Connection::new(client, self.offset, &self.marks)
    }

    pub(crate) fn published(&self) -> &Arc<PublishedTree> {
        &self.published
    }

    /// The tree of the log at that moment.
    pub(crate) fn tree(&self) -> TreeView<'_> {
        TreeView { connection: self.connection(), caches: &self.ledger.caches, published: &self.published }
    }

    /// Ends the read. What was read may be handed out if this succeeds, and not before.
    pub(crate) async fn end(mut self) -> std::result::Result<(), LedgerError> {
        self.connection().batch("COMMIT").await?;
        if !self.is_durable {
            let warnings = self.ledger.warnings.load(Ordering::Acquire);
            // A row of this connection's own, so that no reader waits for another one.
            let key =
                self.ledger.reader_key(std::ptr::from_ref(&**self.client.as_ref().expect("as above")).addr());
            self.connection().run(CONFIRM, &[&key.as_slice()]).await?;
            // Of whichever connection: at worst this read is refused for the sake of another one.
            if self.ledger.warnings.load(Ordering::Acquire) != warnings {
                return Err(LedgerError::OutcomeUnknown);
            }
            self.ledger.board.advance(&self.published);
        }
        drop(self.client.take());
        Ok(())
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
        let client = reader::take(&self.pool, &self.server).await?;
        // Known before the snapshot begins, which therefore has it.
        let known = self.board.newest();
        let mut snapshot = Snapshot {
            client: Some(client),
            offset: self.server.offset(),
            marks: Marks::default(),
            ledger: self,
            published: known,
            is_durable: true,
        };
        if let Some(newer) = self.newer_than(&snapshot.published, snapshot.connection()).await? {
            snapshot.published = Arc::new(newer);
            snapshot.is_durable = false;
        }
        Ok(snapshot)
    }

    /// Begins the transaction. Returns the tree at its moment, where that is newer than the known one.
    async fn newer_than(
        &self,
        known: &PublishedTree,
        connection: Connection<'_>,
    ) -> Result<Option<PublishedTree>> {
        let begin = connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let ((), stored) = tokio::try_join!(begin, StoredHead::read(connection))?;
        let (size, root) = stored.mark()?;
        if (size, root) == (known.head.size, known.head.root) {
            return Ok(None);
        }
        if size <= known.head.size {
            let why = format!(
                "the store's log has {size} leaves and the root {root}, and had {} and {}",
                known.head.size, known.head.root
            );
            return Err(LedgerError::Corrupt(why).into());
        }
        let head = stored.checked(&self.verifier)?;
        let edge = head::edge(connection, &head).await?;
        Ok(Some(PublishedTree::new(Arc::new(head), edge)))
    }

    /// The key in `writers` of a connection for reading: of this process, and of the connection within it.
    fn reader_key(&self, connection: usize) -> [u8; 16] {
        let mut key = self.process;
        for (byte, of) in key.iter_mut().zip((connection as u64).to_be_bytes()) {
            *byte ^= of;
        }
        key
    }
}
