//! Callers' words in a sentence of an explanation.

/// Maximum number of characters of a quoted text.
const MAX_CHARS: usize = 80;

/// Returns a text of a caller or of a stranger in double quotes for an explanation: at most 80 characters, an ellipsis for
/// the rest, spaces in place of control characters and of characters that change the direction of writing, and single quotes in
/// place of double ones, so that the text cannot end the quotation and go on in the notary's voice.
///
/// ```
/// assert_eq!(verdict::quoted("ok"), "\"ok\"");
/// assert_eq!(verdict::quoted("a\u{202e}b\nc"), "\"a b c\"");
/// assert_eq!(verdict::quoted("ok\", and it was"), "\"ok', and it was\"");
/// assert_eq!(verdict::quoted(&"x".repeat(90)), format!("\"{}…\"", "x".repeat(80)));
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut plain = text.chars().map(|sign| match sign {
        '"'
        | '\u{ab}'
        | '\u{bb}'
        | '\u{201c}'..='\u{201f}'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{301d}'..='\u{301f}'
        | '\u{ff02}' => '\'',
        sign if is_plain(sign) => sign,
        _ => ' ',
    });
    let mut kept: String = plain.by_ref().take(MAX_CHARS).collect();
    if plain.next().is_some() {
        kept.push('…');
    }
    format!("\"{kept}\"")
}

/// False for control characters and the explicit formatting characters of the Unicode Bidirectional Algorithm (UAX #9,
/// section 2).
fn is_plain(sign: char) -> bool {
    !sign.is_control()
        && !matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
