//! The files of CBOE and of the US Treasury.

use jiff::civil::Date;

use crate::series::{MAX_OBSERVATIONS, Series, SeriesError};

/// Maximum length of a file in bytes.
pub const MAX_FILE_BYTES: usize = 8 << 20;

/// The reason why a file cannot be read. `line` counts from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileError {
    /// The file is longer than [`MAX_FILE_BYTES`], or has too many lines.
    #[error("the file is too long")]
    TooLong,
    /// The file is not UTF-8, or a web page.
    #[error("the file is no table")]
    NoTable,
    /// The header lacks a column.
    #[error("the file has no column `{0}`")]
    NoColumn(&'static str),
    /// A line has fewer or more cells than the header.
    #[error("line {line} has another number of cells than the header")]
    Cells {
        /// The line.
        line: usize,
    },
    /// A cell is no day.
    #[error("line {line} has no day")]
    NoDay {
        /// The line.
        line: usize,
    },
    /// A cell is no number, or not one that the column can have.
    #[error("line {line} has a value that is none")]
    NoValue {
        /// The line.
        line: usize,
    },
    /// The days neither rise nor fall, or the file has none.
    #[error("the days are in no order")]
    Order,
}

/// Reads the closes of CBOE's history of the VIX: `DATE,OPEN,HIGH,LOW,CLOSE`.
///
/// # Errors
/// [`FileError`].
pub fn vix_history(bytes: &[u8]) -> Result<Series, FileError> {
    let table = Table::read(bytes)?;
    let close = table.column(&["CLOSE"]).ok_or(FileError::NoColumn("CLOSE"))?;
    // An index of variances is never 0 or below.
    table.series(close, |value| value > 0.0 && value < 1000.0)
}

/// The yields of the US Treasury's daily par curve, in per cent.
#[derive(Clone, PartialEq, Debug)]
pub struct YieldCurve {
    /// Three months.
    pub three_month: Series,
    /// Two years.
    pub two_year: Series,
    /// Ten years.
    pub ten_year: Series,
}

impl YieldCurve {
    /// Reads the files of several years, in any order, as the Treasury publishes them: `Date` and a column a tenor. An empty cell
    /// was not published.
    ///
    /// # Errors
    /// [`FileError`]; [`FileError::Order`] also where two files have the same day.
    pub fn read<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, FileError> {
        let mut curves = Vec::new();
        for file in files {
            let table = Table::read(file)?;
            let column = |names: &[&str], name| table.column(names).ok_or(FileError::NoColumn(name));
            let read = |column| table.series(column, |value: f64| value.abs() < 100.0);
            curves.push([
                read(column(&["3 Mo", "3 Month"], "3 Mo")?)?,
                read(column(&["2 Yr", "2 Year"], "2 Yr")?)?,
                read(column(&["10 Yr", "10 Year"], "10 Yr")?)?,
            ]);
        }
        curves.sort_by_key(|[_, _, ten]| ten.days().first().copied());
        let joined = |tenor: usize| {
            let observations =
                curves.iter().flat_map(|curve| curve[tenor].days().iter().zip(curve[tenor].values()));
            Series::new(observations.map(|(day, value)| (*day, *value))).map_err(|error| match error {
                SeriesError::TooLong => FileError::TooLong,
                SeriesError::NotRising { .. } | SeriesError::NoValue { .. } => FileError::Order,
            })
        };
        Ok(Self { three_month: joined(0)?, two_year: joined(1)?, ten_year: joined(2)? })
    }
}

/// A table of comma-separated cells with a header, whose first column is a day.
struct Table<'a> {
    header: Vec<&'a str>,
    rows: Vec<(Date, Vec<&'a str>)>,
    is_falling: bool,
}

impl<'a> Table<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, FileError> {
        if bytes.len() > MAX_FILE_BYTES {
            return Err(FileError::TooLong);
        }
        let text = str::from_utf8(bytes).map_err(|_| FileError::NoTable)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('<') {
            return Err(FileError::NoTable);
        }
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, header) = lines.next().ok_or(FileError::NoTable)?;
        let header: Vec<&str> = header.split(',').map(cell).collect();
        if !header[0].eq_ignore_ascii_case("date") {
            return Err(FileError::NoColumn("Date"));
        }
        let mut rows: Vec<(Date, Vec<&str>)> = Vec::new();
        for (number, line) in lines {
            let line_number = number + 1;
            let cells: Vec<&str> = line.split(',').map(cell).collect();
            if cells.len() != header.len() {
                return Err(FileError::Cells { line: line_number });
            }
            if rows.len() == MAX_OBSERVATIONS {
                return Err(FileError::TooLong);
            }
            let day = day(cells[0]).ok_or(FileError::NoDay { line: line_number })?;
            rows.push((day, cells));
        }
        let rises = rows.is_sorted_by(|a, b| a.0 < b.0);
        let falls = rows.is_sorted_by(|a, b| a.0 > b.0);
        if rows.is_empty() || !(rises || falls) {
            return Err(FileError::Order);
        }
        Ok(Self { header, rows, is_falling: falls && !rises })
    }

    fn column(&self, names: &[&str]) -> Option<usize> {
        self.header.iter().position(|title| names.iter().any(|name| title.eq_ignore_ascii_case(name)))
    }

    fn series(&self, column: usize, is_value: impl Fn(f64) -> bool) -> Result<Series, FileError> {
        let mut observations = Vec::with_capacity(self.rows.len());
        for (at, (day, cells)) in self.rows.iter().enumerate() {
            let text = cells[column];
            if text.is_empty() || text.eq_ignore_ascii_case("N/A") {
                continue;
            }
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && is_value(*value));
            observations.push((*day, value.ok_or(FileError::NoValue { line: at + 2 })?));
        }
        if self.is_falling {
            observations.reverse();
        }
        Series::new(observations).map_err(|_| FileError::Order)
    }
}

fn cell(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

/// A day as `2024-01-31` or `01/31/2024`.
fn day(text: &str) -> Option<Date> {
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i16>().ok()).flatten()
    };
    let (year, month, day) = match text.split(['-', '/']).collect::<Vec<_>>()[..] {
        [year, month, day] if text.contains('-') && year.len() == 4 => (year, month, day),
        [month, day, year] if text.contains('/') && year.len() == 4 => (year, month, day),
        _ => return None,
    };
    Date::new(number(year)?, i8::try_from(number(month)?).ok()?, i8::try_from(number(day)?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_files_are_read_in_both_orders_and_spellings_of_a_day() {
        let vix = vix_history(
            b"DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,17.24,17.24,17.24,17.24\n01/03/1990,1,2,1,18.19\n",
        );
        assert_eq!(vix.unwrap().values(), [17.24, 18.19]);
        let newer = b"Date,\"3 Mo\",\"2 Yr\",\"10 Yr\"\n2024-01-03,5.4,4.3,3.9\n2024-01-02,5.5,4.4,4.0\n";
        let older = b"Date,3 Mo,2 Yr,10 Yr\r\n12/28/2023,5.3,,3.8\r\n12/29/2023,5.4,4.2,N/A\r\n";
        let curve = YieldCurve::read([&newer[..], &older[..]]).unwrap();
        assert_eq!(curve.three_month.values(), [5.3, 5.4, 5.5, 5.4]);
        assert_eq!(
            (curve.two_year.values(), curve.ten_year.values()),
            (&[4.2, 4.4, 4.3][..], &[3.8, 4.0, 3.9][..])
        );
        assert_eq!(curve.two_year.days()[0], date(2023, 12, 29));
    }

    #[test]
    fn what_is_no_such_file_is_named() {
        for (file, error) in [
            (&b"<html>busy</html>"[..], FileError::NoTable),
            (b"", FileError::NoTable),
            (b"DATE,OPEN\n2024-01-02,1\n", FileError::NoColumn("CLOSE")),
            (b"DAY,CLOSE\n2024-01-02,1\n", FileError::NoColumn("Date")),
            (b"DATE,CLOSE\n2024-01-02\n", FileError::Cells { line: 2 }),
            (b"DATE,CLOSE\n2024-13-02,1\n", FileError::NoDay { line: 2 }),
            (b"DATE,CLOSE\n2024-01-02,x\n", FileError::NoValue { line: 2 }),
            (b"DATE,CLOSE\n2024-01-02,-1\n", FileError::NoValue { line: 2 }),
            (b"DATE,CLOSE\n2024-01-02,NaN\n", FileError::NoValue { line: 2 }),
            (b"DATE,CLOSE\n2024-01-02,1\n2024-01-04,1\n2024-01-03,1\n", FileError::Order),
            (b"DATE,CLOSE\n2024-01-02,1\n2024-01-02,1\n", FileError::Order),
        ] {
            assert_eq!(vix_history(file), Err(error), "{}", file.escape_ascii());
        }
        let year = b"Date,3 Mo,2 Yr,10 Yr\n2024-01-02,5.5,4.4,4.0\n";
        assert_eq!(YieldCurve::read([&year[..], &year[..]]), Err(FileError::Order), "the same year twice");
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(text in "(DATE,CLOSE\n)?([0-9/,.\\-A-Z\"\n]{0,80})", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = vix_history(text.as_bytes());
            let _ = YieldCurve::read([&bytes[..], text.as_bytes()]);
        }
    }
}
