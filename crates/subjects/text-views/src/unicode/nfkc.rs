//! The normalization form KC (UAX 15), with a map.

use std::iter::once;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::map::Mapped;

/// The normalized text, if it differs in a letter or a mark. `None` if at most spaces, punctuation and signs such as
/// `…`, `™` and `½` differ, which nobody reads as letters.
pub(crate) fn normalize(text: &str) -> Option<Mapped> {
    let mut chunks = Chunks { text, at: 0 };
    let first = chunks.find(|chunk| chunk.differs)?;
    let mut out = Mapped::with_capacity(text.len());
    let mut differs = false;
    let mut copied = 0;
    for chunk in once(first).chain(Chunks { text, at: first.end }.filter(|chunk| chunk.differs)) {
        let below = &text[chunk.start..chunk.end];
        let normal: String = below.nfkc().collect();
        if normal == below {
            continue;
        }
        out.copy(text, copied..chunk.start);
        let mut characters = normal.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => out.push(only, chunk.start..chunk.end),
            _ => out.push_block(&normal, chunk.start..chunk.end),
        }
        copied = chunk.end;
        differs |= !is_sign(below) && normal.chars().any(char::is_alphanumeric);
    }
    out.copy(text, copied..text.len());
    differs.then_some(out)
}

/// Signs whose normal form has letters or digits, but which stand for themselves.
fn is_sign(text: &str) -> bool {
    let mut characters = text.chars();
    let sign = characters.next();
    characters.next().is_none()
        && sign.is_some_and(|sign| {
            matches!(sign, '\u{a0}'..='\u{b1}' | '\u{b4}'..='\u{b8}' | '²' | '³' | '¹' | '¼'..='¾' | '\u{2070}'
                | '\u{2074}'..='\u{207e}' | '\u{2080}'..='\u{208e}' | '\u{2100}' | '\u{2103}' | '\u{2109}' | '№' | '™'
                | '℠' | 'Ω' | '\u{2150}'..='\u{215f}' | '\u{3300}'..='\u{33ff}')
        })
}

/// A part of the text that is normalized on its own.
#[derive(Clone, Copy)]
struct Chunk {
    start: usize,
    end: usize,
    /// True if normalization can change it.
    differs: bool,
}

/// The text in parts, each of which begins with a character that never joins with the one before it.
struct Chunks<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Chunks<'_> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        // Plain ASCII is its own normal form; only its last character can be the base of a mark.
        let ascii = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii()).count();
        let start = self.at + ascii.saturating_sub(1);
        let mut characters = self.text[start..].char_indices();
        let (_, first) = characters.next()?;
        let mut differs = !first.is_ascii() && is_nfkc_quick(once(first)) != IsNormalized::Yes;
        for (at, character) in characters {
            if character.is_ascii() || is_boundary(character) {
                self.at = start + at;
                return Some(Chunk { start, end: self.at, differs });
            }
            differs |= is_nfkc_quick(once(character)) != IsNormalized::Yes || canonical_combining_class(character) != 0;
        }
        self.at = self.text.len();
        Some(Chunk { start, end: self.at, differs })
    }
}

/// True if the character, whatever stands before it, begins a part of its own.
fn is_boundary(character: char) -> bool {
    match is_nfkc_quick(once(character)) {
        IsNormalized::Yes => canonical_combining_class(character) == 0,
        IsNormalized::Maybe => false,
        IsNormalized::No => {
            let mut first = None;
            decompose_compatible(character, |part| first = first.or(Some(part)));
            first.is_some_and(|part| {
                part.is_ascii()
                    || (canonical_combining_class(part) == 0 && is_nfkc_quick(once(part)) == IsNormalized::Yes)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_are_normalized_with_spans_of_their_own() {
        let mapped = normalize("see ｉｇｎ𝐨𝐫𝐞 now").unwrap();
        assert_eq!(mapped.text, "see ignore now");
        assert_eq!(mapped.map.origin(4..7), 4..13);
        assert_eq!(mapped.map.origin(7..8), 13..17);
        let mapped = normalize("cafe\u{301}s").unwrap();
        assert_eq!(mapped.text, "cafés");
        assert_eq!(mapped.map.origin(3..5), 3..6);
    }

    #[test]
    fn spaces_and_signs_make_no_view() {
        for text in ["plain", "a\u{a0}b … and “c”", "10 m², ½ of it™", "déjà vu", "привет", "नमस्ते"] {
            assert!(normalize(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_text_is_the_normal_form(text in "(?s)([ -~]|[\u{c0}-\u{36f}]|[\u{1100}-\u{11ff}]|[\u{ac00}-\u{ac80}]|[\u{ff00}-\u{ff60}]|\\PC){0,40}") {
            let expected: String = text.nfkc().collect();
            if let Some(mapped) = normalize(&text) {
                prop_assert_eq!(mapped.text, expected);
            }
        }
    }
}
