//! Stamped checkpoints: which one is stored, and which are kept.

use receipt::time::Timestamp;
use tlog::Hash;

use crate::{LedgerError, MAX_STAMP_ANSWER, MAX_STAMPED_NOTE, STAMPED_ALL_KEPT_MS, StampedCheckpoint};

/// Checks the sizes of a stamped checkpoint's parts.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check(checkpoint: &StampedCheckpoint) -> Result<(), LedgerError> {
    for (length, most) in
        [(checkpoint.note.len(), MAX_STAMPED_NOTE), (checkpoint.answer.len(), MAX_STAMP_ANSWER)]
    {
        if length > most {
            return Err(LedgerError::Unfit(format!("{length} bytes, more than {most}")));
        }
    }
    Ok(())
}

/// Returns true if a checkpoint is to be stored. `newest` are the size and the root of the largest that is stored.
///
/// # Errors
/// [`LedgerError::Unfit`]: another root is stored for its size.
pub fn is_stored(newest: Option<(u64, Hash)>, new: &StampedCheckpoint) -> Result<bool, LedgerError> {
    match newest {
        Some((size, root)) if size == new.size && root != new.root => {
            Err(LedgerError::Unfit(format!("a stamped checkpoint of {size} leaves has another root")))
        }
        Some((size, _)) => Ok(new.size > size),
        None => Ok(true),
    }
}

/// The time before which one a day is kept, when a checkpoint of this time is stored.
#[must_use]
pub fn all_kept_from(new: Timestamp) -> Timestamp {
    new.saturating_add_millis(-STAMPED_ALL_KEPT_MS)
}

/// The sizes of the checkpoints that are deleted, of all from before [`all_kept_from`] in the order of their sizes: those that
/// are not the first of their UTC day.
#[must_use]
pub fn forgotten(old: &[(u64, Timestamp)]) -> Vec<u64> {
    let is_same_day = |pair: &&[(u64, Timestamp)]| pair[0].1.unix_days() == pair[1].1.unix_days();
    old.windows(2).filter(is_same_day).map(|pair| pair[1].0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(size: u64) -> StampedCheckpoint {
        let root = tlog::leaf_hash(&size.to_be_bytes());
        StampedCheckpoint {
            size,
            root,
            note: "a note".into(),
            answer: vec![1],
            at: Timestamp::from_millis(STAMPED_ALL_KEPT_MS).unwrap(),
        }
    }

    #[test]
    fn the_first_token_over_a_tree_is_kept_and_one_size_has_one_root() {
        assert!(is_stored(None, &new(7)).unwrap());
        assert!(is_stored(Some((6, new(6).root)), &new(7)).unwrap());
        assert!(!is_stored(Some((7, new(7).root)), &new(7)).unwrap());
        assert!(!is_stored(Some((8, new(8).root)), &new(7)).unwrap());
        assert!(matches!(is_stored(Some((7, new(6).root)), &new(7)), Err(LedgerError::Unfit(_))));
    }

    #[test]
    fn of_old_ones_the_first_of_each_day_stays() {
        const HOUR: i64 = 3_600_000;
        let at = |hour: i64| Timestamp::from_millis(hour * HOUR).unwrap();
        let old = [(1, at(1)), (2, at(2)), (3, at(23)), (4, at(24)), (5, at(25)), (6, at(75))];
        assert_eq!(forgotten(&old), [2, 3, 5]);
        assert_eq!(forgotten(&[]), [] as [u64; 0]);
        assert_eq!(all_kept_from(new(1).at), Timestamp::EPOCH);
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(check(&new(1)).is_ok());
        for long in [
            StampedCheckpoint { answer: vec![0; MAX_STAMP_ANSWER + 1], ..new(1) },
            StampedCheckpoint { note: "a".repeat(MAX_STAMPED_NOTE + 1).into(), ..new(1) },
        ] {
            assert!(matches!(check(&long), Err(LedgerError::Unfit(_))));
        }
    }
}
