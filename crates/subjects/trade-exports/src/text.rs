//! Bytes of a file to text, and numbers as people write them.

use crate::error::{ImportError, Problem};
use crate::{Decimal, MAX_BYTES};

/// Bytes that are no UTF-8: refused, or replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadBytes {
    Refused,
    /// Replaced by U+FFFD: HTML reports have names in the code page of a broker, which no column that is read has.
    Replaced,
}

/// Decodes UTF-8, or UTF-16 by its byte order mark or by its zero bytes, and takes off the mark.
pub(crate) fn decode(bytes: &[u8], bad: BadBytes) -> Result<String, ImportError> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::TooLarge { bytes: bytes.len() }.anywhere());
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, 2, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, 2, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3, bad),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => utf16(bytes, 0, u16::from_le_bytes),
        _ => utf8(bytes, 0, bad),
    }
}

fn utf8(bytes: &[u8], mark: usize, bad: BadBytes) -> Result<String, ImportError> {
    if bad == BadBytes::Replaced {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Problem::Encoding { offset: error.valid_up_to() + mark }.anywhere())?;
    match text.find('\0') {
        Some(at) => Err(Problem::Encoding { offset: at + mark }.anywhere()),
        None => Ok(text.to_owned()),
    }
}

fn utf16(bytes: &[u8], mark: usize, unit: impl Fn([u8; 2]) -> u16) -> Result<String, ImportError> {
    let pairs = bytes.chunks(2);
    let mut text = String::with_capacity(bytes.len() / 2);
    if !bytes.len().is_multiple_of(2) {
        return Err(Problem::Encoding { offset: mark + bytes.len() - 1 }.anywhere());
    }
    let units =
        pairs.map(|pair| unit([pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)]));
    for letter in char::decode_utf16(units) {
        let letter = letter.map_err(|_| Problem::Encoding { offset: mark + text.len() }.anywhere())?;
        text.push(letter);
    }
    Ok(text)
}

/// Parses a number as reports write it: `10 000.00`, `$1,259.59`, `−5`, `(12.50)`, `1e-05`. A comma is a separator of
/// thousands only where three digits follow it; with `decimal_comma`, it is the decimal point. A text that starts with `=`, `+`
/// or `@` is no number.
pub(crate) fn number(text: &str, decimal_comma: bool) -> Option<Decimal> {
    let text = text.trim();
    if let Some(plain) = Decimal::parse(text).filter(|_| !decimal_comma) {
        return Some(plain);
    }
    let (is_negative, text) = match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(rest) => (true, rest),
        None => text.strip_prefix(['-', '−']).map_or((false, text), |rest| (true, rest)),
    };
    let text = text.trim_start().strip_prefix(['$', '€', '£', '¥']).unwrap_or(text);
    let is_space = |letter: char| matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'');
    let (point, thousands) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let (whole, places) = text.trim().split_once(point).unwrap_or((text.trim(), ""));
    let groups: Vec<&str> = whole.split(|letter| letter == thousands || is_space(letter)).collect();
    let is_grouped = groups.iter().skip(1).all(|group| group.len() == 3)
        && groups.first().is_some_and(|first| groups.len() == 1 || (1..=3).contains(&first.len()));
    let digits = format!("{}.{places}", groups.concat());
    let parsed = Decimal::parse(&digits).filter(|_| is_grouped && !digits.starts_with('-'))?;
    Some(if is_negative { parsed.negated() } else { parsed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_reports_are_read_and_others_are_not() {
        for (text, read) in [
            ("10 000.00", "10000"),
            ("10\u{a0}000.5", "10000.5"),
            ("$1,259.59", "1259.59"),
            ("-$694.48", "-694.48"),
            ("−5", "-5"),
            ("(12.50)", "-12.5"),
            ("1'000", "1000"),
            ("1e-05", "0.00001"),
        ] {
            assert_eq!(number(text, false).map(|read| read.to_string()).as_deref(), Some(read), "{text}");
        }
        assert_eq!(number("1.259,59", true).map(|read| read.to_string()).as_deref(), Some("1259.59"));
        assert_eq!(number("26,45", true).map(|read| read.to_string()).as_deref(), Some("26.45"));
        for text in
            ["", "1,5", "1,2345", "=1+1", "+5", "@SUM(A1)", "1 2", "--5", "-(5)", "NaN", "1.2.3", "5%", "$"]
        {
            assert_eq!(number(text, false), None, "{text}");
        }
    }

    #[test]
    fn text_is_decoded_by_its_mark() {
        let utf16: Vec<u8> = "aé€".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&[0xff, 0xfe][..], &utf16].concat();
        assert_eq!(decode(&marked, BadBytes::Refused).unwrap(), "aé€");
        assert_eq!(decode(b"\xef\xbb\xbfab", BadBytes::Refused).unwrap(), "ab");
        assert!(decode(&marked[..marked.len() - 1], BadBytes::Refused).is_err());
        assert_eq!(
            decode(b"ab\xff", BadBytes::Refused).unwrap_err().problem,
            Problem::Encoding { offset: 2 }
        );
        assert_eq!(decode(b"ab\xff", BadBytes::Replaced).unwrap(), "ab\u{fffd}");
    }
}
