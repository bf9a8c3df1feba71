//! The index of receipts: a key's leaf, in memory while it is recent and in the table `keys` from then on.
//!
//! Keys are random, so each would dirty a page of its own in a B-tree: half of what a commit has to write. Therefore
//! a generation of keys is gathered in memory, sorted, and merged into the table in slices, each within somebody's
//! commit: neighbours in the order share a page. The stored head says how far the table goes; after a crash what
//! lies past it is read again from the receipts.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Result, Transaction, params};

/// Keys in a generation.
const GENERATION: usize = 32_768;
/// Keys that a commit merges for each that it adds, so that a generation is merged before the next one is full.
const PACE: usize = 2;

/// The key that a receipt is found by: the first 8 bytes of its hash. An index of integers is a third the size of one of
/// hashes, and no two receipts share the number but by a chance of one in 10^10 at a billion receipts; the
/// second of two such would be refused as a duplicate, and signed anew with another salt.
pub(crate) fn receipt_key(hash: &ReceiptHash) -> i64 {
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    i64::from_be_bytes(*first)
}

/// The keys that the table does not have, or may not have.
#[derive(Default)]
pub(crate) struct RecentKeys(RwLock<Generations>);

#[derive(Default)]
struct Generations {
    young: HashMap<i64, u64>,
    /// The older generation, by key.
    merging: Vec<(i64, u64)>,
    /// The number of them that the table has.
    merged: usize,
    /// Leaves below this have their keys in the table.
    indexed: u64,
}

/// A part of a generation that goes into the table with a commit.
pub(crate) struct Slice {
    keys: Vec<(i64, u64)>,
    /// The leaves below this have their keys in the table once it has this slice.
    pub(crate) indexed: u64,
}

impl RecentKeys {
    /// Reads the keys that the table lacks: those of the leaves from the stored mark on.
    pub(crate) fn read(connection: &Connection) -> Result<Self> {
        let indexed: u64 = connection.query_row("SELECT indexed FROM head", [], |row| row.get(0))?;
        let mut statement = connection.prepare("SELECT key, leaf FROM receipts WHERE leaf >= ?")?;
        let young = statement.query_map([indexed], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let young = young.collect::<Result<_>>()?;
        Ok(Self(RwLock::new(Generations { young, indexed, ..Generations::default() })))
    }

    /// The leaf of a key, where it is recent.
    pub(crate) fn leaf(&self, key: i64) -> Option<u64> {
        let generations = self.0.read().unwrap_or_else(PoisonError::into_inner);
        generations.young.get(&key).copied().or_else(|| generations.in_older(key))
    }

    /// Says whether the store has a receipt with this key.
    pub(crate) fn contains(&self, connection: &Connection, key: i64) -> Result<bool> {
        let is_stored = || {
            connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM keys WHERE key = ?)")?
                .query_row([key], |row| row.get(0))
        };
        if self.leaf(key).is_some() { Ok(true) } else { is_stored() }
    }

    /// The slice that a commit of `new` keys should merge.
    pub(crate) fn slice(&self, new: usize) -> Slice {
        let generations = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let rest = &generations.merging[generations.merged..];
        let keys = rest[..rest.len().min(new * PACE)].to_vec();
        let is_last = !rest.is_empty() && keys.len() == rest.len();
        let end = || generations.merging.iter().map(|(_, leaf)| leaf + 1).max();
        let indexed = if is_last { end() } else { None };
        Slice { indexed: indexed.unwrap_or(generations.indexed), keys }
    }

    /// Takes note of a commit: its slice is in the table, and these keys are new.
    pub(crate) fn committed(&self, slice: &Slice, new: impl Iterator<Item = (i64, u64)>) {
        let mut generations = self.0.write().unwrap_or_else(PoisonError::into_inner);
        generations.merged += slice.keys.len();
        generations.indexed = slice.indexed;
        generations.young.extend(new);
        if generations.merged == generations.merging.len() {
            generations.turn();
        }
    }
}

impl Generations {
    fn in_older(&self, key: i64) -> Option<u64> {
        let at = self.merging.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.merging[at].1)
    }

    /// The older generation is in the table: the young one takes its place once it is large enough.
    fn turn(&mut self) {
        self.merged = 0;
        self.merging = Vec::new();
        if self.young.len() >= GENERATION {
            self.merging = std::mem::take(&mut self.young).into_iter().collect();
            self.merging.sort_unstable();
        }
    }
}

impl Slice {
    /// Inserts the keys. The table may have some already, from a commit before a crash.
    pub(crate) fn insert(&self, transaction: &Transaction<'_>) -> Result<()> {
        let mut statement =
            transaction.prepare_cached("INSERT OR IGNORE INTO keys (key, leaf) VALUES (?, ?)")?;
        for (key, leaf) in &self.keys {
            statement.execute(params![key, leaf])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("../migrations/schema.sql")).unwrap();
        let head = "INSERT INTO head (only, size, root, latest, checkpoint, indexed, batch) VALUES (1, 0, x'', 0, '', 0, 0)";
        connection.execute_batch(head).unwrap();
        connection
    }

    /// A key for a leaf: spread over all of the range, and no two the same.
    fn key(leaf: u64) -> i64 {
        i64::from_ne_bytes(leaf.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_ne_bytes())
    }

    fn receipt(connection: &Connection, leaf: u64) {
        let insert =
            "INSERT INTO receipts (leaf, key, hash, signature, payload) VALUES (?, ?, x'', x'', x'')";
        connection.prepare_cached(insert).unwrap().execute(params![leaf, key(leaf)]).unwrap();
    }

    /// Commits leaves as the writer does.
    fn append(connection: &mut Connection, keys: &RecentKeys, leaves: std::ops::Range<u64>) {
        let transaction = connection.transaction().unwrap();
        let slice = keys.slice(leaves.clone().count());
        leaves.clone().for_each(|leaf| receipt(&transaction, leaf));
        slice.insert(&transaction).unwrap();
        transaction.execute("UPDATE head SET indexed = ?", [slice.indexed]).unwrap();
        transaction.commit().unwrap();
        keys.committed(&slice, leaves.map(|leaf| (key(leaf), leaf)));
    }

    fn found(connection: &Connection, keys: &RecentKeys, leaf: u64) -> Option<u64> {
        let stored = || {
            connection.query_row("SELECT leaf FROM keys WHERE key = ?", [key(leaf)], |row| row.get(0)).ok()
        };
        keys.leaf(key(leaf)).or_else(stored)
    }

    #[test]
    fn each_key_is_found_whatever_was_merged_and_after_every_restart() {
        let mut connection = store();
        let mut keys = RecentKeys::read(&connection).unwrap();
        let step = 1000;
        for first in (0..200_000).step_by(step) {
            let next = first + step as u64;
            append(&mut connection, &keys, first..next);
            if first % 7_000 == 0 {
                keys = RecentKeys::read(&connection).unwrap();
            }
            for leaf in (first % 331..next).step_by(331) {
                assert_eq!(found(&connection, &keys, leaf), Some(leaf));
            }
            assert!(!keys.contains(&connection, key(next)).unwrap());
            assert!(keys.contains(&connection, key(next / 2)).unwrap());
        }
    }

    #[test]
    fn memory_holds_at_most_three_generations() {
        let mut connection = store();
        let keys = RecentKeys::read(&connection).unwrap();
        for first in (0..300_000).step_by(500) {
            append(&mut connection, &keys, first..first + 500);
            let generations = keys.0.read().unwrap();
            assert!(generations.young.len() + generations.merging.len() <= 3 * GENERATION);
        }
        let indexed: u64 = connection.query_row("SELECT indexed FROM head", [], |row| row.get(0)).unwrap();
        assert!(indexed > 300_000 - 3 * GENERATION as u64, "{indexed}");
    }
}
