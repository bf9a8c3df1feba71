//! Daily returns, as pandas writes the series of pyfolio (`returns.to_csv()`), Zipline, backtrader (its PyFolio analyser) and
//! vectorbt: a date and a return, with or without a header. A day may have time and offset (`2023-01-02 00:00:00+00:00`), and
//! counts as written. Empty returns and NaN are left out and counted.

use std::collections::HashSet;

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::columns::{ColumnMap, RowKind};
use crate::error::{ImportError, Problem};
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::table::{Column, Row, Table, csv_rows, moment};
use crate::{Decimal, Format, Imported, text};

const EMPTY: &str = "days without a return (empty or NaN) were left out";
const LARGE: &str = "returns are beyond half of the equity: if they are percent, divide them by 100";
const NO_BENCHMARK: &str = "the file has no benchmark; add `b` to each day, or `benchmark`: `cash` where there is no market exposure";
/// Names of columns that hold a level and no return.
const LEVELS: [&str; 8] =
    ["equity", "value", "close", "price", "balance", "nav", "portfolio_value", "drawdown"];

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    match &options.columns {
        Some(map) if map.rows == RowKind::Returns => super::generic::import(content, options),
        Some(_) => {
            let detail = "must have `rows`: `returns` for this format".to_owned();
            Err(Problem::Option { option: "columns", detail }.anywhere())
        }
        None => plain(content, options),
    }
}

/// A file of two columns.
fn plain(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let rows: Vec<Row> = csv_rows(content, b',')?.into_iter().filter(|row| !row.is_empty()).collect();
    let other = |missing: &str| {
        let problem = Problem::OtherFormat { format: Format::Returns, missing: missing.to_owned() };
        problem.at(rows.first().map_or(1, |row| row.number))
    };
    let Some(first) = rows.first() else { return Err(other("a row of a date and a return")) };
    if first.len() != 2 {
        return Err(other("a pair of columns, date and return (set `columns` to name them)"));
    }
    let is_number = |cell: &str| is_missing(cell) || text::number(cell, false).is_some();
    let is_header =
        first.cell(0).is_empty() || !first.cell(0).starts_with(|letter: char| letter.is_ascii_digit());
    if !is_header && !is_number(first.cell(1)) {
        return Err(
            Problem::cell(first.cell(1), "a return as a fraction, such as 0.01").of(first.number, "2")
        );
    }
    let name = first.cell(1).to_ascii_lowercase();
    if is_header && LEVELS.contains(&name.as_str()) {
        return Err(other("a column of returns: this one is a level"));
    }
    let names = if is_header { [first.cell(0), first.cell(1)] } else { ["1", "2"] };
    let names = names.map(|name| if name.is_empty() { "date".to_owned() } else { name.to_owned() });
    let rows = if is_header { rows.iter().skip(1).cloned().collect() } else { rows.clone() };
    let table = Table::new(names.to_vec(), rows).checked()?;
    let [date, r] = [&names[0], &names[1]].map(|name| table.find(&[name]));
    match (date, r) {
        (Some(date), Some(r)) => read(&table, &date, &r, None, options),
        _ => Err(other("a row of a date and a return")),
    }
}

/// Returns by a map of columns.
pub(super) fn mapped(table: &Table, map: &ColumnMap, options: &Options) -> Result<Imported, ImportError> {
    let need = |name: &'static str, column: &Option<String>| match column {
        Some(column) => table.need(&[column]),
        None => Err(Problem::Option { option: "columns", detail: format!("must name the column `{name}`") }
            .anywhere()),
    };
    let (date, r) = (need("date", &map.date)?, need("r", &map.r)?);
    let benchmark = map.benchmark.as_ref().map(|name| table.need(&[name])).transpose()?;
    read(table, &date, &r, benchmark.as_ref(), options)
}

fn is_missing(cell: &str) -> bool {
    matches!(cell.to_ascii_lowercase().as_str(), "" | "nan" | "nat" | "none" | "null" | "na" | "n/a" | "<na>")
}

fn read(
    table: &Table,
    date: &Column,
    r: &Column,
    benchmark: Option<&Column>,
    options: &Options,
) -> Result<Imported, ImportError> {
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[date], &mut losses)?;
    let mut ignored = Losses::default();
    let mut days: HashSet<Date> = HashSet::new();
    let mut returns = Vec::new();
    let mut sources = Vec::new();
    let half = Decimal::parse("0.5").unwrap_or_default();
    let mut large = 0;
    for row in &table.rows {
        let day = moment(&clock, row, date, &mut ignored)?.day;
        if is_missing(row.text(r)) {
            losses.count(LossCode::EmptyReturns, EMPTY);
            continue;
        }
        if !days.insert(day) {
            return Err(Problem::DayTwice { day: day.to_string() }.of(row.number, &date.name));
        }
        let value = fraction(table, row, r)?;
        large += usize::from(value.abs() > half);
        let mut unit = Map::new();
        unit.insert("date".to_owned(), day.to_string().into());
        unit.insert("r".to_owned(), value.to_string().into());
        if let Some(column) = benchmark.filter(|column| !is_missing(row.text(column))) {
            unit.insert("b".to_owned(), fraction(table, row, column)?.to_string().into());
        }
        returns.push(Value::Object(unit));
        sources.push(row.number);
    }
    if returns.is_empty() {
        return Err(Problem::Nothing { what: "day with a return" }.anywhere());
    }
    losses.add(LossCode::LargeReturns, large, LARGE);
    let without = returns.iter().filter(|unit| unit.get("b").is_none()).count();
    losses.add(LossCode::NoBenchmark, without, NO_BENCHMARK);
    Ok(Imported {
        rows: table.rows.len(),
        positions: returns.len(),
        sources,
        request: json!({ "returns": returns }),
        lost: losses.told(),
    })
}

/// A return: a fraction, or a percentage with its sign.
fn fraction(table: &Table, row: &Row, column: &Column) -> Result<Decimal, ImportError> {
    let expected = "a return as a fraction, such as 0.01";
    let cell = row.text(column);
    let value = match cell.strip_suffix('%') {
        Some(percent) => {
            text::number(percent, table.decimal_comma).and_then(|number| number.over(Decimal::whole(100)))
        }
        None => text::number(cell, table.decimal_comma),
    };
    value.ok_or_else(|| row.error(column, expected))
}
