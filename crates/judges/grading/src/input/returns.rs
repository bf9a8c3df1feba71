//! A period's return as its row has it.

use verdict::{FieldError, Fields};

use super::row::Row;

/// A row of `returns`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Return {
    /// The UTC day, in days since 1970-01-01; `None` if the row lacks it.
    pub day: Option<i32>,
    /// The net return, as a fraction of the equity.
    pub r: f64,
    /// The benchmark's return over the same day, as a fraction; `None` if the row lacks it.
    pub b: Option<f64>,
    /// The maximum possible loss, a positive fraction of the equity; `None` if not given.
    pub max_loss: Option<f64>,
}

impl Return {
    /// Reads a row of `returns`.
    ///
    /// # Errors
    /// [`FieldError`] for the first member that is wrong, or a row without a return.
    pub fn read(fields: Fields<'_>) -> Result<Self, FieldError> {
        let row = Row(fields);
        Ok(Self {
            day: row.day("date")?,
            r: row.number("r")?.ok_or_else(|| row.missing("r"))?,
            b: row.number_by_either("b", "benchmark_return")?,
            max_loss: row.positive("max_loss")?,
        })
    }
}
