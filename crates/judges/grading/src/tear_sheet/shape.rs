//! The shapes that a panel consists of.

use std::fmt::Write as _;

/// A rectangle of the sheet, in SVG units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Area {
    /// Returns the horizontal centre.
    pub fn middle(&self) -> f64 {
        0.5 * (self.left + self.right)
    }
}

/// An SVG shape, with the CSS class that styles it.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Path {
        class: &'static str,
        d: String,
    },
    Text {
        class: &'static str,
        x: f64,
        y: f64,
        text: String,
    },
    /// A text that is rotated upwards.
    Upwards {
        x: f64,
        y: f64,
        text: String,
    },
}

impl Shape {
    /// Builds a text at a position.
    pub fn text(class: &'static str, x: f64, y: f64, text: impl Into<String>) -> Self {
        Self::Text { class, x, y, text: text.into() }
    }

    /// Builds a line through points.
    pub fn line(class: &'static str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::Path { class, d: through(points) }
    }

    /// Builds the filled area between points and a level.
    pub fn filled(class: &'static str, points: &[(f64, f64)], level: f64) -> Self {
        let ends = points.first().zip(points.last());
        let down = ends.map(|(first, last)| [(last.0, level), (first.0, level)]);
        let d = through(points.iter().copied().chain(down.into_iter().flatten()));
        Self::Path { class, d: d + "Z" }
    }

    /// Builds a rectangle.
    pub fn rectangle(class: &'static str, area: Area) -> Self {
        let Area { left, top, right, bottom } = area;
        Self::filled(class, &[(left, top), (right, top)], bottom)
    }
}

/// Writes points with one decimal place, which is finer than a screen shows.
fn through(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let command = if d.is_empty() { 'M' } else { 'L' };
        // Writing to a string does not fail.
        let _ = write!(d, "{command}{x:.1} {y:.1}");
    }
    d
}
