//! The hashed n-grams of a text.

/// The longest n-gram, in characters.
pub const MAX_NGRAM: u8 = 8;

/// The n-grams that a model looks at, and the number of its buckets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NgramOptions {
    /// Characters of the shortest n-gram, at least 1.
    pub least: u8,
    /// Characters of the longest n-gram, at most [`MAX_NGRAM`].
    pub most: u8,
    /// Two to this power is the number of buckets.
    pub bits: u8,
}

/// Calls `take` with the position of the last character of each n-gram, and with its bucket. `characters` are those of the
/// text, normalized as its model wants them.
pub fn ngrams(characters: &[char], options: NgramOptions, mut take: impl FnMut(usize, u32)) {
    let (least, most) = (usize::from(options.least.max(1)), usize::from(options.most.min(MAX_NGRAM)));
    let shift = 64 - u32::from(options.bits.clamp(1, 32));
    for start in 0..characters.len() {
        let mut hash = SEED;
        for (length, character) in characters[start..].iter().take(most).enumerate() {
            // FNV-1a, a character at a time.
            hash = (hash ^ u64::from(u32::from(*character))).wrapping_mul(PRIME);
            if length + 1 >= least {
                take(start + length, bucket(hash, length as u64 + 1, shift));
            }
        }
    }
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;
/// 2^64 divided by the golden ratio: the upper bits of a product with it depend on all bits below (Knuth 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bucket of a feature that is no n-gram of one text, such as a word of a named field: `name` tells it from others.
#[must_use]
pub fn feature(name: &[u8], bits: u8) -> u32 {
    let hash = name.iter().fold(SEED, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    bucket(hash, 0, 64 - u32::from(bits.clamp(1, 32)))
}

fn bucket(hash: u64, length: u64, shift: u32) -> u32 {
    let mixed = (hash ^ (hash >> 29)).wrapping_add(length).wrapping_mul(SPREAD);
    ((mixed ^ (mixed >> 32)).wrapping_mul(SPREAD) >> shift) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, options: NgramOptions) -> Vec<(usize, u32)> {
        let characters: Vec<char> = text.chars().collect();
        let mut found = Vec::new();
        ngrams(&characters, options, |end, bucket| found.push((end, bucket)));
        found
    }

    #[test]
    fn each_n_gram_is_there_once_under_the_place_of_its_last_character() {
        let options = NgramOptions { least: 2, most: 3, bits: 20 };
        let ends: Vec<usize> = of("abcd", options).into_iter().map(|(end, _)| end).collect();
        assert_eq!(ends, [1, 2, 2, 3, 3]);
        assert_eq!(of("a", options), []);
        let (one, other) = (of("xabc", options), of("yabc", options));
        assert_eq!(one[2..], other[2..], "a bucket depends on its n-gram alone");
        assert_ne!(one[0], other[0]);
        assert!(one.iter().all(|(_, bucket)| *bucket < 1 << 20));
    }

    #[test]
    fn buckets_are_filled_evenly() {
        let text: String = (0..40_000u32).filter_map(|n| char::from_u32(0x4e00 + n % 20_000)).collect();
        let options = NgramOptions { least: 1, most: 1, bits: 8 };
        let mut counts = [0u32; 256];
        of(&text, options).iter().for_each(|(_, bucket)| counts[*bucket as usize] += 1);
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*least > 80 && *most < 260, "{least} to {most} of 156");
    }
}
