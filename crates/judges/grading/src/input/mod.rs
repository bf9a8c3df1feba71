//! Reads a request's rows into the settlement units that are graded.
//!
//! Every number is the double nearest to the decimal that was written; sums run in one stated order, by close and then
//! by all else that tells two trades apart. So the same rows give the same bits in whatever order they are sent, and
//! anyone with doubles can find them again; exact decimals could not hold the 1e300 that a caller may send.
//!
//! # Invariants
//!
//! - Graded rows are consistent: a row that contradicts itself or another is refused.
//! - A missing value stays missing; a step that needs it reports it, and nothing is estimated.
//! - Only settled trades are graded; the trades that are left out are counted.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `row`, `time` | the members of a row: numbers, texts, times |
//! | `trade`, `returns` | a trade and a period's return, checked by themselves |
//! | `commitment` | what of a trade was committed before it opened |
//! | `read` | all rows, checked against each other |
//! | `closes`, `cash` | the times at which trades closed; the return of cash |
//! | `import` | a platform's export in place of rows |
//! | `settle` | rows to settlement units; what is missing |
//! | `open`, `equity` | what trades that are not settled may have lost; whether the profits make the equity |
//! | `positions` | trades merged from flat to flat; how many there are, and how long they were held |
//! | `marks` | daily marks of the account, graded in place of closes |
//! | `stakes` | what the positions of a day could lose |
//! | `repeats`, `fees` | returns that were pasted; fees that no row shows |
//! | `schema` | the rows as a JSON Schema |

mod cash;
mod closes;
mod commitment;
mod equity;
mod fees;
mod import;
mod marks;
mod open;
mod positions;
pub(crate) mod read;
mod repeats;
mod returns;
pub(crate) mod row;
mod schema;
mod settle;
mod stakes;
mod time;
mod trade;

pub use closes::Closes;
pub use commitment::{CONTENT_BYTES, Commitment};
pub use import::{ImportLoss, ImportReport, one_source, settle_input, with_import_rules};
pub use positions::{Position, greatest_at_once, positions};
pub use read::{FIELDS, Input, Rows};
pub use row::Row;
pub use schema::{above_zero, bounded, known, share};
pub use settle::{Missing, RowCounts, Settled, settled_days};
pub use time::Instant;
pub use trade::{Side, Trade};
