//! The operator's connection to a store, beside the service's replicas or without them.

use std::cell::RefCell;

use ledger::{
    AskedErasure, Grant, GrantId, Identity, IdentityRule, LedgerError, NewGrant, OperatorStore, Refund,
    RefundId, RefundState, StoreStatus, StoredReceipt, TrialRequest,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::VerifierKey;

use crate::blocking::Blocking;
use crate::config::{PostgresConfig, Server};
use crate::connection::{Connection, Result};
use crate::grants::grant_rows;
use crate::identity_rows;
use crate::key_rows;
use crate::log::head::StoredHead;
use crate::log::{check, reads, stored};
use crate::mark_row;
use crate::migrate;
use crate::refunds::payouts;
use crate::refunds::refund_rows;
use crate::replica_rows;
use crate::retention::asked_rows;
use crate::sequencer::Session;
use crate::work;

type Answer<T> = std::result::Result<T, LedgerError>;

/// The number of times that a change is tried which was rolled back for the sake of another transaction.
const CONFLICT_ATTEMPTS: u32 = 20;

/// The operator's store on PostgreSQL: one connection, beside those of the service's replicas or without them.
///
/// It creates nothing. Each change is a transaction of its own under the lock row of the work sequencer, so it and the
/// steps of all replicas come one after another. It writes only grants, refunds, asked erasures and the store's identity, and never
/// the log.
///
/// Its methods wait on the caller's thread, within a runtime or without one.
pub struct PostgresOperatorStore {
    // In this order: the connection is closed before the runtime that moves it.
    session: RefCell<Option<Session>>,
    blocking: Blocking,
    server: Server,
    is_archive: bool,
}

impl PostgresOperatorStore {
    /// Opens the existing store at an address.
    ///
    /// # Errors
    /// The servers cannot be reached; or the store does not exist, has the schema of another version, was moved, or is a copy
    /// that is not whole.
    pub fn open(config: &PostgresConfig) -> Answer<Self> {
        let blocking = Blocking::start().map_err(|error| config.error(error))?;
        let server = Server::new(config)?;
        let (session, is_archive) = blocking.wait(async {
            let session = Session::open(&server).await.map_err(|error| config.error(error))?;
            migrate::check_for_operator(session.connection(0), config).await?;
            let is_archive = mark_row::is_archive(session.connection(0), config).await?;
            Ok::<_, LedgerError>((session, is_archive))
        })?;
        Ok(Self { session: RefCell::new(Some(session)), blocking, server, is_archive })
    }

    /// Reads, without a transaction: what one statement returns is of one moment.
    fn read<T>(&self, read: impl AsyncFn(Connection<'_>) -> Result<T>) -> Answer<T> {
        self.blocking.wait(async {
            let session = self.take_session().await?;
            let read = read(session.connection(0)).await?;
            self.session.replace(Some(session));
            Ok(read)
        })
    }

    /// Makes a change, of which an archive takes none.
    fn change<T>(&self, change: impl AsyncFn(Connection<'_>) -> Result<T>) -> Answer<T> {
        if self.is_archive { Err(LedgerError::Archive) } else { self.transact(change) }
    }

    /// Works in a transaction of its own. It is done again where the transaction was rolled back for the sake of another one.
    fn transact<T>(&self, change: impl AsyncFn(Connection<'_>) -> Result<T>) -> Answer<T> {
        for _ in 0..CONFLICT_ATTEMPTS {
            match self.blocking.wait(self.attempt(&change)) {
                Err(error) if error.is_conflict() => {}
                changed => return changed.map_err(LedgerError::from),
            }
        }
        Err(LedgerError::Busy)
    }

    async fn attempt<T>(&self, change: impl AsyncFn(Connection<'_>) -> Result<T>) -> Result<T> {
        let session = self.take_session().await?;
        let connection = session.connection(0);
        connection.batch("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        work::lock(connection).await?;
        let changed = match change(connection).await {
            Ok(changed) => changed,
            Err(error) => {
                if connection.batch("ROLLBACK").await.is_ok() {
                    self.session.replace(Some(session));
                }
                return Err(error);
            }
        };
        match session.commit().await {
            Ok(()) => {
                self.session.replace(Some(session));
                Ok(changed)
            }
            Err(error) if error.is_surely_rolled_back() => Err(error),
            Err(_) => Err(LedgerError::OutcomeUnknown.into()),
        }
    }

    /// Takes the connection, or makes another one. It is put back once nothing of it is under way any more: one that is
    /// dropped ends its transaction.
    async fn take_session(&self) -> Result<Session> {
        let session = self.session.take();
        match session {
            Some(session) => Ok(session),
            None => Session::open(&self.server).await,
        }
    }
}

impl OperatorStore for PostgresOperatorStore {
    fn trials(&self, most: u32) -> Answer<Vec<TrialRequest>> {
        self.read(async |connection: Connection<'_>| stored::trials(connection, most).await)
    }

    fn trial(&self, request_id: &str) -> Answer<Option<TrialRequest>> {
        self.read(async |connection: Connection<'_>| stored::trial(connection, request_id).await)
    }

    fn grant(&mut self, new: &[NewGrant]) -> Answer<Vec<GrantId>> {
        self.change(async |connection: Connection<'_>| grant_rows::make(connection, new).await)
    }

    fn revoke(&mut self, id: GrantId, at: Timestamp) -> Answer<()> {
        self.change(async |connection: Connection<'_>| grant_rows::revoke(connection, id, at).await)
    }

    fn grants(&self, at: Timestamp) -> Answer<Vec<(Grant, u32)>> {
        self.read(async |connection: Connection<'_>| grant_rows::all(connection, at).await)
    }

    fn refunds(&self, states: &[RefundState]) -> Answer<Vec<Refund>> {
        self.read(async |connection: Connection<'_>| refund_rows::in_states(connection, states).await)
    }

    fn paid_by_hand(
        &mut self,
        id: RefundId,
        transaction: [u8; 32],
        at: Timestamp,
        is_over: &dyn Fn(&[u8]) -> bool,
    ) -> Answer<()> {
        self.change(async |connection: Connection<'_>| {
            payouts::paid_by_hand(connection, id, transaction, at, is_over).await
        })
    }

    fn reserve(&self) -> Answer<Vec<(String, u64)>> {
        self.read(async |connection: Connection<'_>| refund_rows::reserves(connection).await)
    }

    fn ask_erasure(&mut self, hash: &ReceiptHash, reason: Option<&str>, at: Timestamp) -> Answer<()> {
        self.change(async |connection: Connection<'_>| asked_rows::ask(connection, hash, reason, at).await)
    }

    fn asked_erasure(&self, hash: &ReceiptHash) -> Answer<Option<AskedErasure>> {
        self.read(async |connection: Connection<'_>| asked_rows::of_hash(connection, hash).await)
    }

    fn is_archive(&self) -> bool {
        self.is_archive
    }

    fn status(&self) -> Answer<StoreStatus> {
        self.read(async |connection: Connection<'_>| replica_rows::status(connection).await)
    }

    fn check_log(&self, log_keys: &[VerifierKey]) -> Answer<u64> {
        self.read(async |connection: Connection<'_>| {
            connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
            let head = StoredHead::read(connection).await?.checked(log_keys)?;
            check::right_edge(connection, &head).await?;
            connection.batch("COMMIT").await?;
            Ok(head.size)
        })
    }

    fn key_records(&self) -> Answer<Vec<StoredReceipt>> {
        self.read(async |connection: Connection<'_>| reads::key_records(connection).await)
    }

    fn adopt(&mut self, identity: &Identity) -> Answer<Vec<String>> {
        self.transact(async |connection: Connection<'_>| {
            key_rows::lock(connection).await?;
            let stored = identity_rows::bound(connection).await?;
            let not_bound = || LedgerError::Corrupt("it is not bound to any keys".to_owned());
            let stored = stored.ok_or_else(not_bound)?;
            let changes = identity.changes(&stored, IdentityRule::Adopt)?;
            if !changes.is_empty() {
                identity_rows::write(connection, &identity.over(&stored)).await?;
            }
            Ok(changes)
        })
    }
}
