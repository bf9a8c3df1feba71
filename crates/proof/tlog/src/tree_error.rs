//! Errors of the tree and of the reader of tiles.

/// An error in restoring a right edge, or in building the path of a staged leaf.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The index is not less than the size of the tree.
    #[error("leaf {index} is not in a tree of size {size}")]
    IndexOutOfRange {
        /// The index of the leaf, counted from 0.
        index: u64,
        /// The number of leaves of the tree.
        size: u64,
    },
    /// The leaf was appended before the stage began, and the tiles that its path needs are in the store.
    #[error("the path of leaf {index} needs tiles that only the store has")]
    NotStaged {
        /// The index of the leaf, counted from 0.
        index: u64,
    },
    /// The tree of this size has more leaves than this crate can count.
    #[error("a tree of size {0} is too large")]
    TooLarge(u64),
    /// A tree of this size does not have the given number of tile levels.
    #[error("a tree of size {size} has {expected} tile levels, not {got}")]
    Levels {
        /// The number of leaves of the tree.
        size: u64,
        /// The number of tile levels of a tree of this size.
        expected: usize,
        /// The given number of tile levels.
        got: usize,
    },
    /// The rightmost tile of a level does not have the width that follows from the tree's size.
    #[error("the partial tile of level {level} must have {expected} hashes, not {got}")]
    Width {
        /// The tile level, counted from 0.
        level: u8,
        /// The width that follows from the tree's size, in hashes.
        expected: usize,
        /// The given number of hashes.
        got: usize,
    },
}
