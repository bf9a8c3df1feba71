//! The detection of transactions that succeeded although they reported a failure.

use tlog::Hash;

use crate::LedgerError;

/// A mark of a store's progress, which differs after each transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreMark {
    /// The number of transactions so far.
    pub batch: u64,
    /// The number of leaves of the log.
    pub size: u64,
    /// The root hash of the log.
    pub root: Hash,
}

/// Decides whether a transaction succeeded although its COMMIT failed. `stored` is the mark that the store has now.
///
/// If the mark is still `before`, the transaction may nevertheless be in a journal that the next recovery of the store
/// applies. `is_surely_unwritten` is true if the failure was of a kind after which no journal can hold it.
///
/// # Errors
/// [`LedgerError::OutcomeUnknown`] where the outcome cannot be known, [`LedgerError::Corrupt`] where the store has
/// neither mark. In both cases the ledger must stop.
pub fn has_landed(
    stored: StoreMark,
    before: StoreMark,
    after: StoreMark,
    is_surely_unwritten: bool,
) -> Result<bool, LedgerError> {
    if stored == before {
        return if is_surely_unwritten { Ok(false) } else { Err(LedgerError::OutcomeUnknown) };
    }
    if stored == after {
        return Ok(true);
    }
    Err(LedgerError::Corrupt(format!("the head is at {} after a failed commit", stored.size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commit_has_landed_has_not_or_stops_the_ledger() {
        let mark = |batch, size| StoreMark { batch, size, root: Hash([size as u8; 32]) };
        let (before, after) = (mark(4, 7), mark(5, 9));
        assert!(!has_landed(before, before, after, true).unwrap());
        assert!(has_landed(after, before, after, false).unwrap());
        let unknown = has_landed(before, before, after, false);
        assert!(matches!(unknown, Err(LedgerError::OutcomeUnknown)));
        for other in [mark(6, 9), mark(5, 8), StoreMark { root: Hash([0; 32]), ..after }] {
            assert!(matches!(has_landed(other, before, after, true), Err(LedgerError::Corrupt(_))));
        }
    }
}
