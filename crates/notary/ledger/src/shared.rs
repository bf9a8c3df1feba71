//! State that all processes of one store have in common beside the ledger: named leases, small values, notes that end, and
//! the files of folders that every process keeps a copy of, such as that of the sanctions lists.
//!
//! The files of a folder have versions, which grow with each change of any file of the folder. A process that takes the
//! changes over in their order has, at each moment, the files as they were at one moment. The content of a file is kept in
//! chunks, by their SHA-256: a file names its chunks, and names them only once all of them are there.
//!
//! An embedded store keeps only values for its service, such as the counts of calls by month: its one process has its files
//! already.

use async_trait::async_trait;
use receipt::time::Timestamp;

use crate::{LedgerError, Owner};

/// The most bytes of a name: of a lease, a value, a folder, or a file's path.
pub const MAX_SHARED_NAME: usize = 255;
/// The most bytes of a value.
pub const MAX_SHARED_VALUE: usize = 64 << 10;
/// The most bytes of a note.
pub const MAX_SHARED_NOTE: usize = 16 << 10;
/// The most notes of one kind. Past it those that end first are forgotten.
pub const MAX_SHARED_NOTES: u32 = 16_384;
/// The most bytes of a chunk.
pub const MAX_SHARED_CHUNK: usize = 256 << 10;
/// The most bytes of a file.
pub const MAX_SHARED_FILE: u64 = 256 << 20;
/// The most files of one [`files_since`](Shared::files_since).
pub const MAX_SHARED_FILES_READ: u32 = 64;
/// The time for which a chunk is kept that no file names, in milliseconds: a file may be about to.
pub const SHARED_CHUNK_GRACE_MS: i64 = 600_000;

/// State that all processes of one store have in common, as every back end of the [`Ledger`](crate::Ledger) keeps it.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). What a read of a value or of a folder's files
/// returns is durable.
#[async_trait]
pub trait Shared: Send + Sync + 'static {
    /// Returns true if several processes may have the store open. Where it is false, this process is the only one.
    fn is_shared(&self) -> bool;

    /// Takes a named lease for an owner until a time, or extends it. Returns false if another owner has it. A lease that
    /// is taken until `now` is free.
    async fn lease(
        &self,
        name: &str,
        owner: Owner,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, LedgerError>;

    /// A named value with its version; `None` where there is none.
    async fn shared_value(&self, name: &str) -> Result<Option<SharedValue>, LedgerError>;

    /// Replaces a named value of a version, which is 0 where there is none yet. Returns the new version, or `None` if the
    /// value has another version by now.
    async fn set_shared_value(
        &self,
        name: &str,
        replaces: u64,
        bytes: Vec<u8>,
    ) -> Result<Option<u64>, LedgerError>;

    /// Keeps a note under a key until a time, in place of the one before. Notes that have ended are deleted, and past
    /// [`MAX_SHARED_NOTES`] of a kind those that end first.
    async fn remember(
        &self,
        kind: &str,
        key: [u8; 32],
        bytes: Vec<u8>,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// The note under a key; `None` where there is none, or it has ended.
    async fn remembered(
        &self,
        kind: &str,
        key: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<Vec<u8>>, LedgerError>;

    /// The files of a folder that have changed since a version, in the order of their versions: at most `most`, and
    /// [`MAX_SHARED_FILES_READ`]. From version 0 on these are all files, and all that were removed.
    async fn files_since(
        &self,
        folder: &str,
        version: u64,
        most: u32,
    ) -> Result<Vec<SharedFile>, LedgerError>;

    /// Stores a chunk of at most [`MAX_SHARED_CHUNK`] bytes, and returns its SHA-256. One that no file names within
    /// [`SHARED_CHUNK_GRACE_MS`] may be deleted.
    async fn put_chunk(&self, bytes: Vec<u8>, at: Timestamp) -> Result<[u8; 32], LedgerError>;

    /// The bytes of a chunk; `None` where it is not stored, or not any more.
    async fn chunk(&self, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, LedgerError>;

    /// Replaces a file of a version, which is 0 where there was none yet, or removes it where `content` is `None`.
    /// Returns the new version, or `None` if the file has another version by now. Chunks that no file names any more are
    /// deleted after [`SHARED_CHUNK_GRACE_MS`].
    ///
    /// # Errors
    /// [`LedgerError::Unfit`] if a chunk is not stored, or a bound is exceeded.
    async fn put_file(
        &self,
        folder: &str,
        path: &str,
        replaces: u64,
        content: Option<SharedContent>,
        at: Timestamp,
    ) -> Result<Option<u64>, LedgerError>;
}

/// A small value that all processes have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedValue {
    /// The version, which is never 0 and grows with each change.
    pub version: u64,
    /// The value.
    pub bytes: Vec<u8>,
}

/// A file of a folder that every process keeps a copy of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedFile {
    /// The path within the folder.
    pub path: String,
    /// The version of the last change.
    pub version: u64,
    /// The content; `None` where the file was removed.
    pub content: Option<SharedContent>,
}

/// The content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedContent {
    /// The SHA-256 of all its bytes.
    pub sha256: [u8; 32],
    /// The number of bytes.
    pub length: u64,
    /// The SHA-256 of each chunk, in their order.
    pub chunks: Vec<[u8; 32]>,
}

/// A version of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedVersion {
    /// The folder.
    pub folder: String,
    /// The path within the folder.
    pub path: String,
    /// The version.
    pub version: u64,
}
