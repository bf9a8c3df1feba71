//! Tables: named columns, and rows that know their place in the file.

use csv::{ReaderBuilder, StringRecord};

use crate::clock::{Clock, Moment};
use crate::error::{ImportError, Problem, shown};
use crate::lost::Losses;
use crate::options::{Options, Zone};
use crate::{Decimal, Format, MAX_CELL_BYTES, MAX_COLUMNS, MAX_ROWS, text};

/// A row, with its number in the file.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) number: u32,
    cells: StringRecord,
}

/// A column that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    index: usize,
    pub(crate) name: String,
}

/// Rows under a header.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    header: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) decimal_comma: bool,
}

impl Row {
    /// A row of cells; an error if it or one of them is too long.
    pub(crate) fn new(number: usize, cells: StringRecord) -> Result<Self, ImportError> {
        let number = u32::try_from(number).map_err(|_| Problem::TooManyRows.anywhere())?;
        if cells.len() > MAX_COLUMNS {
            return Err(Problem::TooManyColumns.at(number));
        }
        for (at, cell) in cells.iter().enumerate() {
            if cell.len() > MAX_CELL_BYTES {
                return Err(Problem::CellTooLong.of(number, &(at + 1).to_string()));
            }
            if cell.contains(['\n', '\r']) {
                let detail = "a cell has a line break, so a quote may not be closed".to_owned();
                return Err(Problem::Damaged(detail).of(number, &(at + 1).to_string()));
            }
        }
        Ok(Self { number, cells })
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The cell without spaces around it; empty where the row is too short.
    pub(crate) fn cell(&self, at: usize) -> &str {
        self.cells.get(at).unwrap_or_default().trim()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.trim().is_empty())
    }

    /// The cell of a column.
    pub(crate) fn text(&self, column: &Column) -> &str {
        self.cell(column.index)
    }

    /// The cell of a column that may not be there; empty where it is not.
    pub(crate) fn maybe(&self, column: Option<&Column>) -> &str {
        column.map_or("", |column| self.text(column))
    }

    /// The error of a cell.
    pub(crate) fn error(&self, column: &Column, expected: &'static str) -> ImportError {
        Problem::cell(self.text(column), expected).of(self.number, &column.name)
    }
}

/// Reads all rows of a CSV text. Empty lines are no rows.
pub(crate) fn csv_rows(content: &str, delimiter: u8) -> Result<Vec<Row>, ImportError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(content.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Problem::Damaged(shown(&error.to_string())).anywhere())?;
        let line = record.position().map_or(0, csv::Position::line);
        let row = Row::new(usize::try_from(line).unwrap_or(usize::MAX), record)?;
        if rows.len() > MAX_ROWS {
            return Err(Problem::TooManyRows.at(row.number));
        }
        rows.push(row);
    }
    Ok(rows)
}

impl Table {
    /// The table whose header is the first row that `is_header` knows.
    pub(crate) fn of_csv(
        format: Format,
        content: &str,
        delimiter: u8,
        is_header: impl Fn(&Row) -> bool,
        missing: &str,
    ) -> Result<Self, ImportError> {
        let rows = csv_rows(content, delimiter)?;
        let Some(at) = rows.iter().take(20).position(is_header) else {
            return Err(Problem::OtherFormat { format, missing: missing.to_owned() }.anywhere());
        };
        let mut rows = rows.into_iter().skip(at);
        let header = rows.next();
        let header =
            header.iter().flat_map(|row| row.cells.iter()).map(|cell| cell.trim().to_owned()).collect();
        Self::new(header, rows.filter(|row| !row.is_empty()).collect()).checked()
    }

    pub(crate) fn new(header: Vec<String>, rows: Vec<Row>) -> Self {
        Self { header, rows, decimal_comma: false }
    }

    /// Refuses a file that was cut in its last row.
    pub(crate) fn checked(self) -> Result<Self, ImportError> {
        if let Some(last) = self.rows.last().filter(|last| last.len() < self.header.len()) {
            let detail =
                format!("the last row has {} cells, and the header {}", last.len(), self.header.len());
            return Err(Problem::Damaged(detail).at(last.number));
        }
        Ok(self)
    }

    /// The first column of one of these names; letter case does not matter.
    pub(crate) fn find(&self, names: &[&str]) -> Option<Column> {
        let is_named = |name: &str| self.header.iter().position(|own| own.eq_ignore_ascii_case(name));
        let index = names.iter().find_map(|name| is_named(name))?;
        Some(Column { index, name: self.header.get(index)?.clone() })
    }

    /// The first column whose name starts with one of these and is no percentage, and what follows the start.
    pub(crate) fn find_start(&self, starts: &[&str]) -> Option<(Column, String)> {
        starts.iter().find_map(|start| {
            let rest = |name: &str| {
                let (head, rest) = name.split_at_checked(start.len())?;
                let fits = head.eq_ignore_ascii_case(start) && !rest.contains('%') && !rest.contains('(');
                fits.then(|| rest.trim().to_owned())
            };
            let (index, rest) =
                self.header.iter().enumerate().find_map(|(at, name)| Some((at, rest(name)?)))?;
            Some((Column { index, name: self.header.get(index)?.clone() }, rest))
        })
    }

    /// The first column with one of these names before its brackets: `Trade Time(UTC+0)` for `Trade Time`.
    pub(crate) fn find_bracketed(&self, names: &[&str]) -> Option<Column> {
        let before = |name: &str| name.split('(').next().unwrap_or_default().trim().to_owned();
        let is_named = |name: &str| self.header.iter().position(|own| before(own).eq_ignore_ascii_case(name));
        let index = names.iter().find_map(|name| is_named(name))?;
        Some(Column { index, name: self.header.get(index)?.clone() })
    }

    /// A column that must be there.
    pub(crate) fn need(&self, names: &[&str]) -> Result<Column, ImportError> {
        self.find(names).ok_or_else(|| self.missing(names.first().copied().unwrap_or_default()))
    }

    /// The error of a column that is not there.
    pub(crate) fn missing(&self, name: &str) -> ImportError {
        let has = shown(&self.header.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
        ImportError { column: Some(shown(name)), ..Problem::MissingColumn { has }.anywhere() }
    }

    /// A number; `None` for an empty cell.
    pub(crate) fn number(&self, row: &Row, column: &Column) -> Result<Option<Decimal>, ImportError> {
        let cell = row.text(column);
        if cell.is_empty() {
            return Ok(None);
        }
        text::number(cell, self.decimal_comma)
            .map(Some)
            .ok_or_else(|| row.error(column, "a plain number, such as -12.50"))
    }

    /// A number of a column that may not be there.
    pub(crate) fn maybe(&self, row: &Row, column: Option<&Column>) -> Result<Option<Decimal>, ImportError> {
        column.map_or(Ok(None), |column| self.number(row, column))
    }

    /// A number that must be there.
    pub(crate) fn need_number(&self, row: &Row, column: &Column) -> Result<Decimal, ImportError> {
        self.number(row, column)?.ok_or_else(|| row.error(column, "a plain number, such as -12.50"))
    }

    /// A number above zero.
    pub(crate) fn positive(&self, row: &Row, column: &Column) -> Result<Decimal, ImportError> {
        let number = self.need_number(row, column)?;
        Some(number)
            .filter(|number| number.is_positive())
            .ok_or_else(|| row.error(column, "a number above zero"))
    }

    /// A price: zero or above.
    pub(crate) fn price(&self, row: &Row, column: &Column) -> Result<Decimal, ImportError> {
        let number = self.need_number(row, column)?;
        Some(number)
            .filter(|number| !number.is_negative())
            .ok_or_else(|| row.error(column, "a price of zero or above"))
    }

    /// The clock of these columns.
    pub(crate) fn clock(
        &self,
        options: &Options,
        zone: Option<Zone>,
        columns: &[&Column],
        losses: &mut Losses,
    ) -> Result<Clock, ImportError> {
        let dates = self.rows.iter().flat_map(|row| {
            columns.iter().map(|column| (row.number, column.name.as_str(), row.text(column)))
        });
        Clock::new(options, zone, dates, losses)
    }
}

/// The time of a cell.
pub(crate) fn moment(
    clock: &Clock,
    row: &Row,
    column: &Column,
    losses: &mut Losses,
) -> Result<Moment, ImportError> {
    clock.moment(row.number, &column.name, row.text(column), losses)
}
