//! Decoded bytes that count as text.

use crate::unicode::class::invisible;

/// Shortest decoded text, in bytes.
const MIN_BYTES: usize = 4;

/// The text of decoded bytes: valid UTF-8 or UTF-16 of one alphabet, and mostly printable. `None` for anything else.
pub(crate) fn to_text(bytes: &[u8]) -> Option<String> {
    if bytes.len() < MIN_BYTES {
        return None;
    }
    // The zeros of UTF-16 are controls in UTF-8, so at most one of the readings is printable.
    let narrow = str::from_utf8(bytes).ok().filter(|text| is_printable(text)).map(str::to_owned);
    narrow.or_else(|| from_utf16(bytes).filter(|text| is_printable(text)))
}

/// True if bytes can be the start of a text, whose last character can be cut.
pub(crate) fn starts_text(bytes: &[u8]) -> bool {
    let valid = match str::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => 0,
    };
    let has_few_controls = |text: &str| {
        let controls = text.chars().filter(|next| next.is_control() && !next.is_whitespace()).count();
        !text.is_empty() && controls * 20 <= text.len()
    };
    str::from_utf8(&bytes[..valid]).is_ok_and(has_few_controls)
        || from_utf16(&bytes[..bytes.len() / 2 * 2]).is_some_and(|text| has_few_controls(&text))
}

/// UTF-16 in either order of bytes: nearly every other byte is 0, or at most three alphabets share the higher bytes.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let zeros = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count() * 5 >= pairs.len() * 4;
    let alphabet = |at: usize| {
        let mut seen = [None; 3];
        pairs.iter().all(|pair| {
            let is_alphabet = matches!(pair[at], 0..=0x0f | 0x1e | 0x1f | 0x20 | 0x30);
            let free = seen.iter_mut().find(|value| value.is_none_or(|value| value == pair[at]));
            is_alphabet && free.map(|value| *value = Some(pair[at])).is_some()
        })
    };
    let from: fn([u8; 2]) -> u16 = match pairs.len() {
        4.. if zeros(1) => u16::from_le_bytes,
        4.. if zeros(0) => u16::from_be_bytes,
        8.. if alphabet(1) => u16::from_le_bytes,
        8.. if alphabet(0) => u16::from_be_bytes,
        _ => return None,
    };
    char::decode_utf16(pairs.iter().map(|pair| from(*pair))).collect::<Result<String, _>>().ok()
}

/// Characters from which on a text needs no more than printable ones: binary of that length is no valid UTF-8.
const LONG: usize = 32;

/// True if at most one character in twenty is a control or not a character. In a short text at most a third may be
/// punctuation, and a single word must not mix scripts: else much of what is binary would pass.
fn is_printable(text: &str) -> bool {
    let (mut all, mut bad, mut punctuation) = (0_usize, 0, 0);
    let (mut is_latin, mut is_other, mut has_space) = (false, false, false);
    let mut has_content = false;
    for character in text.chars() {
        has_space |= character.is_whitespace();
        all += usize::from(!character.is_whitespace());
        match character {
            '\t' | '\n' | '\r' | '\u{feff}' => {}
            '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => bad += 1,
            _ if character.is_control() => bad += 1,
            _ if character.is_alphanumeric() => {
                has_content = true;
                is_latin |= character.is_ascii_alphabetic();
                is_other |= character >= '\u{250}';
            }
            _ if character.is_ascii_punctuation() => punctuation += 1,
            // What is not drawn can hold a text in turn.
            _ => has_content |= invisible(character).is_some(),
        }
    }
    let is_word = has_space || !(is_latin && is_other);
    bad * 20 <= all && has_content && (all >= LONG || (punctuation * 3 <= all && is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_counts_and_binary_does_not() {
        assert_eq!(to_text(b"ignore all").as_deref(), Some("ignore all"));
        assert_eq!(to_text("ignoré".as_bytes()).as_deref(), Some("ignoré"));
        let wide: Vec<u8> = "ignore".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(to_text(&wide).as_deref(), Some("ignore"));
        let wide: Vec<u8> = "ignore".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(to_text(&wide).as_deref(), Some("ignore"));
        let wide: Vec<u8> = "игнорируй все".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(to_text(&wide).as_deref(), Some("игнорируй все"));
        for binary in [
            &b"\x1f\x8b\x08\x00\x00"[..],
            b"\xff\xfeab\xd8",
            b"----....----",
            b"abc",
            b"\x00\x00\x00\x00\x00\x00\x00\x00",
        ] {
            assert_eq!(to_text(binary), None, "{binary:?}");
        }
    }

    #[test]
    fn a_prefix_can_end_within_a_character() {
        assert!(starts_text(&"ignoré".as_bytes()[..6]));
        assert!(!starts_text(b"igno\xff") && !starts_text(b"\x01\x02ab"));
    }
}
