//! Cosigned checkpoints: which one follows on which, and which are kept.

use receipt::time::Timestamp;
use tlog::Hash;

use crate::{COSIGNED_KEPT_EVERY_MS, CosignedCheckpoint, LedgerError, MAX_COSIGNED_NOTE};

/// The size, the root and the time of a stored cosigned checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredCosigned {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The root hash of the tree.
    pub root: Hash,
    /// The time at which its quorum was complete.
    pub at: Timestamp,
}

/// The change by which a cosigned checkpoint is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CosignedStep {
    /// Nothing is changed: a larger one is stored.
    Keep,
    /// The note of the newest, which has this size, is replaced.
    Replace,
    /// It is inserted.
    Insert,
    /// It is inserted, and the newest until now, which has this size, is deleted.
    InsertAndForget(u64),
}

/// Decides how a checkpoint is stored. `newest` are the two largest that are stored, the largest first.
///
/// # Errors
/// [`LedgerError::Unfit`]: another root is stored for its size.
pub fn step(newest: &[StoredCosigned], new: &CosignedCheckpoint) -> Result<CosignedStep, LedgerError> {
    let Some(last) = newest.first() else { return Ok(CosignedStep::Insert) };
    if new.size < last.size {
        return Ok(CosignedStep::Keep);
    }
    if new.size == last.size {
        if new.root != last.root {
            let why = format!("a cosigned checkpoint of {} leaves has another root", new.size);
            return Err(LedgerError::Unfit(why));
        }
        return Ok(CosignedStep::Replace);
    }
    // The one before the last is the first of its interval: else it would have been deleted when the last was stored.
    let is_of_one_interval = newest.get(1).is_some_and(|before| interval(before.at) == interval(last.at));
    Ok(if is_of_one_interval { CosignedStep::InsertAndForget(last.size) } else { CosignedStep::Insert })
}

fn interval(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(COSIGNED_KEPT_EVERY_MS)
}

/// Checks the size of a note.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_note(note: &str) -> Result<(), LedgerError> {
    if note.len() > MAX_COSIGNED_NOTE {
        return Err(LedgerError::Unfit(format!("{} bytes, more than {MAX_COSIGNED_NOTE}", note.len())));
    }
    Ok(())
}

/// Checks the sizes of a consistency proof under the newest known head.
///
/// # Errors
/// As [`Cosigned::consistency`](crate::Cosigned::consistency).
pub fn check_sizes(old: u64, new: u64, head: u64) -> Result<(), LedgerError> {
    if old > new {
        return Err(LedgerError::Unfit(format!("the log at {old} leaves is no prefix of that at {new}")));
    }
    if new > head { Err(LedgerError::NoSuchLeaf(new - 1)) } else { Ok(()) }
}

/// Checks that a tree of the log contains a leaf, under the newest known head.
///
/// # Errors
/// As [`Cosigned::inclusion_at`](crate::Cosigned::inclusion_at).
pub fn check_leaf(leaf: u64, size: u64, head: u64) -> Result<(), LedgerError> {
    if leaf >= size || size > head { Err(LedgerError::NoSuchLeaf(leaf)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::EPOCH.saturating_add_millis(millis)
    }

    fn stored(size: u64, millis: i64) -> StoredCosigned {
        StoredCosigned { size, root: tlog::leaf_hash(&size.to_be_bytes()), at: at(millis) }
    }

    fn new(size: u64) -> CosignedCheckpoint {
        let root = tlog::leaf_hash(&size.to_be_bytes());
        CosignedCheckpoint { size, root, note: "a note".into(), at: at(0) }
    }

    #[test]
    fn the_newest_is_kept_and_the_first_of_each_interval() {
        let every = COSIGNED_KEPT_EVERY_MS;
        assert_eq!(step(&[], &new(7)).unwrap(), CosignedStep::Insert);
        assert_eq!(step(&[stored(5, 0)], &new(7)).unwrap(), CosignedStep::Insert);
        let one_interval = [stored(6, every - 1), stored(5, 0)];
        assert_eq!(step(&one_interval, &new(7)).unwrap(), CosignedStep::InsertAndForget(6));
        let two_intervals = [stored(6, every), stored(5, every - 1)];
        assert_eq!(step(&two_intervals, &new(7)).unwrap(), CosignedStep::Insert);
    }

    #[test]
    fn a_smaller_one_changes_nothing_and_one_size_has_one_root() {
        assert_eq!(step(&[stored(8, 0)], &new(7)).unwrap(), CosignedStep::Keep);
        assert_eq!(step(&[stored(7, 0)], &new(7)).unwrap(), CosignedStep::Replace);
        let forked = CosignedCheckpoint { root: tlog::leaf_hash(b"another"), ..new(7) };
        assert!(matches!(step(&[stored(7, 0)], &forked), Err(LedgerError::Unfit(_))));
    }
}
