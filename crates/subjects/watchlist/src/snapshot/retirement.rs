//! Retired lists, and the status of a snapshot that they decide.

use std::collections::{BTreeMap, BTreeSet};

use receipt::time::Timestamp;

use super::durable::{read_json, replace};
use super::error::StoreError;
use super::id::SnapshotId;
use super::record::Live;
use super::standing::SnapshotStatus;
use super::store::{RETIRED, Store};
use crate::lists::Doubt;
use crate::model::ListName;

impl Store {
    /// Retires a list: it answers no questions from now on, and later publications wait for [`accept`](Self::accept).
    /// Its snapshots stay, for replays.
    ///
    /// # Errors
    /// [`StoreError::NoList`] if no list of that name is live.
    pub fn retire(&self, list: &ListName, at: Timestamp) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut live = self.live()?;
        if live.remove(list).is_none() {
            return Err(StoreError::NoList(list.clone()));
        }
        let mut retired = self.retirements()?;
        retired.insert(list.clone(), at);
        // In this order: a list is out once it is noted as retired and is not live.
        replace(&self.folder.join(RETIRED), &retired)?;
        replace(&self.live_file(), &live)
    }

    /// Returns the names of the retired lists.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn retired(&self) -> Result<BTreeSet<ListName>, StoreError> {
        let live = self.live()?;
        Ok(self.retirements()?.into_keys().filter(|list| !live.contains_key(list)).collect())
    }

    /// Tests that the list of that name is retired.
    pub(super) fn is_retired(
        &self,
        live: &BTreeMap<ListName, Live>,
        list: &ListName,
    ) -> Result<bool, StoreError> {
        Ok(!live.contains_key(list) && self.retirements()?.contains_key(list))
    }

    /// Times at which lists were last retired, including lists that were accepted again later.
    fn retirements(&self) -> Result<BTreeMap<ListName, Timestamp>, StoreError> {
        Ok(read_json(&self.folder.join(RETIRED))?.unwrap_or_default())
    }

    /// Returns the status of a stored snapshot. `doubts` are those of its last import; its record may lack them, since
    /// they may compare it with the snapshot that was live then.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn standing(&self, id: &SnapshotId, doubts: &[Doubt]) -> Result<SnapshotStatus, StoreError> {
        let (record, live) = (self.record(id)?, self.live()?);
        let before = live.get(&record.list).map(|live| live.snapshot);
        if before == Some(*id) {
            return Ok(SnapshotStatus::Confirmed);
        }
        if self.is_retired(&live, &record.list)? {
            return Ok(SnapshotStatus::Retired);
        }
        let live_since = before.map(|before| self.record(&before)).transpose()?;
        let is_older = live_since.is_some_and(|live| record.published < live.published);
        let doubts = if doubts.is_empty() { record.doubts } else { doubts.to_vec() };
        Ok(if is_older || doubts.is_empty() { SnapshotStatus::Older } else { SnapshotStatus::Held(doubts) })
    }
}
