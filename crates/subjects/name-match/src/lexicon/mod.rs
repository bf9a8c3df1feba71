//! The words that are no part of a name's core: legal forms, titles, ship prefixes, noise, particles.
//!
//! They are never thrown away: they weigh little or nothing, and the explanation names them.

mod equivalents;
mod legal;
mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use equivalents::equivalents;
pub use legal::LegalClass;

use super::fold::fold;

/// Sense of a word other than a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// A person's title.
    Honorific,
    /// A title that is also used as a name.
    HonorificOrName,
    /// Prefix of a ship's name, such as `M/V`.
    ShipPrefix,
    /// A word of payments or addresses.
    Noise,
    /// A particle inside names, such as `al` or `van`.
    Particle,
    /// A conjunction or preposition inside the names of organisations.
    Joining,
    /// A particle that is nearly part of the next word.
    HeavyParticle,
    /// A part of a legal form of this class.
    Legal(LegalClass),
}

/// A phrase and its sense; a word of `None` stands for any number.
struct Phrase {
    words: Vec<Option<Vec<u8>>>,
    sense: Sense,
}

/// All phrases of the lexicon, by their first word.
pub struct Lexicon(HashMap<Vec<u8>, Vec<Phrase>>);

/// The lexicon, built at its first use.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// Least length of a word that is looked up by its folded form, so that its other spellings are found too.
const FOLDED_FROM: usize = 6;

impl Lexicon {
    fn new() -> Self {
        let mut lexicon = Self(HashMap::new());
        for (class, forms) in legal::FORMS {
            forms.iter().for_each(|form| lexicon.add(form, Sense::Legal(*class)));
        }
        for honorific in words::HONORIFICS {
            let also_name = words::ALSO_NAMES.contains(honorific);
            lexicon.add(honorific, if also_name { Sense::HonorificOrName } else { Sense::Honorific });
        }
        words::SHIP_PREFIXES.iter().for_each(|prefix| lexicon.add(prefix, Sense::ShipPrefix));
        words::NOISE.iter().for_each(|noise| lexicon.add(noise, Sense::Noise));
        words::JOINING_WORDS.iter().for_each(|word| lexicon.add(word, Sense::Joining));
        for particle in words::PARTICLES {
            let heavy = words::HEAVY_PARTICLES.contains(particle);
            lexicon.add(particle, if heavy { Sense::HeavyParticle } else { Sense::Particle });
        }
        lexicon
    }

    fn add(&mut self, phrase: &str, sense: Sense) {
        let mut scratch = Vec::new();
        let mut words = phrase.split(' ').map(|word| {
            let number = word == "#";
            (!number).then(|| key(word.as_bytes(), &mut scratch).to_vec())
        });
        if let Some(Some(first)) = words.next() {
            let words = words.collect();
            self.0.entry(first).or_default().push(Phrase { words, sense });
        }
    }

    /// Calls `found` with the length and the sense of each phrase that the words begin with.
    pub fn phrases<'w>(
        &self,
        words: impl Iterator<Item = &'w [u8]> + Clone,
        scratch: &mut Vec<u8>,
        mut found: impl FnMut(usize, Sense),
    ) {
        let mut words = words;
        let Some(first) = words.next() else { return };
        let Some(phrases) = self.0.get(key(first, scratch)) else { return };
        for phrase in phrases {
            let mut next = words.clone();
            let met = phrase.words.iter().all(|expected| {
                next.next().is_some_and(|word| match expected {
                    Some(expected) => key(word, scratch) == expected.as_slice(),
                    None => word.iter().any(u8::is_ascii_digit),
                })
            });
            if met {
                found(1 + phrase.words.len(), phrase.sense);
            }
        }
    }
}

/// Key of a word in the lexicon.
fn key<'s>(word: &'s [u8], scratch: &'s mut Vec<u8>) -> &'s [u8] {
    if word.len() < FOLDED_FROM {
        return word;
    }
    fold(word, scratch);
    scratch
}
