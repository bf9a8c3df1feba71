//! Labels that resemble a brand's by their letters.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use strsim::osa_distance;
use unicode_security::confusable_detection::skeleton;

use crate::Resemblance;
use crate::brands::{Brand, brand, brands, other_words};

/// The fewest letters of a brand for which a name at edit distance 1 counts as a look-alike; nearly all short words are
/// that close to each other.
pub const MIN_DISTANCE_LETTERS: usize = 5;

/// The longest label that is compared, which is the longest of the DNS.
const MAX_LABEL_LETTERS: usize = 63;

/// The first brand that a label, or a word of one, resembles by its skeleton or its letters without being the brand's.
#[must_use]
pub fn resembled_brand(label: &str) -> Option<(&'static str, Resemblance)> {
    resembled(label).map(|(brand, resemblance)| (brand.label, resemblance))
}

pub(crate) fn resembled(label: &str) -> Option<(&'static Brand, Resemblance)> {
    if brand(label).is_some() || label.chars().count() > MAX_LABEL_LETTERS {
        return None;
    }
    let skeleton = with_appearance(label).map(|brand| (brand, Resemblance::Skeleton));
    skeleton.or_else(|| one_letter_away(label).map(|brand| (brand, Resemblance::Distance)))
}

/// The brand that looks like a label that is not the brand's.
pub(crate) fn with_appearance(label: &str) -> Option<&'static Brand> {
    static BRANDS: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
        let mut all = HashMap::new();
        for (at, brand) in brands().iter().enumerate() {
            all.entry(appearance(brand.label)).or_insert(at);
        }
        all
    });
    BRANDS.get(&appearance(label)).map(|at| &brands()[*at])
}

/// The skeleton in lower case: that of `0` is `O`, which no label has.
pub(crate) fn appearance(label: &str) -> String {
    skeleton(label).flat_map(char::to_lowercase).collect()
}

/// The first brand, in the order of labels, that is one letter away from a label.
///
/// Two texts at distance 1 are equal after at most one letter is left out of each, so that the texts without one letter are
/// looked up instead of comparing all brands.
pub(crate) fn one_letter_away(label: &str) -> Option<&'static Brand> {
    static SHORTENED: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
        let mut all: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, brand) in brands().iter().enumerate().filter(|(_, brand)| is_compared(brand)) {
            for text in shortened(brand.label) {
                all.entry(text).or_default().push(at);
            }
        }
        all
    });
    static LONGEST: LazyLock<usize> =
        LazyLock::new(|| brands().iter().map(|brand| brand.label.len()).max().unwrap_or_default());
    let letters = label.chars().count();
    if letters + 1 < MIN_DISTANCE_LETTERS || letters > *LONGEST + 1 || other_words().contains(label) {
        return None;
    }
    let near: HashSet<usize> =
        shortened(label).filter_map(|text| SHORTENED.get(&text)).flatten().copied().collect();
    let is_near = |at: &usize| {
        let brand = &brands()[*at];
        osa_distance(brand.label, label) == 1 && is_likely(brand, label)
    };
    near.into_iter().filter(is_near).min().map(|at| &brands()[at])
}

/// The fewest letters of a distinctive brand for which any change of one letter counts. With fewer, other brands and firms
/// are that close too.
const MIN_ANY_CHANGE_LETTERS: usize = 8;

/// The neighbours of each letter on a keyboard, and the letters that look or sound like it.
const CONFUSED: &[(char, &str)] = &[
    ('a', "qwszo"),
    ('b', "vghnd"),
    ('c', "xdfvksz"),
    ('d', "serfcxb"),
    ('e', "wsdr3"),
    ('f', "drtgvc"),
    ('g', "ftyhbvq"),
    ('h', "gyujnb"),
    ('i', "ujkolyj1"),
    ('j', "huikmni"),
    ('k', "jiolmc"),
    ('l', "kopi1"),
    ('m', "njk"),
    ('n', "bhjm"),
    ('o', "iklp0"),
    ('p', "ol"),
    ('q', "wag"),
    ('r', "edft"),
    ('s', "awedxzc5"),
    ('t', "rfgy"),
    ('u', "yhjiv"),
    ('v', "cfgbuw"),
    ('w', "qaesv"),
    ('x', "zsdc"),
    ('y', "tghui"),
    ('z', "asxc"),
];

/// True if a label one letter away from a brand's is likely to be taken for it. The first letter is the same: who reads a name
/// sees a change there. Any other change counts beside a frequent target or a long distinctive name, but for a letter in the
/// place of another in a common word. Beside others, only the slips of a hand or an eye do: letters swapped, doubled or single,
/// confused, or a hyphen put in.
fn is_likely(brand: &Brand, label: &str) -> bool {
    let (ours, theirs): (Vec<char>, Vec<char>) = (brand.label.chars().collect(), label.chars().collect());
    if ours.first() != theirs.first() {
        return false;
    }
    let is_other_length = ours.len() != theirs.len();
    let counts_any = (brand.is_target && (is_other_length || !brand.is_word))
        || (brand.is_distinctive() && ours.len() >= MIN_ANY_CHANGE_LETTERS);
    counts_any || is_slip(&ours, &theirs)
}

/// True if one of two texts at distance 1 is a slip for the other.
fn is_slip(ours: &[char], theirs: &[char]) -> bool {
    let same = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    let (our, their) = (ours.get(same).copied(), theirs.get(same).copied());
    let before = same.checked_sub(1).and_then(|at| ours.get(at)).copied();
    match theirs.len().cmp(&ours.len()) {
        Ordering::Greater => their == Some('-') || their == before,
        Ordering::Less => our == before || our == Some('-'),
        Ordering::Equal => {
            let is_swapped = our == theirs.get(same + 1).copied() && their == ours.get(same + 1).copied();
            let is_confused = |(our, their)| {
                CONFUSED.iter().any(|(letter, others)| *letter == our && others.contains::<char>(their))
            };
            is_swapped || our.zip(their).is_some_and(is_confused)
        }
    }
}

/// True for a brand whose neighbours are looked for.
fn is_compared(brand: &Brand) -> bool {
    !brand.is_exact && brand.label.chars().count() >= MIN_DISTANCE_LETTERS
}

/// A text, and the text without each one of its letters.
fn shortened(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    let without = |left_out: usize| {
        let kept = letters.iter().enumerate().filter(|(at, _)| *at != left_out);
        kept.map(|(_, letter)| *letter).collect::<String>()
    };
    (0..=letters.len()).map(without).collect::<Vec<_>>().into_iter()
}
