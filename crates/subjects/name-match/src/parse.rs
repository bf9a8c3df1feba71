//! The words of a name, and what each of them is.

use watchlist::EntityKind;

use super::lexicon::{LEXICON, Sense};
use super::romanise::is_roman;
use super::script::Script;
use super::segmented_text::SegmentedText;
use super::word::{FORMS, Span};

/// Family of names, as far as the rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A person's.
    Person,
    /// An organisation's, and that of an entry of unknown kind.
    Entity,
    /// A ship's or an aircraft's.
    Craft,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Person, Self::Entity, Self::Craft];

    /// The family of an entry's names.
    pub fn of(kind: EntityKind) -> Self {
        match kind {
            EntityKind::Person => Self::Person,
            EntityKind::Entity | EntityKind::Unknown => Self::Entity,
            EntityKind::Vessel | EntityKind::Aircraft => Self::Craft,
        }
    }
}

/// The senses that the lexicon gives a word, by the family in which they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// Among persons' names.
    pub person: Option<Sense>,
    /// Among organisations' names.
    pub entity: Option<Sense>,
    /// Among ships' names.
    pub craft: Option<Sense>,
}

impl Senses {
    /// The sense in that family.
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
    /// Set where the other forms have letters in place of digits.
    pub disguised: bool,
    /// Senses of the word besides a name.
    pub senses: Senses,
    /// Set where the word has a digit.
    pub number: bool,
    /// Set where the word is a small Roman numeral.
    pub roman: bool,
    /// Set where the word is one letter.
    pub initial: bool,
    /// Set where the word stands in brackets.
    pub bracketed: bool,
    /// Script of the word.
    pub script: Script,
}

/// Reads what the words of a reading are. At most one phrase counts for a word: the longest.
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
