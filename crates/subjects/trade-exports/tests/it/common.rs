//! Helpers: options as JSON, sums of a request.

use serde_json::Value;
use trade_exports::{Decimal, Format, Imported, LossCode, Options, Problem, import};

/// Options as a caller writes them.
pub fn options(json: Value) -> Options {
    serde_json::from_value(json).unwrap()
}

#[track_caller]
pub fn read(format: Format, file: &str, json: Value) -> Imported {
    import(format, file.as_bytes(), &options(json)).unwrap_or_else(|error| panic!("{error}"))
}

/// The row, the column and the problem of a file that gives no request.
#[track_caller]
pub fn refused(format: Format, file: &[u8], json: Value) -> (Option<u32>, Option<String>, Problem) {
    let error = import(format, file, &options(json)).unwrap_err();
    assert!(error.to_string().starts_with(&error.file), "{error}");
    (error.row, error.column, error.problem)
}

pub fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// The rows of the request.
pub fn rows(imported: &Imported) -> &[Value] {
    let rows = imported.request.get("trades").or_else(|| imported.request.get("returns"));
    rows.and_then(Value::as_array).unwrap()
}

/// The sum of a member over all rows.
pub fn sum(imported: &Imported, member: &str) -> Decimal {
    let numbers = rows(imported)
        .iter()
        .filter_map(|row| row.get(member))
        .map(|number| decimal(number.as_str().unwrap()));
    numbers.fold(Decimal::ZERO, |sum, number| sum.plus(number).unwrap())
}

/// The number of settled rows.
pub fn settled(imported: &Imported) -> usize {
    rows(imported).iter().filter(|row| row["settled"] == true).count()
}

/// The number of rows that lost something.
pub fn lost(imported: &Imported, code: LossCode) -> u32 {
    imported.lost.iter().filter(|loss| loss.code == code).map(|loss| loss.rows).sum()
}
