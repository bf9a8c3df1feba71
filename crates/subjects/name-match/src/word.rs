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

/// How many forms a word has.
pub const FORMS: usize = 3;

/// One word.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Where it stands in [`SegmentedText`](super::segmented_text::Reading).
    pub source: Span,
    /// Its romanisation in [`SegmentedText::letters`](super::segmented_text::Reading::letters), and others: by a second custom, or with its digits read as the letters
    /// that they look like. The same where there are none.
    pub forms: [Span; FORMS],
    /// Its other forms have letters in place of digits.
    pub disguised: bool,
    /// Its script.
    pub script: Script,
    /// It stands in brackets.
    pub bracketed: bool,
}
