//! The elements that are open while a text is read, and those that are hidden.

use std::collections::HashMap;
use std::ops::Range;

use super::colour::{WHITE, is_same};
use super::style::{Background, Style, of_attributes};
use super::tag::Tag;
use crate::work::note;

/// Longest name of an element that is told from others.
const MAX_NAME: usize = 15;

/// A lowercase name of an element, cut to [`MAX_NAME`] bytes.
type Name = [u8; MAX_NAME];

/// A hidden element.
pub(crate) struct HiddenElement {
    /// From its start tag to its end tag, in the text.
    pub(crate) span: Range<usize>,
    /// Its text, in the view without markup.
    pub(crate) shown: Range<usize>,
}

struct Open {
    name: Name,
    /// First byte of the start tag.
    start: usize,
    /// Length of the view at the start tag.
    shown: usize,
    is_hidden: bool,
    background: Option<[u8; 3]>,
    colour: Option<[u8; 3]>,
}

/// The open elements, outermost first.
#[derive(Default)]
pub(crate) struct Elements {
    open: Vec<Open>,
    /// Number of open elements by name, so that an end tag without a start tag costs no search.
    counts: HashMap<Name, usize>,
    /// Number of open elements that hide their text.
    hiding: usize,
    /// True if the text has style sheets of its own, which can set any background.
    has_style_sheet: bool,
    pub(crate) hidden: Vec<HiddenElement>,
}

impl Elements {
    /// Takes a tag at a byte of the text, while the view has some length.
    pub(crate) fn take(&mut self, tag: &Tag<'_>, at: usize, shown: usize) {
        let name = lowercase(tag.name);
        if tag.is_end {
            self.close(&name, tag.end, shown);
            return;
        }
        self.has_style_sheet |= matches!(letters(&name), b"style" | b"link");
        if is_void(letters(&name)) || tag.attributes.ends_with('/') {
            return;
        }
        self.close_implied(&name, at, shown);
        let style = of_attributes(tag.attributes);
        let around = self.open.last();
        let background = match style.background {
            Background::Colour(colour) => Some(colour),
            Background::Unknown => None,
            Background::Inherited => around.map_or(Some(WHITE), |around| around.background),
        };
        let colour = style.colour.or(around.and_then(|around| around.colour));
        let is_hidden = style.is_hidden || self.is_unseen(&style, colour, background);
        self.hiding += usize::from(is_hidden);
        *self.counts.entry(name).or_default() += 1;
        self.open.push(Open { name, start: at, shown, is_hidden, background, colour });
    }

    /// True if the element sets a colour or a background so that both are the same.
    fn is_unseen(&self, style: &Style, colour: Option<[u8; 3]>, background: Option<[u8; 3]>) -> bool {
        let sets = style.colour.is_some() || style.background != Background::Inherited;
        let is_set = matches!(style.background, Background::Colour(_)) || !self.has_style_sheet;
        sets && is_set
            && colour.zip(background).is_some_and(|(colour, background)| is_same(colour, background))
    }

    /// Closes all elements at the end of the text.
    pub(crate) fn finish(&mut self, end: usize, shown: usize) {
        while !self.open.is_empty() {
            self.pop(end, shown);
        }
    }

    fn close(&mut self, name: &Name, end: usize, shown: usize) {
        if self.counts.get(name).copied().unwrap_or(0) == 0 {
            return;
        }
        while self.open.last().is_some_and(|last| last.name != *name) {
            self.pop(end, shown);
        }
        self.pop(end, shown);
    }

    /// Closes the paragraph, the item or the cell that a start tag ends (HTML, section "Optional tags").
    fn close_implied(&mut self, name: &Name, at: usize, shown: usize) {
        let Some(last) = self.open.last() else { return };
        let next = letters(name);
        let is_implied = match letters(&last.name) {
            b"p" => is_block(next) && next != b"br",
            b"li" => next == b"li",
            b"option" => matches!(next, b"option" | b"optgroup"),
            b"td" | b"th" => matches!(next, b"td" | b"th" | b"tr"),
            b"tr" => next == b"tr",
            b"dt" | b"dd" => matches!(next, b"dt" | b"dd"),
            _ => false,
        };
        if is_implied {
            self.pop(at, shown);
        }
    }

    fn pop(&mut self, end: usize, shown: usize) {
        let Some(last) = self.open.pop() else { return };
        note(1);
        if let Some(count) = self.counts.get_mut(&last.name) {
            *count -= 1;
        }
        self.hiding -= usize::from(last.is_hidden);
        if last.is_hidden && self.hiding == 0 {
            self.hidden.push(HiddenElement { span: last.start..end, shown: last.shown..shown });
        }
    }
}

fn lowercase(name: &str) -> Name {
    let mut out = [0; MAX_NAME];
    for (to, from) in out.iter_mut().zip(name.bytes()) {
        *to = from.to_ascii_lowercase();
    }
    out
}

/// The letters of a name.
fn letters(name: &Name) -> &[u8] {
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(MAX_NAME);
    &name[..length]
}

/// True for elements that have no content.
fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// True for elements that begin a line of their own.
#[rustfmt::skip]
fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"p" | b"div" | b"br" | b"li" | b"ul" | b"ol" | b"tr" | b"td" | b"th" | b"table" | b"h1" | b"h2" | b"h3"
            | b"h4" | b"h5" | b"h6" | b"section" | b"article" | b"header" | b"footer" | b"pre" | b"blockquote" | b"hr"
            | b"title" | b"body" | b"head" | b"html" | b"dt" | b"dd" | b"dl" | b"form" | b"main" | b"nav" | b"aside"
            | b"option" | b"script" | b"style" | b"details" | b"summary" | b"figure"
    )
}

/// True if a tag of that name begins a line of its own.
pub(crate) fn breaks_line(name: &str) -> bool {
    is_block(letters(&lowercase(name)))
}
