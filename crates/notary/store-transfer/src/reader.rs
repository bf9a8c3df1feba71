//! Reads a store as it is at one moment, whether or not it is served.

use std::ops::Range;

use crate::error::Result;
use crate::place::Place;
use crate::store::{EachRow, Head, Store};
use crate::tables::{TABLES, Table};
use crate::value::Row;

/// A store that is read. All that is read is of one moment, until it is dropped.
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

    /// Reads the bytes with this SHA-256; `None` where the store does not have them.
    ///
    /// # Errors
    /// The store failed.
    pub fn blob(&mut self, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>> {
        self.store.blob(sha256)
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
