//! The amounts that this process gives back.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ledger::{QuotaKey, QuotaRequest, QuotaReservation};

use crate::log::quota_rows::{Epoch, PartKey, parts_of};

/// The amounts that are to be given back with the next transaction. They count as taken until then, since only the store
/// knows whether it still holds them.
#[derive(Clone, Default)]
pub(crate) struct Unreleased(Arc<Mutex<BTreeMap<PartKey, u64>>>);

impl Unreleased {
    fn add(&self, parts: &BTreeMap<PartKey, u64>) {
        let mut unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().for_each(|(key, amount)| *unreleased.entry(*key).or_insert(0) += amount);
    }

    pub(super) fn all(&self) -> BTreeMap<PartKey, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn remove(&self, released: &BTreeMap<PartKey, u64>) {
        let mut unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, amount) in released {
            if let Some(left) = unreleased.get_mut(key) {
                *left = left.saturating_sub(*amount);
            }
        }
        unreleased.retain(|_, amount| *amount > 0);
    }

    /// Returns true if a part of one of these quotas is to be given back.
    pub(crate) fn has_any_of(&self, keys: &[QuotaKey]) -> bool {
        let unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !unreleased.is_empty()
            && keys.iter().any(|key| {
                let quota = (key.period().1, key.id());
                unreleased.keys().any(|(start, id, _)| (*start, *id) == quota)
            })
    }

    /// A reservation that is held under an epoch. Its parts are given back unless it is used up, which the transaction of a
    /// receipt does in the store.
    pub(super) fn reservation(&self, requests: Vec<QuotaRequest>, epoch: Epoch) -> QuotaReservation {
        let unreleased = self.clone();
        QuotaReservation::of_parts(requests, epoch, move |parts, was_used| {
            if !was_used {
                unreleased.add(&parts_of(parts, epoch));
            }
        })
    }
}
