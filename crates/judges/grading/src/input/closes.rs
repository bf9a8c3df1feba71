//! The closing times of a record, compared with the time of the question.

use receipt::json::Path;
use verdict::{FieldError, Reason, Timestamp};

use super::import::Import;
use super::row::path_of;
use super::time::Instant;

/// The closing times that are compared with the time of the question.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Closes {
    /// The last of what is settled.
    pub(super) settled: Option<Close>,
    /// The first of what is not.
    pub(super) open: Option<Close>,
}

/// A close, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Close {
    pub(super) at: Instant,
    path: Path,
    /// Where the row stands in a file, before the error's detail.
    place: String,
}

impl Close {
    /// The close of the row at an index of an array, which stands in its member of this name.
    pub(super) fn of_row(at: Instant, (array, index, name): (&str, usize, &str)) -> Self {
        Self { at, path: path_of(array, index, name), place: String::new() }
    }
}

impl Closes {
    /// Checks that settled rows have closed by `at`, and that unsettled rows have not.
    ///
    /// # Errors
    /// [`FieldError`] for the first row that breaks this rule.
    pub fn admit(&self, at: Timestamp) -> Result<(), FieldError> {
        let at = Instant::from(at);
        let error = |close: &Close, reason, detail: &str| {
            Err(FieldError { path: close.path.clone(), reason, detail: format!("{}{detail}", close.place) })
        };
        match (&self.settled, &self.open) {
            (Some(close), _) if close.at > at => error(close, Reason::InFuture, "must not be in the future"),
            (_, Some(close)) if close.at <= at => {
                error(close, Reason::Contradictory, "must not be past where `settled` is false")
            }
            _ => Ok(()),
        }
    }

    /// The same closes of an imported file, by its rows.
    pub(super) fn of_file(mut self, import: &Import) -> Self {
        for close in self.settled.iter_mut().chain(&mut self.open) {
            let (path, reason) = (close.path.clone(), Reason::InFuture);
            let FieldError { path, detail, .. } =
                import.at_file(FieldError { path, reason, detail: String::new() });
            (close.path, close.place) = (path, detail);
        }
        self
    }
}
