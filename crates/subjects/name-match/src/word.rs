//! One word of a text, and where its letters are.

use super::script::Script;

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let cut = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: cut(start), end: cut(end) }
    }

    /// The range from the start of this one to the end of a later one.
    pub(super) fn through(self, last: Self) -> Self {
        Self { start: self.start, end: last.end }
    }

    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Number of forms of a word.
pub const FORMS: usize = 3;

/// One word.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Range of the word in the [`SegmentedText`](super::segmented_text::SegmentedText).
    pub source: Span,
    /// Ranges of the romanisations in [`SegmentedText::letters`](super::segmented_text::SegmentedText::letters): the
    /// first, an alternative one, and one with digits read as the letters that they resemble. Equal ranges if there is
    /// no other form.
    pub forms: [Span; FORMS],
    /// True if the other forms have letters in place of digits.
    pub disguised: bool,
    /// Script of the word.
    pub script: Script,
    /// True if the word is in brackets.
    pub bracketed: bool,
}
