//! The words of a name with their senses: name, title, legal form, particle.

use watchlist::EntityKind;

use super::lexicon::{LEXICON, Sense};
use super::romanise::is_roman;
use super::script::Script;
use super::segmented_text::SegmentedText;
use super::word::{FORMS, Span};

/// Family of names. The rules differ between families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Names of persons.
    Person,
    /// Names of organisations, and of entries of unknown kind.
    Entity,
    /// Names of ships and aircraft.
    Craft,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 3] = [Self::Person, Self::Entity, Self::Craft];

    /// Returns the family of the names of an entry of this kind.
    pub fn of(kind: EntityKind) -> Self {
        match kind {
            EntityKind::Person => Self::Person,
            EntityKind::Entity | EntityKind::Unknown => Self::Entity,
            EntityKind::Vessel | EntityKind::Aircraft => Self::Craft,
        }
    }
}

/// The senses of a word in the lexicon, by family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// Sense in persons' names; `None` if it has none.
    pub person: Option<Sense>,
    /// Sense in organisations' names; `None` if it has none.
    pub entity: Option<Sense>,
    /// Sense in ships' names; `None` if it has none.
    pub craft: Option<Sense>,
}

impl Senses {
    /// Returns the sense in a family.
    pub fn within(&self, family: Family) -> Option<Sense> {
        match family {
            Family::Person => self.person,
            Family::Entity => self.entity,
            Family::Craft => self.craft,
        }
    }

    fn add(&mut self, sense: Sense) {
        match sense {
            Sense::Honorific | Sense::HonorificOrName => self.person = self.person.or(Some(sense)),
            Sense::Legal(_) | Sense::Joining => self.entity = self.entity.or(Some(sense)),
            Sense::ShipPrefix => self.craft = self.craft.or(Some(sense)),
            Sense::Particle | Sense::HeavyParticle | Sense::Noise => {
                self.person = self.person.or(Some(sense));
                self.entity = self.entity.or(Some(sense));
                self.craft = self.craft.or(Some(sense));
            }
        }
    }
}

/// One word of a name.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Letters of the word in each form, as ranges of the segmented text.
    pub forms: [Span; FORMS],
    /// True if the other forms have letters in place of digits.
    pub disguised: bool,
    /// Senses of the word besides a name.
    pub senses: Senses,
    /// True if the word has a digit.
    pub number: bool,
    /// True if the word is a small Roman numeral.
    pub roman: bool,
    /// True if the word is one letter.
    pub initial: bool,
    /// True if the word is in brackets.
    pub bracketed: bool,
    /// Script of the word.
    pub script: Script,
}

/// Writes the tokens of a text into `out`. If several phrases of the lexicon begin at a word, the longest one counts.
pub fn tokens(reading: &SegmentedText, out: &mut Vec<Token>, scratch: &mut Vec<u8>) {
    out.clear();
    for word in reading.words() {
        let letters = reading.letters(word.forms[0]);
        out.push(Token {
            forms: word.forms,
            disguised: word.disguised,
            senses: Senses::default(),
            number: letters.iter().any(u8::is_ascii_digit),
            roman: is_roman(letters),
            initial: letters.len() == 1 && letters[0].is_ascii_lowercase() && !word.script.is_syllabic(),
            bracketed: word.bracketed,
            script: word.script,
        });
    }
    if out.iter().all(|token| token.bracketed) {
        out.iter_mut().for_each(|token| token.bracketed = false);
    }
    for form in 0..FORMS {
        if form == 0 || out.iter().any(|token| token.forms[form] != token.forms[0]) {
            senses(reading, form, out, scratch);
        }
    }
    for token in &mut *out {
        let noise = token.senses.entity == Some(Sense::Noise);
        if token.number && !noise && !token.disguised {
            token.senses = Senses::default();
        }
    }
}

/// Gives the words the senses of the longest phrases that begin at each.
fn senses(reading: &SegmentedText, form: usize, tokens: &mut [Token], scratch: &mut Vec<u8>) {
    let mut covered = [0_usize; 4];
    for at in 0..tokens.len() {
        let words = tokens[at..].iter().map(|token| reading.letters(token.forms[form]));
        let mut longest: [Option<(usize, Sense)>; 4] = [None; 4];
        LEXICON.phrases(words, scratch, |length, sense| {
            let kind = kind(sense);
            if longest[kind].is_none_or(|(before, _)| before < length) {
                longest[kind] = Some((length, sense));
            }
        });
        for (kind, found) in longest.iter().enumerate() {
            if let Some((length, sense)) = found
                && covered[kind] <= at
            {
                tokens[at..at + length].iter_mut().for_each(|token| token.senses.add(*sense));
                covered[kind] = at + length;
            }
        }
    }
}

/// Phrases of one kind do not overlap.
fn kind(sense: Sense) -> usize {
    match sense {
        Sense::Legal(_) => 0,
        Sense::Honorific | Sense::HonorificOrName => 1,
        Sense::ShipPrefix | Sense::Noise => 2,
        Sense::Particle | Sense::HeavyParticle | Sense::Joining => 3,
    }
}
