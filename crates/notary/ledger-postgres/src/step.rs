//! A small change of the store with an answer of its own, decided within a transaction of the work sequencer, answered
//! after its commit.

use futures_util::future::BoxFuture;
use ledger::LedgerError;
use tokio::sync::oneshot;

use crate::connection::{Connection, Result};

pub(crate) type Reply<T> = oneshot::Sender<std::result::Result<T, LedgerError>>;

/// The work of a [`Change`]: a function of its arguments and the database alone, since it is done again where its
/// transaction was rolled back for the sake of another one. It refuses before it has changed anything: a refusal does
/// not roll back.
pub(crate) type StepFn<A, T> = for<'a> fn(Connection<'a>, &'a A) -> BoxFuture<'a, Result<T>>;

/// A [`Change`] of any kind.
pub(crate) trait AnyChange: Send {
    /// The bytes that it adds to the queue.
    fn bytes(&self) -> usize;

    /// Makes the change within a transaction. It sees the changes before it in the batch.
    ///
    /// # Errors
    /// The store failed, and the whole batch is to be rolled back. That the change is refused is no error here, and neither
    /// is that what was reserved for it is not held any more.
    fn take<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;

    /// Answers the caller with the decision, which is durable, or with an error.
    fn answer(self: Box<Self>, error: Option<LedgerError>);
}

/// The one implementation of [`AnyChange`]: work with its arguments, and the caller who waits for its result.
pub(crate) struct Change<A, T> {
    bytes: usize,
    args: A,
    work: StepFn<A, T>,
    /// What is done with the arguments once the change is durable, or may be.
    after: fn(A),
    decided: Option<std::result::Result<T, LedgerError>>,
    reply: Reply<T>,
}

impl<A, T> Change<A, T> {
    pub(crate) fn new(bytes: usize, args: A, work: StepFn<A, T>, reply: Reply<T>) -> Self {
        Self { bytes, args, work, after: drop, decided: None, reply }
    }

    /// Does `after` with the arguments once the change is durable, or may be. A change that was refused drops them.
    pub(crate) fn and_then(self, after: fn(A)) -> Self {
        Self { after, ..self }
    }
}

impl<A: Send + Sync, T: Send> AnyChange for Change<A, T> {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn take<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        let Self { args, work, decided, .. } = self;
        let taken = work(connection, args);
        Box::pin(async move {
            match taken.await {
                Err(error) if !error.is_refusal() && !error.is_busy() => Err(error),
                result => {
                    *decided = Some(result.map_err(LedgerError::from));
                    Ok(())
                }
            }
        })
    }

    fn answer(self: Box<Self>, error: Option<LedgerError>) {
        let Self { args, after, decided, reply, .. } = *self;
        let result = match error {
            Some(error) => Err(error),
            None => decided.unwrap_or(Err(LedgerError::Busy)),
        };
        // The arguments first: who sees a refusal may ask again at once for what was reserved.
        match &result {
            Ok(_) | Err(LedgerError::OutcomeUnknown) => after(args),
            Err(_) => drop(args),
        }
        // A caller that has gone away is not told; the change stands all the same.
        drop(reply.send(result));
    }
}
