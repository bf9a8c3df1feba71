//! Where the members of an archive go.

use std::io::{self, Write};

use crate::error::Result;
use crate::layout::Name;
use crate::tar;

/// Takes the members of an archive in their order.
pub(crate) trait Output {
    /// The end of the last chunk that is whole.
    fn done(&self) -> u64;

    /// Returns true if the bytes with this SHA-256 are there.
    fn has_blob(&self, sha256: &[u8; 32]) -> bool;

    /// Writes a member, unless it is there.
    fn member(&mut self, name: &Name, content: &[u8]) -> Result<()>;
}

/// Writes the header of a member, its content, and its padding. Returns the number of bytes.
pub(crate) fn write_member(out: &mut dyn Write, name: &str, content: &[u8]) -> io::Result<u64> {
    let size = content.len() as u64;
    out.write_all(&tar::header(name, size)?)?;
    out.write_all(content)?;
    Ok(tar::BLOCK + size + write_padding(out, size)?)
}

/// Writes the zero bytes after a content of this size. Returns their number.
pub(crate) fn write_padding(out: &mut dyn Write, size: u64) -> io::Result<u64> {
    let padding = tar::padding(size);
    out.write_all(&[0; 512][..usize::try_from(padding).unwrap_or_default()])?;
    Ok(padding)
}
