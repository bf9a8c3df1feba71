//! The rules for text that is hidden from a reader.

use text_views::{Hidden, HiddenKind};

use crate::finding::Severity;

/// A rule for one kind of hidden text.
pub(crate) struct HiddenRule {
    pub(crate) id: &'static str,
    pub(crate) severity: Severity,
    pub(crate) why: &'static str,
}

pub(crate) const REMEDY: &str = "Read the text without it, and ask why somebody has hidden it.";

/// The rule that hidden text breaks.
pub(crate) fn rule(hidden: &Hidden) -> HiddenRule {
    let (id, severity, why) = match hidden.kind {
        HiddenKind::TagCharacters => (
            "hidden-tag-characters",
            Severity::Warn,
            "Tag characters are not drawn, and programs read them as text.",
        ),
        HiddenKind::VariationSelectors => (
            "hidden-variation-selectors",
            Severity::Warn,
            "Variation selectors behind a character hold bytes that nobody sees.",
        ),
        HiddenKind::ZeroWidth if hidden.text.is_some() => (
            "hidden-zero-width-text",
            Severity::Warn,
            "Characters without width stand for the bits of a text that nobody sees.",
        ),
        // Converters of documents leave such runs behind.
        HiddenKind::ZeroWidth => {
            ("hidden-zero-width-run", Severity::Info, "Many characters without width follow each other.")
        }
        HiddenKind::ZeroWidthInWords => (
            "hidden-zero-width-in-words",
            Severity::Warn,
            "Characters without width stand within words, so that a search does not find these.",
        ),
        HiddenKind::MixedScripts => (
            "hidden-by-look-alikes",
            Severity::Warn,
            "Letters of other scripts stand for Latin ones, so that a search does not find these words.",
        ),
        HiddenKind::EscapedLetters => (
            "hidden-by-escapes",
            Severity::Warn,
            "Letters that need no escape are written as escapes, which a program reads and a person does not.",
        ),
        HiddenKind::EncodedProse => (
            "hidden-by-encoding",
            Severity::Warn,
            "Sentences are encoded, which a program reads and a person does not.",
        ),
        HiddenKind::BidiOverride => (
            "hidden-bidi-override",
            Severity::Warn,
            "An override of the direction shows the text in another order than it has.",
        ),
        // Previews of e-mails and links for screen readers are hidden in the same way.
        HiddenKind::HtmlStyle => {
            ("hidden-by-style", Severity::Info, "The style of an element hides its text from a reader.")
        }
    };
    HiddenRule { id, severity, why }
}
