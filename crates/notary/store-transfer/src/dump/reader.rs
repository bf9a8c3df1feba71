//! Reads a backup.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use sha2::{Digest as _, Sha256};

use super::{END, HEADER, Header, MAGIC, MAX_FRAME, ROWS, TABLE, VERSION, Version};
use crate::error::{Result, TransferError};
use crate::store::{EachRow, Head, Source};
use crate::tables::{SINCE_VERSION, Table};
use crate::value::{Row, Value};

/// A backup that is being read from its beginning to its end.
pub(crate) struct DumpReader {
    path: PathBuf,
    file: BufReader<File>,
    hash: Sha256,
    head: Head,
    version: u32,
    /// The next frame.
    frame: Frame,
}

struct Frame {
    kind: u8,
    content: Vec<u8>,
    /// The SHA-256 of all bytes before the frame.
    before: [u8; 32],
}

impl DumpReader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |error| TransferError::File { path: path.to_owned(), error };
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let mut magic = Vec::new();
        file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic).map_err(failed)?;
        if magic != MAGIC {
            let is_part = !magic.is_empty() && MAGIC.starts_with(&magic);
            return Err(if is_part { TransferError::CutOff } else { TransferError::NoDump });
        }
        let mut hash = Sha256::new();
        hash.update(&magic);
        let head = Head { size: 0, root: tlog::EMPTY_ROOT, latest: 0, checkpoint: String::new() };
        let frame = Frame { kind: HEADER, content: Vec::new(), before: [0; 32] };
        let mut reader = Self { path: path.to_owned(), file, hash, head, version: VERSION, frame };
        let header = reader.next()?;
        if header.kind != HEADER {
            return Err(TransferError::Changed);
        }
        let changed = |_| TransferError::Changed;
        let Version { version } = serde_json::from_slice(&header.content).map_err(changed)?;
        if version > VERSION {
            return Err(TransferError::LaterDump { version, known: VERSION });
        }
        reader.version = version;
        let header: Header = serde_json::from_slice(&header.content).map_err(changed)?;
        reader.head = header.head()?;
        reader.frame = reader.next()?;
        Ok(reader)
    }

    /// Checks the bytes of a backup alone, whatever they say.
    pub(crate) fn check_bytes(path: &Path) -> Result<()> {
        let mut reader = Self::open(path)?;
        while reader.frame.kind != END {
            reader.frame = reader.next()?;
        }
        reader.end()
    }

    /// The head that its header names.
    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Reads the next frame.
    fn next(&mut self) -> Result<Frame> {
        let before: [u8; 32] = self.hash.clone().finalize().into();
        let mut start = [0; 5];
        self.exactly(&mut start)?;
        let [kind, length @ ..] = start;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > MAX_FRAME + MAX_FRAME / 8 {
            return Err(TransferError::Changed);
        }
        let mut content = Vec::new();
        let read = self.file.by_ref().take(length as u64).read_to_end(&mut content);
        if read.map_err(|error| self.failed(error))? < length {
            return Err(TransferError::CutOff);
        }
        self.hash.update(start);
        self.hash.update(&content);
        Ok(Frame { kind, content, before })
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TransferError::CutOff,
            _ => self.failed(error),
        })
    }

    fn failed(&self, error: io::Error) -> TransferError {
        TransferError::File { path: self.path.clone(), error }
    }
}

impl Source for DumpReader {
    fn rows(&mut self, table: &'static Table, each: &mut EachRow<'_>) -> Result<()> {
        let is_later =
            |(version, tables): &(u32, &[&str])| self.version < *version && tables.contains(&table.name);
        if SINCE_VERSION.iter().any(is_later) {
            return Ok(());
        }
        if self.frame.kind != TABLE || self.frame.content != table.name.as_bytes() {
            return Err(TransferError::Changed);
        }
        loop {
            self.frame = self.next()?;
            if self.frame.kind != ROWS {
                return Ok(());
            }
            let mut rows = Vec::new();
            let decoder = DeflateDecoder::new(&*self.frame.content);
            let read = decoder.take(MAX_FRAME as u64 + 1).read_to_end(&mut rows);
            if read.is_err() || rows.len() > MAX_FRAME {
                return Err(TransferError::Changed);
            }
            let mut rest = &*rows;
            while !rest.is_empty() {
                let row: Option<Row> = table.columns.iter().map(|_| Value::read(&mut rest)).collect();
                each(row.ok_or(TransferError::Changed)?)?;
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        let Frame { kind, content, before } = &self.frame;
        if *kind != END || content != before {
            return Err(TransferError::Changed);
        }
        let mut more = [0];
        let read = self.file.read(&mut more).map_err(|error| self.failed(error))?;
        if read == 0 { Ok(()) } else { Err(TransferError::Changed) }
    }
}
