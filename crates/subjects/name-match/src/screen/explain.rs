//! Explanation of a hit: aligned pairs, ignored words, effects of the facts.

use watchlist::Entry;

use super::{Candidate, Hit, Query, Scratch};
use crate::facts::effects;
use crate::index::{Index, IndexedName, NamePart};
use crate::lexicon::Sense;
use crate::parse::{Family, Token, tokens};
use crate::score;
use crate::segmented_text::SegmentedText;

/// A pair of words in an alignment, as texts.
#[derive(Clone, Debug, PartialEq)]
pub struct AlignedPair {
    /// The words of the query.
    pub query_words: String,
    /// The letters of the listed name's words, in Latin script.
    pub listed_words: String,
    /// Similarity of the two sides, 0 to 1.
    pub similarity: f32,
}

/// Words that do not identify a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredSpan {
    /// The words as written.
    pub words: String,
    /// The name that has the words.
    pub side: ComparisonSide,
    /// The category of the words.
    pub category: IgnoredCategory,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonSide {
    /// The name of the query.
    Query,
    /// The listed name.
    Listed,
}

/// Category of ignored words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredCategory {
    /// A legal form.
    LegalForm,
    /// A person's title.
    Title,
    /// Prefix of a ship's name, such as `M/V`.
    ShipPrefix,
    /// A word that occurs in payments and addresses.
    Noise,
}

impl IgnoredCategory {
    fn of(token: &Token, family: Family) -> Option<Self> {
        match token.senses.within(family)? {
            Sense::Legal(_) => Some(Self::LegalForm),
            Sense::Honorific => Some(Self::Title),
            Sense::ShipPrefix => Some(Self::ShipPrefix),
            Sense::Noise => Some(Self::Noise),
            Sense::HonorificOrName | Sense::Particle | Sense::Joining | Sense::HeavyParticle => None,
        }
    }
}

impl Index {
    pub(super) fn explain(
        &self,
        entries: &[Entry],
        query: &Query<'_>,
        found: Candidate,
        scratch: &mut Scratch,
    ) -> Hit {
        let row = &self.rows[found.row as usize];
        let tally = self.tally(row, scratch);
        let entry = entries.get(row.entry as usize);
        let name_score = score::of(&tally);
        let effects = entry
            .map(|entry| effects(&query.facts, entry, self.countries_of(row.entry), name_score).collect());
        Hit {
            entry: row.entry as usize,
            name: row.name as usize,
            quality: row.quality,
            verdict: found.verdict,
            score: found.score,
            name_score,
            tally,
            effects: effects.unwrap_or_default(),
            alignment: self.alignment(row, scratch),
            ignored_words: self.ignored_words(row, entry, scratch),
        }
    }

    fn alignment(&self, row: &IndexedName, scratch: &Scratch) -> Vec<AlignedPair> {
        let slots = self.slots(row);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let aligned = scratch.alignment.pairs.iter().map(|pair| {
            let words = scratch.question.reading.words().iter().enumerate();
            let asked: Vec<&str> = words
                .filter(|(at, _)| pair.asked >> at & 1 == 1)
                .map(|(_, word)| scratch.question.reading.source(word))
                .collect();
            let listed: Vec<String> = slots
                .iter()
                .enumerate()
                .filter(|(at, _)| pair.listed >> at & 1 == 1)
                .map(|(_, slot)| text(self.vocabulary.shape(slot.word).letters))
                .collect();
            AlignedPair {
                query_words: asked.join(" "),
                listed_words: listed.join(" "),
                similarity: pair.similarity,
            }
        });
        aligned.collect()
    }

    /// Collects the ignored words of both sides. Words that are all there is of a name count, and are not among them.
    fn ignored_words(
        &self,
        row: &IndexedName,
        entry: Option<&Entry>,
        scratch: &mut Scratch,
    ) -> Vec<IgnoredSpan> {
        let mut all = Vec::new();
        let family = row.family;
        let asked = scratch.question.asked.iter().map(|asked| {
            let counts = asked.weights[family as usize].core;
            IgnoredCategory::of(&asked.token, family).filter(|_| !counts)
        });
        collect(&scratch.question.reading, asked, ComparisonSide::Query, &mut all);
        let Some(name) = entry.and_then(|entry| entry.names.get(row.name as usize)) else { return all };
        scratch.listed.read(&name.text);
        tokens(&scratch.listed, &mut scratch.listed_tokens, &mut Vec::new());
        let listed = scratch.listed_tokens.iter().zip(self.slots(row));
        let listed = listed
            .map(|(token, slot)| IgnoredCategory::of(token, family).filter(|_| slot.part == NamePart::Light));
        collect(&scratch.listed, listed, ComparisonSide::Listed, &mut all);
        all
    }
}

/// Puts neighbours of one meaning together.
fn collect(
    reading: &SegmentedText,
    words: impl Iterator<Item = Option<IgnoredCategory>>,
    side: ComparisonSide,
    all: &mut Vec<IgnoredSpan>,
) {
    let mut before = None;
    for (word, category) in reading.words().iter().zip(words) {
        let text = reading.source(word);
        match (category, all.last_mut()) {
            (Some(category), Some(last)) if before == Some(category) => {
                last.words.push(' ');
                last.words.push_str(text);
            }
            (Some(category), _) => all.push(IgnoredSpan { words: text.to_owned(), side, category }),
            (None, _) => {}
        }
        before = category;
    }
}
