//! The order in which views are made, and their bounds.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::decode::{decode, obscured};
use crate::map::Mapped;
use crate::markup;
use crate::unicode::{bidi, class, invisible, joined, nfkc, skeleton};
use crate::view::{Hidden, HiddenKind, View, ViewKind, Views};

/// Longest text that is read, in bytes; the rest of a longer one is cut off.
pub const MAX_TEXT_BYTES: usize = 262_144;

/// Most bytes of all views behind the original.
pub const MAX_DERIVED_BYTES: usize = 768 * 1024;

/// Most views, the original included.
pub const MAX_VIEWS: usize = 64;

/// Most findings of text that a style hides, and of all other hidden text.
pub const MAX_HIDDEN: usize = 64;

/// Most encodings around each other that are decoded.
pub const MAX_DEPTH: u8 = 3;

/// The views of a text, and its hidden text.
#[must_use]
pub fn views(text: &str) -> Views {
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    let raw = View { text: Arc::from(&text[..end]), steps: Vec::new(), layers: Vec::new(), depth: 0 };
    let mut expansion = Expansion {
        found: Views { views: vec![raw], hidden: Vec::new(), capped: end < text.len() },
        bytes_left: (4 * end + 4096).min(MAX_DERIVED_BYTES),
        waiting: [const { VecDeque::new() }; MAX_DEPTH as usize + 1],
    };
    expansion.waiting[0].push_back(0);
    while let Some(next) = expansion.waiting.iter_mut().find_map(VecDeque::pop_front) {
        expansion.expand(next);
    }
    expansion.found.views.sort_by_key(|view| view.depth);
    expansion.found
}

/// Number of a view in the order in which they are made.
type Number = usize;

struct Expansion {
    found: Views,
    bytes_left: usize,
    /// Views that are not looked into yet, by depth.
    waiting: [VecDeque<Number>; MAX_DEPTH as usize + 1],
}

impl Expansion {
    /// Makes the views of one view.
    fn expand(&mut self, number: Number) {
        let mut plainest = number;
        if !self.text(number).is_ascii() {
            plainest = self.without_invisible(number);
            // NFKC makes another letter of the lunate sigma, which looks like `c`.
            if self.text(plainest).contains(['\u{3f2}', '\u{3f9}']) {
                self.fold(plainest);
            }
            plainest = self.derive(plainest, ViewKind::Nfkc, nfkc::normalize).unwrap_or(plainest);
            let folded = self.fold(plainest).unwrap_or(plainest);
            self.derive(folded, ViewKind::JoinedLetters, joined::join);
        } else {
            self.derive(number, ViewKind::JoinedLetters, joined::join);
        }
        self.without_markup(plainest);
        self.decoded(plainest);
    }

    fn text(&self, number: Number) -> Arc<str> {
        Arc::clone(&self.found.views[number].text)
    }

    /// Makes one view of another; `None` if it is not needed.
    fn derive(&mut self, below: Number, kind: ViewKind, make: fn(&str) -> Option<Mapped>) -> Option<Number> {
        let made = make(&self.text(below))?;
        self.push(below, kind, made, 0)
    }

    /// Folds look-alikes, and notes where many words are made of them.
    fn fold(&mut self, number: Number) -> Option<Number> {
        let folded = skeleton::fold(&self.text(number))?;
        let as_hidden = |span| Hidden { kind: HiddenKind::MixedScripts, span, text: None };
        self.hide(number, folded.mixed.map(as_hidden).into_iter().collect());
        self.push(number, ViewKind::Skeleton, folded.text, 0)
    }

    /// Strips what is not drawn. The result is the plainest view so far.
    fn without_invisible(&mut self, number: Number) -> Number {
        let text = self.text(number);
        if !text.chars().any(|character| class::invisible(character).is_some()) {
            return number;
        }
        if let Some((mapped, hidden)) = bidi::display(&text) {
            self.hide(number, hidden);
            if let Some(shown) = self.push(number, ViewKind::DisplayOrder, mapped, 0) {
                self.wait(shown);
            }
        }
        let stripped = invisible::strip(&text);
        self.hide(number, stripped.hidden);
        let plain = if stripped.differs {
            self.push(number, ViewKind::WithoutInvisible, stripped.text, 0)
        } else {
            None
        };
        for (kind, mapped) in stripped.payloads {
            self.push_payload(number, ViewKind::Hidden(kind), mapped);
        }
        plain.unwrap_or(number)
    }

    fn without_markup(&mut self, number: Number) {
        let Some(markup) = markup::remove(&self.text(number)) else { return };
        // References within references are an encoding within an encoding.
        let deeper = u8::from(self.found.views[number].steps.contains(&ViewKind::WithoutMarkup));
        if deeper + self.found.views[number].depth > MAX_DEPTH {
            self.found.capped |= markup.differs;
            return;
        }
        let as_hidden = |(span, text): (Range<usize>, String)| Hidden {
            kind: HiddenKind::HtmlStyle,
            span,
            text: Some(text),
        };
        self.hide(number, markup.hidden.into_iter().map(as_hidden).collect());
        self.push(number, ViewKind::Comments, markup.comments, 0);
        self.push(number, ViewKind::Attributes, markup.attributes, 0);
        if markup.differs
            && let Some(plain) = self.push(number, ViewKind::WithoutMarkup, markup.text, deeper)
        {
            self.wait(plain);
            self.push(plain, ViewKind::Rendered, markup.rendered, 0);
        }
    }

    fn decoded(&mut self, number: Number) {
        let text = self.text(number);
        self.hide(number, obscured::escaped_letters(&text));
        for (encoding, mapped) in decode(&text) {
            self.hide(number, obscured::prose(&text, encoding, &mapped));
            self.push_payload(number, ViewKind::Decoded(encoding), mapped);
        }
    }

    /// Adds a view that is one level deeper, and looks into it later.
    fn push_payload(&mut self, below: Number, kind: ViewKind, mapped: Mapped) {
        if self.found.views[below].depth == MAX_DEPTH {
            self.found.capped = true;
        } else if let Some(payload) = self.push(below, kind, mapped, 1) {
            self.wait(payload);
        }
    }

    fn wait(&mut self, number: Number) {
        let depth = self.found.views[number].depth;
        self.waiting[usize::from(depth)].push_back(number);
    }

    /// Adds a view, unless it is empty, too much, or has the text of another.
    fn push(&mut self, below: Number, kind: ViewKind, mapped: Mapped, deeper: u8) -> Option<Number> {
        let views = &self.found.views;
        if mapped.text.is_empty() || views.iter().any(|view| *view.text == mapped.text) {
            return None;
        }
        if views.len() == MAX_VIEWS || mapped.text.len() > self.bytes_left {
            self.found.capped = true;
            return None;
        }
        self.bytes_left -= mapped.text.len();
        let below = &views[below];
        let mut view = View { text: Arc::from(mapped.text), depth: below.depth + deeper, ..below.clone() };
        view.steps.push(kind);
        view.layers.push(Arc::new(mapped.map));
        self.found.views.push(view);
        Some(self.found.views.len() - 1)
    }

    /// Adds hidden text that was found in a view.
    fn hide(&mut self, number: Number, hidden: Vec<Hidden>) {
        let Views { views, hidden: all, capped } = &mut self.found;
        for mut finding in hidden {
            finding.span = views[number].span(finding.span);
            if all.contains(&finding) {
                continue;
            }
            // Pages hide hundreds of elements by style, and what these hold is read in the views all the same.
            let is_style = finding.kind == HiddenKind::HtmlStyle;
            let alike = all.iter().filter(|other| (other.kind == HiddenKind::HtmlStyle) == is_style).count();
            if alike == MAX_HIDDEN {
                *capped |= !is_style;
                continue;
            }
            all.push(finding);
        }
    }
}
