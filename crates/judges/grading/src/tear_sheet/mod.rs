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
//! | `words` | the scope of the verdict; texts that fit |
//! | `figures` | the strip of key figures |
//! | `panels` | equity, drawdown, Sharpe ratio over time, subperiods, the bootstrap's distribution |
//! | `gates` | costs and gates of copying |
//! | `months` | growth by month |
//! | `sheet` | the panels, title and description on one sheet |

mod figures;
mod gates;
mod months;
mod panels;
mod read;
mod scale;
mod shape;
mod sheet;
#[cfg(test)]
mod tests;
mod words;

use receipt::json::Json;
pub(crate) use scale::{chance, one_place, percent, short};

/// The sheet of a receipt, with the grade in it. None where the record was not graded, so that there is nothing to draw.
pub(crate) fn draw(receipt: &Json, grade: &Json) -> Option<String> {
    sheet::draw(
        &read::Heading::read(receipt)?,
        &read::Drawn::read(grade)?,
        read::Copying::read(receipt).as_ref(),
    )
}
