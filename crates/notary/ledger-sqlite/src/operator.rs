//! The operator's connection to a store, beside the service's or without it.

use std::path::Path;

use ledger::{
    AskedErasure, Grant, GrantId, Identity, LedgerError, NewGrant, OperatorStore, Refund, RefundId,
    RefundState, StoreStatus, StoredReceipt, TrialRequest,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, TransactionBehavior};
use tlog::VerifierKey;
use verdict::{Clock as _, SystemClock};

use super::open;
use crate::columns::Millis;
use crate::failure::ConnectionError;
use crate::grants::grant_rows;
use crate::identity_rows;
use crate::key_rows;
use crate::log::{check, reads};
use crate::mark_row;
use crate::refunds::payouts;
use crate::refunds::refund_rows;
use crate::retention::asked_rows;

/// The operator's store on SQLite: a second connection, beside the service's own or without it.
///
/// It takes no lock of the store and creates no file. It writes only to the tables that the running writer does not
/// hold in memory (grants, refunds, trials, asked erasures), and never to the log; the lock of a [`SqliteLedger`](crate::SqliteLedger)
/// protects the rest. Each write is a short transaction; it and the transactions of the service wait for each other. It
/// does not disturb the writer, which counts only the changes of its own connection and detects the outcome of a failed
/// commit by the head, which only the writer writes.
#[derive(Debug)]
pub struct SqliteOperatorStore {
    connection: Connection,
    is_archive: bool,
}

impl SqliteOperatorStore {
    /// Opens the existing store at `path`.
    ///
    /// # Errors
    /// The store does not exist, has the schema of another version, was moved, or is a copy that is not whole.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let connection = open::beside(path)?;
        let is_archive = mark_row::is_archive(&connection, path)?;
        Ok(Self { connection, is_archive })
    }

    /// The connection for a change, of which an archive takes none.
    fn writable(&mut self) -> Result<&mut Connection, LedgerError> {
        if self.is_archive { Err(LedgerError::Archive) } else { Ok(&mut self.connection) }
    }
}

impl OperatorStore for SqliteOperatorStore {
    fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError> {
        Ok(reads::trials(&self.connection, most)?)
    }

    fn trial(&self, request_id: &str) -> Result<Option<TrialRequest>, LedgerError> {
        Ok(reads::trial(&self.connection, request_id)?)
    }

    fn grant(&mut self, new: &[NewGrant]) -> Result<Vec<GrantId>, LedgerError> {
        Ok(grant_rows::make(self.writable()?, new)?)
    }

    fn revoke(&mut self, id: GrantId, at: Timestamp) -> Result<(), LedgerError> {
        Ok(grant_rows::revoke(self.writable()?, id, at)?)
    }

    fn grants(&self, at: Timestamp) -> Result<Vec<(Grant, u32)>, LedgerError> {
        Ok(grant_rows::all(&self.connection, at).map_err(ConnectionError::from)?)
    }

    fn refunds(&self, states: &[RefundState]) -> Result<Vec<Refund>, LedgerError> {
        Ok(refund_rows::in_states(&self.connection, states).map_err(ConnectionError::from)?)
    }

    fn paid_by_hand(
        &mut self,
        id: RefundId,
        transaction: [u8; 32],
        at: Timestamp,
        is_over: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), LedgerError> {
        let change = self.writable()?.transaction_with_behavior(TransactionBehavior::Immediate);
        let change = change.map_err(ConnectionError::from)?;
        payouts::paid_by_hand(&change, id, transaction, at, is_over)?;
        Ok(change.commit().map_err(ConnectionError::from)?)
    }

    fn reserve(&self) -> Result<Vec<(String, u64)>, LedgerError> {
        Ok(refund_rows::reserves(&self.connection).map_err(ConnectionError::from)?)
    }

    fn ask_erasure(
        &mut self,
        hash: &ReceiptHash,
        reason: Option<&str>,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        let change = self.writable()?.transaction_with_behavior(TransactionBehavior::Immediate);
        let change = change.map_err(ConnectionError::from)?;
        asked_rows::ask(&change, hash, reason, at)?;
        Ok(change.commit().map_err(ConnectionError::from)?)
    }

    fn asked_erasure(&self, hash: &ReceiptHash) -> Result<Option<AskedErasure>, LedgerError> {
        Ok(asked_rows::of_hash(&self.connection, hash).map_err(ConnectionError::from)?)
    }

    fn is_archive(&self) -> bool {
        self.is_archive
    }

    /// The process that has the store open says nothing of itself in it.
    fn status(&self) -> Result<StoreStatus, LedgerError> {
        let schema = self.connection.pragma_query_value(None, "user_version", |row| row.get(0));
        let head = self.connection.query_row("SELECT size, latest FROM head", [], |row| {
            Ok((row.get(0)?, row.get::<_, Millis>(1)?.0))
        });
        let (head, latest) = head.map_err(ConnectionError::from)?;
        Ok(StoreStatus {
            now: SystemClock::start().now(),
            schema: schema.map_err(ConnectionError::from)?,
            head,
            latest,
            prices: identity_rows::bound(&self.connection)?.and_then(|bound| Some(bound.prices?.hash())),
            replicas: Vec::new(),
        })
    }

    fn check_log(&self, log_keys: &[VerifierKey]) -> Result<u64, LedgerError> {
        // All that is read is of one moment.
        let read = self.connection.unchecked_transaction().map_err(ConnectionError::from)?;
        let head = check::stored_head(&read, log_keys)?;
        check::right_edge(&read, &head)?;
        Ok(head.size)
    }

    fn key_records(&self) -> Result<Vec<StoredReceipt>, LedgerError> {
        Ok(key_rows::records(&self.connection).map_err(ConnectionError::from)?)
    }

    fn adopt(&mut self, identity: &Identity) -> Result<Vec<String>, LedgerError> {
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let change = change.map_err(ConnectionError::from)?;
        let not_bound = || LedgerError::Corrupt("it is not bound to any keys".to_owned());
        let stored = identity_rows::bound(&change)?.ok_or_else(not_bound)?;
        let changes = identity_rows::adopt(&change, identity, &stored)?;
        change.commit().map_err(ConnectionError::from)?;
        Ok(changes)
    }
}
