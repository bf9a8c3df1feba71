//! Hexadecimal digits: in one run, spaced, and with `0x` or `\x` before each byte.

use std::ops::Range;

use crate::bytes::to_text;
use crate::decode::{hex_digit, push_line};
use crate::map::Mapped;
use crate::work::note;

/// Fewest bytes of a payload.
const MIN_BYTES: usize = 8;

/// The payloads, a line each.
pub(crate) fn decode(text: &str) -> Option<Mapped> {
    let bytes = text.as_bytes();
    let mut out = Mapped::default();
    let mut sequence: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(item) = item(bytes, at) else {
            finish(text, &mut sequence, &mut out);
            at = next_start(bytes, at);
            continue;
        };
        at = item.end;
        sequence.push(item);
        let gap = bytes[at..].iter().take(4).take_while(|byte| is_separator(**byte)).count();
        at += gap;
        // Digits that touch belong to one item, or to none.
        if gap > 3 || (gap == 0 && bytes.get(at) != Some(&b'\\')) {
            finish(text, &mut sequence, &mut out);
            at = if gap == 0 { next_start(bytes, at) } else { at };
        }
    }
    finish(text, &mut sequence, &mut out);
    (!out.text.is_empty()).then_some(out)
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b',' | b':' | b';' | b'-' | b'\t' | b'\r' | b'\n' | b'"' | b'\'')
}

/// The next place where an item can start: behind a byte that is no letter or digit.
fn next_start(bytes: &[u8], at: usize) -> usize {
    let word = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
    if word > 0 { at + word } else { at + 1 }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_'
}

/// An even number of digits, two at least, with their prefix.
fn item(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let prefix = match bytes.get(at..at + 2) {
        Some(b"0x" | b"0X" | b"\\x" | b"\\X") => 2,
        _ => 0,
    };
    let start = at + prefix;
    let mut digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    // `\x41BC` is one byte and two letters.
    if prefix > 0 && bytes[at] == b'\\' {
        digits = digits.min(2);
    }
    let ends = prefix > 0 && bytes[at] == b'\\' || !bytes.get(start + digits).copied().is_some_and(is_word);
    (digits >= 2 && digits.is_multiple_of(2) && ends).then_some(at..start + digits)
}

/// Decodes a sequence as a whole, or its long items one by one.
fn finish(text: &str, sequence: &mut Vec<Range<usize>>, out: &mut Mapped) {
    let items = std::mem::take(sequence);
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return };
    if last.end - first.start < 2 * MIN_BYTES {
        return;
    }
    if let Some(decoded) = decode_items(text, &items) {
        push_line(out, &decoded, first.start..last.end);
        return;
    }
    for item in items.iter().filter(|item| items.len() > 1 && item.len() >= 2 * MIN_BYTES) {
        if let Some(decoded) = decode_items(text, std::slice::from_ref(item)) {
            push_line(out, &decoded, item.clone());
        }
    }
}

fn decode_items(text: &str, items: &[Range<usize>]) -> Option<String> {
    let mut bytes = Vec::new();
    note(items.iter().map(ExactSizeIterator::len).sum());
    for item in items {
        let item = &text.as_bytes()[item.clone()];
        let digits = if matches!(item, [b'0', b'x' | b'X', ..] | [b'\\', ..]) { &item[2..] } else { item };
        for [high, low] in digits.as_chunks::<2>().0 {
            bytes.push(hex_digit(*high)? << 4 | hex_digit(*low)?);
        }
    }
    if bytes.len() < MIN_BYTES { None } else { to_text(&bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Option<String> {
        decode(text).map(|mapped| mapped.text)
    }

    #[test]
    fn every_spelling_is_read() {
        for text in [
            "69676e6f726520616c6c",
            "say: 69 67 6E 6F 72 65 20 61 6C 6C!",
            "69:67:6e:6f:72:65:20:61:6c:6c",
            "\\x69\\x67\\x6e\\x6f\\x72\\x65\\x20\\x61\\x6c\\x6c",
            "0x69, 0x67, 0x6e, 0x6f, 0x72, 0x65, 0x20, 0x61, 0x6c, 0x6c",
            "0x69676e6f726520616c6c",
            "6967 6e6f 7265 2061 6c6c",
            "69676e6f72652061\n6c6c",
            "decode be 69676e6f726520616c6c",
        ] {
            assert_eq!(decoded(text).as_deref(), Some("ignore all"), "{text}");
        }
    }

    #[test]
    fn digests_words_and_numbers_are_not_text() {
        for text in [
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
            "de ad be ef ca fe ba be",
            "on 2024-11-23 at 17:41:01 UTC",
            "10 20 30 40 50 60 70 80 90",
            "x69676e6f726520616c6c",
        ] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    #[test]
    fn the_span_is_the_whole_run() {
        let mapped = decode("a 69 67 6e 6f 72 65 20 61 6c 6c b").unwrap();
        assert_eq!(mapped.map.origin(2..3), 2..31);
    }
}
