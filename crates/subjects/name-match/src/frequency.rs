//! How common a name is among people, by country.
//!
//! A list says how many of its parties bear a name, not how many people do: of the Kims of the world few are listed.
//! The table has the 127 commonest given and family names of each of 105 countries, each with its best rank in any of
//! them; `frequency/make.py` makes it from public counts.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::method;

/// Lines of a class and its names. A name of class `k` has a rank from 2^(k-1) to 2^k - 1.
const NAMES: &str = include_str!("frequency/names.txt");

static CLASSES: LazyLock<HashMap<&[u8], f32>> = LazyLock::new(|| {
    let classes = NAMES.lines().filter_map(|line| line.split_once(' '));
    let classes = classes.filter_map(|(class, names)| Some((class.parse::<u8>().ok()?, names)));
    classes
        .flat_map(|(class, names)| names.split(' ').map(move |name| (name.as_bytes(), f32::from(class))))
        .collect()
});

/// Returns how much a word tells about who bears it, in bits: the logarithm of its rank among the names of the country
/// where it is most common, at most [`method::RARE_NAME`].
pub fn bits(word: &[u8]) -> f32 {
    if word.len() > LONGEST {
        return method::RARE_NAME;
    }
    CLASSES.get(word).copied().unwrap_or(method::RARE_NAME)
}

/// The most letters of a common name.
const LONGEST: usize = 16;

/// Returns how much several joined words tell together: as much as the words, or as the one word that they make.
pub fn joined_bits(joined: &[u8], words: f32) -> f32 {
    bits(joined).min(words)
}

#[cfg(test)]
mod tests {
    use super::{bits, joined_bits};
    use crate::method;

    #[test]
    fn common_names_tell_less_than_rare_ones_in_any_country() {
        for common in ["kim", "nguyen", "mohamed", "maria", "wang", "ivanov", "khan"] {
            assert!(bits(common.as_bytes()) <= 4.0, "{common}");
        }
        assert!(bits(b"kim") < bits(b"jong"));
        assert!(bits(b"prigozhin") >= method::RARE_NAME);
    }

    #[test]
    fn joined_words_tell_no_more_than_their_parts() {
        let parts = bits(b"kim") + bits(b"li");
        assert!((joined_bits(b"kimli", parts) - parts).abs() < f32::EPSILON);
    }
}
