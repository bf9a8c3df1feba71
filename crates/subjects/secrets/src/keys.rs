//! Key blocks, keys of wallets, and personal data with check digits.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::expression;

/// Longest body of a key block, in bytes; a block without an end is taken up to here.
const LONGEST_BLOCK: usize = 32 * 1024;

/// Reads a private key block whose `-----BEGIN` is at `at`; the span covers the whole block.
pub(crate) fn block(text: &str, at: usize) -> Option<Range<usize>> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?i)^-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"));
    let head = HEAD.find(&text[at..(text.floor_char_boundary(at + 120)).min(text.len())])?.end() + at;
    let most = text.floor_char_boundary((head + LONGEST_BLOCK).min(text.len()));
    // The body ends at the next line of dashes, which is the end of the block in a sound one.
    let (end, body) = match text[head..most].find("-----") {
        Some(i) if text[head + i..].starts_with("-----END") => {
            let tail = head + i + 8;
            let close = text[tail..text.floor_char_boundary((tail + 60).min(text.len()))].find("-----");
            (close.map_or(tail, |j| tail + j + 5), i)
        }
        Some(i) => (head + i, i),
        None => (most, most - head),
    };
    let letters = text[head..head + body].bytes().filter(u8::is_ascii_alphanumeric).take(16).count();
    (letters >= 16).then_some(at..end)
}

/// Whether the word is an extended private key or a WIF key, checksum right.
pub(crate) fn wallet_key(word: &str) -> Option<&'static str> {
    let id = match word.len() {
        51 | 52 if word.starts_with(['5', 'K', 'L', '9', 'c']) => "wif-private-key",
        107..=112 if word.get(1..4) == Some("prv") => "extended-private-key",
        _ => return None,
    };
    bs58::decode(word).with_check(None).into_vec().ok().map(|_| id)
}

/// Whether the digits, separators left out, are a payment card number by issuer range and Luhn digit.
pub(crate) fn card(run: &str) -> bool {
    let digits: Vec<u8> = run.bytes().filter(u8::is_ascii_digit).map(|d| d - b'0').collect();
    let four = digits.iter().take(4).fold(0u32, |n, d| n * 10 + u32::from(*d));
    let issued = match digits.len() {
        15 => matches!(four, 3400..=3499 | 3700..=3799),
        16 => matches!(four, 4000..=4999 | 5100..=5599 | 2221..=2720 | 6011 | 6440..=6599 | 3528..=3589),
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| {
            let d = u32::from(*d) << (i % 2);
            if d > 9 { d - 9 } else { d }
        })
        .sum();
    let groups: Vec<usize> = run.split([' ', '-']).map(str::len).collect();
    issued
        && sum.is_multiple_of(10)
        && matches!(groups.as_slice(), [_] | [4, 4, 4, 4] | [4, 6, 5])
        && digits.iter().any(|d| *d != digits[0])
}

/// Whether the word, spaces left out, is an IBAN: country length and remainder 1 by 97.
pub(crate) fn iban(word: &str) -> bool {
    const LENGTHS: &[(&str, usize)] = &[
        ("AT", 20),
        ("BE", 16),
        ("BG", 22),
        ("CH", 21),
        ("CY", 28),
        ("CZ", 24),
        ("DE", 22),
        ("DK", 18),
        ("EE", 20),
        ("ES", 24),
        ("FI", 18),
        ("FR", 27),
        ("GB", 22),
        ("GR", 27),
        ("HR", 21),
        ("HU", 28),
        ("IE", 22),
        ("IS", 26),
        ("IT", 27),
        ("LI", 21),
        ("LT", 20),
        ("LU", 20),
        ("LV", 21),
        ("MC", 27),
        ("MT", 31),
        ("NL", 18),
        ("NO", 15),
        ("PL", 28),
        ("PT", 25),
        ("RO", 24),
        ("SE", 24),
        ("SI", 19),
        ("SK", 24),
        ("TR", 26),
        ("AE", 23),
        ("SA", 24),
        ("IL", 23),
        ("UA", 29),
        ("BR", 29),
    ];
    let plain: Vec<u8> = word.bytes().filter(|b| *b != b' ').collect();
    let fits = LENGTHS.iter().any(|(c, n)| plain.starts_with(c.as_bytes()) && plain.len() == *n);
    fits && plain[4..].iter().chain(&plain[..4]).try_fold(0u32, |n, b| match b {
        b'0'..=b'9' => Some((n * 10 + u32::from(b - b'0')) % 97),
        b'A'..=b'Z' => Some((n * 100 + u32::from(b - b'A') + 10) % 97),
        _ => None,
    }) == Some(1)
}
