//! Markup: tags, comments, character references, emphasis, and the elements that a style hides.

mod colour;
mod elements;
mod emphasis;
mod entities;
mod scan;
mod style;
mod tag;

pub(crate) use scan::remove;
