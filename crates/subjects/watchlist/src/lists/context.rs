//! Input of the parsers, and their errors.

use super::bounded::{BoundedReader, RecordMeter, read_error};
use super::error::ListError;
use crate::model::{ListName, PublicationBounds};

/// One file that is being parsed.
pub(super) struct InputFile<'a> {
    /// Name of the file, for errors.
    pub(super) file: &'a str,
    /// The list that it is taken to be of.
    pub(super) list: ListName,
    pub(super) bounds: &'a PublicationBounds,
    pub(super) bytes: BoundedReader,
}

impl InputFile<'_> {
    pub(super) fn meter(&self) -> RecordMeter {
        self.bytes.meter()
    }

    pub(super) fn malformed(&self, why: impl Into<String>) -> ListError {
        malformed(self.file, why)
    }
}

pub(super) fn malformed(file: &str, why: impl Into<String>) -> ListError {
    ListError::Malformed { file: file.to_owned(), why: why.into() }
}

/// The error of a bound, with its unit.
pub(super) fn too_large(file: &str, what: &'static str, limit: usize) -> ListError {
    ListError::TooLarge { file: file.to_owned(), what, limit: limit as u64 }
}

/// A CSV parser's error, which may carry a reader's.
pub(super) fn csv_error(file: &str, error: csv::Error) -> ListError {
    if !error.is_io_error() {
        return malformed(file, error.to_string());
    }
    match error.into_kind() {
        csv::ErrorKind::Io(source) => read_error(file, source),
        _ => malformed(file, "the records cannot be told apart"),
    }
}

/// A JSON parser's error, which may carry a reader's.
pub(super) fn json_error(file: &str, error: serde_json::Error) -> ListError {
    if error.is_io() { read_error(file, error.into()) } else { malformed(file, error.to_string()) }
}
