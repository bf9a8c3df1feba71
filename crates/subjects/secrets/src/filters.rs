//! Values that have the form of a secret and are none: placeholders, series, words, paths, identifiers, published samples.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Shannon entropy of the bytes, in tenths of bits a byte.
pub(crate) fn entropy(value: &str) -> u32 {
    let mut counts = [0u32; 256];
    for b in value.bytes() {
        counts[usize::from(b)] += 1;
    }
    // The sum of p log p, with p = c / n, is log n less the mean of log c.
    let n = value.len() as u32;
    let sum: f64 = counts.iter().filter(|c| **c > 1).map(|c| f64::from(*c) * log2(*c)).sum();
    let bits = if n == 0 { 0.0 } else { log2(n) - sum / f64::from(n) };
    (bits * 10.0 + 1e-9) as u32
}

/// The binary logarithm, from a table for small counts.
fn log2(count: u32) -> f64 {
    static TABLE: LazyLock<Vec<f64>> =
        LazyLock::new(|| (0..256).map(|c| libm::log2(f64::from(c.max(1)))).collect());
    TABLE.get(count as usize).copied().unwrap_or_else(|| libm::log2(f64::from(count)))
}

/// Words of a text that says "put yours here", and marks of templates.
const SAMPLE_WORDS: &[&str] = &[
    "xxxx",
    "example",
    "your",
    "changeme",
    "change_me",
    "change-me",
    "replace",
    "placeholder",
    "insert",
    "redacted",
    "sample",
    "${",
    "$(",
    "{{",
    "<",
    "***",
    "...",
    "####",
    "fake",
    "dummy",
    "_here",
    "-here",
    "todo",
    "not_real",
    "my_",
];

/// Longest value in which a sample word is no chance: in a longer random one they occur now and then.
const LONGEST_SAMPLE: usize = 150;

/// True if the value is written for a reader to replace, or for a template to fill in.
pub(crate) fn sample(value: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).build(SAMPLE_WORDS).expect("a few words make a small automaton")
    });
    value.starts_with('$')
        || (value.starts_with('%') && value.ends_with('%'))
        || value.len() <= LONGEST_SAMPLE && WORDS.is_match(value)
}

/// Shortest run of a series, in bytes: four occur by chance.
const SERIES_RUN: usize = 5;

/// True if two fifths of the value are runs of one byte, or of bytes that rise or fall by one, as nobody draws at random.
pub(crate) fn series(value: &str) -> bool {
    let bytes = value.as_bytes();
    // Digits go on behind 9 with 0, as in `1234567890123`.
    let step = |a: u8, b: u8| match (a, b) {
        (b'9', b'0') => 1,
        (b'0', b'9') => -1,
        _ => i16::from(b) - i16::from(a),
    };
    let (mut covered, mut start) = (0, 0);
    for i in 1..=bytes.len() {
        let goes_on = bytes.get(i).is_some_and(|b| {
            let now = step(bytes[i - 1], *b);
            (-1..=1).contains(&now) && (i - start < 2 || step(bytes[i - 2], bytes[i - 1]) == now)
        });
        if !goes_on {
            covered += if i - start >= SERIES_RUN { i - start } else { 0 };
            start = i;
        }
    }
    covered * 5 >= bytes.len() * 2
}

/// True if the value has a digit, an upper-case and a lower-case letter, as random ones of its length have. A prefix up to the
/// first `.` or `_` does not count.
pub(crate) fn mixed(value: &str) -> bool {
    let body = value.split_once(['.', '_']).map_or(value, |(_, body)| body);
    let has = |of: fn(&u8) -> bool| body.bytes().any(|b| of(&b));
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// True if the value of a name that is not a provider's is ordinary: a word, path, version, file, number or identifier.
pub(crate) fn ordinary(value: &str) -> bool {
    let b = value.as_bytes();
    let digits = b.iter().filter(|c| c.is_ascii_digit()).count();
    let letters = b.iter().filter(|c| c.is_ascii_alphabetic()).count();
    if is_jumbled(value) {
        return false;
    }
    if digits < 3 || letters < 2 {
        return true;
    }
    let uuid = b.len() == 36 && b.iter().filter(|c| **c == b'-').count() == 4;
    let separators = ['.', '-', '_', '/', ':'];
    let plain = |w: &str| {
        w.bytes().all(|c| c.is_ascii_digit())
            || w.trim_end_matches(|c: char| c.is_ascii_digit()).len() + 2 >= w.len() && spoken(w)
    };
    let words = value.split(separators).filter(|w| w.len() > 2).all(plain);
    let address = value.contains('@') || value.contains("://") || value.contains('%');
    // Dots and slashes between words are of hosts, files, members and paths.
    let joined = value.contains('=') && !value.ends_with('=') || value.matches('.').count() >= 2;
    let path =
        value.matches('/').count() >= 2 && value.split('/').filter(|w| w.len() > 2).all(|w| w.len() < 16);
    let parts = value.split(separators).all(|w| w.len() < 12);
    let structured = parts && value.contains(separators) && digits * 3 < b.len();
    uuid || words || is_camel_name(value) || address || joined || path || structured
}

/// True for letters of both cases without an order of words, or with signs between them that only a generator puts there. Such a
/// value may have few digits.
fn is_jumbled(value: &str) -> bool {
    let bytes = value.as_bytes();
    let has = |of: fn(&u8) -> bool| bytes.iter().any(of);
    let cased = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let mut signs: Vec<u8> = bytes.iter().copied().filter(|b| b"!@#$%^&*()+=?".contains(b)).collect();
    signs.sort_unstable();
    signs.dedup();
    if cased && signs.len() >= 3 && bytes.len() >= 12 && has(u8::is_ascii_digit) {
        return true;
    }
    let plain = bytes.iter().all(u8::is_ascii_alphanumeric);
    let changes = bytes.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    // A capital that begins a word is one change, and a word has four letters or so.
    plain && cased && has(u8::is_ascii_digit) && bytes.len() >= 12 && changes * 5 >= bytes.len() * 2
}

fn class(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}

/// True for a password that a person may have chosen: letters with digits behind or between them, or with signs.
pub(crate) fn chosen(value: &str) -> bool {
    let has = |of: fn(u8) -> bool| value.bytes().any(of);
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let shape = value.len() <= 64 && letters >= 3 && has(|b| b.is_ascii_digit()) && entropy(value) >= 22;
    // Names of files, members and variables hold these.
    let is_name = has(|b| b"./:_-%|=".contains(&b));
    let lower = value.to_ascii_lowercase();
    let says_so = ["pass", "secret", "test", "admin", "user", "foo", "bar", "pwd", "token"]
        .iter()
        .any(|w| lower.contains(w));
    // `Summer2024` is one word; a type has several.
    let is_type = is_camel_name(value) && value.bytes().filter(u8::is_ascii_uppercase).count() > 1;
    shape && !is_name && !is_type && !says_so && !sample(value) && !series(value)
}

/// True for a name in camel case with digits in it, such as a type: its pieces are words, of four letters in the mean.
fn is_camel_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_name = bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b));
    let is_piece = |i: &usize| {
        let before = i.checked_sub(1).map(|j| bytes[j]);
        bytes[*i].is_ascii_alphabetic()
            && (!before.is_some_and(|b| b.is_ascii_alphabetic())
                || bytes[*i].is_ascii_uppercase() && before.is_some_and(|b| b.is_ascii_lowercase()))
    };
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let upper = bytes.iter().filter(|b| b.is_ascii_uppercase()).count();
    is_name && upper > 0 && upper < letters && letters >= 4 * (0..bytes.len()).filter(is_piece).count()
}

/// True if the letters of the word are cased as a name is, `like`, `Like`, `LIKE` or `LikeThis`, and digits stand at its end.
fn spoken(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let upper = letters.bytes().filter(u8::is_ascii_uppercase).count();
    letters.bytes().all(|c| c.is_ascii_alphabetic()) && (upper == letters.len() || upper * 3 <= letters.len())
}

/// FNV-1a hashes, 64 bits, of keys that providers show in their own documentation: of the options of Firebase, of the keys of Google
/// Cloud, and of the password entries of NuGet. Nobody owns these, and in plain letters they would set off other scanners.
const PUBLISHED: [u64; 5] =
    [0x9866d16f1ca57cce, 0x34825ccf56d6c899, 0xcb160c5ebf072178, 0x415503177a5c10e1, 0x1a3e1c90ee6698a0];

/// True if a provider's documentation shows this very key.
pub(crate) fn published(value: &str) -> bool {
    let hash = value
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    PUBLISHED.contains(&hash)
}
