//! The tear sheet: a grade as an SVG image, drawn from its receipt alone.
//!
//! SVG without script, links or anything that is loaded from elsewhere. The style is the drawing's own and is scoped
//! to it, so that it can stand in a page as it is; it follows the reader's light or dark scheme.
//!
//! | module | holds |
//! |---|---|
//! | `read` | what of a receipt is drawn |
//! | `scale` | from values to places: axes, their ticks and labels |
//! | `shape` | what a panel is made of |
//! | `panels` | equity, drawdown, subperiods, the bootstrap's distribution |
//! | `sheet` | the panels, title and description on one sheet |

mod panels;
mod read;
mod scale;
mod shape;
mod sheet;
#[cfg(test)]
mod tests;

use receipt::json::Json;
pub(crate) use scale::short;

/// The sheet of a receipt, with the grade in it. None where the record was not graded, so that there is nothing to draw.
pub(crate) fn draw(receipt: &Json, grade: &Json) -> Option<String> {
    sheet::draw(&read::Heading::read(receipt)?, &read::Drawn::read(grade)?)
}
