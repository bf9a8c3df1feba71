//! Named leases and values, and the files of shared folders, as rows.

use ledger::rules::shared;
use ledger::{MAX_SHARED_NOTES, Owner, SharedContent, SharedFile, SharedValue};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::failure::ConnectionError;

/// Takes a lease, or extends it. False where another owner has it.
pub(crate) fn lease(
    connection: &Connection,
    name: &str,
    owner: Owner,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    let mut select =
        connection.prepare_cached("SELECT owner, lease_until FROM shared_leases WHERE name = ?")?;
    let held = select.query_row([name], |row| Ok((Owner(row.get(0)?), row.get(1)?))).optional()?;
    if held
        .is_some_and(|(holder, lease_until)| !shared::may_lease(holder, lease_until, owner, now.as_millis()))
    {
        return Ok(false);
    }
    connection
        .prepare_cached("INSERT OR REPLACE INTO shared_leases (name, owner, lease_until) VALUES (?, ?, ?)")?
        .execute(params![name, owner.0, until.as_millis()])?;
    Ok(true)
}

/// Ends all leases: the process that opens the store is the only one.
pub(crate) fn end_leases(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM shared_leases", [])?;
    Ok(())
}

pub(crate) fn value(connection: &Connection, name: &str) -> Result<Option<SharedValue>> {
    let mut select = connection.prepare_cached("SELECT version, bytes FROM shared_values WHERE name = ?")?;
    select.query_row([name], |row| Ok(SharedValue { version: row.get(0)?, bytes: row.get(1)? })).optional()
}

/// Replaces a value of a version. `None` where it has another.
pub(crate) fn set_value(
    connection: &Connection,
    name: &str,
    replaces: u64,
    bytes: &[u8],
) -> Result<Option<u64>> {
    let version = value(connection, name)?.map_or(0, |value| value.version);
    if version != replaces {
        return Ok(None);
    }
    connection
        .prepare_cached("INSERT OR REPLACE INTO shared_values (name, version, bytes) VALUES (?, ?, ?)")?
        .execute(params![name, version + 1, bytes])?;
    Ok(Some(version + 1))
}

/// Keeps a note, and deletes those that have ended, and those that end first where there are too many.
pub(crate) fn remember(
    connection: &Connection,
    kind: &str,
    key: &[u8; 32],
    bytes: &[u8],
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO shared_notes (kind, key, bytes, until) VALUES (?, ?, ?, ?)")?
        .execute(params![kind, key, bytes, until.as_millis()])?;
    let mut last_kept = connection.prepare_cached(
        "SELECT until FROM shared_notes WHERE kind = ? ORDER BY until DESC LIMIT 1 OFFSET ?",
    )?;
    let surplus: Option<i64> =
        last_kept.query_row(params![kind, MAX_SHARED_NOTES], |row| row.get(0)).optional()?;
    let end = surplus.unwrap_or(i64::MIN).max(now.as_millis());
    connection
        .prepare_cached("DELETE FROM shared_notes WHERE kind = ? AND until <= ?")?
        .execute(params![kind, end])?;
    Ok(())
}

pub(crate) fn remembered(
    connection: &Connection,
    kind: &str,
    key: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Vec<u8>>> {
    let mut select = connection
        .prepare_cached("SELECT bytes FROM shared_notes WHERE kind = ? AND key = ? AND until > ?")?;
    select.query_row(params![kind, key, now.as_millis()], |row| row.get(0)).optional()
}

/// The files of a folder that have changed since a version.
pub(crate) fn files_since(
    connection: &Connection,
    folder: &str,
    version: u64,
    most: u32,
) -> Result<Vec<SharedFile>> {
    let mut select = connection.prepare_cached(
        "SELECT path, version, sha256, length FROM shared_files WHERE folder = ? AND version > ?
         ORDER BY version LIMIT ?",
    )?;
    let rows = select.query_map(params![folder, i64::try_from(version).ok(), most], |row| {
        Ok((row.get::<_, String>(0)?, row.get(1)?, row.get::<_, Option<[u8; 32]>>(2)?, row.get(3)?))
    })?;
    let mut files = Vec::new();
    for row in rows {
        let (path, version, sha256, length) = row?;
        let content = match sha256 {
            Some(sha256) => {
                Some(SharedContent { sha256, length, chunks: chunks_of(connection, folder, &path)? })
            }
            None => None,
        };
        files.push(SharedFile { path, version, content });
    }
    Ok(files)
}

fn chunks_of(connection: &Connection, folder: &str, path: &str) -> Result<Vec<[u8; 32]>> {
    let mut select = connection
        .prepare_cached("SELECT sha256 FROM shared_parts WHERE folder = ? AND path = ? ORDER BY position")?;
    select.query_map([folder, path], |row| row.get(0))?.collect()
}

pub(crate) fn put_chunk(
    connection: &Connection,
    sha256: &[u8; 32],
    bytes: &[u8],
    at: Timestamp,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO shared_chunks (sha256, bytes, at) VALUES (?, ?, ?)
             ON CONFLICT (sha256) DO UPDATE SET at = max(at, excluded.at)",
        )?
        .execute(params![sha256, bytes, at.as_millis()])?;
    Ok(())
}

pub(crate) fn chunk(connection: &Connection, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>> {
    let mut select = connection.prepare_cached("SELECT bytes FROM shared_chunks WHERE sha256 = ?")?;
    select.query_row([sha256], |row| row.get(0)).optional()
}

/// Replaces a file of a version, or removes it. `None` where it has another version.
pub(crate) fn put_file(
    connection: &Connection,
    folder: &str,
    path: &str,
    replaces: u64,
    content: Option<&SharedContent>,
    at: Timestamp,
) -> std::result::Result<Option<u64>, ConnectionError> {
    let mut select =
        connection.prepare_cached("SELECT version FROM shared_files WHERE folder = ? AND path = ?")?;
    let version: Option<u64> = select.query_row([folder, path], |row| row.get(0)).optional()?;
    if version.unwrap_or(0) != replaces {
        return Ok(None);
    }
    let chunks = content.map_or(&[][..], |content| &content.chunks);
    let mut is_stored =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM shared_chunks WHERE sha256 = ?)")?;
    for sha256 in chunks {
        if !is_stored.query_row([sha256], |row| row.get(0))? {
            return Err(shared::no_chunk(sha256).into());
        }
    }
    connection
        .prepare_cached("DELETE FROM shared_files WHERE folder = ? AND path = ?")?
        .execute([folder, path])?;
    connection
        .prepare_cached("DELETE FROM shared_parts WHERE folder = ? AND path = ?")?
        .execute([folder, path])?;
    let mut insert = connection
        .prepare_cached("INSERT INTO shared_parts (folder, path, position, sha256) VALUES (?, ?, ?, ?)")?;
    for (position, sha256) in chunks.iter().enumerate() {
        insert.execute(params![folder, path, position, sha256])?;
    }
    let (sha256, length) = content.map(|content| (content.sha256, content.length)).unzip();
    let version = connection
        .prepare_cached(
            "INSERT INTO shared_files (folder, path, sha256, length) VALUES (?, ?, ?, ?) RETURNING version",
        )?
        .query_row(params![folder, path, sha256, length.unwrap_or(0)], |row| row.get(0))?;
    forget_chunks(connection, at)?;
    Ok(Some(version))
}

/// Deletes chunks that no file names, and that none is about to.
fn forget_chunks(connection: &Connection, at: Timestamp) -> Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM shared_chunks WHERE at < ?
                AND NOT EXISTS (SELECT 1 FROM shared_parts WHERE shared_parts.sha256 = shared_chunks.sha256)",
        )?
        .execute([shared::chunks_kept_since(at).as_millis()])?;
    Ok(())
}
