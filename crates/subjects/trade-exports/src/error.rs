//! Reasons why a file gives no request.

use std::fmt;

use crate::{Format, MAX_BYTES, MAX_CELL_BYTES, MAX_COLUMNS, MAX_DEPTH, MAX_ROWS};

/// The most characters of a cell that a message shows.
const SHOWN_CHARS: usize = 60;

/// A file that gives no request: where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Name of the file, as [`Options::file`](crate::Options::file) gives it.
    pub file: String,
    /// Row of the file, from 1: a line of a CSV file, a row of an HTML table, an element of XML or JSON.
    pub row: Option<u32>,
    /// Name of the column, member or attribute.
    pub column: Option<String>,
    /// The problem.
    pub problem: Problem,
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file)?;
        if let Some(row) = self.row {
            write!(out, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(out, ", column `{column}`")?;
        }
        write!(out, ": {}", self.problem)
    }
}

impl std::error::Error for ImportError {}

impl ImportError {
    pub(crate) fn named(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file is larger than [`MAX_BYTES`].
    #[error("the file has {bytes} bytes, more than the {MAX_BYTES} that are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The file has more rows than [`MAX_ROWS`].
    #[error("the file has more than the {MAX_ROWS} rows that are read; send a part of it")]
    TooManyRows,
    /// A row has more cells than [`MAX_COLUMNS`].
    #[error("the row has more than {MAX_COLUMNS} cells")]
    TooManyColumns,
    /// A cell is longer than [`MAX_CELL_BYTES`].
    #[error("the cell has more than {MAX_CELL_BYTES} bytes")]
    CellTooLong,
    /// XML nested deeper than [`MAX_DEPTH`].
    #[error("elements are nested deeper than {MAX_DEPTH}")]
    TooDeep,
    /// The bytes are no text.
    #[error("the file is no text in UTF-8 or UTF-16 from byte {offset} on")]
    Encoding {
        /// The first byte that is no text.
        offset: usize,
    },
    /// The file breaks the rules of CSV, XML or JSON, or ends early.
    #[error("the file is damaged or ends early: {0}")]
    Damaged(String),
    /// XML with a document type, which could define entities of its own.
    #[error("the document has a DOCTYPE, which is refused")]
    Doctype,
    /// The file has no table of that format.
    #[error("this is no export of the format `{format}`: {missing} is not there")]
    OtherFormat {
        /// The format that was asked for.
        format: Format,
        /// The missing part of the file.
        missing: String,
    },
    /// A column that is needed is not there.
    #[error("the column is not there; the file has {has}")]
    MissingColumn {
        /// The columns that are there.
        has: String,
    },
    /// A cell is empty.
    #[error("the cell is empty, and must be {expected}")]
    EmptyCell {
        /// The expected form.
        expected: &'static str,
    },
    /// A cell is not what it must be.
    #[error("`{text}` must be {expected}")]
    Cell {
        /// The beginning of the cell.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
    /// Dates may be day first or month first, and no date of the file decides.
    #[error(
        "`{text}` may be day first or month first, and no date of the file decides; set `date_order` to `day_first` or `month_first`"
    )]
    DateOrder {
        /// The first date.
        text: String,
    },
    /// Dates are day first in one row and month first in another.
    #[error("`{text}` contradicts the order of day and month of other rows")]
    DateOrderMixed {
        /// The date.
        text: String,
    },
    /// Amounts in two currencies cannot be added.
    #[error(
        "amounts are in `{other}` and in `{currency}`; set `fx_rates` to {{\"{other}\": the rate in {currency}}}, or send one currency"
    )]
    Currencies {
        /// The currency of the rows before.
        currency: String,
        /// That of this row.
        other: String,
    },
    /// A day has two returns.
    #[error("the day {day} is there twice; send one return a day")]
    DayTwice {
        /// The day.
        day: String,
    },
    /// A trade closes before it opens.
    #[error("the trade closes before it opens")]
    ClosedBeforeOpened,
    /// Funding at a time at which no position of the instrument was open.
    #[error("no position of `{instrument}` was open when the funding was paid")]
    FundingWithoutPosition {
        /// The instrument.
        instrument: String,
    },
    /// A sum is beyond what can be held.
    #[error("an amount is beyond 10^18")]
    TooGreat,
    /// The file has rows, and none of them is a trade or a return.
    #[error("the file has no {what}")]
    Nothing {
        /// The name that was looked for.
        what: &'static str,
    },
    /// An option is missing or wrong.
    #[error("the option `{option}` {detail}")]
    Option {
        /// Its name.
        option: &'static str,
        /// The problem in words, with the value to set.
        detail: String,
    },
}

impl Problem {
    /// The name of the problem, such as `MISSING_COLUMN`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::TooManyRows => "TOO_MANY_ROWS",
            Self::TooManyColumns => "TOO_MANY_COLUMNS",
            Self::CellTooLong => "CELL_TOO_LONG",
            Self::TooDeep => "TOO_DEEP",
            Self::Encoding { .. } => "ENCODING",
            Self::Damaged(_) => "DAMAGED",
            Self::Doctype => "DOCTYPE",
            Self::OtherFormat { .. } => "OTHER_FORMAT",
            Self::MissingColumn { .. } => "MISSING_COLUMN",
            Self::EmptyCell { .. } => "EMPTY_CELL",
            Self::Cell { .. } => "CELL",
            Self::DateOrder { .. } => "DATE_ORDER",
            Self::DateOrderMixed { .. } => "DATE_ORDER_MIXED",
            Self::Currencies { .. } => "CURRENCIES",
            Self::DayTwice { .. } => "DAY_TWICE",
            Self::ClosedBeforeOpened => "CLOSED_BEFORE_OPENED",
            Self::FundingWithoutPosition { .. } => "FUNDING_WITHOUT_POSITION",
            Self::TooGreat => "TOO_GREAT",
            Self::Nothing { .. } => "NOTHING",
            Self::Option { .. } => "OPTION",
        }
    }

    /// The problem without a place.
    pub(crate) fn anywhere(self) -> ImportError {
        ImportError { file: String::new(), row: None, column: None, problem: self }
    }

    /// The problem of a row.
    pub(crate) fn at(self, row: u32) -> ImportError {
        ImportError { row: Some(row), ..self.anywhere() }
    }

    /// The problem of a cell.
    pub(crate) fn of(self, row: u32, column: &str) -> ImportError {
        ImportError { row: Some(row), column: Some(shown(column)), ..self.anywhere() }
    }

    /// A cell that is not what it must be.
    pub(crate) fn cell(text: &str, expected: &'static str) -> Self {
        if text.is_empty() {
            return Self::EmptyCell { expected };
        }
        Self::Cell { text: shown(text), expected }
    }
}

/// The beginning of a text, without control characters.
pub(crate) fn shown(text: &str) -> String {
    shown_in(text, SHOWN_CHARS)
}

/// The beginning of a text, in so many characters and without control characters.
pub(crate) fn shown_in(text: &str, chars: usize) -> String {
    let mut all = text.chars();
    let mut start: String =
        all.by_ref().take(chars).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if all.next().is_some() {
        start.push('…');
    }
    start
}
