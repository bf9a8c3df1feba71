//! Weights: the degree to which a word identifies the party.

use super::lexicon::Sense;
use super::method;
use super::parse::{Family, Token};

/// Weight of a word in a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordWeight {
    /// Weight in the score.
    pub weight: f32,
    /// True if the word can carry a match by itself.
    pub core: bool,
}

/// Returns the rarity of a word that `count` of `entries` entries have: 1 for a word of one entry, towards 0 for a word
/// of all.
pub fn rarity(count: u32, entries: u32) -> f32 {
    let all = libm::log2(f64::from(entries.max(2)));
    let own = libm::log2(f64::from(count.max(1)));
    #[allow(clippy::cast_possible_truncation)] // between 0 and 1
    let rarity = (1.0 - own / all) as f32;
    rarity.max(0.0)
}

/// Returns the weight of a word that is a name, by its rarity and the name's family.
pub fn core(family: Family, rarity: f32) -> WordWeight {
    let weight = match family {
        Family::Person => method::PERSON_BASE + (1.0 - method::PERSON_BASE) * rarity,
        Family::Entity | Family::Craft => (rarity * rarity.sqrt()).max(method::ENTITY_LEAST),
    };
    WordWeight { weight, core: true }
}

/// Returns the weight of a word by its senses, its rarity and the name's family.
pub fn of(token: &Token, family: Family, rarity: f32) -> WordWeight {
    let light = |weight: f32| WordWeight { weight, core: false };
    let full = |weight: f32| WordWeight { weight, core: true };
    let by_rarity = core(family, rarity).weight;
    let weight = match (token.senses.within(family), family) {
        (Some(Sense::Noise | Sense::ShipPrefix), _) => light(0.02),
        (Some(Sense::Honorific), _) => light(method::TITLE),
        (Some(Sense::HonorificOrName), _) => full(0.3),
        (Some(Sense::Legal(_)), _) => light(0.0),
        (Some(Sense::Joining), _) => light(0.06),
        (Some(Sense::Particle), _) => light(0.08),
        (Some(Sense::HeavyParticle), _) => light(0.2),
        (None, Family::Person) if token.initial => light(0.3),
        (None, Family::Entity | Family::Craft) if token.roman => full(by_rarity.max(1.0)),
        (None, _) if token.number => full(by_rarity.max(1.0)),
        (None, _) if token.initial => full(by_rarity * 0.6),
        (None, _) => full(by_rarity),
    };
    if token.bracketed { WordWeight { weight: weight.weight * 0.25, ..weight } } else { weight }
}
