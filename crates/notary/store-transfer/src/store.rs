//! A store as a whole, whatever it is kept in: where it stands, its rows, and the steps by which it is moved or made.

use std::ops::Range;

use ledger::MarkKind;
use tlog::{Hash, RightEdge};

use crate::error::{Result, TransferError};
use crate::tables::Table;
use crate::value::{Row, Value};

/// The head of a log, as it is stored. It is not checked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The number of leaves.
    pub size: u64,
    /// The root.
    pub root: Hash,
    /// The time of the newest receipt, in milliseconds since 1970.
    pub latest: i64,
    /// The signed checkpoint.
    pub checkpoint: String,
}

/// The mark of a store; see [`ledger::TransferMark`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    pub(crate) kind: MarkKind,
    pub(crate) place: String,
    /// The head when the store was marked; of a copy, its source's.
    pub(crate) head: Head,
}

/// Where a store stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StoreState {
    /// There is none, or it is bound to no keys.
    Empty,
    /// It may be served.
    Live(Head),
    /// It is marked.
    Marked(Mark),
}

impl StoreState {
    /// The head of a store that has all that it is to have, and so may be copied.
    pub(crate) fn whole(self, place: String) -> Result<Head> {
        match self {
            Self::Live(head)
            | Self::Marked(Mark {
                kind: MarkKind::Archive | MarkKind::Moving | MarkKind::Moved, head, ..
            }) => Ok(head),
            Self::Empty => Err(TransferError::NoStore(place)),
            Self::Marked(Mark { kind: MarkKind::Copying, place: of, .. }) => {
                Err(TransferError::OtherCopy { place, of })
            }
        }
    }

    /// Checks that the store has this mark.
    pub(crate) fn check_mark(&self, mark: &Mark, place: &str) -> Result<()> {
        match self {
            Self::Marked(has) if has == mark => Ok(()),
            Self::Marked(_) | Self::Live(_) | Self::Empty => {
                Err(TransferError::MarkChanged(place.to_owned()))
            }
        }
    }

    /// The head that a half-made copy is to have.
    pub(crate) fn copied(self, place: String) -> Result<Head> {
        match self {
            Self::Marked(Mark { head, .. }) => Ok(head),
            Self::Live(_) | Self::Empty => Err(TransferError::Differs(place)),
        }
    }
}

/// Takes each row of a table.
pub(crate) type EachRow<'a> = dyn FnMut(Row) -> Result<()> + 'a;

/// Keys of a table whose rows hold bytes of any length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keyed<'k> {
    /// `requests`, by their leaves.
    Requests(&'k [i64]),
    /// `blobs`, by their SHA-256.
    Blobs(&'k [[u8; 32]]),
}

impl<'k> Keyed<'k> {
    /// The number of keys.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Requests(leaves) => leaves.len(),
            Self::Blobs(addresses) => addresses.len(),
        }
    }

    /// The keys from one to before another.
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        match self {
            Self::Requests(leaves) => Self::Requests(&leaves[range]),
            Self::Blobs(addresses) => Self::Blobs(&addresses[range]),
        }
    }

    /// The position of a key in the list, which must be sorted.
    pub(crate) fn position(self, key: &KeyBytes) -> Option<usize> {
        match (self, key) {
            (Self::Requests(leaves), KeyBytes::Leaf(leaf)) => leaves.binary_search(leaf).ok(),
            (Self::Blobs(addresses), KeyBytes::Sha256(address)) => addresses.binary_search(address).ok(),
            _ => None,
        }
    }
}

/// A key of [`Keyed`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyBytes {
    /// The leaf of a request.
    Leaf(i64),
    /// The address of a blob.
    Sha256([u8; 32]),
}

/// What a table has under a key.
pub(crate) type Found<T> = (KeyBytes, T);

/// The bytes of a row, and the number beside them: `judged_at` of a request, 0 of a blob.
pub(crate) type KeyedBytes = (Vec<u8>, i64);

/// Rows that can be read once, table after table in the order of [`TABLES`](crate::tables::TABLES).
pub(crate) trait Source {
    /// Reads all rows of a table, in the order of its key.
    fn rows(&mut self, table: &'static Table, each: &mut EachRow<'_>) -> Result<()>;

    /// Ends the reading. What was read counts once this has succeeded.
    fn end(&mut self) -> Result<()>;
}

/// A store that is kept in a back end.
pub(crate) trait Store: Source {
    /// Its place, as marks have it: a path, or an address without a password.
    fn place(&self) -> String;

    /// Where it stands now.
    fn state(&mut self) -> Result<StoreState>;

    /// Begins to read: all rows are of one moment, and this is the head of that moment.
    ///
    /// # Errors
    /// [`NoStore`](crate::TransferError::NoStore) where it is empty.
    fn begin(&mut self) -> Result<Head>;

    /// Marks a live store as being moved to a place. From then on nobody writes to it, also not a process that has it open.
    ///
    /// # Errors
    /// [`InUse`](crate::TransferError::InUse)
    fn fence(&mut self, place: &str) -> Result<()>;

    /// Removes this mark of a store that is being moved, so that it is live again.
    ///
    /// # Errors
    /// [`MarkChanged`](crate::TransferError::MarkChanged) where it has another mark or none by now, and nothing is changed.
    fn unfence(&mut self, mark: &Mark) -> Result<()>;

    /// Turns this mark into that of a store that was moved to the place which the mark has.
    ///
    /// # Errors
    /// As for [`unfence`](Self::unfence).
    fn set_moved(&mut self, mark: &Mark) -> Result<()>;

    /// Reads the rows of a table whose key begins with `leaf`, where that is in the range, in the order of the key.
    fn rows_of_leaves(
        &mut self,
        table: &'static Table,
        leaves: Range<i64>,
        each: &mut EachRow<'_>,
    ) -> Result<()>;

    /// Ends the moment of [`begin`](Self::begin): each later read is of a moment of its own.
    fn release(&mut self) -> Result<()>;

    /// The length of each row that the table has under one of these keys.
    fn lengths(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<u64>>>;

    /// The rows that the table has under these keys.
    fn keyed(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<KeyedBytes>>>;

    /// Removes all rows, and marks the store as a copy.
    ///
    /// # Errors
    /// [`NotEmpty`](crate::TransferError::NotEmpty) where it is live by now.
    fn begin_copy(&mut self, mark: &Mark) -> Result<()>;

    /// The key of the last row of a table; `None` where there is none, or where rows are written again.
    fn last_key(&mut self, table: &Table) -> Result<Option<Vec<Value>>>;

    /// Writes rows of a table.
    fn insert(&mut self, table: &Table, rows: &[Row]) -> Result<()>;

    /// Reads what a half-made copy has, in place of [`begin`](Self::begin).
    fn begin_to_compare(&mut self) -> Result<Head>;

    /// Makes the half-made copy with this mark a store, with this right edge of its tree: live, or an archive.
    ///
    /// # Errors
    /// As for [`unfence`](Self::unfence).
    fn finish(&mut self, mark: &Mark, edge: &RightEdge, is_archive: bool) -> Result<()>;
}
