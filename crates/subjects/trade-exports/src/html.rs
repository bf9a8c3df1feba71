//! Rows of HTML tables, as reports of MetaTrader have them.

use csv::StringRecord;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use crate::error::{ImportError, Problem};
use crate::table::Row;
use crate::{MAX_CELL_BYTES, MAX_COLUMNS, MAX_ROWS};

/// The row that is being read.
#[derive(Default)]
struct OpenRow {
    cells: Vec<String>,
    /// True if text belongs to the last cell.
    in_cell: bool,
    /// Empty cells that follow the last one, since it spans them.
    spanned: usize,
}

/// The tokens that are read. Only what a cell needs of its tag is kept, so that a tag of a million attributes takes no memory.
enum Part {
    StartRow,
    StartCell { span: usize, is_hidden: bool },
    EndCell,
    EndRow,
    Text(String),
}

fn parts(content: &str) -> impl Iterator<Item = Part> {
    let (mut is_row, mut is_cell, mut span, mut is_hidden) = (false, false, 1, false);
    let mut attribute: Option<&'static str> = None;
    let emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, _: Span<()>| match event {
        CallbackEvent::OpenStartTag { name } => {
            (is_row, is_cell) = (name == b"tr", matches!(name, b"td" | b"th"));
            (span, is_hidden) = (1, false);
            None
        }
        CallbackEvent::AttributeName { name } => {
            attribute = ["class", "colspan"].into_iter().find(|known| known.as_bytes() == name);
            None
        }
        CallbackEvent::AttributeValue { value } => {
            let value =
                String::from_utf8_lossy(value.get(..value.len().min(MAX_CELL_BYTES)).unwrap_or_default());
            match attribute.take() {
                Some("class") => is_hidden |= value.split_ascii_whitespace().any(|word| word == "hidden"),
                Some(_) => span = value.trim().parse().unwrap_or(1),
                None => {}
            }
            None
        }
        CallbackEvent::CloseStartTag { .. } if is_row => Some(Part::StartRow),
        CallbackEvent::CloseStartTag { .. } if is_cell => Some(Part::StartCell { span, is_hidden }),
        CallbackEvent::EndTag { name } => match name {
            b"td" | b"th" => Some(Part::EndCell),
            b"tr" | b"table" => Some(Part::EndRow),
            _ => None,
        },
        CallbackEvent::String { value } => {
            // A longer text is refused if it is in a cell.
            let value = value.get(..value.len().min(MAX_CELL_BYTES + 4)).unwrap_or_default();
            Some(Part::Text(String::from_utf8_lossy(value).into_owned()))
        }
        _ => None,
    });
    Tokenizer::new_with_emitter(content, emitter).flatten()
}

/// Reads the rows of all tables, without their empty and hidden cells. A cell that spans columns is followed by empty ones.
pub(crate) fn rows(content: &str) -> Result<Vec<Row>, ImportError> {
    let mut rows = Vec::new();
    let mut open: Option<OpenRow> = None;
    let mut number = 0;
    for part in parts(content) {
        match part {
            Part::StartRow => {
                finish(&mut open, &mut rows, number)?;
                number += 1;
                open = Some(OpenRow::default());
            }
            Part::StartCell { span, is_hidden } => {
                if let Some(row) = &mut open {
                    start_cell(row, span, is_hidden).map_err(|problem| problem.at(row_number(number)))?;
                }
            }
            Part::EndCell => open.iter_mut().for_each(|row| row.in_cell = false),
            Part::EndRow => finish(&mut open, &mut rows, number)?,
            Part::Text(text) => {
                let cell = open.as_mut().filter(|row| row.in_cell).and_then(|row| row.cells.last_mut());
                if let Some(cell) = cell {
                    let words: Vec<&str> = text.split_ascii_whitespace().collect();
                    cell.push_str(&words.join(" "));
                    if cell.len() > MAX_CELL_BYTES {
                        return Err(Problem::CellTooLong.at(row_number(number)));
                    }
                }
            }
        }
    }
    if open.is_some_and(|row| row.in_cell) {
        return Err(
            Problem::Damaged("the last cell of a table is not closed".to_owned()).at(row_number(number))
        );
    }
    Ok(rows)
}

fn row_number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn start_cell(row: &mut OpenRow, span: usize, is_hidden: bool) -> Result<(), Problem> {
    row.in_cell = !is_hidden;
    if is_hidden {
        return Ok(());
    }
    row.cells.extend(std::iter::repeat_n(String::new(), row.spanned));
    row.spanned = span.saturating_sub(1);
    row.cells.push(String::new());
    if row.cells.len().saturating_add(row.spanned) > MAX_COLUMNS {
        return Err(Problem::TooManyColumns);
    }
    Ok(())
}

fn finish(open: &mut Option<OpenRow>, rows: &mut Vec<Row>, number: usize) -> Result<(), ImportError> {
    let Some(row) = open.take() else { return Ok(()) };
    if rows.len() > MAX_ROWS {
        return Err(Problem::TooManyRows.at(row_number(number)));
    }
    if row.cells.iter().any(|cell| !cell.is_empty()) {
        rows.push(Row::new(number, StringRecord::from(row.cells))?);
    }
    Ok(())
}
