//! Opening a store: its schema, its keys, and the check of its log.

use std::sync::Arc;

use ledger::rules::log::signed_head;
use ledger::{Identity, IdentityRule, LedgerError, LogKeyRing};
use receipt::time::Timestamp;

use crate::config::{PostgresConfig, Server};
use crate::connection::{Connection, Result};
use crate::identity_rows;
use crate::key_rows;
use crate::log::check;
use crate::log::head::{self, KnownTree, StoredHead};
use crate::log::signing::blocking;
use crate::mark_row;
use crate::migrate;
use crate::sequencer::Session;

/// A store that may be served.
pub(crate) struct OpenedStore {
    pub(crate) tree: KnownTree,
    /// True if it is an archive, which takes no changes.
    pub(crate) is_archive: bool,
}

/// Migrates and checks all that can be checked before serving, and binds a new store to its keys.
pub(crate) async fn tree(
    config: &PostgresConfig,
    server: &Server,
    log_keys: &LogKeyRing,
    identity: &Identity,
    at: Timestamp,
) -> Result<OpenedStore> {
    let session = Session::open(server).await.map_err(|error| config.error(error))?;
    let connection = session.connection(0);
    migrate::migrate(connection, config).await?;
    connection.batch("BEGIN").await?;
    connection.one("SELECT version FROM schema_version FOR UPDATE", &[]).await?;
    let is_archive = mark_row::is_archive(connection, config).await?;
    bind(connection, log_keys, identity, at).await?;
    connection.batch("COMMIT").await?;
    connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
    let head = StoredHead::read(connection).await?.checked(&log_keys.known())?;
    let edge = check::right_edge(connection, &head).await?;
    connection.batch("COMMIT").await?;
    // What was read is durable once the same server has acknowledged a write that was begun after it.
    let confirm = "UPDATE schema_version SET version = version";
    let warnings = session.warnings();
    connection.run(confirm, &[]).await?;
    if session.warnings() != warnings {
        return Err(config.error("the server has acknowledged a write with a warning").into());
    }
    Ok(OpenedStore { tree: KnownTree { head: Arc::new(head), edge }, is_archive })
}

/// See [`PostgresLedger::stored_identity`](crate::PostgresLedger::stored_identity).
pub(crate) async fn stored_identity(config: &PostgresConfig) -> Result<Option<Identity>> {
    let server = Server::new(config)?;
    let session = Session::open(&server).await.map_err(|error| config.error(error))?;
    let connection = session.connection(0);
    if !migrate::is_store(connection).await? {
        return Ok(None);
    }
    migrate::check_compatible(connection, config).await?;
    if migrate::has_table(connection, "mark").await? {
        mark_row::is_archive(connection, config).await?;
    }
    identity_rows::bound(connection).await
}

/// Binds a new store to its keys and prices and signs the empty log; fails where the store is bound to others. A store whose
/// receipt key is retired is bound to the one that took its place: see [`Identity::changes`]. Of several processes that do
/// so at the same time one is first, since the caller has locked the row of the schema's version.
async fn bind(
    connection: Connection<'_>,
    log_keys: &LogKeyRing,
    identity: &Identity,
    at: Timestamp,
) -> Result<()> {
    key_rows::lock(connection).await?;
    if let Some(stored) = identity_rows::bound(connection).await? {
        let changes = identity.changes(&stored, IdentityRule::Same)?;
        if !changes.is_empty() {
            identity_rows::write(connection, &identity.over(&stored)).await?;
            tracing::info!(changes = changes.join("; "), "the store is bound to what has changed");
        }
        return Ok(());
    }
    let is_used = "SELECT EXISTS (SELECT 1 FROM head) OR EXISTS (SELECT 1 FROM leaves) OR EXISTS (SELECT 1 FROM receipts)";
    if connection.one(is_used, &[]).await?.try_get(0)? {
        let why = "it has a log, but not the keys that it was made with".to_owned();
        return Err(LedgerError::Corrupt(why).into());
    }
    identity_rows::write(connection, identity).await?;
    let signers = log_keys.signers(identity.log_vkeys())?;
    let head = blocking(move || signed_head(&signers, 0, tlog::EMPTY_ROOT, at)).await?;
    head::write(connection, &head).await
}
