//! Any CSV file by a map of columns.

use super::generic_rows::{fills, trades};
use super::returns;
use crate::columns::{ColumnMap, RowKind};
use crate::error::{ImportError, Problem};
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::table::{Row, Table, csv_rows};
use crate::{Format, Imported, MAX_COLUMNS};

const LEFT_OUT: &str = "rows that the filter `only` does not name were left out";

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let Some(map) = &options.columns else {
        let detail = "is missing; for example {\"rows\": \"fills\", \"time\": \"Date\", \"side\": \"Side\", \"quantity\": \"Amount\", \
                      \"price\": \"Price\"}";
        return Err(Problem::Option { option: "columns", detail: detail.to_owned() }.anywhere());
    };
    let mut losses = Losses::default();
    let table = table(content, map, &mut losses)?;
    match map.rows {
        RowKind::Fills => fills(&table, map, options, losses),
        RowKind::Trades => trades(&table, map, options, losses),
        RowKind::Returns => returns::mapped(&table, map, options),
    }
}

fn table(content: &str, map: &ColumnMap, losses: &mut Losses) -> Result<Table, ImportError> {
    let delimiter = u8::try_from(map.delimiter)
        .ok()
        .filter(|byte| byte.is_ascii() && *byte != b'"')
        .ok_or_else(|| {
            let detail = "has a `delimiter` that is no ASCII character, or a quote".to_owned();
            Problem::Option { option: "columns", detail }.anywhere()
        })?;
    let mut table = if map.header {
        Table::of_csv(
            Format::Generic,
            content,
            delimiter,
            |row| has_columns(row, map),
            "a header with the columns of the map",
        )?
    } else {
        let rows: Vec<Row> =
            csv_rows(content, delimiter)?.into_iter().filter(|row| !row.is_empty()).collect();
        let width = rows.iter().map(Row::len).max().unwrap_or(0).min(MAX_COLUMNS);
        Table::new((1..=width).map(|at| at.to_string()).collect(), rows).checked()?
    };
    table.decimal_comma = map.decimal_comma;
    if let Some(only) = &map.only {
        let column = table.need(&[&only.column])?;
        let before = table.rows.len();
        table.rows.retain(|row| only.values.iter().any(|value| value == row.text(&column)));
        losses.add(LossCode::RowsLeftOut, before - table.rows.len(), LEFT_OUT);
    }
    Ok(table)
}

/// The header is the first row with one of the columns of the map; the others are then named as missing.
fn has_columns(row: &Row, map: &ColumnMap) -> bool {
    let names = [
        &map.time,
        &map.date,
        &map.closed_at,
        &map.quantity,
        &map.price,
        &map.r,
        &map.pnl_net,
        &map.side,
        &map.instrument,
    ];
    names.into_iter().flatten().any(|name| (0..row.len()).any(|at| row.cell(at).eq_ignore_ascii_case(name)))
}
