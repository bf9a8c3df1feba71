//! What [`views`](crate::views) returns.

use std::ops::Range;
use std::sync::Arc;

use crate::map::Map;

/// Way in which a view was made from the text below it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ViewKind {
    /// The text as it came.
    Raw,
    /// Without zero-width characters, soft hyphens, bidi controls, variation selectors, tag characters and the like,
    /// where they do not belong to the script or the emoji around them.
    WithoutInvisible,
    /// With the text of bidi overrides in the order in which it is displayed.
    DisplayOrder,
    /// In the normalization form KC (UAX 15).
    Nfkc,
    /// With look-alikes of ASCII letters folded to ASCII, word by word.
    Skeleton,
    /// With words that were spaced out (`i g n o r e`) joined.
    JoinedLetters,
    /// Without tags, comments and emphasis within words, and with character references decoded.
    WithoutMarkup,
    /// Without markup, and without the elements that a style hides.
    Rendered,
    /// The values of the attributes that carry text (`alt`, `title`, `aria-label`, `content`, ...), a line each.
    Attributes,
    /// The comments of the markup, a line each.
    Comments,
    /// Hidden text of one kind, decoded.
    Hidden(HiddenKind),
    /// The decoded payloads of one encoding, a line each; or the lines that hold escapes, decoded where they stand.
    Decoded(Encoding),
}

/// Encoding of a payload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Encoding {
    /// Base 64 (RFC 4648 sections 4 and 5), padded or not, whole or wrapped.
    Base64,
    /// Hexadecimal digits: plain, spaced, `0x..`, `\x..`.
    Hex,
    /// Percent encoding (RFC 3986 section 2.1), and the plus signs of forms.
    Percent,
    /// Quoted-printable (RFC 2045 section 6.7).
    QuotedPrintable,
    /// Escapes of source code and JSON: `\u0041`, `\u{41}`, `\U00000041`, `\x41`, `\101`, `\n`.
    Escapes,
    /// The letters rotated by 13.
    Rot13,
    /// The characters in reverse order.
    Reversed,
}

/// Way in which text is hidden from a reader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HiddenKind {
    /// Characters of the block of tags (U+E0000), which most programs do not draw.
    TagCharacters,
    /// Bytes in variation selectors behind a character.
    VariationSelectors,
    /// A long run of zero-width characters; its text if it holds bits of one.
    ZeroWidth,
    /// Zero-width characters between the letters of words.
    ZeroWidthInWords,
    /// Words of Latin letters with look-alikes of other scripts among them.
    MixedScripts,
    /// Letters that need no escape, each written as one.
    EscapedLetters,
    /// Prose in an encoding that only a program reads.
    EncodedProse,
    /// Text that a bidi override displays in another order than it is stored in.
    BidiOverride,
    /// An element that its style or attributes hide: not displayed, too small, transparent, off screen, or in the colour
    /// of its background.
    HtmlStyle,
}

/// A text in which a scanner must look.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) text: Arc<str>,
    pub(crate) steps: Vec<ViewKind>,
    pub(crate) layers: Vec<Arc<Map>>,
    pub(crate) depth: u8,
}

impl View {
    /// The way in which the view was made from the text below it; the last of [`View::steps`].
    #[must_use]
    pub fn kind(&self) -> ViewKind {
        self.steps.last().copied().unwrap_or(ViewKind::Raw)
    }

    /// All steps from the original text to this view, in order; empty for the original itself.
    #[must_use]
    pub fn steps(&self) -> &[ViewKind] {
        &self.steps
    }

    /// The text of the view.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of encodings around the view's text, 0 to [`MAX_DEPTH`](crate::MAX_DEPTH).
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// The bytes of the original text from which the given bytes of the view came.
    ///
    /// The result lies within the original, on boundaries of characters. For a decoded payload it is the whole run that
    /// was decoded. Ends that lie past the view or within a character are moved outward to the next boundary.
    #[must_use]
    pub fn span(&self, range: Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.ceil_char_boundary(range.end).max(start);
        self.layers.iter().rev().fold(start..end, |range, layer| layer.origin(range))
    }
}

/// Hidden text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hidden {
    /// Way in which it is hidden.
    pub kind: HiddenKind,
    /// Bytes of the original text that hide it.
    pub span: Range<usize>,
    /// The text that is hidden; `None` where the characters do not decode to text.
    pub text: Option<String>,
}

/// The views of a text, and its hidden text.
#[derive(Clone, Debug)]
pub struct Views {
    /// The views; the original text comes first, then views of less depth before views of more.
    pub views: Vec<View>,
    /// The hidden text, at most twice [`MAX_HIDDEN`](crate::MAX_HIDDEN) findings.
    pub hidden: Vec<Hidden>,
    /// True if a bound cut something off, so that a payload can be in none of the views.
    pub capped: bool,
}
