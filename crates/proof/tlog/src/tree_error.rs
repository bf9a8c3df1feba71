//! The errors of the tree and of those who read it.

/// A right edge that cannot be restored, or a path that a stage cannot give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The leaf is not in the tree.
    #[error("leaf {index} is not in a tree of size {size}")]
    IndexOutOfRange {
        /// The leaf's index, from 0.
        index: u64,
        /// The tree's size.
        size: u64,
    },
    /// The leaf was appended before the stage began, and the tiles that its path needs are in the store.
    #[error("the path of leaf {index} needs tiles that only the store has")]
    NotStaged {
        /// The leaf's index, from 0.
        index: u64,
    },
    /// The tree has more leaves than this crate can count.
    #[error("a tree of size {0} is too large")]
    TooLarge(u64),
    /// A tree of this size has another number of tile levels.
    #[error("a tree of size {size} has {expected} tile levels, not {got}")]
    Levels {
        /// The tree's size.
        size: u64,
        /// The number of levels in the tree.
        expected: usize,
        /// The number of levels given.
        got: usize,
    },
    /// The rightmost tile of a level has the wrong number of hashes.
    #[error("the partial tile of level {level} must have {expected} hashes, not {got}")]
    Width {
        /// The tile level.
        level: u8,
        /// The width that follows from the tree's size.
        expected: usize,
        /// The number of hashes given.
        got: usize,
    },
}
