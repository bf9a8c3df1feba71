//! The errors of following a log: what is wrong with it, or why nothing can be said.

use receipt::key::TreeOutOfRange;
use tlog::tile::TileError;
use tlog::{CheckpointError, Hash};

use crate::contradiction::Contradiction;
use crate::observer::ObserverError;
use crate::source::SourceError;
use crate::state::StateError;

/// The reason why the newest checkpoint of a log was not verified.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The log cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The log does not have a tile that its tree must have.
    #[error("{path}: the log does not have it")]
    Missing {
        /// The path of the tile.
        path: String,
    },
    /// The log does not serve a hash tile that is needed to compare two trees.
    #[error(
        "{path}: the log does not serve this hash tile: a long way, or an older checkpoint, cannot be checked without"
    )]
    HashTileMissing {
        /// The path of the tile.
        path: String,
    },
    /// The checkpoint is malformed, or is not one that the log's key signed.
    #[error("the checkpoint is not one of this log: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// A key of the log has signed a tree that is not one of its range, such as one that has ended.
    #[error("the checkpoint is not one that its key may sign: {0}")]
    LogKeyRefused(#[from] TreeOutOfRange),
    /// The checkpoint is not UTF-8.
    #[error("the checkpoint is not a text")]
    NotText,
    /// A tile or a bundle is malformed: it is cut, say.
    #[error("{path}: {error}")]
    Tile {
        /// The path of the tile.
        path: String,
        /// The error.
        error: TileError,
    },
    /// The entries of a bundle are not those of the log's hash tiles.
    #[error("{path}: entry {position} of it is not the one that the log's hash tiles have")]
    Entries {
        /// The path of the bundle.
        path: String,
        /// The position in the bundle, counted from 0.
        position: usize,
    },
    /// Entries and hash tiles agree with each other, and not with the signed checkpoint.
    #[error(
        "the log signed a tree of {size} leaves with the root {signed}, and its entries have the root {found}"
    )]
    OtherRoot {
        /// The leaves of the tree.
        size: u64,
        /// The signed root.
        signed: Hash,
        /// The root of the entries.
        found: Hash,
    },
    /// The hash tiles give no path between two trees.
    #[error("the log's hash tiles give no path from its tree of {old} leaves to that of {new}")]
    NoPath {
        /// The leaves of the smaller tree.
        old: u64,
        /// The leaves of the larger tree.
        new: u64,
    },
    /// The log serves an older checkpoint than before. It does not contradict what is known.
    #[error(
        "the log is back at {size} leaves, and it signed {known} before: an old copy is served, or it was set back"
    )]
    RolledBack {
        /// The leaves now.
        size: u64,
        /// The leaves that were known.
        known: u64,
    },
    /// The log has signed many checkpoints whose entries it does not serve. No more are remembered, so nothing can be said of
    /// the newest one.
    #[error(
        "the log signed {seen} checkpoints that cannot be compared with its entries: no more can be remembered"
    )]
    TooManySeen {
        /// The number of checkpoints.
        seen: usize,
    },
    /// The log has signed a larger tree than any log can have.
    #[error("the log signed a tree of {size} leaves, which no log can have")]
    ImplausibleSize {
        /// The leaves of the tree.
        size: u64,
    },
    /// The tree is too large for one step. The entries up to here are in it, and the next step goes on.
    #[error("the log has {size} leaves: the first {reached} are read so far, and the next look goes on")]
    Unfinished {
        /// The leaves that were read.
        reached: u64,
        /// The leaves of the tree.
        size: u64,
    },
    /// The log's key has signed two trees that contradict each other.
    #[error("equivocation: the log's key signed two trees that contradict each other")]
    Contradiction(Box<Contradiction>),
    /// The observer failed.
    #[error(transparent)]
    Observer(ObserverError),
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
}

impl FollowError {
    /// Returns true if the log is wrong, and false where nothing can be said of it, such as without a connection.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        match self {
            Self::Checkpoint(_)
            | Self::LogKeyRefused(_)
            | Self::NotText
            | Self::Tile { .. }
            | Self::Entries { .. }
            | Self::OtherRoot { .. }
            | Self::NoPath { .. }
            | Self::RolledBack { .. }
            | Self::TooManySeen { .. }
            | Self::ImplausibleSize { .. }
            | Self::Contradiction(_) => true,
            Self::Source(_)
            | Self::Missing { .. }
            | Self::HashTileMissing { .. }
            | Self::Unfinished { .. }
            | Self::Observer(_)
            | Self::State(_) => false,
        }
    }

    /// Returns true if a replica that is behind the others gives an honest log this appearance for some seconds.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::RolledBack { .. } | Self::Source(SourceError::Keys { .. }))
    }

    /// The stable code of the error, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Source(_) => "not_read",
            Self::Missing { .. } => "tile_missing",
            Self::HashTileMissing { .. } => "hash_tile_missing",
            Self::Checkpoint(_) | Self::NotText => "checkpoint",
            Self::LogKeyRefused(_) => "log_key_refused",
            Self::Tile { .. } => "tile_malformed",
            Self::Entries { .. } => "other_entries",
            Self::OtherRoot { .. } => "other_root",
            Self::NoPath { .. } => "no_path",
            Self::RolledBack { .. } => "rolled_back",
            Self::TooManySeen { .. } => "too_many_unreached",
            Self::ImplausibleSize { .. } => "implausible_size",
            Self::Unfinished { .. } => "unfinished",
            Self::Contradiction(_) => "equivocation",
            Self::Observer(_) => "not_kept",
            Self::State(_) => "state",
        }
    }
}
