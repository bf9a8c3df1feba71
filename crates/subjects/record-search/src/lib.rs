//! Shared parts of searches in public record services: checked request fields and lists, and answers that are read row by
//! row without losing a member.
//!
//! A service's crate describes each kind of row by a [`Table`]: the members that it knows, their names in the normalised
//! row and their [`Class`]. [`Table::read`] turns an object of the answer into a [`Row`]. [`Table::lost`] compares the two
//! again by another way, so a defect of the first shows.
//!
//! Numbers: an amount is decimal text as it came. Elsewhere an integer that a double holds exactly stays a number; any
//! other number becomes its text, since the canonical form of a receipt would change it.
//!
//! # Invariants
//!
//! - Each member of the original is in [`Row::members`], in [`Row::other`] or named in [`Row::dropped`].
//!
//! - A required member that is missing, `null` or of another type is an error that names the service and the member.
//!
//! - An unknown member, and an optional member of another type than the table says, is kept under [`Row::other`].
//!
//! - No input makes a function panic; sizes and counts are bounded by [`MAX_BYTES`], [`MAX_ROWS`] and [`MAX_MEMBERS`].
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`parse`], [`AnswerError`] | the body of an answer as JSON, and all that can be wrong with it |
//! | [`Table`], [`Member`], [`Class`], [`Row`] | members of a kind of row, and a row after normalising |
//! | [`rows_of`] | the array of rows in an answer |
//! | [`is_same`] | comparison of a value before and after normalising |
//! | [`split_list`], [`ListError`] | a comma-joined list of a query string |
//! | [`put_once`], [`list_value`], [`flag_value`], [`number_value`] | values of a query string |
//! | [`checked_text`], [`checked_list`], [`checked_date`], [`FieldError`] | fields of a request |

mod answer;
mod field;
mod list;
mod query;
mod row;
mod same;
mod table;
#[cfg(test)]
mod tests;

pub use answer::{AnswerError, MAX_BYTES, MAX_ROWS, parse, rows_of};
pub use field::{FieldError, FieldProblem, checked_date, checked_list, checked_text};
pub use list::{ListError, MAX_LIST_BYTES, MAX_LIST_ITEMS, split_list};
pub use query::{flag_value, list_value, number_value, put_once};
pub use row::Row;
pub use same::is_same;
pub use table::{Class, MAX_MEMBERS, Member, Table};
