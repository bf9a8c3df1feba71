//! Reads of one moment, with the head of the log at that moment.

use std::sync::Arc;

use deadpool_postgres::Object;
use ledger::LedgerError;
use ledger::back_end::PublishedTree;

use super::PostgresLedger;
use crate::connection::{Connection, Marks, Result};
use crate::failure::ConnectionError;
use crate::log::head::{self, StoredHead};
use crate::log::parts::TreeView;

/// A read-only transaction. All that is read in it is of one moment, and so is its head.
pub(crate) struct Snapshot<'l> {
    client: Option<Object>,
    offset: i64,
    marks: Marks,
    ledger: &'l PostgresLedger,
    published: Arc<PublishedTree>,
}

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

    /// Ends the transaction, so that the connection serves others. Without it the connection is closed.
    pub(crate) async fn end(mut self) {
        if self.connection().batch("COMMIT").await.is_ok() {
            drop(self.client.take());
        }
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
    /// Begins a read of one moment. The head of that moment is published within this process.
    pub(crate) async fn snapshot(&self) -> std::result::Result<Snapshot<'_>, LedgerError> {
        let client = self.pool.get().await.map_err(ConnectionError::from)?;
        let mut snapshot = Snapshot {
            client: Some(client),
            offset: self.server.offset(),
            marks: Marks::default(),
            ledger: self,
            published: self.board.newest(),
        };
        let published = self.published_at(snapshot.connection()).await?;
        snapshot.published = published;
        Ok(snapshot)
    }

    async fn published_at(&self, connection: Connection<'_>) -> Result<Arc<PublishedTree>> {
        // Known before the snapshot begins, which therefore has it.
        let known = self.board.newest();
        let begin = connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        let ((), stored) = tokio::try_join!(begin, StoredHead::read(connection))?;
        let (size, root) = stored.mark()?;
        if (size, root) == (known.head.size, known.head.root) {
            return Ok(known);
        }
        if size <= known.head.size {
            let why =
                format!("the store's log has {size} leaves and the root {root}, and had {}", known.head.size);
            return Err(LedgerError::Corrupt(why).into());
        }
        let head = stored.checked(&self.verifier)?;
        let edge = head::edge(connection, &head).await?;
        let published = Arc::new(PublishedTree::new(Arc::new(head), edge));
        self.board.advance(&published);
        Ok(published)
    }
}
