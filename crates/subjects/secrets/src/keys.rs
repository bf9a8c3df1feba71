//! Private keys: key blocks, keys of wallets, and files of wallets.

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

/// Gives the rule if the word is an extended private key or a WIF key, checksum right.
pub(crate) fn wallet_key(word: &str) -> Option<&'static str> {
    let id = match word.len() {
        51 | 52 if word.starts_with(['5', 'K', 'L', '9', 'c']) => "wif-private-key",
        107..=112 if word.get(1..4) == Some("prv") => "extended-private-key",
        _ => return None,
    };
    bs58::decode(word).with_check(None).into_vec().ok().map(|_| id)
}

/// Reads a PuTTY key file whose `PuTTY-User-Key-File-` is at `at`: from there to the end of its `Private-MAC` line.
pub(crate) fn putty(text: &str, at: usize) -> Option<Range<usize>> {
    let most = text.floor_char_boundary((at + LONGEST_BLOCK).min(text.len()));
    // The next file ends this one.
    let most = text[at + 1..most].find("PuTTY-User-Key-File-").map_or(most, |i| at + 1 + i);
    let private = at + text[at..most].find("Private-Lines:")?;
    let end = text[private..most].find("Private-MAC:").map_or(most, |i| {
        let mac = private + i;
        text[mac..most].find('\n').map_or(most, |j| mac + j)
    });
    let letters = text[private..end].bytes().filter(u8::is_ascii_alphanumeric).take(48).count();
    (letters == 48).then_some(at..end)
}

/// Reads an Ethereum key file (Web3 Secret Storage, version 3) whose `"ciphertext"` is at `at`; the span is that of the encrypted
/// key, without which the rest opens nothing.
pub(crate) fn keystore(text: &str, at: usize) -> Option<Range<usize>> {
    static TEXT: LazyLock<Regex> = LazyLock::new(|| {
        expression(r#"(?i)^"ciphertext\\?"\s{0,4}:\s{0,4}\\?"((?:0x)?[0-9a-f]{64,128})\\?""#)
    });
    let to = text.floor_char_boundary((at + 1024).min(text.len()));
    let value = TEXT.captures(&text[at..to])?.get(1)?;
    let from = text.floor_char_boundary(at.saturating_sub(1024));
    let around = text[from..to].to_ascii_lowercase();
    let is_keystore = ["\"kdf", "\"mac", "\"cipher"].iter().all(|part| around.contains(part));
    is_keystore.then(|| at + value.start()..at + value.end())
}

/// Words between the name of a key and 64 digits that make these no key.
const NO_KEY: &[&str] = &[
    "public",
    "address",
    "hash",
    "sha",
    "finger",
    "digest",
    "checksum",
    "tx",
    "transaction",
    "signature",
    "id:",
];

/// Reads a private key of 32 bytes in hexadecimal digits whose name, such as `private_key`, ends at `end`.
pub(crate) fn hex_key(text: &str, end: usize) -> Option<Range<usize>> {
    /// Order of the group of secp256k1, in hexadecimal digits: a key is between 1 and it.
    const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"^([^\n0-9]{0,60}?(?:\b0x|[^0-9A-Za-z\n]))([0-9a-fA-F]{64})(?:[^0-9A-Za-z]|$)")
    });
    let found = DIGITS.captures(&text[end..text.floor_char_boundary((end + 200).min(text.len()))])?;
    let (between, digits) = (found.get(1)?.as_str().to_ascii_lowercase(), found.get(2)?);
    let key = digits.as_str().to_ascii_lowercase();
    let is_key = key.as_str() < ORDER && key.bytes().any(|b| b != b'0');
    let random = crate::filters::entropy(&key) >= 28 && !crate::filters::series(&key);
    let named = !NO_KEY.iter().any(|word| between.contains(word));
    (is_key && random && named).then(|| end + digits.start()..end + digits.end())
}

/// Reads a key pair of Solana whose array of 64 bytes opens at `at`: the last half is the public key of the first.
pub(crate) fn solana(text: &str, at: usize) -> Option<Range<usize>> {
    // 64 numbers of up to three digits, with a comma, and white space for the form.
    let window = &text.as_bytes()[at + 1..(at + 64 * 12).min(text.len())];
    let is_part = |b: &&u8| b.is_ascii_digit() || **b == b',' || b.is_ascii_whitespace();
    let length = window.iter().take_while(is_part).count();
    if window.get(length) != Some(&b']') {
        return None;
    }
    let inner = &text[at + 1..at + 1 + length];
    let pair: Vec<u8> = inner.split(',').map(|n| n.trim().parse::<u8>()).collect::<Result<_, _>>().ok()?;
    let (seed, public) = pair.split_first_chunk::<32>()?;
    let key = ed25519_dalek::SigningKey::from_bytes(seed);
    (key.verifying_key().as_bytes().as_slice() == public).then_some(at..at + length + 2)
}
