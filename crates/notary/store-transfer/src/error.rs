//! The errors of copying a store.

use std::path::PathBuf;

use ledger::LedgerError;

pub(crate) type Result<T> = std::result::Result<T, TransferError>;

/// A store that was not copied. Nothing that could be served was made.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A store cannot be opened, read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// SQLite failed.
    #[error("the store {place} failed: {error}")]
    Sqlite {
        /// The path of the store.
        place: String,
        /// The error.
        error: rusqlite::Error,
    },
    /// PostgreSQL failed.
    #[error("the store {place} failed: {error}")]
    Postgres {
        /// The address of the store.
        place: String,
        /// The error.
        error: tokio_postgres::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// There is no store at this place.
    #[error("there is no store {0}")]
    NoStore(String),
    /// The target has a store already.
    #[error("{place} is not empty: it has a store of {size} leaves; name an empty one")]
    NotEmpty {
        /// The place of the target.
        place: String,
        /// The leaves of its log.
        size: u64,
    },
    /// The target is a half-made copy of something else.
    #[error("{place} is a copy of {of} that is not whole: name an empty target, or remove it first")]
    OtherCopy {
        /// The place of the target.
        place: String,
        /// What it is a copy of.
        of: String,
    },
    /// The source was moved to another place than the target.
    #[error("the store {place} was moved to {to}, and its log goes on there: name that one")]
    MovedElsewhere {
        /// The place of the source.
        place: String,
        /// Where it was moved to.
        to: String,
    },
    /// The source is an archive.
    #[error("the store {0} is an archive, which is never moved: restore its backup where you want it")]
    Archive(String),
    /// Source and target are one.
    #[error("source and target are the same store {0}")]
    SamePlace(String),
    /// Processes have the source open.
    #[error("the store {place} is in use by {replicas}: stop the service first")]
    InUse {
        /// The place of the source.
        place: String,
        /// The names of the processes.
        replicas: String,
    },
    /// The store, or the dump, is of another notary than the keys.
    #[error("it is of another notary: {0}")]
    OtherNotary(String),
    /// What was read contradicts itself, its checkpoint or its signatures.
    #[error("it is not sound: {0}")]
    Unsound(String),
    /// The file is no dump.
    #[error("it is no backup of a store (`touchstone backup` makes one)")]
    NoDump,
    /// The dump was cut off.
    #[error("the backup was cut off: it ends within its data; take the whole file, or another backup")]
    CutOff,
    /// The dump has other bytes than were written.
    #[error("the backup was changed: its bytes are not those that were written; take another copy of it")]
    Changed,
    /// The dump was made by a later program.
    #[error(
        "the backup is of version {version}, and this program knows versions up to {known}: use a newer program"
    )]
    LaterDump {
        /// The dump's version.
        version: u32,
        /// The latest version that this program knows.
        known: u32,
    },
    /// A checkpoint is not one of this log.
    #[error("checkpoint {name}: {why}")]
    Checkpoint {
        /// The name of the checkpoint: its file or address.
        name: String,
        /// The reason.
        why: String,
    },
    /// The log of a checkpoint is another one of the same origin and key.
    #[error(
        "fork: checkpoint {name} has the root {theirs} at {size} leaves, and this copy has {ours}: the log was signed in two \
         ways; restore neither before you know why"
    )]
    Fork {
        /// The name of the checkpoint.
        name: String,
        /// Its size.
        size: u64,
        /// Its root.
        theirs: tlog::Hash,
        /// The root that the copy has at that size.
        ours: tlog::Hash,
    },
    /// A successor log cannot be begun.
    #[error("no successor log was begun: {0}")]
    Successor(String),
    /// Another process has changed the mark of a store meanwhile.
    #[error(
        "another process has changed what the store {0} is, such as by giving the move up: nothing was changed here; look at both \
         places, and run the command again"
    )]
    MarkChanged(String),
    /// All of the source is in the target, and the source is marked as moved, so that the move can only be ended.
    #[error(
        "the move from {from} to {to} can only be ended, since {to} may be in use already: run it again with `--from {from} --to \
         {to}`; if {to} is lost, back {from} up and restore that with the newest checkpoint"
    )]
    NotGivenUp {
        /// The place of the source.
        from: String,
        /// The place of the target.
        to: String,
    },
    /// The copy does not have what its source has.
    #[error("the copy {0} differs from its source: it was not made a store; remove it and copy again")]
    Differs(String),
}

impl TransferError {
    pub(crate) fn unsound(why: impl Into<String>) -> Self {
        Self::Unsound(why.into())
    }
}
