//! The map from the bytes of a view back to the bytes of the text that it was made from.

use std::ops::Range;

/// A stretch of a view's text in which every unit of `view_unit` bytes came from `origin_unit` bytes.
///
/// Copied text has units of 1 and 1. A decoded payload is a single unit. Fullwidth letters that were folded to ASCII
/// have units of 1 and 3, and so thousands of them take one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// First byte in the view; the run ends where the next one begins.
    view: u32,
    /// First byte in the text below.
    origin: u32,
    view_unit: u32,
    origin_unit: u32,
}

/// The runs of one view, by rising position in the view and never falling position in the text below.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Map {
    runs: Vec<Run>,
}

impl Map {
    /// The bytes below from which the given bytes of the view came. The ends must be boundaries of characters of the
    /// view; so are those of the result.
    pub(crate) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let Some(first) = self.run_at(range.start) else { return 0..0 };
        if range.is_empty() {
            let at = first.start_of(range.start);
            return at..at;
        }
        let last = self.run_at(range.end - 1).unwrap_or(first);
        first.start_of(range.start)..last.end_of(range.end)
    }

    /// The run that holds a byte of the view; the last one for any byte past the end.
    fn run_at(&self, byte: usize) -> Option<Run> {
        let after = self.runs.partition_point(|run| run.view as usize <= byte);
        self.runs.get(after.saturating_sub(1)).copied()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }
}

impl Run {
    fn start_of(self, byte: usize) -> usize {
        let units = (byte - self.view as usize) / self.view_unit as usize;
        self.origin as usize + units * self.origin_unit as usize
    }

    fn end_of(self, byte: usize) -> usize {
        let units = (byte - self.view as usize).div_ceil(self.view_unit as usize);
        self.origin as usize + units * self.origin_unit as usize
    }
}

/// A view's text while it is built from left to right, with its map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapped {
    pub(crate) text: String,
    pub(crate) map: Map,
}

/// A length of a [`Mapped`] to which it can be cut back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    bytes: usize,
    runs: usize,
}

impl Mapped {
    /// An empty text with room for as many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), map: Map::default() }
    }

    /// Appends a part of the text below as it stands.
    pub(crate) fn copy(&mut self, below: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.begin(range.start, 1, 1);
            self.text.push_str(&below[range]);
        }
    }

    /// Appends a character that stands for the given bytes below.
    pub(crate) fn push(&mut self, character: char, origin: Range<usize>) {
        let length = character.len_utf8();
        if length == origin.len() {
            self.begin(origin.start, 1, 1);
        } else {
            self.begin(origin.start, length, origin.len());
        }
        self.text.push(character);
    }

    /// Appends a text that as a whole stands for the given bytes below.
    pub(crate) fn push_block(&mut self, text: &str, origin: Range<usize>) {
        if !text.is_empty() {
            self.begin(origin.start, text.len(), origin.len());
            self.text.push_str(text);
        }
    }

    /// The present length.
    pub(crate) fn mark(&self) -> Mark {
        Mark { bytes: self.text.len(), runs: self.map.runs.len() }
    }

    /// Removes what was appended since the mark.
    pub(crate) fn cut_back(&mut self, mark: Mark) {
        self.text.truncate(mark.bytes);
        self.map.runs.truncate(mark.runs);
    }

    /// Opens a run at the end of the text, unless the last run goes on.
    fn begin(&mut self, origin: usize, view_unit: usize, origin_unit: usize) {
        let at = self.text.len();
        if let Some(last) = self.map.runs.last() {
            let same_units = last.view_unit as usize == view_unit && last.origin_unit as usize == origin_unit;
            if same_units && last.end_of(at) == origin && (at - last.view as usize).is_multiple_of(view_unit)
            {
                return;
            }
        }
        let small = |bytes: usize| {
            u32::try_from(bytes).expect("texts are cut at MAX_TEXT_BYTES, and views at MAX_DERIVED_BYTES")
        };
        let run = Run {
            view: small(at),
            origin: small(origin),
            view_unit: small(view_unit),
            origin_unit: small(origin_unit),
        };
        self.map.runs.push(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_equal_size_share_a_run() {
        let below = "ＡＢＣ and ＤＥ";
        let mut mapped = Mapped::default();
        for (at, character) in below.char_indices() {
            let folded = match character {
                'Ａ'..='Ｚ' => char::from(b'A' + u8::try_from(character as u32 - 'Ａ' as u32).unwrap()),
                other => other,
            };
            mapped.push(folded, at..at + character.len_utf8());
        }
        assert_eq!(mapped.text, "ABC and DE");
        assert_eq!(mapped.map.len(), 3);
        assert_eq!(mapped.map.origin(1..2), 3..6);
        assert_eq!(mapped.map.origin(2..5), 6..11);
        assert_eq!(mapped.map.origin(8..10), 14..20);
    }

    #[test]
    fn a_block_maps_to_all_of_its_origin_and_a_gap_belongs_to_nobody() {
        let below = "see ZGVj now";
        let mut mapped = Mapped::default();
        mapped.copy(below, 0..4);
        mapped.push_block("dec", 4..8);
        mapped.copy(below, 9..12);
        assert_eq!(mapped.text, "see decnow");
        assert_eq!(mapped.map.origin(5..6), 4..8);
        assert_eq!(mapped.map.origin(7..8), 9..10);
        assert_eq!(mapped.map.origin(10..10), 12..12);
        assert_eq!(Map::default().origin(0..0), 0..0);
    }

    #[test]
    fn what_is_cut_back_leaves_no_trace() {
        let below = "abcdef";
        let mut mapped = Mapped::default();
        mapped.copy(below, 0..2);
        let mark = mapped.mark();
        mapped.copy(below, 2..4);
        mapped.push('x', 5..6);
        mapped.cut_back(mark);
        mapped.copy(below, 4..6);
        assert_eq!(mapped.text, "abef");
        assert_eq!(mapped.map.origin(1..3), 1..5);
    }
}
