//! Functions that the text formats share: numbers and base64 in their one canonical form, and the characters that a
//! note may contain.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Reads an ASCII decimal without sign and without leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    (canonical && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Reads standard base64 with padding and without stray trailing bits.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Writes standard base64 with padding.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns true if a text has an ASCII control character other than newline (C2SP signed-note, "Format").
pub(crate) fn has_control(text: &str) -> bool {
    text.bytes().any(|byte| byte < 0x20 && byte != b'\n')
}
