//! A period's return as its row has it.

use verdict::{FieldError, Fields};

use super::row::Row;

/// A row of `returns`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Return {
    /// The UTC day, counted from 1970-01-01.
    pub day: Option<i32>,
    /// The net return.
    pub r: f64,
    /// The benchmark's.
    pub b: Option<f64>,
    /// The most that could have been lost, a positive fraction of equity.
    pub max_loss: Option<f64>,
}

impl Return {
    /// Reads a row.
    ///
    /// # Errors
    /// The first member that is wrong, or there is no result.
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
