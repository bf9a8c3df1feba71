//! Named leases and values, and the files of shared folders, as rows.

use std::collections::HashMap;

use ledger::rules::shared;
use ledger::{MAX_SHARED_NOTES, Owner, SharedContent, SharedFile, SharedValue};
use receipt::time::Timestamp;

use crate::columns::{Columns as _, Fixed, row_id};
use crate::connection::{Connection, Result};
use crate::numbers;

/// Takes a lease, or extends it. False where another owner has it.
pub(crate) async fn lease(
    connection: Connection<'_>,
    name: &str,
    owner: Owner,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    let (now, until) = (connection.store_time(now), connection.store_time(until));
    let select = "SELECT owner, lease_until FROM shared_leases WHERE name = $1";
    if let Some(row) = connection.maybe(select, &[&name]).await?
        && !shared::may_lease(Owner(row.bytes(0)?), row.try_get(1)?, owner, now)
    {
        return Ok(false);
    }
    let upsert = "INSERT INTO shared_leases (name, owner, lease_until) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until";
    connection.run(upsert, &[&name, &owner.0.as_slice(), &until]).await?;
    Ok(true)
}

pub(crate) async fn value(connection: Connection<'_>, name: &str) -> Result<Option<SharedValue>> {
    let select = "SELECT version, bytes FROM shared_values WHERE name = $1";
    let Some(row) = connection.maybe(select, &[&name]).await? else { return Ok(None) };
    Ok(Some(SharedValue { version: row.unsigned(0)?, bytes: row.try_get(1)? }))
}

/// Replaces a value of a version. `None` where it has another.
pub(crate) async fn set_value(
    connection: Connection<'_>,
    name: &str,
    replaces: u64,
    bytes: &[u8],
) -> Result<Option<u64>> {
    let version = value(connection, name).await?.map_or(0, |value| value.version);
    if version != replaces {
        return Ok(None);
    }
    let upsert = "INSERT INTO shared_values (name, version, bytes) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET version = excluded.version, bytes = excluded.bytes";
    connection.run(upsert, &[&name, &row_id(version + 1), &bytes]).await?;
    Ok(Some(version + 1))
}

/// Keeps a note, and deletes those that have ended, and those that end first where there are too many.
pub(crate) async fn remember(
    connection: Connection<'_>,
    kind: &str,
    key: &[u8; 32],
    bytes: &[u8],
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    let (now, until) = (connection.store_time(now), connection.store_time(until));
    let upsert = "INSERT INTO shared_notes (kind, key, bytes, until) VALUES ($1, $2, $3, $4)
        ON CONFLICT (kind, key) DO UPDATE SET bytes = excluded.bytes, until = excluded.until";
    connection.run(upsert, &[&kind, &key.as_slice(), &bytes, &until]).await?;
    let select = "SELECT until FROM shared_notes WHERE kind = $1 ORDER BY until DESC LIMIT 1 OFFSET $2";
    let surplus = connection.maybe(select, &[&kind, &i64::from(MAX_SHARED_NOTES)]).await?;
    let end = match surplus {
        Some(row) => row.try_get::<_, i64>(0)?.max(now),
        None => now,
    };
    connection.run("DELETE FROM shared_notes WHERE kind = $1 AND until <= $2", &[&kind, &end]).await?;
    Ok(())
}

pub(crate) async fn remembered(
    connection: Connection<'_>,
    kind: &str,
    key: &[u8; 32],
    now: Timestamp,
) -> Result<Option<Vec<u8>>> {
    let select = "SELECT bytes FROM shared_notes WHERE kind = $1 AND key = $2 AND until > $3";
    match connection.maybe(select, &[&kind, &key.as_slice(), &connection.store_time(now)]).await? {
        Some(row) => Ok(Some(row.try_get(0)?)),
        None => Ok(None),
    }
}

/// Returns true if a file of a folder has changed since a version.
pub(crate) async fn has_files_since(connection: Connection<'_>, folder: &str, version: u64) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM shared_files WHERE folder = $1 AND version > $2)";
    let has: Option<bool> = connection.one(select, &[&folder, &row_id(version)]).await?.try_get(0)?;
    Ok(has.unwrap_or(false))
}

/// The version of a file; 0 where there was none yet.
pub(crate) async fn version(connection: Connection<'_>, folder: &str, path: &str) -> Result<u64> {
    let select = "SELECT version FROM shared_files WHERE folder = $1 AND path = $2";
    match connection.maybe(select, &[&folder, &path]).await? {
        Some(row) => Ok(row.unsigned(0)?),
        None => Ok(0),
    }
}

/// The files of a folder that have changed since a version.
pub(crate) async fn files_since(
    connection: Connection<'_>,
    folder: &str,
    version: u64,
    most: u32,
) -> Result<Vec<SharedFile>> {
    let select = "SELECT path, version, sha256, length FROM shared_files WHERE folder = $1 AND version > $2
        ORDER BY version LIMIT $3";
    let rows = connection.rows(select, &[&folder, &row_id(version), &i64::from(most)]).await?;
    let paths: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
    let select = "SELECT path, sha256 FROM shared_parts WHERE folder = $1 AND path = ANY($2)
        ORDER BY path, position";
    let mut chunks: HashMap<String, Vec<[u8; 32]>> = HashMap::new();
    for row in connection.rows(select, &[&folder, &paths]).await? {
        chunks.entry(row.try_get(0)?).or_default().push(row.bytes(1)?);
    }
    let mut files = Vec::with_capacity(rows.len());
    for (row, path) in rows.iter().zip(paths) {
        let content = match row.maybe_bytes(2)? {
            Some(sha256) => Some(SharedContent {
                sha256,
                length: row.unsigned(3)?,
                chunks: chunks.remove(&path).unwrap_or_default(),
            }),
            None => None,
        };
        files.push(SharedFile { path, version: row.unsigned(1)?, content });
    }
    Ok(files)
}

pub(crate) async fn put_chunk(
    connection: Connection<'_>,
    sha256: &[u8; 32],
    bytes: &[u8],
    at: Timestamp,
) -> Result<()> {
    let upsert = "INSERT INTO shared_chunks (sha256, bytes, at) VALUES ($1, $2, $3)
        ON CONFLICT (sha256) DO UPDATE SET at = greatest(shared_chunks.at, excluded.at)";
    connection.run(upsert, &[&sha256.as_slice(), &bytes, &connection.store_time(at)]).await?;
    Ok(())
}

pub(crate) async fn chunk(connection: Connection<'_>, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>> {
    let select = "SELECT bytes FROM shared_chunks WHERE sha256 = $1";
    match connection.maybe(select, &[&sha256.as_slice()]).await? {
        Some(row) => Ok(Some(row.try_get(0)?)),
        None => Ok(None),
    }
}

/// Replaces a file of a version, or removes it. `None` where it has another version.
pub(crate) async fn put_file(
    connection: Connection<'_>,
    folder: &str,
    path: &str,
    replaces: u64,
    content: Option<&SharedContent>,
    at: Timestamp,
) -> Result<Option<u64>> {
    if version(connection, folder, path).await? != replaces {
        return Ok(None);
    }
    let chunks: Vec<Fixed<32>> =
        content.iter().flat_map(|content| &content.chunks).map(|chunk| Fixed(*chunk)).collect();
    let mut stored = Vec::with_capacity(chunks.len());
    let select = "SELECT sha256 FROM shared_chunks WHERE sha256 = ANY($1)";
    for row in connection.rows(select, &[&chunks]).await? {
        stored.push(row.bytes::<32>(0)?);
    }
    stored.sort_unstable();
    if let Some(missing) = chunks.iter().find(|chunk| stored.binary_search(&chunk.0).is_err()) {
        return Err(shared::no_chunk(&missing.0).into());
    }
    let delete = "DELETE FROM shared_parts WHERE folder = $1 AND path = $2";
    connection.run(delete, &[&folder, &path]).await?;
    let positions: Vec<i64> = (0..).take(chunks.len()).collect();
    let insert = "INSERT INTO shared_parts (folder, path, position, sha256)
        SELECT $1, $2, part.position, part.sha256 FROM unnest($3::BIGINT[], $4::BYTEA[]) AS part (position, sha256)";
    connection.run(insert, &[&folder, &path, &positions, &chunks]).await?;
    let number = numbers::next(connection, "shared_files").await?;
    let (sha256, length) =
        content.map(|content| (Fixed(content.sha256), row_id(content.length).unwrap_or(i64::MAX))).unzip();
    let upsert =
        "INSERT INTO shared_files (folder, path, version, sha256, length) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (folder, path) DO UPDATE SET version = excluded.version, sha256 = excluded.sha256,
            length = excluded.length";
    connection.run(upsert, &[&folder, &path, &number, &sha256, &length.unwrap_or(0)]).await?;
    forget_chunks(connection, at).await?;
    Ok(u64::try_from(number).ok())
}

/// Deletes chunks that no file names, and that none is about to.
async fn forget_chunks(connection: Connection<'_>, at: Timestamp) -> Result<()> {
    let delete = "DELETE FROM shared_chunks WHERE at < $1
        AND NOT EXISTS (SELECT 1 FROM shared_parts WHERE shared_parts.sha256 = shared_chunks.sha256)";
    let kept_since = connection.store_time(shared::chunks_kept_since(at));
    connection.run(delete, &[&kept_since]).await?;
    Ok(())
}
