//! Several values from the bytes of one input.

/// Byte between two parts of an input; no UTF-8 text has it.
pub const SEPARATOR: u8 = 0xff;

/// The first `N` parts of an input, split at [`SEPARATOR`]; the last one holds all that is left, missing ones are empty.
pub(crate) fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |byte| *byte == SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// All parts of an input.
pub(crate) fn all(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|byte| *byte == SEPARATOR)
}

/// The little-endian number that an input begins with, 0 where it is too short for one, and the rest of the input.
pub(crate) fn number(data: &[u8]) -> (u64, &[u8]) {
    data.split_first_chunk().map_or((0, data), |(first, rest)| (u64::from_le_bytes(*first), rest))
}

/// The input without its last bytes. How many are left depends on the input's bytes alone, so that a failure can be
/// repeated.
pub(crate) fn cut(data: &[u8]) -> &[u8] {
    let sum = data.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    &data[..sum.checked_rem(data.len()).unwrap_or(0)]
}

/// The lines of an input that [`cut`] leaves whole.
pub(crate) fn cut_lines(data: &[u8]) -> &[u8] {
    let cut = cut(data);
    &cut[..cut.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)]
}

/// [`cut`] of a text, at the boundary of a character.
pub(crate) fn cut_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(cut(text.as_bytes()).len())]
}
