//! Personal data: numbers with check digits, numbers with their name, and public addresses of machines.

use std::{net::Ipv4Addr, ops::Range, sync::LazyLock};

use regex::Regex;

use crate::expression;

/// True if the digits, separators left out, are a payment card number by issuer range and Luhn digit.
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

/// True if the word, spaces left out, is an IBAN: country length and remainder 1 by 97.
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

/// Gives the US social security numbers with their name before them.
pub(crate) fn social_security(text: &str, at: usize) -> Option<Range<usize>> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"^[^0-9\n]{0,48}?\b([0-9]{3})([- ]?)([0-9]{2})([- ]?)([0-9]{4})(?:[^0-9A-Za-z-]|-?$)")
    });
    // Most names of the number stand in prose.
    text.as_bytes()[at..].iter().take(64).position(u8::is_ascii_digit)?;
    let found = NUMBER.captures(&text[at..text.floor_char_boundary((at + 96).min(text.len()))])?;
    let part = |i| found.get(i).map_or("", |m: regex::Match<'_>| m.as_str());
    let (area, group, serial) = (part(1), part(3), part(5));
    // Numbers that the agency never gives out, or that were printed in advertisements.
    let issued = !["000", "666"].contains(&area)
        && area < "900"
        && group != "00"
        && serial != "0000"
        && part(2) == part(4);
    let sample = ["123456789", "078051120", "219099999", "111111111"]
        .contains(&[area, group, serial].concat().as_str());
    let (first, last) = (found.get(1)?, found.get(5)?);
    (issued && !sample).then(|| at + first.start()..at + last.end())
}

/// Gives the public IPv4 addresses: four numbers up to 255 that stand alone, outside of the ranges that RFC 6890 keeps.
pub(crate) fn public_addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    static ADDRESS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?:\.[0-9]+)*"));
    let bytes = text.as_bytes();
    ADDRESS.find_iter(text).filter_map(move |m| {
        let left = m.start().checked_sub(1).map(|i| bytes[i]);
        let right = bytes.get(m.end());
        // `v1.2.3.4` and `1.2.3.4-rc1` are versions; a longer run of numbers is none.
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        let sentence = right == Some(&b'.') && !bytes.get(m.end() + 1).is_some_and(u8::is_ascii_alphanumeric);
        let alone = !left.is_some_and(is_part) && (sentence || !right.is_some_and(|b| is_part(*b)));
        let before = &text[text.floor_char_boundary(m.start().saturating_sub(10))..m.start()];
        let version = before.to_ascii_lowercase().contains("version") || before.ends_with("==");
        let address: Ipv4Addr = m.as_str().parse().ok()?;
        (alone && !version && is_public(address)).then(|| m.range())
    })
}

fn is_public(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let benchmark = a == 198 && (18..20).contains(&b);
    let protocol = (a, b, c) == (192, 0, 0);
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || shared
        || benchmark
        || protocol)
}
