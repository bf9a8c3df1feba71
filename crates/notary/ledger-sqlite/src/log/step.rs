//! A small change of the store with an answer of its own, decided within the batch's transaction, answered after its
//! commit.

use ledger::LedgerError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::failure::ConnectionError;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, LedgerError>>;

/// A [`Change`] of any kind.
pub(crate) trait AnyChange: Send {
    /// The bytes that it adds to the queue.
    fn bytes(&self) -> usize;

    /// Makes the change within a transaction. It sees the changes before it in the batch.
    ///
    /// # Errors
    /// The store failed, and the whole batch is to be rolled back. That the change is refused is no error here.
    fn take(&mut self, transaction: &Connection) -> Result<(), ConnectionError>;

    /// Answers the caller: with the decision, or that it was rolled back.
    fn answer(self: Box<Self>, is_durable: bool);
}

/// The one implementation of [`AnyChange`]: work, and the caller who waits for its result.
pub(crate) struct Change<T, W> {
    bytes: usize,
    work: Option<W>,
    decided: Option<Result<T, LedgerError>>,
    reply: Reply<T>,
}

impl<T, W> Change<T, W> {
    /// `work` refuses before it has changed anything: a refusal does not roll back.
    pub(crate) fn new(bytes: usize, work: W, reply: Reply<T>) -> Self {
        Self { bytes, work: Some(work), decided: None, reply }
    }
}

impl<T: Send, W: FnOnce(&Connection) -> Result<T, ConnectionError> + Send> AnyChange for Change<T, W> {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn take(&mut self, transaction: &Connection) -> Result<(), ConnectionError> {
        let work = self.work.take().expect("a batch is committed once");
        match work(transaction) {
            Err(error) if !error.0.is_refusal() => Err(error),
            decided => {
                self.decided = Some(decided.map_err(LedgerError::from));
                Ok(())
            }
        }
    }

    fn answer(self: Box<Self>, is_durable: bool) {
        let decided = self.decided.filter(|_| is_durable);
        // A caller that has gone away is not told; the change stands all the same.
        drop(self.reply.send(decided.unwrap_or(Err(LedgerError::Busy))));
    }
}
