//! The file of a backup.
//!
//! It begins with [`MAGIC`]. Then come frames: a byte for the kind, the length in 4 bytes (big-endian), and as many bytes.
//!
//! | kind | content |
//! |---|---|
//! | 1 | the header: JSON with the version, and the head of the log |
//! | 2 | the name of a table, whose rows follow; all tables come in the order of [`TABLES`](crate::tables::TABLES) |
//! | 3 | rows of that table one after another, as [`Value`](crate::value::Value) writes them, compressed (DEFLATE, RFC 1951) |
//! | 4 | the end: the SHA-256 of all bytes before this frame |
//!
//! Nothing follows the end. So a file that was cut off has no end, and one that was changed has another SHA-256.

mod reader;
mod writer;

pub(crate) use reader::DumpReader;
pub(crate) use writer::DumpWriter;

use serde::{Deserialize, Serialize};
use tlog::Hash;

use crate::error::{Result, TransferError};
use crate::store::Head;

pub(crate) const MAGIC: &[u8] = b"touchstone backup\n";
/// The version of the format, and of the list of tables.
pub(crate) const VERSION: u32 = 4;
pub(crate) const HEADER: u8 = 1;
pub(crate) const TABLE: u8 = 2;
pub(crate) const ROWS: u8 = 3;
pub(crate) const END: u8 = 4;
/// The number of bytes from which on rows become a frame.
pub(crate) const FRAME_BYTES: usize = 1 << 20;
/// The most bytes of a frame, and of its rows: a record has far fewer.
pub(crate) const MAX_FRAME: usize = 64 << 20;

/// The version alone, which is read first.
#[derive(Deserialize)]
pub(crate) struct Version {
    pub(crate) version: u32,
}

/// The header.
#[derive(Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) version: u32,
    pub(crate) size: u64,
    pub(crate) root: String,
    pub(crate) latest: i64,
    pub(crate) checkpoint: String,
}

impl Header {
    pub(crate) fn new(head: &Head) -> Self {
        let Head { size, root, latest, checkpoint } = head;
        Self {
            version: VERSION,
            size: *size,
            root: root.to_string(),
            latest: *latest,
            checkpoint: checkpoint.clone(),
        }
    }

    pub(crate) fn head(self) -> Result<Head> {
        let Self { size, root, latest, checkpoint, .. } = self;
        let root = Hash::from_base64(&root).map_err(|_| TransferError::Changed)?;
        Ok(Head { size, root, latest, checkpoint })
    }
}

#[cfg(test)]
mod tests {
    use receipt::hash::sha256;

    use super::*;
    use crate::tables::TABLES;

    #[test]
    fn another_list_of_tables_has_another_version() {
        let list: String = TABLES.iter().map(|table| format!("{table:?}")).collect();
        let hash: String = sha256(list.as_bytes())[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            (VERSION, &*hash),
            (4, "454f8398f8db2c99"),
            "the rows of a backup have changed: raise VERSION, and say in DumpReader how rows of earlier versions are read"
        );
    }
}
