//! The normalization form KC (UAX 15), with a map.

use std::iter::once;
use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::map::Mapped;
use crate::work::note;

/// The normalized text, if it differs in a letter or a mark. `None` if at most spaces, punctuation and signs such as
/// `…`, `™` and `½` differ, which nobody reads as letters.
pub(crate) fn normalize(text: &str) -> Option<Mapped> {
    let mut out = Mapped::default();
    let mut differs = false;
    let mut copied = 0;
    for part in (Suspects { text, at: 0, traits: &TRAITS }) {
        let below = &text[part.clone()];
        if let Some(letter) = ascii(below) {
            out.copy(text, copied..part.start);
            out.push(letter, part.clone());
            copied = part.end;
            differs |= !is_sign(below) && letter.is_alphanumeric();
            continue;
        }
        let normal: String = below.nfkc().collect();
        if normal == below {
            continue;
        }
        out.copy(text, copied..part.start);
        let mut characters = normal.chars();
        match (characters.next(), characters.next()) {
            (Some(only), None) => out.push(only, part.clone()),
            _ => out.push_block(&normal, part.clone()),
        }
        copied = part.end;
        differs |= !is_sign(below) && normal.chars().any(char::is_alphanumeric);
    }
    out.copy(text, copied..text.len());
    differs.then_some(out)
}

/// The ASCII character that is the normal form of a character on its own, found without a string for each.
fn ascii(text: &str) -> Option<char> {
    let mut characters = text.chars();
    let (first, None) = (characters.next()?, characters.next()) else { return None };
    let (mut found, mut parts) = (None, 0);
    decompose_compatible(first, |part| {
        parts += 1;
        found = Some(part);
    });
    found.filter(|part| parts == 1 && part.is_ascii())
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

/// Set for characters that normalization can change, or that can join with the one before them.
const SUSPECT: u8 = 1;
/// Set for characters that can join with the one before them.
const JOINS: u8 = 2;

/// First code point without an entry in [`TRAITS`].
const LIMIT: u32 = 0x3400;

/// Traits of the characters below [`LIMIT`].
static TRAITS: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..LIMIT).map(|code| char::from_u32(code).map_or(0, compute)).collect());

fn compute(character: char) -> u8 {
    let check = is_nfkc_quick(once(character));
    let is_starter = canonical_combining_class(character) == 0;
    match check {
        IsNormalized::Yes if is_starter => 0,
        IsNormalized::Yes | IsNormalized::Maybe => SUSPECT | JOINS,
        IsNormalized::No => {
            let mut first = None;
            decompose_compatible(character, |part| first = first.or(Some(part)));
            let begins = first.is_some_and(|part| {
                part.is_ascii()
                    || (canonical_combining_class(part) == 0
                        && is_nfkc_quick(once(part)) == IsNormalized::Yes)
            });
            if begins { SUSPECT } else { SUSPECT | JOINS }
        }
    }
}

fn traits(traits: &[u8], character: char) -> u8 {
    match character {
        '\0'..='\u{7f}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 0,
        _ => traits.get(character as usize).copied().unwrap_or_else(|| compute(character)),
    }
}

/// The parts of a text that normalization can change. Each begins with a character that never joins with the one before
/// it, and ends before such a character.
struct Suspects<'t> {
    text: &'t str,
    at: usize,
    traits: &'static [u8],
}

impl Iterator for Suspects<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut before = self.at;
        let mut at = self.at;
        while at < bytes.len() {
            if bytes[at].is_ascii() {
                before = at;
                at += 1;
                continue;
            }
            let character = self.text[at..].chars().next()?;
            let found = traits(self.traits, character);
            if found & SUSPECT == 0 {
                before = at;
                at += character.len_utf8();
                continue;
            }
            let start = if found & JOINS == 0 { at } else { before };
            let end = self.text[at..]
                .char_indices()
                .skip(1)
                .find(|(_, next)| traits(self.traits, *next) & JOINS == 0)
                .map_or(bytes.len(), |(length, _)| at + length);
            note(end - start);
            self.at = end;
            return Some(start..end);
        }
        None
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
        for text in ["plain", "a\u{a0}b … and “c”", "10 m², ½ of it™", "déjà vu", "привет", "नमस्ते"]
        {
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
