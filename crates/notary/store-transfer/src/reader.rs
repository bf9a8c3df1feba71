//! Reads a store as it is at one moment, whether or not it is served.

use std::ops::Range;

use crate::error::{Result, TransferError};
use crate::place::Place;
use crate::store::{EachRow, Head, KeyBytes, Keyed, Store};
use crate::tables::{TABLES, Table};
use crate::value::Row;

/// The most bytes that one statement reads of requests or blobs, but for a single larger one.
const MAX_READ_BYTES: u64 = 16 << 20;

/// A store that is read. All that is read is of one moment until it is dropped, unless it was [released](Self::release).
pub struct StoreReader {
    store: Box<dyn Store>,
    head: Head,
}

impl StoreReader {
    /// Begins to read a store that is there, beside processes that may have it open.
    ///
    /// # Errors
    /// There is none, or it is a half-made copy.
    pub fn open(place: &Place) -> Result<Self> {
        let mut store = place.beside()?;
        let head = store.begin()?;
        Ok(Self { store, head })
    }

    /// The head of its log at that moment. It is not checked.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Reads all rows of a table, in the order of its key.
    ///
    /// # Errors
    /// The store failed, or `each` did.
    pub fn rows(&mut self, table: &'static str, each: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
        self.store.rows(named(table), each)
    }

    /// Reads the rows of a table of receipts (`leaves`, `receipts`, `requests`, `evidence`) whose `leaf` is in the range, in the
    /// order of the key.
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    pub fn rows_of_leaves(
        &mut self,
        table: &'static str,
        leaves: Range<u64>,
        each: &mut EachRow<'_>,
    ) -> Result<()> {
        let number = |leaf: u64| i64::try_from(leaf).unwrap_or(i64::MAX);
        self.store.rows_of_leaves(named(table), number(leaves.start)..number(leaves.end), each)
    }

    /// Ends the moment, so that a slow reader holds none: each later read is of a moment of its own. Leaves below the head's
    /// size stay as they are; what is kept beside them may be deleted from one read to the next.
    ///
    /// # Errors
    /// The store failed.
    pub fn release(&mut self) -> Result<()> {
        self.store.release()
    }

    /// Reads the requests of these leaves, as far as there are, with the time of the judgement. No statement is open while
    /// `each` works.
    ///
    /// # Errors
    /// The store failed, or `each` did.
    pub fn requests<E: From<TransferError>>(
        &mut self,
        leaves: &[u64],
        mut each: impl FnMut(u64, Vec<u8>, i64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut leaves: Vec<i64> = leaves.iter().filter_map(|leaf| i64::try_from(*leaf).ok()).collect();
        leaves.sort_unstable();
        self.parts(Keyed::Requests(&leaves), &mut |key, bytes, judged_at| match key {
            KeyBytes::Leaf(leaf) => each(leaf.unsigned_abs(), bytes, judged_at),
            KeyBytes::Sha256(_) => Ok(()),
        })
    }

    /// Reads the bytes with these SHA-256, as far as the store has them. No statement is open while `each` works.
    ///
    /// # Errors
    /// The store failed, or `each` did.
    pub fn blobs<E: From<TransferError>>(
        &mut self,
        addresses: &[[u8; 32]],
        mut each: impl FnMut([u8; 32], Vec<u8>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut addresses = addresses.to_vec();
        addresses.sort_unstable();
        self.parts(Keyed::Blobs(&addresses), &mut |key, bytes, _| match key {
            KeyBytes::Sha256(address) => each(address, bytes),
            KeyBytes::Leaf(_) => Ok(()),
        })
    }

    /// Reads the rows under keys, which are sorted, in parts of [`MAX_READ_BYTES`], each with one statement.
    fn parts<E: From<TransferError>>(
        &mut self,
        keyed: Keyed<'_>,
        each: &mut dyn FnMut(KeyBytes, Vec<u8>, i64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if keyed.len() == 0 {
            return Ok(());
        }
        let mut lengths = vec![0; keyed.len()];
        for (key, length) in self.store.lengths(keyed)? {
            if let Some(at) = keyed.position(&key) {
                lengths[at] = length;
            }
        }
        let (mut first, mut bytes) = (0, 0_u64);
        for end in 1..=keyed.len() {
            bytes += lengths[end - 1];
            let is_full = lengths.get(end).is_none_or(|next| bytes + next > MAX_READ_BYTES);
            if !is_full {
                continue;
            }
            let mut rows = self.store.keyed(keyed.part(first..end))?;
            // One order, whatever the store's.
            rows.sort_unstable_by_key(|(key, _)| keyed.position(key));
            for (key, (content, number)) in rows {
                each(key, content, number)?;
            }
            (first, bytes) = (end, 0);
        }
        Ok(())
    }

    /// Ends the reading. What was read counts once this has succeeded.
    ///
    /// # Errors
    /// The store failed.
    pub fn end(mut self) -> Result<()> {
        self.store.end()
    }
}

/// The table of this name.
fn named(name: &str) -> &'static Table {
    TABLES.iter().find(|table| table.name == name).expect("only tables that are there are read")
}
