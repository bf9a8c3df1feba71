//! Opening a store: lock, migrate, check the keys, recompute the log's right edge.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use rusqlite_migration::{M, Migrations};
use tlog::{Checkpoint, Hash, RightEdge, SigningKey, TileReader};

use super::commit::{Books, signed_head, write_head};
use crate::published::Head;
use crate::{Identity, LedgerError, Places};

const MIGRATIONS: &[M<'static>] = &[M::up(include_str!("schema.sql"))];

/// Locks the store for this process: the writer's state in memory is true only while nobody else writes.
pub(super) fn lock(path: &Path) -> Result<File, LedgerError> {
    let open = |why: String| LedgerError::Open { path: path.display().to_string(), why };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| open(error.to_string()))?;
    }
    let file = File::create(path.with_extension("lock")).map_err(|error| open(error.to_string()))?;
    file.try_lock().map_err(|_| open("another process has it open".to_owned()))?;
    Ok(file)
}

/// Opens the writing connection, migrates and checks all that can be checked before serving.
pub(super) fn books(
    path: &Path,
    log_key: SigningKey,
    identity: &Identity,
    at: Timestamp,
) -> Result<Books, LedgerError> {
    let mut connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -16384)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    Migrations::from_slice(MIGRATIONS)
        .to_latest(&mut connection)
        .map_err(|error| LedgerError::Open { path: path.display().to_string(), why: error.to_string() })?;
    if !is_bound(&connection, identity)? {
        found(&mut connection, &log_key, identity, at)?;
    }
    let head = stored_head(&connection, &log_key)?;
    let edge = recompute(&connection, &head)?;
    Ok(Books { connection, edge, head: Arc::new(head), log_key })
}

/// Whether the store is bound to keys; an error where they are others.
fn is_bound(connection: &Connection, identity: &Identity) -> Result<bool, LedgerError> {
    let bound: Option<Identity> = connection
        .query_row("SELECT receipt_kid, log_vkey FROM identity", [], |row| {
            Ok(Identity { receipt_kid: row.get(0)?, log_vkey: row.get(1)? })
        })
        .optional()?;
    let Some(bound) = bound else { return Ok(false) };
    let differs = |what: &str, stored: &str, given: &str| {
        Err(LedgerError::OtherKeys(format!(
            "the store was made with another {what}: it has {stored}, the keys folder and base address give {given}"
        )))
    };
    if bound.receipt_kid != identity.receipt_kid {
        return differs("receipt key or base address", &bound.receipt_kid, &identity.receipt_kid);
    }
    if bound.log_vkey != identity.log_vkey {
        return differs("log key or log origin", &bound.log_vkey, &identity.log_vkey);
    }
    Ok(true)
}

/// Binds a new store to its keys and signs the empty log.
fn found(
    connection: &mut Connection,
    log_key: &SigningKey,
    identity: &Identity,
    at: Timestamp,
) -> Result<(), LedgerError> {
    let transaction = connection.transaction()?;
    transaction.execute(
        "INSERT INTO identity (only, receipt_kid, log_vkey) VALUES (1, ?, ?)",
        [&identity.receipt_kid, &identity.log_vkey],
    )?;
    write_head(&transaction, &signed_head(log_key, 0, tlog::EMPTY_ROOT, at)?)?;
    Ok(transaction.commit()?)
}

/// The size that the stored head has.
pub(super) fn stored_size(connection: &Connection) -> Result<u64, LedgerError> {
    Ok(connection.query_row("SELECT size FROM head", [], |row| row.get(0))?)
}

/// The stored head, its checkpoint's signature verified and its numbers the same as the checkpoint's.
fn stored_head(connection: &Connection, log_key: &SigningKey) -> Result<Head, LedgerError> {
    let head = connection.query_row("SELECT size, root, latest, checkpoint FROM head", [], |row| {
        Ok(Head {
            size: row.get(0)?,
            root: Hash(row.get(1)?),
            latest: Timestamp::from_millis(row.get(2)?).unwrap_or(Timestamp::MAX),
            checkpoint: row.get::<_, String>(3)?.into(),
        })
    })?;
    let signed = Checkpoint::open(&head.checkpoint, &[log_key.verifier()])
        .map_err(|error| LedgerError::Corrupt(format!("the last checkpoint: {error}")))?;
    if (signed.size(), signed.root()) != (head.size, head.root) {
        return Err(LedgerError::Corrupt("the stored head is not that of its checkpoint".to_owned()));
    }
    Ok(head)
}

/// Recomputes the right edge from leaves and full tiles; it must meet the head, with nothing past it.
fn recompute(connection: &Connection, head: &Head) -> Result<RightEdge, LedgerError> {
    let leaves: Option<u64> = connection.query_row("SELECT max(leaf) + 1 FROM leaves", [], |row| row.get(0))?;
    if leaves.unwrap_or(0) != head.size {
        return Err(LedgerError::Corrupt(format!(
            "the checkpoint is over {} leaves, the store has {}",
            head.size,
            leaves.unwrap_or(0)
        )));
    }
    let edge = RightEdge::read(head.size, &Ground { connection })
        .map_err(|error| LedgerError::Corrupt(format!("the log's right edge: {error}")))?;
    if edge.root() != head.root {
        return Err(LedgerError::Corrupt(format!(
            "the log's right edge gives the root {}, the last checkpoint says {}",
            edge.root(),
            head.root
        )));
    }
    Ok(edge)
}

/// Partial tiles computed from what lies under them: entries on level 0, full tiles above.
struct Ground<'c> {
    connection: &'c Connection,
}

impl TileReader for Ground<'_> {
    type Error = LedgerError;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, LedgerError> {
        let range = index * 256..index * 256 + u64::from(width);
        match level.checked_sub(1) {
            None => entries(self.connection, range)?.iter().map(|entry| Ok(tlog::leaf_hash(entry))).collect(),
            Some(below) => range.map(|number| Ok(root(&full_tile(self.connection, below, number)?))).collect(),
        }
    }
}

/// The root over a full tile.
fn root(hashes: &[Hash]) -> Hash {
    match hashes {
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            tlog::node_hash(&root(left), &root(right))
        }
    }
}

/// The log entries of a range of leaves, all of them.
pub(super) fn entries(
    connection: &Connection,
    range: std::ops::Range<u64>,
) -> Result<Vec<Vec<u8>>, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf")?;
    let rows = statement.query_map([range.start, range.end], |row| row.get(0))?;
    let entries: Vec<Vec<u8>> = rows.collect::<Result<_, _>>()?;
    if entries.len() as u64 != range.end - range.start {
        return Err(LedgerError::Corrupt(format!("leaves {range:?} are not all there")));
    }
    Ok(entries)
}

/// A stored full tile.
pub(super) fn full_tile(connection: &Connection, level: u8, number: u64) -> Result<Arc<[Hash]>, LedgerError> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT hashes FROM tiles WHERE level = ? AND number = ?")?
        .query_row((level, number), |row| row.get(0))
        .optional()?;
    let missing = || LedgerError::Corrupt(format!("full tile {number} of level {level} is not there"));
    let hashes = tlog::tile::decode_hashes(&bytes.ok_or_else(missing)?);
    hashes.ok().filter(|hashes| hashes.len() == 256).map(Into::into).ok_or_else(missing)
}

/// Restores the free calls that were used up today and yesterday, and forgets older days.
pub(super) fn places(connection: &Connection, today: u32) -> Result<Places, LedgerError> {
    let places = Places::default();
    let oldest = today.saturating_sub(1);
    connection.execute("DELETE FROM used WHERE day < ?", [oldest])?;
    let mut statement = connection.prepare("SELECT day, class, agent, calls FROM used")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (class, agent): (String, String) = (row.get(1)?, row.get(2)?);
        places.restore(&agent, &class, row.get(0)?, row.get(3)?);
    }
    Ok(places)
}
