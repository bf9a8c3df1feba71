//! The trait's part about what processes have in common, on PostgreSQL.

use async_trait::async_trait;
use ledger::rules::shared;
use ledger::{LedgerError, MAX_SHARED_FILES_READ, Owner, Shared, SharedContent, SharedFile, SharedValue};
use receipt::hash::sha256;
use receipt::time::Timestamp;

use super::PostgresLedger;
use crate::shared_rows;

/// What decides something is read within a transaction that writes: a server that was cut off acknowledges none, and may show
/// what nobody was told of. Chunks are known by their hashes.
#[async_trait]
impl Shared for PostgresLedger {
    fn is_shared(&self) -> bool {
        true
    }

    async fn lease(
        &self,
        name: &str,
        owner: Owner,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, LedgerError> {
        shared::check_name(name)?;
        self.change(0, (name.to_owned(), owner, now, until), |connection, (name, owner, now, until)| {
            Box::pin(shared_rows::lease(connection, name, *owner, *now, *until))
        })
        .await
    }

    async fn shared_value(&self, name: &str) -> Result<Option<SharedValue>, LedgerError> {
        shared::check_name(name)?;
        self.change(0, name.to_owned(), |connection, name| {
            Box::pin(shared_rows::value(connection.confirm(), name))
        })
        .await
    }

    async fn set_shared_value(
        &self,
        name: &str,
        replaces: u64,
        bytes: Vec<u8>,
    ) -> Result<Option<u64>, LedgerError> {
        shared::check_name(name)?;
        shared::check_value(&bytes)?;
        self.change(bytes.len(), (name.to_owned(), replaces, bytes), |connection, (name, replaces, bytes)| {
            Box::pin(shared_rows::set_value(connection, name, *replaces, bytes))
        })
        .await
    }

    async fn remember(
        &self,
        kind: &str,
        key: [u8; 32],
        bytes: Vec<u8>,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), LedgerError> {
        shared::check_name(kind)?;
        shared::check_note(&bytes)?;
        let (size, args) = (bytes.len(), (kind.to_owned(), key, bytes, now, until));
        self.change(size, args, |connection, (kind, key, bytes, now, until)| {
            Box::pin(shared_rows::remember(connection, kind, key, bytes, *now, *until))
        })
        .await
    }

    async fn remembered(
        &self,
        kind: &str,
        key: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        shared::check_name(kind)?;
        Ok(shared_rows::remembered(self.reader().await?.connection(), kind, key, now).await?)
    }

    async fn files_since(
        &self,
        folder: &str,
        version: u64,
        most: u32,
    ) -> Result<Vec<SharedFile>, LedgerError> {
        shared::check_name(folder)?;
        // Nearly always nothing has changed, and every process asks every few seconds.
        if !shared_rows::has_files_since(self.reader().await?.connection(), folder, version).await? {
            return Ok(Vec::new());
        }
        let most = most.min(MAX_SHARED_FILES_READ);
        self.change(0, (folder.to_owned(), version, most), |connection, (folder, version, most)| {
            Box::pin(shared_rows::files_since(connection.confirm(), folder, *version, *most))
        })
        .await
    }

    async fn put_chunk(&self, bytes: Vec<u8>, at: Timestamp) -> Result<[u8; 32], LedgerError> {
        shared::check_chunk(&bytes)?;
        let hash = sha256(&bytes);
        self.change(bytes.len(), (hash, bytes, at), |connection, (hash, bytes, at)| {
            Box::pin(shared_rows::put_chunk(connection, hash, bytes, *at))
        })
        .await?;
        Ok(hash)
    }

    async fn chunk(&self, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, LedgerError> {
        Ok(shared_rows::chunk(self.reader().await?.connection(), sha256).await?)
    }

    async fn put_file(
        &self,
        folder: &str,
        path: &str,
        replaces: u64,
        content: Option<SharedContent>,
        at: Timestamp,
    ) -> Result<Option<u64>, LedgerError> {
        shared::check_name(folder)?;
        shared::check_name(path)?;
        content.as_ref().map_or(Ok(()), shared::check_content)?;
        let args = (folder.to_owned(), path.to_owned(), replaces, content, at);
        self.change(0, args, |connection, (folder, path, replaces, content, at)| {
            Box::pin(shared_rows::put_file(connection, folder, path, *replaces, content.as_ref(), *at))
        })
        .await
    }
}
