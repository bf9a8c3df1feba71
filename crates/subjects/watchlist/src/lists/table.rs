//! A table with a header, record by record.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use csv::{ReaderBuilder, StringRecord};

use super::bounded::read_error;
use super::context::{InputFile, csv_error, malformed};
use super::error::ListError;

/// A row that is read after the file's last byte. It is a row by itself only where the file's own last row is whole: where
/// that was cut off within quotes, this becomes a part of it. A file must end with a line break too: without one, a cell
/// that was cut off looks as a whole one does, and behind an empty first cell in quotes this would be the whole row.
const END: &str = "\u{1a}";

/// Reader that keeps the last byte that it gave.
struct LastByte<'a, R> {
    inner: R,
    last: &'a Cell<u8>,
}

impl<R: Read> Read for LastByte<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(last) = buffer[..read].last() {
            self.last.set(*last);
        }
        Ok(read)
    }
}

/// The columns of a table, by name.
pub(super) struct Header {
    names: StringRecord,
    file: String,
}

impl Header {
    /// The position of a column, if the table has it.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| column.trim() == name)
    }

    /// The position of a column.
    ///
    /// # Errors
    /// [`ListError::Malformed`] where the table has no such column.
    pub(super) fn need(&self, name: &str) -> Result<usize, ListError> {
        self.find(name).ok_or_else(|| malformed(&self.file, format!("there is no column {name}")))
    }
}

/// How the records of a table are set.
#[derive(Clone, Copy)]
pub(super) struct TableForm {
    /// What stands between two cells.
    pub(super) delimiter: u8,
    /// The number of lines before the header.
    pub(super) preamble: usize,
    /// True where the last cells of a record may be left out.
    pub(super) may_be_short: bool,
}

impl TableForm {
    /// Comma-separated values below a header, each record as long as it.
    pub(super) const CSV: Self = Self { delimiter: b',', preamble: 0, may_be_short: false };
}

/// One record.
pub(super) struct Row<'r> {
    record: &'r StringRecord,
    /// Its number, counted from 1 with the header.
    pub(super) number: u64,
}

impl Row<'_> {
    /// The cell in a column; empty where the record ends before it.
    pub(super) fn at(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default()
    }

    /// All cells, each with a byte before it that no text has.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.record.iter().flat_map(|cell| [&[0xff], cell.as_bytes()].concat()).collect()
    }

    /// The cell in a column that the table may lack.
    pub(super) fn of(&self, column: Option<usize>) -> &str {
        column.map_or("", |column| self.at(column))
    }
}

/// Reads a table: `on_header` once, with the lines before the header, then `on_row` for each record.
///
/// # Errors
/// [`ListError`] where a record has another number of cells than the header, where the last one is cut off, and what the
/// callbacks give.
pub(super) fn read<C>(
    mut input: InputFile<'_>,
    form: TableForm,
    on_header: impl FnOnce(&Header, &str) -> Result<C, ListError>,
    mut on_row: impl FnMut(&C, &Row<'_>) -> Result<(), ListError>,
) -> Result<(), ListError> {
    let (file, meter) = (input.file, input.meter());
    let mut preamble = Vec::new();
    for _ in 0..form.preamble {
        let limit = input.bounds.record_bytes as u64;
        let line = input.bytes.by_ref().take(limit).read_until(b'\n', &mut preamble);
        line.map_err(|error| read_error(file, error))?;
    }
    let end = [END, "\n"].concat();
    let last = Cell::new(0);
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .delimiter(form.delimiter)
        .from_reader(LastByte { inner: input.bytes, last: &last }.chain(end.as_bytes()));
    let names = reader.headers().map_err(|error| csv_error(file, error))?.clone();
    let width = names.len();
    let header = Header { names, file: file.to_owned() };
    let columns = on_header(&header, String::from_utf8_lossy(&preamble).trim_start_matches('\u{feff}'))?;
    let mut record = StringRecord::new();
    let mut ended = false;
    while reader.read_record(&mut record).map_err(|error| csv_error(file, error))? {
        meter.next();
        let number = record.position().map_or(0, csv::Position::record) + 1;
        if ended {
            return Err(malformed(file, format!("record {number} comes after the end mark")));
        }
        if record.len() == 1 && &record[0] == END && matches!(last.get(), b'\n' | b'\r') {
            ended = true;
            continue;
        }
        if record.len() > width || (record.len() < width && !form.may_be_short) {
            let why = format!("record {number} has {} columns, not {width}", record.len());
            return Err(malformed(file, why));
        }
        on_row(&columns, &Row { record: &record, number })?;
    }
    if !ended {
        let why = "its last record is cut off: it has no line break, or a quote is open; \
                   where the file is whole, add a line break at its end";
        return Err(malformed(file, why));
    }
    Ok(())
}
