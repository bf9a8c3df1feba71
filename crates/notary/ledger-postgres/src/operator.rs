//! The operator's connection to a store, beside the service's or without it.

use std::future::Future;

use ledger::{
    Grant, GrantId, LedgerError, NewGrant, OperatorStore, Refund, RefundId, RefundState, TrialRequest,
};
use receipt::time::Timestamp;
use tokio::runtime::Runtime;

use crate::config::{PostgresConfig, Server};
use crate::connection::{Connection, Result};
use crate::grants::grant_rows;
use crate::log::stored;
use crate::migrate;
use crate::refunds::{payouts, refund_rows};
use crate::sequencer::Session;
use crate::work;

/// The operator's store on PostgreSQL: a connection of its own, on a runtime of its own.
///
/// It is for commands, which have no runtime: its methods block. Each change is a short transaction under the lock of the
/// work sequencer, so it waits for those of the replicas, and they for it.
pub struct PostgresOperatorStore {
    session: Session,
    runtime: Runtime,
}

impl PostgresOperatorStore {
    /// Opens a store that is there.
    ///
    /// # Errors
    /// The store cannot be reached, is no store yet, or has the schema of another version.
    pub fn open(config: &PostgresConfig) -> std::result::Result<Self, LedgerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| config.error(error))?;
        let server = Server::new(config)?;
        let session = runtime.block_on(async {
            let session = Session::open(&server).await.map_err(|error| config.error(error))?;
            migrate::check_for_operator(session.connection(0), config).await?;
            Ok::<_, LedgerError>(session)
        })?;
        Ok(Self { session, runtime })
    }

    fn read<T>(&self, work: impl Future<Output = Result<T>>) -> std::result::Result<T, LedgerError> {
        Ok(self.runtime.block_on(work)?)
    }

    /// Makes a change in a transaction that holds the lock of the work sequencer. A failed one is rolled back.
    fn change<T>(&self, work: impl Future<Output = Result<T>>) -> std::result::Result<T, LedgerError> {
        let connection = self.session.connection(0);
        let change = async {
            connection.batch("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
            work::lock(connection).await?;
            let value = work.await?;
            connection.batch("COMMIT").await?;
            Ok(value)
        };
        let made: Result<T> = self.runtime.block_on(change);
        if made.is_err() {
            // Where this fails as well, the server rolls back by itself.
            drop(self.runtime.block_on(connection.batch("ROLLBACK")));
        }
        Ok(made?)
    }

    fn connection(&self) -> Connection<'_> {
        self.session.connection(0)
    }
}

impl OperatorStore for PostgresOperatorStore {
    fn trials(&self, most: u32) -> std::result::Result<Vec<TrialRequest>, LedgerError> {
        self.read(stored::trials(self.connection(), most))
    }

    fn trial(&self, request_id: &str) -> std::result::Result<Option<TrialRequest>, LedgerError> {
        self.read(stored::trial(self.connection(), request_id))
    }

    fn grant(&mut self, new: &[NewGrant]) -> std::result::Result<Vec<GrantId>, LedgerError> {
        self.change(grant_rows::make(self.connection(), new))
    }

    fn revoke(&mut self, id: GrantId, at: Timestamp) -> std::result::Result<(), LedgerError> {
        self.change(grant_rows::revoke(self.connection(), id, at))
    }

    fn grants(&self, at: Timestamp) -> std::result::Result<Vec<(Grant, u32)>, LedgerError> {
        self.read(grant_rows::all(self.connection(), at))
    }

    fn refunds(&self, states: &[RefundState]) -> std::result::Result<Vec<Refund>, LedgerError> {
        self.read(refund_rows::in_states(self.connection(), states))
    }

    fn paid_by_hand(
        &mut self,
        id: RefundId,
        transaction: [u8; 32],
        at: Timestamp,
        is_over: &dyn Fn(&[u8]) -> bool,
    ) -> std::result::Result<(), LedgerError> {
        self.change(payouts::paid_by_hand(self.connection(), id, transaction, at, is_over))
    }

    fn reserve(&self) -> std::result::Result<Vec<(String, u64)>, LedgerError> {
        self.read(refund_rows::reserves(self.connection()))
    }
}
