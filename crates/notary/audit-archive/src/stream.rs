//! An archive that is handed on while it is written.

use std::collections::HashSet;
use std::io::Write;

use sha2::{Digest as _, Sha256};

use crate::error::{ExportError, Result};
use crate::layout::{Name, SUMS, sums_line};
use crate::output::{Output, write_member, write_padding};
use crate::tar::{self, BLOCK};

/// The most requests and pieces of evidence of a streamed archive, each of which is remembered in 64 bytes until its end.
pub const MAX_STREAMED_BLOBS: usize = 1_000_000;

/// Writes members to whoever reads them. Nothing is read back.
pub(crate) struct ArchiveStream<'w> {
    out: &'w mut dyn Write,
    sums: Vec<Sum>,
    blobs: HashSet<[u8; 32]>,
    done: u64,
    bytes: u64,
}

/// A line of the sums. The name of a blob is its sum.
enum Sum {
    Blob([u8; 32]),
    Other(Box<([u8; 32], String)>),
}

impl Sum {
    fn line(&self) -> String {
        match self {
            Self::Blob(sha256) => sums_line(sha256, &Name::Blob(*sha256).to_string()),
            Self::Other(other) => sums_line(&other.0, &other.1),
        }
    }
}

impl<'w> ArchiveStream<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, sums: Vec::new(), blobs: HashSet::new(), done: 0, bytes: 0 }
    }

    /// Writes the sums and the end. Returns the number of bytes of the archive.
    pub(crate) fn end(self) -> Result<u64> {
        let size: u64 = self.sums.iter().map(|sum| sum.line().len() as u64).sum();
        let mut write = || {
            self.out.write_all(&tar::header(SUMS, size)?)?;
            for sum in &self.sums {
                self.out.write_all(sum.line().as_bytes())?;
            }
            let padding = write_padding(self.out, size)?;
            self.out.write_all(&[0; 1024])?;
            self.out.flush()?;
            Ok(padding)
        };
        let padding = write().map_err(ExportError::Reader)?;
        Ok(self.bytes + BLOCK + size + padding + 2 * BLOCK)
    }
}

impl Output for ArchiveStream<'_> {
    fn done(&self) -> u64 {
        self.done
    }

    fn has_blob(&self, sha256: &[u8; 32]) -> bool {
        self.blobs.contains(sha256)
    }

    fn member(&mut self, name: &Name, content: &[u8]) -> Result<()> {
        let text = name.to_string();
        match name {
            Name::Blob(sha256) => {
                if self.blobs.len() >= MAX_STREAMED_BLOBS {
                    return Err(ExportError::TooMany(MAX_STREAMED_BLOBS));
                }
                self.blobs.insert(*sha256);
                self.sums.push(Sum::Blob(*sha256));
            }
            name => {
                if let Name::Kept(leaves) = name {
                    self.done = leaves.end;
                }
                self.sums.push(Sum::Other(Box::new((Sha256::digest(content).into(), text.clone()))));
            }
        }
        self.bytes += write_member(self.out, &text, content).map_err(ExportError::Reader)?;
        Ok(())
    }
}
