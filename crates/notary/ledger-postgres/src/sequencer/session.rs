//! The connection of one sequencer, and the notices that came over it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use deadpool_postgres::ClientWrapper;

use super::task::TRANSACTION_BOUND;
use crate::config::Server;
use crate::connection::{Connection, Marks, Result, within};
use crate::failure::ConnectionError;

/// Ends a transaction. A COMMIT by itself ends one in which a statement has failed as a ROLLBACK, and says so in the tag of
/// its answer alone; here the statement before it fails.
const COMMIT: &str = "SELECT 1; COMMIT";

/// A connection of one sequencer. It is dropped after a failure: the server then rolls back what was not committed.
pub(crate) struct Session {
    client: ClientWrapper,
    made: Instant,
    /// The warnings that the server has sent.
    warnings: Arc<AtomicU64>,
    marks: Marks,
}

impl Session {
    pub(crate) async fn open(server: &Server) -> Result<Self> {
        let (warnings, made) = (Arc::new(AtomicU64::new(0)), Instant::now());
        let client = server.connect(Arc::clone(&warnings)).await?;
        Ok(Self { client, made, warnings, marks: Marks::default() })
    }

    pub(crate) fn connection(&self, offset: i64) -> Connection<'_> {
        Connection::new(&self.client, offset, &self.marks)
    }

    /// The time before which it was begun to be made.
    pub(super) fn made(&self) -> Instant {
        self.made
    }

    /// The connection as tokio-postgres has it.
    pub(crate) fn client(&self) -> &tokio_postgres::Client {
        &self.client
    }

    /// Returns true if rows were changed since the last call.
    pub(crate) fn take_changed(&self) -> bool {
        self.marks.changed.swap(0, Ordering::Relaxed) > 0
    }

    /// Commits. An error, also one for a warning that came with the acknowledgement, does not say that nothing happened,
    /// unless it [is one that does](ConnectionError::is_surely_rolled_back).
    pub(crate) async fn commit(&self) -> Result<()> {
        let before = self.warnings();
        within(TRANSACTION_BOUND, self.connection(0).batch(COMMIT)).await?;
        if self.warnings() == before {
            return Ok(());
        }
        Err(ConnectionError::NoConnection("the server has acknowledged a commit with a warning".to_owned()))
    }

    pub(crate) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }
}
