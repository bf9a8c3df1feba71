//! Edit distance of two words.

/// Maximum length of a compared word, in bytes: the bits of one machine word.
pub const LONGEST: usize = 64;

/// Optimal string alignment distance (insertion, deletion, substitution, transposition of neighbours); `None` if it is
/// above `most`. Bit-parallel: H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances",
/// 2003.
///
/// Words are ASCII. Of a longer word, the first [`LONGEST`] bytes are compared.
pub fn within(a: &[u8], b: &[u8], most: u32) -> Option<u32> {
    let (a, b) = (&a[..a.len().min(LONGEST)], &b[..b.len().min(LONGEST)]);
    if a.len().abs_diff(b.len()) > most as usize {
        return None;
    }
    let (a, b) = without_common_ends(a, b);
    if a.is_empty() || b.is_empty() {
        return u32::try_from(a.len().max(b.len())).ok().filter(|distance| *distance <= most);
    }
    let mut masks = [0_u64; 128];
    for (at, byte) in a.iter().enumerate() {
        masks[usize::from(byte & 0x7f)] |= 1 << at;
    }
    let last = 1_u64 << (a.len() - 1);
    let (mut plus, mut minus, mut diagonal, mut before) = (!0_u64, 0_u64, 0_u64, 0_u64);
    let mut distance = u32::try_from(a.len()).unwrap_or(u32::MAX);
    for byte in b {
        let here = masks[usize::from(byte & 0x7f)];
        let swap = ((!diagonal & here) << 1) & before;
        diagonal = ((here & plus).wrapping_add(plus) ^ plus) | here | minus | swap;
        let horizontal_plus = minus | !(diagonal | plus);
        let horizontal_minus = plus & diagonal;
        distance += u32::from(horizontal_plus & last != 0);
        distance -= u32::from(horizontal_minus & last != 0);
        let shifted = (horizontal_plus << 1) | 1;
        plus = (horizontal_minus << 1) | !(diagonal | shifted);
        minus = shifted & diagonal;
        before = here;
    }
    (distance <= most).then_some(distance)
}

/// Removes the common beginning and end of two words.
fn without_common_ends<'w>(mut a: &'w [u8], mut b: &'w [u8]) -> (&'w [u8], &'w [u8]) {
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first())
        && x == y
    {
        (a, b) = (rest_a, rest_b);
    }
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_last(), b.split_last())
        && x == y
    {
        (a, b) = (rest_a, rest_b);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::within;

    #[test]
    fn a_swap_of_neighbours_is_one_edit() {
        assert_eq!(within(b"jiantong", b"jiantnog", 3), Some(1));
        assert_eq!(within(b"ca", b"abc", 3), Some(3), "no edit between swapped letters");
    }

    proptest! {
        #[test]
        fn the_distance_is_rapidfuzz_s(a in "[abc]{0,20}", b in "[abc]{0,20}", most in 0_u32..6) {
            let expected = rapidfuzz::distance::osa::distance(a.bytes(), b.bytes());
            let expected = u32::try_from(expected).ok().filter(|distance| *distance <= most);
            prop_assert_eq!(within(a.as_bytes(), b.as_bytes(), most), expected);
        }
    }
}
