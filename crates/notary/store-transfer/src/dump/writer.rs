//! Writes a backup.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest as _, Sha256};

use super::{END, FRAME_BYTES, HEADER, Header, MAGIC, MAX_FRAME, ROWS, TABLE};
use crate::error::{Result, TransferError};
use crate::store::Head;
use crate::tables::Table;
use crate::value::Value;

/// A backup that is being written, beside the place where it will be.
pub(crate) struct DumpWriter {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    hash: Sha256,
    rows: Vec<u8>,
}

impl DumpWriter {
    /// Begins a file that its owner alone may read: requests and findings are in it.
    ///
    /// # Errors
    /// Another process writes it, or a file of that name is there.
    pub(crate) fn begin(path: &Path, head: &Head) -> Result<Self> {
        let mut part = OsString::from(path);
        part.push(".part");
        let part = PathBuf::from(part);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let failed = |error| TransferError::File { path: part.clone(), error };
        let exists = || {
            let error = io::Error::from(io::ErrorKind::AlreadyExists);
            TransferError::File { path: path.to_owned(), error }
        };
        if path.exists() {
            return Err(exists());
        }
        let file = options.open(&part).map_err(failed)?;
        // Two processes would write into one another's backup.
        match file.try_lock() {
            // Some shared folders know of no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::WouldBlock) => {
                let busy =
                    io::Error::new(io::ErrorKind::ResourceBusy, "another backup is being written to it");
                return Err(failed(busy));
            }
            locked => locked.map_err(|error| failed(error.into()))?,
        }
        // The one before may have put this very file in its place meanwhile.
        if path.exists() {
            return Err(exists());
        }
        file.set_len(0).map_err(failed)?;
        let out = BufWriter::new(file);
        let mut writer = Self { path: path.to_owned(), part, out, hash: Sha256::new(), rows: Vec::new() };
        writer.write(MAGIC)?;
        let header = serde_json::to_vec(&Header::new(head)).map_err(|error| writer.failed(error.into()))?;
        writer.frame(HEADER, &header)?;
        Ok(writer)
    }

    pub(crate) fn table(&mut self, table: &Table) -> Result<()> {
        self.write_rows()?;
        self.frame(TABLE, table.name.as_bytes())
    }

    pub(crate) fn row(&mut self, row: &[Value]) -> Result<()> {
        row.iter().try_for_each(|value| value.write(&mut self.rows))?;
        if self.rows.len() > MAX_FRAME {
            return Err(TransferError::unsound("a row is too large for a backup"));
        }
        if self.rows.len() < FRAME_BYTES { Ok(()) } else { self.write_rows() }
    }

    /// Ends the file. It is on the disk when this returns, and may be read at the path returned.
    pub(crate) fn end(&mut self) -> Result<&Path> {
        self.write_rows()?;
        let hash: [u8; 32] = self.hash.clone().finalize().into();
        self.frame(END, &hash)?;
        let flushed = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        flushed.map_err(|error| self.failed(error))?;
        Ok(&self.part)
    }

    /// Puts the ended file in its place. It lasts when this returns.
    pub(crate) fn put_in_place(self) -> Result<()> {
        let placed = fs::rename(&self.part, &self.path).and_then(|()| {
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if cfg!(unix) { File::open(folder.unwrap_or(Path::new(".")))?.sync_all() } else { Ok(()) }
        });
        placed.map_err(|error| self.failed(error))
    }

    fn write_rows(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let compressed = encoder.write_all(&self.rows).and_then(|()| encoder.finish());
        self.rows.clear();
        let compressed = compressed.map_err(|error| self.failed(error))?;
        self.frame(ROWS, &compressed)
    }

    fn frame(&mut self, kind: u8, content: &[u8]) -> Result<()> {
        let length = u32::try_from(content.len());
        let length = length.map_err(|_| TransferError::unsound("a row is too large for a backup"))?;
        self.write(&[kind])?;
        self.write(&length.to_be_bytes())?;
        self.write(content)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> TransferError {
        TransferError::File { path: self.part.clone(), error }
    }
}
