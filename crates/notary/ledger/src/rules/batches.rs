//! Records of one batch that exclude each other, which the store does not show before the commit.

use std::collections::HashSet;
use std::hash::Hash;

use super::watches::UnpaidWatch;
use crate::{ClaimId, ClaimState, LedgerError, LedgerRecord, NotErasable, WatchId, WatchKey, WatchStep};

/// The receipts, claims and watches of the earlier records of a batch, each of which only one record may use. `K` is
/// the back end's key of a receipt.
pub struct BatchKeys<K> {
    receipts: HashSet<K>,
    claims: HashSet<ClaimId>,
    changed: HashSet<WatchId>,
    opened: HashSet<WatchKey>,
    opened_unpaid: Vec<UnpaidWatch>,
    erased: HashSet<u64>,
}

impl<K> Default for BatchKeys<K> {
    fn default() -> Self {
        Self {
            receipts: HashSet::new(),
            claims: HashSet::new(),
            changed: HashSet::new(),
            opened: HashSet::new(),
            opened_unpaid: Vec::new(),
            erased: HashSet::new(),
        }
    }
}

impl<K: Hash + Eq> BatchKeys<K> {
    /// Returns true if an earlier record has the receipt with this key.
    pub fn has_receipt(&self, key: &K) -> bool {
        self.receipts.contains(key)
    }

    /// Checks that no earlier record delivers the claim.
    ///
    /// # Errors
    /// [`LedgerError::WrongState`]: the claim is delivered by an earlier record.
    pub fn check_claim(&self, claim: ClaimId) -> Result<(), LedgerError> {
        if self.claims.contains(&claim) {
            return Err(LedgerError::WrongState(ClaimState::Delivered));
        }
        Ok(())
    }

    /// Checks that no earlier record opens the same watch, or changes it.
    ///
    /// # Errors
    /// [`LedgerError::Duplicate`]: an earlier record opens the watch; [`LedgerError::NotOwner`]: an earlier record
    /// changes it and ends its lease.
    pub fn check_watch(&self, step: &WatchStep) -> Result<(), LedgerError> {
        match step {
            WatchStep::Opened(new) if self.opened.contains(&new.key) => Err(LedgerError::Duplicate),
            WatchStep::Changed(change) if self.changed.contains(&change.id) => Err(LedgerError::NotOwner),
            WatchStep::Opened(_) | WatchStep::Changed(_) => Ok(()),
        }
    }

    /// Checks that no earlier record erases the receipt at this leaf.
    ///
    /// # Errors
    /// [`NotErasable::Erased`].
    pub fn check_erased(&self, leaf: u64) -> Result<(), LedgerError> {
        if self.erased.contains(&leaf) {
            return Err(LedgerError::NotErasable(NotErasable::Erased));
        }
        Ok(())
    }

    /// The unpaid watches that earlier records open.
    pub fn opened_unpaid(&self) -> &[UnpaidWatch] {
        &self.opened_unpaid
    }

    /// Adds a record to the batch, with its receipt, claim and watch.
    pub fn take(&mut self, key: K, record: &LedgerRecord) {
        self.receipts.insert(key);
        self.claims.extend(record.claim.map(|claim| claim.id));
        self.erased.extend(record.erases.map(|erases| erases.leaf));
        match &record.watch {
            None => {}
            Some(WatchStep::Opened(new)) => {
                self.opened.insert(new.key);
                if let (None, Some(network)) = (record.claim, new.network) {
                    self.opened_unpaid.push(UnpaidWatch { agent: new.agent.clone(), network });
                }
            }
            Some(WatchStep::Changed(change)) => {
                self.changed.insert(change.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::fixtures::{self, OWNER, new_watch, screened};
    use crate::{ClaimRef, WatchChange};

    fn opened(key: u8) -> WatchStep {
        WatchStep::Opened(new_watch(key))
    }

    fn changed(id: u64) -> WatchStep {
        WatchStep::Changed(WatchChange { id: WatchId(id), owner: OWNER, screened: screened() })
    }

    fn record(claim: Option<u64>, watch: Option<WatchStep>) -> LedgerRecord {
        let claim = claim.map(|id| ClaimRef { id: ClaimId(id), owner: OWNER });
        LedgerRecord { claim, watch, ..fixtures::record() }
    }

    #[test]
    fn a_receipt_a_claim_and_a_watch_are_taken_once_in_a_batch() {
        let mut keys = BatchKeys::default();
        assert!(!keys.has_receipt(&7));
        keys.check_claim(ClaimId(1)).unwrap();
        keys.take(7, &record(Some(1), Some(opened(1))));
        keys.take(8, &record(None, Some(changed(5))));
        assert!(keys.has_receipt(&7) && keys.has_receipt(&8) && !keys.has_receipt(&9));
        let twice = keys.check_claim(ClaimId(1));
        assert!(matches!(twice, Err(LedgerError::WrongState(ClaimState::Delivered))));
        keys.check_claim(ClaimId(2)).unwrap();
        assert!(matches!(keys.check_watch(&opened(1)), Err(LedgerError::Duplicate)));
        assert!(matches!(keys.check_watch(&changed(5)), Err(LedgerError::NotOwner)));
        keys.check_watch(&opened(2)).unwrap();
        keys.check_watch(&changed(6)).unwrap();
    }

    #[test]
    fn watches_that_nobody_paid_for_are_counted_with_those_of_the_store() {
        let mut keys = BatchKeys::default();
        keys.take(1, &record(Some(1), Some(opened(1))));
        assert!(keys.opened_unpaid().is_empty());
        keys.take(2, &record(None, Some(opened(2))));
        let [unpaid] = keys.opened_unpaid() else { panic!("one") };
        assert_eq!(unpaid.agent, "scout");
    }
}
