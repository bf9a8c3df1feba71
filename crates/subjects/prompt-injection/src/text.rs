//! The form of a text that is scored.

use std::ops::Range;

/// A text in lower case, with each run of white space and control characters as one space, each digit as `0`, curved quotation marks as straight ones, and a space at
/// each end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NormalText {
    characters: Vec<char>,
    /// The byte of the original text at which each character begins.
    offsets: Vec<u32>,
    /// Bytes of the original text.
    length: usize,
}

impl NormalText {
    /// Brings a text into this form. A text of 4 GiB or more is cut there.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut characters, mut offsets) = (vec![' '], vec![0]);
        for (offset, character) in text.char_indices() {
            let Ok(offset) = u32::try_from(offset) else { break };
            let character = normal(character);
            if character == ' ' && characters.last() == Some(&' ') {
                continue;
            }
            characters.push(character);
            offsets.push(offset);
        }
        if characters.last() != Some(&' ') {
            characters.push(' ');
            offsets.push(text.len() as u32);
        }
        Self { characters, offsets, length: text.len() }
    }

    /// The characters.
    #[must_use]
    pub fn characters(&self) -> &[char] {
        &self.characters
    }

    /// The bytes of the original text that these characters stand for.
    #[must_use]
    pub fn span(&self, characters: &Range<usize>) -> Range<usize> {
        let offset = |at: usize| self.offsets.get(at).map_or(self.length, |offset| *offset as usize);
        let start = offset(characters.start).min(self.length);
        start..offset(characters.end).clamp(start, self.length)
    }
}

fn normal(character: char) -> char {
    if character.is_whitespace() || character.is_control() {
        ' '
    } else if character.is_ascii_digit() {
        '0'
    } else if matches!(character, '\u{2018}' | '\u{2019}' | '\u{2bc}') {
        '\''
    } else if matches!(character, '\u{201c}' | '\u{201d}') {
        '"'
    } else {
        character.to_lowercase().next().unwrap_or(character)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_spaces_and_digits_are_made_alike() {
        let text = NormalText::of("  Ignore\n\tALL 37 rules\u{0}");
        assert_eq!(text.characters().iter().collect::<String>(), " ignore all 00 rules ");
        assert_eq!(NormalText::of("").characters(), [' ']);
    }

    #[test]
    fn a_part_is_found_again_in_the_text() {
        let original = "Öffne   die Tür";
        let text = NormalText::of(original);
        let at = text.characters().iter().position(|c| *c == 'd').unwrap();
        assert_eq!(&original[text.span(&(at..at + 3))], "die");
        assert_eq!(text.span(&(0..text.characters().len())), 0..original.len());
    }

    proptest! {
        #[test]
        fn each_part_lies_within_the_text_on_boundaries(original in ".{0,80}", a in 0usize..90, b in 0usize..90) {
            let text = NormalText::of(&original);
            let span = text.span(&(a.min(b)..a.max(b)));
            prop_assert!(original.get(span).is_some());
        }
    }
}
