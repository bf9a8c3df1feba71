//! Exports of trading platforms to requests of `POST /grade-strategy`, with what is lost on the way.
//!
//! Sources: the columns as the platforms document them and as public importers' tests quote them, named in each module of
//! `formats`. No export has all that a grade needs: [`Imported::lost`] says what is missing, and [`Options`] take it.
//!
//! # Invariants
//!
//! - Nothing is estimated. What is not in the file or the options is absent from the request, and counted.
//!
//! - Sums are exact decimals ([`Decimal`]); only average prices are rounded, to 12 places.
//!
//! - Fills are paired from flat to flat in each instrument. Identical partial fills count each.
//!
//! - Cells are text: a formula is never evaluated. XML with a DOCTYPE is refused.
//!
//! - The same bytes and options give the same request on every machine: zones come from a database in this program, and nothing
//!   reads a clock.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`import`] | bytes of a file to [`Imported`] |
//! | [`Format`], [`FORMATS`] | the formats and their keys |
//! | [`Options`], [`OptionError`], [`ColumnMap`] | what the owner of the file knows; the columns of any CSV file |
//! | [`Loss`], [`LossCode`] | what is lost |
//! | [`ImportError`], [`Problem`] | why there is no request: file, row, column, reason |
//! | [`Decimal`] | exact decimals |
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `text`, `clock`, `table`, `html`, `xml` | bytes to text, times, and rows with names and numbers |
//! | `formats` | one module a format: rows to fills, trades or returns |
//! | `fill`, `pair`, `running` | fills to positions |
//! | `scale`, `money` | multipliers and currencies |
//! | `trade`, `request` | positions to JSON; equity, funding, identical trades |

mod clock;
mod columns;
mod decimal;
mod error;
mod fill;
mod format;
mod formats;
mod html;
mod lost;
mod money;
mod options;
mod pair;
mod request;
mod running;
mod scale;
mod table;
mod text;
mod trade;
mod xml;

pub use columns::{ColumnMap, RowFilter, RowKind};
pub use decimal::{Decimal, MAX_PLACES};
pub use error::{ImportError, Problem};
pub use format::{FORMATS, Format, UnknownFormat};
pub use lost::{Loss, LossCode};
pub use options::{CashFlow, DateOrder, Funding, OptionError, Options, Zone};
pub use request::Imported;

/// Name and version of these rules: a change of what a file is read to is a new version.
pub const RULES: &str = "trade-exports/1";
/// The most bytes of a file.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The most rows of a file.
pub const MAX_ROWS: usize = 100_000;
/// The most cells of a row, or attributes of an element.
pub const MAX_COLUMNS: usize = 256;
/// The most bytes of a cell.
pub const MAX_CELL_BYTES: usize = 4_096;
/// The greatest depth of nested XML elements.
pub const MAX_DEPTH: usize = 16;

/// Reads an export.
///
/// # Errors
/// [`ImportError`] with file, row and column where the file is not of that format, is damaged or beyond a bound, or leaves open
/// what must not be guessed.
///
/// # Examples
/// ```
/// use trade_exports::{Format, Options, import};
///
/// let file = b"date,returns\n2026-01-30,0.01\n2026-01-31,\n";
/// let imported = import(Format::Returns, file, &Options::default()).unwrap();
/// assert_eq!(imported.request["returns"][0]["r"], "0.01");
/// assert_eq!((imported.rows, imported.positions), (2, 1));
/// ```
pub fn import(format: Format, bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let file = if options.file.is_empty() { "the file" } else { options.file.as_str() };
    formats::import(format, bytes, options).map_err(|error| error.named(file))
}
