//! The trait's part about what processes have in common, on SQLite, where there is one process.

use async_trait::async_trait;
use ledger::rules::shared;
use ledger::{LedgerError, MAX_SHARED_FILES_READ, Owner, Shared, SharedContent, SharedFile, SharedValue};
use receipt::hash::sha256;
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::shared_rows;

#[async_trait]
impl Shared for SqliteLedger {
    fn is_shared(&self) -> bool {
        false
    }

    async fn lease(
        &self,
        name: &str,
        owner: Owner,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, LedgerError> {
        shared::check_name(name)?;
        let name = name.to_owned();
        self.change(0, move |transaction| Ok(shared_rows::lease(transaction, &name, owner, now, until)?))
            .await
    }

    async fn shared_value(&self, name: &str) -> Result<Option<SharedValue>, LedgerError> {
        self.read(|connection| shared_rows::value(connection, name)).await
    }

    async fn set_shared_value(
        &self,
        name: &str,
        replaces: u64,
        bytes: Vec<u8>,
    ) -> Result<Option<u64>, LedgerError> {
        shared::check_name(name)?;
        shared::check_value(&bytes)?;
        let name = name.to_owned();
        let work = move |transaction: &_| Ok(shared_rows::set_value(transaction, &name, replaces, &bytes)?);
        self.change(0, work).await
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
        let kind = kind.to_owned();
        self.change(bytes.len(), move |transaction| {
            Ok(shared_rows::remember(transaction, &kind, &key, &bytes, now, until)?)
        })
        .await
    }

    async fn remembered(
        &self,
        kind: &str,
        key: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        self.read(|connection| shared_rows::remembered(connection, kind, key, now)).await
    }

    async fn files_since(
        &self,
        folder: &str,
        version: u64,
        most: u32,
    ) -> Result<Vec<SharedFile>, LedgerError> {
        let (folder, most) = (folder.to_owned(), most.min(MAX_SHARED_FILES_READ));
        self.read_aside(move |connection| Ok(shared_rows::files_since(connection, &folder, version, most)?))
            .await
    }

    async fn put_chunk(&self, bytes: Vec<u8>, at: Timestamp) -> Result<[u8; 32], LedgerError> {
        shared::check_chunk(&bytes)?;
        let hash = sha256(&bytes);
        let size = bytes.len();
        self.change(size, move |transaction| Ok(shared_rows::put_chunk(transaction, &hash, &bytes, at)?))
            .await?;
        Ok(hash)
    }

    async fn chunk(&self, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, LedgerError> {
        let sha256 = *sha256;
        self.read_aside(move |connection| Ok(shared_rows::chunk(connection, &sha256)?)).await
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
        let (folder, path) = (folder.to_owned(), path.to_owned());
        self.change(0, move |transaction| {
            shared_rows::put_file(transaction, &folder, &path, replaces, content.as_ref(), at)
        })
        .await
    }
}
