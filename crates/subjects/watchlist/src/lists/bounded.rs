//! Readers with an upper bound, for a file and for one record of a file.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};

use super::error::ListError;
use crate::model::PublicationBounds;

/// Most bytes that decoders read ahead of the current record.
const READ_AHEAD: u64 = 256 << 10;

/// Error of a bound that was exceeded. It travels inside the [`io::Error`] through the parsers.
#[derive(Debug, thiserror::Error)]
#[error("more than {limit} {what}")]
struct BoundExceeded {
    what: &'static str,
    limit: u64,
}

/// The bytes of one file, unpacked, within its bounds.
pub(super) struct BoundedReader {
    inner: BufReader<CountingReader<Box<dyn Read>>>,
    tap: Rc<RefCell<RawDigest>>,
    meter: RecordMeter,
}

/// SHA-256 and length of the bytes before unpacking.
struct RawDigest {
    sha256: Sha256,
    bytes: u64,
    limit: u64,
}

/// Counts what is read for one record. A parser calls [`RecordMeter::next`] after each.
#[derive(Clone)]
pub(super) struct RecordMeter(Rc<Cell<u64>>);

impl RecordMeter {
    /// The record is done.
    pub(super) fn next(&self) {
        self.0.set(0);
    }
}

struct DigestReader<R> {
    inner: R,
    tap: Rc<RefCell<RawDigest>>,
}

impl<R: Read> Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut tap = self.tap.borrow_mut();
        tap.bytes += read as u64;
        if tap.bytes > tap.limit {
            return Err(io::Error::other(BoundExceeded { what: "bytes", limit: tap.limit }));
        }
        tap.sha256.update(&buffer[..read]);
        Ok(read)
    }
}

struct CountingReader<R> {
    inner: R,
    total: u64,
    limit: u64,
    record: RecordMeter,
    record_limit: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.total += read as u64;
        self.record.0.set(self.record.0.get() + read as u64);
        if self.total > self.limit {
            return Err(io::Error::other(BoundExceeded { what: "bytes when unpacked", limit: self.limit }));
        }
        if self.record.0.get() > self.record_limit + READ_AHEAD {
            return Err(io::Error::other(BoundExceeded {
                what: "bytes in one record",
                limit: self.record_limit,
            }));
        }
        Ok(read)
    }
}

impl BoundedReader {
    /// Reads from there; unpacks gzip where the bytes begin as gzip does.
    pub(super) fn new(content: impl Read + 'static, bounds: &PublicationBounds) -> io::Result<Self> {
        let tap =
            Rc::new(RefCell::new(RawDigest { sha256: Sha256::new(), bytes: 0, limit: bounds.file_bytes }));
        let mut raw =
            BufReader::with_capacity(64 << 10, DigestReader { inner: content, tap: Rc::clone(&tap) });
        let packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let unpacked: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let meter = RecordMeter(Rc::new(Cell::new(0)));
        let counted = CountingReader {
            inner: unpacked,
            total: 0,
            limit: bounds.unpacked_bytes,
            record: meter.clone(),
            record_limit: bounds.record_bytes as u64,
        };
        Ok(Self { inner: BufReader::with_capacity(64 << 10, counted), tap, meter })
    }

    /// The record counter.
    pub(super) fn meter(&self) -> RecordMeter {
        self.meter.clone()
    }

    /// The SHA-256 and the length of what was read of the file as it lies there. The whole file's, after the
    /// end was read.
    pub(super) fn digest(&self) -> impl FnOnce() -> ([u8; 32], u64) + use<> {
        let tap = Rc::clone(&self.tap);
        move || {
            let tap = tap.borrow();
            (tap.sha256.clone().finalize().into(), tap.bytes)
        }
    }
}

impl Read for BoundedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl BufRead for BoundedReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

/// The error of a read: a bound passed, bytes that are no gzip or no UTF-8, or the machine's.
pub(super) fn read_error(file: &str, source: io::Error) -> ListError {
    if let Some(passed) = source.get_ref().and_then(|inner| inner.downcast_ref::<BoundExceeded>()) {
        return ListError::TooLarge { file: file.to_owned(), what: passed.what, limit: passed.limit };
    }
    let file = file.to_owned();
    match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            ListError::Malformed { file, why: source.to_string() }
        }
        _ => ListError::Io { file, source },
    }
}
