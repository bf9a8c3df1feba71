//! Allowlists: values that look assigned but are no secret.

/// Shannon entropy of the bytes, in tenths of bits a byte.
pub(crate) fn entropy(value: &str) -> u32 {
    let mut counts = [0u32; 256];
    for b in value.bytes() {
        counts[usize::from(b)] += 1;
    }
    let n = value.len() as f64;
    let bits: f64 =
        counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / n).map(|p| -p * libm::log2(p)).sum();
    (bits * 10.0) as u32
}

/// Whether the value is a placeholder: a word for "put yours here", a template, or a sequence.
pub(crate) fn placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "xxxx",
        "example",
        "your",
        "changeme",
        "placeholder",
        "insert",
        "redacted",
        "abcdefghij",
        "0123456789abc",
        "${",
        "$(",
        "{{",
        "<",
        "****",
        "...",
        "0000000000",
        "aaaaaaaa",
        "1111111",
        "fake",
        "dummy",
        "_here",
    ];
    let lower = value.to_ascii_lowercase();
    WORDS.iter().any(|w| lower.contains(w)) || value.starts_with('$')
}

/// Whether the value of a generic name is ordinary: a word, path, version, file, number or identifier.
pub(crate) fn ordinary(value: &str) -> bool {
    let b = value.as_bytes();
    let digits = b.iter().filter(|c| c.is_ascii_digit()).count();
    if digits < 3 {
        return true;
    }
    let letters = b.iter().filter(|c| c.is_ascii_alphabetic()).count();
    let uuid = b.len() == 36 && b.iter().filter(|c| **c == b'-').count() == 4;
    let words = value
        .split(['.', '-', '_', '/', ':'])
        .filter(|w| w.len() > 2)
        .all(|w| w.bytes().all(|c| c.is_ascii_alphabetic()) || w.bytes().all(|c| c.is_ascii_digit()));
    let phone = value.contains('@') || value.contains("://") || value.contains('%');
    // Dots and slashes between words are of hosts, files, members and paths.
    let joined = value.contains('=') && !value.ends_with('=') || value.matches(['.', '/']).count() >= 2;
    let parts = value.split(['.', '-', '_', '/', ':', '=']).all(|w| w.len() < 12);
    let structured = parts && value.contains(['.', '-', '_', '/', ':', '=']) && digits * 3 < b.len();
    letters < 2 || uuid || words || phone || joined || structured
}
