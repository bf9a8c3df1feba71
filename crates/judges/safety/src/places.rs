//! Places in a text: offsets in bytes and in characters, and what is shown of them.

use std::ops::Range;

use crate::finding::{EXCERPT_CHARS, Excerpt, Span};

/// Characters that are shown on each side of a place.
const AROUND: usize = 24;

/// A text whose places are told in characters too. Finding one takes time that grows with [`STRIDE`] alone.
pub(crate) struct Places<'a> {
    text: &'a str,
    /// The number of characters before each byte offset that is a multiple of [`STRIDE`].
    before: Vec<u32>,
}

/// The bytes between two offsets whose characters are counted.
const STRIDE: usize = 1024;

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut before = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut characters = 0;
        for (offset, byte) in text.bytes().enumerate() {
            if offset % STRIDE == 0 {
                before.push(characters);
            }
            characters += u32::from(!is_continuation(byte));
        }
        Self { text, before }
    }

    /// The place of these bytes, which lie on boundaries of characters.
    pub(crate) fn span(&self, bytes: &Range<usize>) -> Span {
        Span {
            bytes: [bytes.start, bytes.end],
            characters: [self.characters(bytes.start), self.characters(bytes.end)],
        }
    }

    fn characters(&self, offset: usize) -> usize {
        let chunk = offset / STRIDE;
        let counted = self.before.get(chunk).or(self.before.last()).copied().unwrap_or_default();
        let start = chunk.min(self.before.len().saturating_sub(1)) * STRIDE;
        let rest = &self.text.as_bytes()[start..offset];
        counted as usize + rest.iter().filter(|byte| !is_continuation(**byte)).count()
    }
}

/// True for the bytes of a character behind its first.
fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Shows a place and what stands around it: on one line, with invisible characters named, and with the places in `secrets`
/// left out. `secrets` rise and do not overlap.
pub(crate) fn excerpt(text: &str, place: &Range<usize>, secrets: &[Range<usize>]) -> Excerpt {
    let start =
        text[..place.start].char_indices().rev().take(AROUND).last().map_or(place.start, |(at, _)| at);
    let end = text[place.end..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| place.end + at);
    let mut shown = Excerpt::default();
    if start > 0 {
        shown.before.push('…');
    }
    let (mut at, mut found) = (start, 0);
    while at < end {
        if place.contains(&at) && found >= EXCERPT_CHARS {
            shown.found.push('…');
            at = place.end;
            continue;
        }
        let part = match at {
            _ if at < place.start => &mut shown.before,
            _ if at < place.end => &mut shown.found,
            _ => &mut shown.after,
        };
        let next = secrets.partition_point(|secret| secret.end <= at);
        let is_found = place.contains(&at);
        let pushed = match secrets.get(next).filter(|secret| secret.contains(&at)) {
            Some(secret) => {
                part.push_str("[secret]");
                at = secret.end;
                "[secret]".len()
            }
            None => {
                let Some(character) = text[at..].chars().next() else { break };
                at += character.len_utf8();
                push_visible(part, character)
            }
        };
        found += if is_found { pushed } else { 0 };
    }
    if end < text.len() {
        shown.after.push('…');
    }
    shown
}

/// Appends a character, or its code point where nothing would be seen of it; returns the number of characters.
fn push_visible(shown: &mut String, character: char) -> usize {
    if character.is_whitespace() {
        if shown.ends_with(' ') {
            return 0;
        }
        shown.push(' ');
        return 1;
    }
    if is_invisible(character) {
        let name = format!("[U+{:04X}]", u32::from(character));
        shown.push_str(&name);
        return name.len();
    }
    shown.push(character);
    1
}

/// True for characters that are not drawn, or that change how others are drawn.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_place_is_told_in_bytes_and_in_characters() {
        let text = format!("{}aß€😀z", "é".repeat(2000));
        let places = Places::new(&text);
        for word in ["é", "a", "ß", "€", "😀", "z"] {
            let start = text.rfind(word).unwrap();
            let span = places.span(&(start..start + word.len()));
            assert_eq!(span.characters[0], text[..start].chars().count(), "{word}");
            assert_eq!(span.characters[1], span.characters[0] + 1, "{word}");
        }
        assert_eq!(places.span(&(text.len()..text.len())).characters, [2005, 2005]);
        assert_eq!(Places::new("").span(&(0..0)).characters, [0, 0]);
    }

    #[test]
    fn an_excerpt_shows_the_place_without_secrets_and_with_what_is_invisible() {
        let text = "first line\nkey = hunter2 and\u{200b}more \u{202e}text";
        let secret = text.find("hunter2").unwrap();
        let secrets = vec![Range { start: secret, end: secret + 7 }];
        let parts = |before: &str, found: &str, after: &str| Excerpt {
            before: before.to_owned(),
            found: found.to_owned(),
            after: after.to_owned(),
        };
        assert_eq!(
            excerpt(text, &secrets[0], &secrets),
            parts("first line key = ", "[secret]", " and[U+200B]more [U+202E]text")
        );
        // A secret that goes on behind the place is shown no more than one within it.
        assert_eq!(
            excerpt(text, &(secret - 6..secret + 3), &secrets),
            parts("first line ", "key = [secret]", " and[U+200B]more [U+202E]text")
        );
        let long = format!("{}HERE{}", "a".repeat(500), "b".repeat(500));
        let around = parts(&format!("…{}", "a".repeat(24)), "HERE", &format!("{}…", "b".repeat(24)));
        assert_eq!(excerpt(&long, &(500..504), &[]), around);
        let wide = "x".repeat(5000) + "after";
        let cut = parts("", &format!("{}…", "x".repeat(EXCERPT_CHARS)), "after");
        assert_eq!(excerpt(&wide, &(0..5000), &[]), cut);
    }

    proptest! {
        #[test]
        fn no_place_causes_a_panic_and_no_secret_is_shown(before in ".{0,40}", secret in "[A-Z]{12}", after in ".{0,40}") {
            let text = format!("{before}{secret}{after}");
            let place = before.len()..before.len() + secret.len();
            let shown = excerpt(&text, &place, std::slice::from_ref(&place));
            let shown = [shown.before, shown.found, shown.after].concat();
            prop_assert!(!shown.contains(&secret) || before.contains(&secret) || after.contains(&secret));
            let span = Places::new(&text).span(&place);
            prop_assert_eq!(span.characters[0], before.chars().count());
        }
    }
}
