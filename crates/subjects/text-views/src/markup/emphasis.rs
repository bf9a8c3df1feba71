//! Emphasis of Markdown within words: `ig**nore**`.

use std::ops::Range;

use crate::work::note;

/// The marks of emphasis within words, in order: those of each piece of text between spaces in which one stands between
/// two letters, if it has two or more.
pub(crate) fn marks(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| is_mark(*byte)).map(|next| at + next) {
        let start =
            bytes[at..next].iter().rposition(u8::is_ascii_whitespace).map_or(at, |space| at + space + 1);
        let end =
            bytes[next..].iter().position(u8::is_ascii_whitespace).map_or(bytes.len(), |space| next + space);
        take(text, start..end, &mut found);
        at = end;
    }
    found
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'*' | b'~' | b'`')
}

fn take(text: &str, piece: Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = &text.as_bytes()[piece.clone()];
    let before = found.len();
    note(bytes.len());
    let mut is_within = false;
    // `x`s is the plural of code; only a word that begins before its first backtick is broken by it.
    let mut is_first = true;
    let mut at = 0;
    while at < bytes.len() {
        if !is_mark(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
        let start = piece.start + at;
        let letter = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphabetic);
        is_within |= (is_first || bytes[at] != b'`')
            && letter(text[..start].chars().next_back())
            && letter(text[start + length..].chars().next());
        is_first = false;
        if length <= 3 {
            found.push(start..start + length);
        }
        at += length;
    }
    if !is_within || found.len() < before + 2 {
        found.truncate(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(text: &str) -> String {
        let mut out = text.to_owned();
        for mark in marks(text).into_iter().rev() {
            out.replace_range(mark, "");
        }
        out
    }

    #[test]
    fn marks_within_words_are_found() {
        assert_eq!(removed("Now ig**nore** a*l*l of `this`"), "Now ignore all of `this`");
        assert_eq!(removed("i*g*n*o*r*e"), "ignore");
    }

    #[test]
    fn ordinary_marks_are_left() {
        for text in ["**bold** and *soft*", "a*b", "src/**/*.rs", "2*3*4", "char *x", "`code`s"] {
            assert_eq!(removed(text), text);
        }
    }
}
