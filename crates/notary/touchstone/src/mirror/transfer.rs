//! Contents of files, to the store and from it, in chunks that are verified.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use ledger::{Ledger, MAX_SHARED_CHUNK, MAX_SHARED_FILE, SharedContent};
use receipt::hash::sha256;
use sha2::{Digest as _, Sha256};
use verdict::Clock;

use super::MirrorError;

/// Puts the chunks of a file into the store.
pub(super) async fn upload(
    ledger: &dyn Ledger,
    clock: &dyn Clock,
    path: &str,
    mut from: impl Read,
) -> Result<SharedContent, MirrorError> {
    let (mut hash, mut length, mut chunks) = (Sha256::new(), 0, Vec::new());
    loop {
        let mut chunk = Vec::new();
        let read = (&mut from).take(MAX_SHARED_CHUNK as u64).read_to_end(&mut chunk);
        length += read.map_err(|source| MirrorError::Io { path: path.to_owned(), source })? as u64;
        if chunk.is_empty() {
            return Ok(SharedContent { sha256: hash.finalize().into(), length, chunks });
        }
        if length > MAX_SHARED_FILE {
            return Err(MirrorError::TooLarge(path.to_owned()));
        }
        hash.update(&chunk);
        chunks.push(ledger.put_chunk(chunk, clock.now()).await?);
    }
}

/// Writes the content of a file as the store has it. What was written is of no use where this fails.
pub(super) async fn download(
    ledger: &dyn Ledger,
    path: &str,
    content: &SharedContent,
    mut to: impl Write,
) -> Result<(), MirrorError> {
    let (mut hash, mut length) = (Sha256::new(), 0_u64);
    for id in &content.chunks {
        let chunk = ledger.chunk(id).await?.filter(|chunk| sha256(chunk) == *id);
        let chunk = chunk.ok_or_else(|| MirrorError::NotWhole(path.to_owned()))?;
        length += chunk.len() as u64;
        if length > content.length {
            break;
        }
        hash.update(&chunk);
        to.write_all(&chunk).map_err(|source| MirrorError::Io { path: path.to_owned(), source })?;
    }
    let found: [u8; 32] = hash.finalize().into();
    if length != content.length || found != content.sha256 {
        return Err(MirrorError::NotWhole(path.to_owned()));
    }
    Ok(())
}

/// Makes a file that was written under another name durable, and gives it its name.
pub(super) fn place(written: &File, beside: &Path, path: &Path) -> io::Result<()> {
    written.sync_all()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    std::fs::rename(beside, path)?;
    File::open(folder)?.sync_all()
}
