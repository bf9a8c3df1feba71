//! Verification of proofs: RFC 6962, sections 2.1.1 (inclusion) and 2.1.2 (consistency).
//!
//! An inclusion proof and a consistency proof each climb from one node to the root. The climb has two parts. Up to
//! the level where the node's subtree and the tree's last leaf meet, every level has a sibling, on the left or on the
//! right by the bit of the node's index. Above that level the climb follows the right edge, where only the set bits
//! have a sibling, on the left. The number of hashes follows from the index and the size alone, so a proof of any
//! other length is refused before anything is hashed, and no proof is longer than 64 hashes.

use crate::hash::{EMPTY_ROOT, Hash, node_hash};

/// An error in an inclusion proof or a consistency proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The index is not less than the size of the tree.
    #[error("leaf {index} is not in a tree of size {size}")]
    IndexOutOfRange {
        /// The index of the leaf, counted from 0.
        index: u64,
        /// The number of leaves of the tree.
        size: u64,
    },
    /// The old tree is larger than the new one.
    #[error("the old size {old} is greater than the new size {new}")]
    SizesReversed {
        /// The number of leaves of the old tree.
        old: u64,
        /// The number of leaves of the new tree.
        new: u64,
    },
    /// The proof does not have the number of hashes that follows from the index and the sizes.
    #[error("the proof has {got} hashes where {expected} are needed")]
    Length {
        /// The number of hashes that the proof must have.
        expected: usize,
        /// The number of hashes of the proof.
        got: usize,
    },
    /// The computed root of the tree (for a consistency proof, of the new tree) differs from the given root.
    #[error("the proof leads to another root than the tree's")]
    RootMismatch,
    /// The computed root of the old tree differs from the given root.
    #[error("the proof leads to another root than the old tree's")]
    OldRootMismatch,
}

/// Divides a climb from node `index` of a level to the root of a tree whose last node on that level is `last`: the
/// levels that have a sibling each, and the number of left siblings on the right edge above.
fn climb(index: u64, last: u64) -> (u32, u32) {
    let paired = u64::BITS - (index ^ last).leading_zeros();
    let edge = index.checked_shr(paired).unwrap_or(0).count_ones();
    (paired, edge)
}

/// Computes the root that an inclusion proof leads to (RFC 6962, section 2.1.1).
///
/// The result proves nothing until the caller compares it with a signed root.
pub fn root_from_inclusion(index: u64, size: u64, leaf: &Hash, path: &[Hash]) -> Result<Hash, ProofError> {
    if index >= size {
        return Err(ProofError::IndexOutOfRange { index, size });
    }
    let (paired, edge) = climb(index, size - 1);
    check_length((paired + edge) as usize, path.len())?;
    let (below, above) = path.split_at(paired as usize);
    let mut root = *leaf;
    for (level, sibling) in below.iter().enumerate() {
        root = if index >> level & 1 == 0 { node_hash(&root, sibling) } else { node_hash(sibling, &root) };
    }
    Ok(above.iter().fold(root, |root, sibling| node_hash(sibling, &root)))
}

/// The inclusion path of leaf `index` in the tree that ends with it, of `index + 1` leaves, made from its path in a later
/// tree: the siblings on the left, since that tree has none on the right. It proves as much as the path it is made from.
///
/// ```
/// use tlog::{leaf_hash, last_leaf_path, node_hash, root_from_inclusion};
///
/// let [a, b, c] = ["a", "b", "c"].map(|entry| leaf_hash(entry.as_bytes()));
/// assert_eq!(last_leaf_path(1, 3, &[a, c])?, [a]);
/// assert_eq!(root_from_inclusion(1, 2, &b, &[a])?, node_hash(&a, &b));
/// # Ok::<(), tlog::ProofError>(())
/// ```
pub fn last_leaf_path(index: u64, size: u64, path: &[Hash]) -> Result<Vec<Hash>, ProofError> {
    if index >= size {
        return Err(ProofError::IndexOutOfRange { index, size });
    }
    let (paired, edge) = climb(index, size - 1);
    check_length((paired + edge) as usize, path.len())?;
    let is_left = |level: usize| level >= paired as usize || index >> level & 1 == 1;
    Ok(path.iter().enumerate().filter(|(level, _)| is_left(*level)).map(|(_, sibling)| *sibling).collect())
}

/// Checks that `leaf` is leaf number `index` of the tree with this `size` and `root` (RFC 6962, section 2.1.1).
pub fn verify_inclusion(
    index: u64,
    size: u64,
    leaf: &Hash,
    path: &[Hash],
    root: &Hash,
) -> Result<(), ProofError> {
    if root_from_inclusion(index, size, leaf, path)? == *root {
        Ok(())
    } else {
        Err(ProofError::RootMismatch)
    }
}

/// Checks that the tree of `old_size` and `old_root` is a prefix of the tree of `new_size` and `new_root`
/// (RFC 6962, section 2.1.2).
///
/// RFC 6962 leaves two cases without a proof; for both of them the proof must be empty: equal sizes (the roots must
/// be equal) and an empty old tree (which is a prefix of every tree; its root must be [`EMPTY_ROOT`]).
pub fn verify_consistency(
    old_size: u64,
    new_size: u64,
    old_root: &Hash,
    new_root: &Hash,
    proof: &[Hash],
) -> Result<(), ProofError> {
    if old_size > new_size {
        return Err(ProofError::SizesReversed { old: old_size, new: new_size });
    }
    if old_size == 0 && *old_root != EMPTY_ROOT {
        return Err(ProofError::OldRootMismatch);
    }
    if old_size == new_size || old_size == 0 {
        check_length(0, proof.len())?;
        let equal = old_size != new_size || old_root == new_root;
        return if equal { Ok(()) } else { Err(ProofError::RootMismatch) };
    }
    // The climb starts at the last complete subtree of the old tree. If that is the whole old tree, its hash is the
    // old root and the proof leaves it out.
    let (start, path) =
        if old_size.is_power_of_two() { (old_root, proof) } else { split_start(proof, old_size, new_size)? };
    let (old, new) = roots_from_consistency(old_size, new_size, start, path)?;
    if old != *old_root {
        return Err(ProofError::OldRootMismatch);
    }
    if new == *new_root { Ok(()) } else { Err(ProofError::RootMismatch) }
}

/// Computes the old root and the new root that a consistency proof leads to (RFC 6962, section 2.1.2). `start` is the hash of
/// the last complete subtree of the old tree, which is the first hash of the proof; a proof from an old tree of 2^n leaves
/// leaves it out, since it is the old root. `path` are the hashes after it.
///
/// Where the new root is the signed one, every hash of the proof is the one that the new tree has at its place, so the old root
/// is the only one that the new tree has at that size. A signed root of that size that differs is a contradiction.
///
/// `old_size` is at least 1 and less than `new_size`.
pub fn roots_from_consistency(
    old_size: u64,
    new_size: u64,
    start: &Hash,
    path: &[Hash],
) -> Result<(Hash, Hash), ProofError> {
    if old_size == 0 || old_size >= new_size {
        return Err(ProofError::SizesReversed { old: old_size, new: new_size });
    }
    let (paired, edge, index) = climb_from(old_size, new_size);
    check_length((paired + edge) as usize, path.len())?;
    let (mut old, mut new) = (*start, *start);
    for (level, sibling) in path.iter().enumerate() {
        let on_the_left = level >= paired as usize || index >> level & 1 == 1;
        if on_the_left {
            old = node_hash(sibling, &old);
            new = node_hash(sibling, &new);
        } else {
            // A sibling on the right holds leaves that the old tree has not got.
            new = node_hash(&new, sibling);
        }
    }
    Ok((old, new))
}

/// The climb of a consistency proof, and the index of the subtree that it starts at, on that subtree's level.
fn climb_from(old_size: u64, new_size: u64) -> (u32, u32, u64) {
    let level = old_size.trailing_zeros();
    let index = (old_size >> level) - 1;
    let (paired, edge) = climb(index, (new_size - 1) >> level);
    (paired, edge, index)
}

fn split_start(proof: &[Hash], old_size: u64, new_size: u64) -> Result<(&Hash, &[Hash]), ProofError> {
    let (paired, edge, _) = climb_from(old_size, new_size);
    check_length((paired + edge + 1) as usize, proof.len())?;
    Ok(proof.split_first().expect("the length, at least one, was just checked"))
}

fn check_length(expected: usize, got: usize) -> Result<(), ProofError> {
    if expected == got { Ok(()) } else { Err(ProofError::Length { expected, got }) }
}
