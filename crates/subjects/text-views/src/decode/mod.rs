//! Payloads in encodings of text, decoded.
//!
//! Nothing is decompressed: gzip, zlib and the like within base 64 count as binary, and binary is dropped.

mod base64;
mod escapes;
mod hex;
pub(crate) mod obscured;
mod turned;

use crate::map::Mapped;
use crate::view::Encoding;

/// All payloads of a text, by encoding, in a fixed order.
pub(crate) fn decode(text: &str) -> Vec<(Encoding, Mapped)> {
    let mut found = Vec::new();
    let mut take = |encoding, mapped: Option<Mapped>| {
        found.extend(mapped.filter(|mapped| mapped.text != text).map(|mapped| (encoding, mapped)));
    };
    take(Encoding::Base64, base64::decode(text));
    take(Encoding::Hex, hex::decode(text));
    take(Encoding::Percent, escapes::percent(text));
    take(Encoding::Percent, escapes::plus_signs(text));
    take(Encoding::QuotedPrintable, escapes::quoted_printable(text));
    take(Encoding::Escapes, escapes::escapes(text));
    let [rotated, reversed] = turned::turned(text);
    take(Encoding::Rot13, rotated);
    take(Encoding::Reversed, reversed);
    found
}

/// Appends a decoded payload as a line of its own.
fn push_line(out: &mut Mapped, text: &str, origin: std::ops::Range<usize>) {
    if !out.text.is_empty() {
        out.push_block("\n", origin.start..origin.start);
    }
    out.push_block(text, origin);
}

/// The value of a hexadecimal digit.
fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
