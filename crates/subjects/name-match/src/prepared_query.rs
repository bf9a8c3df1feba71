//! A prepared query: its words, its joined neighbours, and the similar words of the list for each.

mod appraise;

use super::fold::fold;
use super::frequency;
use super::index::{Index, joinable};
use super::lexicon::equivalents;
use super::method;
use super::parse::{Family, Token, tokens};
use super::script::abjad::{self, Skeleton};
use super::segmented_text::SegmentedText;
use super::similarity::{Signature, WordShape, is_abjad, similarity};
use super::vocabulary::WordId;
use super::weight::WordWeight;
use super::whole::{self, Fingerprints};
use super::word::{FORMS, Span};

/// One word of the query.
#[derive(Clone, Copy, Debug)]
pub struct QueryWord {
    /// The word with its senses.
    pub token: Token,
    /// Weight in each family, in the order of [`Family::ALL`].
    pub weights: [WordWeight; 3],
    /// Cost of the word without a partner in each family, in the order of [`Family::ALL`].
    pub left: [f32; 3],
    /// Maximum contribution of a pair with the word in each family, in the order of [`Family::ALL`].
    pub most: [f32; 3],
    /// True if the same word occurred before.
    pub again: bool,
    /// First letter in ASCII.
    pub first: u8,
}

/// A word of the query, or joined neighbours.
#[derive(Clone, Copy, Debug)]
pub struct QueryUnit {
    /// The words of the unit, as a bit set of their positions.
    pub mask: u64,
    /// Number of words.
    pub length: usize,
    /// Set for syllables, of which one changed letter makes another syllable.
    syllabic: bool,
    /// Their other forms have letters in place of digits.
    disguised: bool,
    /// How much it tells about who bears it, in bits.
    pub bits: f32,
    /// Their letters and what these fold to, in every form.
    forms: [(Span, Span); FORMS],
}

impl QueryUnit {
    /// The place of the word that it is, where it is one.
    fn alone(&self) -> Option<usize> {
        (self.length == 1).then(|| self.mask.trailing_zeros() as usize)
    }
}

/// Link from a unit of the query to a similar word of the list.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Position of the query's unit.
    pub unit: u8,
    /// Similarity of the two, 0 to 1.
    pub similarity: f32,
    next: u32,
}

/// The form of a word in the romanisation of other customs.
const OTHER_CUSTOMS: usize = 2;

/// Joined words up to this length are the same or not.
const SHORT_JOINED: usize = 7;

fn is_short(one: WordShape<'_>, other: WordShape<'_>) -> bool {
    one.letters.len().min(other.letters.len()) <= SHORT_JOINED
}

/// The end of a chain of links.
const END: u32 = u32::MAX;

/// A query that is prepared for one index. Its buffers are reused between queries.
#[derive(Debug, Default)]
pub struct PreparedQuery {
    pub(super) reading: SegmentedText,
    pub(super) asked: Vec<QueryWord>,
    pub(super) units: Vec<QueryUnit>,
    /// The text's, in the order of [`Family::ALL`](super::parse::Family::ALL).
    pub(super) fingerprints: [Fingerprints; 3],
    /// Words that may have a partner in any name of a family: initials, and what weighs next to nothing there.
    pub(super) free: [u64; 3],
    text: Vec<u8>,
    tokens: Vec<Token>,
    links: Vec<Link>,
    /// For each word of the list, the round in which it was linked and the first link.
    heads: Vec<(u32, u32)>,
    /// The words that are linked.
    linked: Vec<WordId>,
    /// For each word of the list, the last look-up that met it.
    met: Vec<u32>,
    lookups: u32,
    round: u32,
    /// The skeletons of the word that is looked up.
    skeletons: Vec<Skeleton>,
    /// Rarity of each word, and the similarity to the listed word that it comes from.
    rarities: Vec<(f32, f32)>,
    scratch: Vec<u8>,
    folded: Vec<u8>,
}

impl PreparedQuery {
    /// Reads the name and finds the similar words of the list, by the keys of the index or, if `every` is true, by
    /// comparing each word of the list that its [`Signature`] does not rule out.
    ///
    /// `cuts` has words cut at capitals within them.
    pub fn ask(&mut self, index: &Index, name: &str, cuts: bool, every: bool) {
        self.reset(index);
        self.reading.is_question = true;
        self.reading.cuts_at_capitals = cuts;
        self.reading.read(name);
        tokens(&self.reading, &mut self.tokens, &mut self.scratch);
        self.fingerprints = whole::of_question(&self.reading, &self.tokens);
        self.make_units();
        for unit in 0..self.units.len() {
            self.look_up(index, unit, every);
        }
        self.weigh(index);
    }

    /// Returns the links of a word of the list.
    pub fn links(&self, word: WordId) -> impl Iterator<Item = Link> + '_ {
        let (round, head) = self.heads[word as usize];
        let mut next = if round == self.round { head } else { END };
        std::iter::from_fn(move || {
            let link = self.links.get(next as usize)?;
            next = link.next;
            Some(*link)
        })
    }

    /// Returns true if a unit of the query is similar to a word of the list.
    pub fn is_linked(&self, word: WordId) -> bool {
        self.heads[word as usize].0 == self.round
    }

    /// Returns the words of the list that are similar to any unit of the query.
    pub fn linked(&self) -> &[WordId] {
        &self.linked
    }

    fn reset(&mut self, index: &Index) {
        let words = index.vocabulary.len() as usize;
        if self.heads.len() != words || self.round >= u32::MAX - 1 || self.lookups > u32::MAX / 2 {
            self.heads = vec![(0, END); words];
            self.met = vec![0; words];
            (self.round, self.lookups) = (0, 0);
        }
        self.round += 1;
        self.links.clear();
        self.linked.clear();
        self.units.clear();
        self.text.clear();
        self.asked.clear();
        self.free = [0; 3];
    }

    fn make_units(&mut self) {
        for length in 1..=3 {
            for start in 0..self.tokens.len() {
                if let Some(parts) = self.tokens.get(start..start + length) {
                    let letters = parts.iter().map(|token| self.reading.letters(token.forms[0]));
                    if length == 1 || joinable(letters) {
                        self.make_unit(start, length);
                    }
                }
            }
        }
    }

    fn make_unit(&mut self, start: usize, length: usize) {
        let mut forms = [(Span::default(), Span::default()); FORMS];
        for form in 0..FORMS {
            let begin = self.text.len();
            for token in &self.tokens[start..start + length] {
                self.text.extend_from_slice(self.reading.letters(token.forms[form]));
            }
            let letters = Span::new(begin, self.text.len());
            let same = forms[..form]
                .iter()
                .find(|(other, _)| self.text[other.range()] == self.text[letters.range()]);
            if let Some(same) = same.copied() {
                self.text.truncate(begin);
                forms[form] = same;
                continue;
            }
            fold(&self.text[letters.range()], &mut self.scratch);
            let begin = self.text.len();
            self.text.extend_from_slice(&self.scratch);
            forms[form] = (letters, Span::new(begin, self.text.len()));
        }
        let parts = &self.tokens[start..start + length];
        let mask = ((1_u64 << length) - 1) << start;
        let syllabic = parts.iter().any(|token| token.script.is_syllabic());
        let disguised = parts.iter().any(|token| token.disguised);
        let words = parts.iter().map(|token| self.reading.letters(token.forms[0]));
        let bits = frequency::joined_bits(
            &self.text[forms[0].0.range()],
            if length == 1 { method::RARE_NAME } else { words.map(frequency::bits).sum() },
        );
        self.units.push(QueryUnit { mask, length, syllabic, disguised, bits, forms });
    }

    fn look_up(&mut self, index: &Index, unit: usize, every: bool) {
        let made = self.units[unit];
        for (form, (letters, folded)) in made.forms.into_iter().enumerate() {
            if made.forms[..form].iter().any(|(other, _)| *other == letters) {
                continue;
            }
            let text = std::mem::take(&mut self.text);
            self.skeletons.clear();
            let word = &text[letters.range()];
            if form == OTHER_CUSTOMS && !made.disguised {
                // Only words that are spelled so are looked for, and none of an abjad is.
            } else if is_abjad(word) {
                abjad::skeletons(word, |skeleton| self.skeletons.push(skeleton));
            } else {
                self.skeletons.extend(abjad::skeletons_of_romanised(word));
            }
            let shape = WordShape { letters: &text[letters.range()], folded: &text[folded.range()] };
            let most = match form {
                0 => 1.0,
                _ if made.disguised => method::DISGUISED,
                OTHER_CUSTOMS => method::OTHER_CUSTOMS,
                _ => 1.0,
            };
            self.compare_all(index, unit, shape, most, every);
            self.text = text;
        }
        if made.length == 1 {
            self.look_up_equivalents(index, unit, every);
        }
    }

    /// Links the unit in one of its forms with all words that it is like.
    fn compare_all(&mut self, index: &Index, unit: usize, shape: WordShape<'_>, most: f32, every: bool) {
        self.lookups += 1;
        if every {
            let signature = Signature::of(shape);
            (0..index.vocabulary.len())
                .filter(|word| !signature.rules_out(index.vocabulary.signature(*word)))
                .for_each(|word| self.compare(index, unit, shape, most, word));
        } else if most < 1.0 && !self.units[unit].disguised {
            index.vocabulary.spelled(shape, |word| self.compare(index, unit, shape, most, word));
        } else {
            let mut scratch = std::mem::take(&mut self.scratch);
            index.vocabulary.like(shape, self.units[unit].length == 1, &mut scratch, |word| {
                self.compare(index, unit, shape, most, word);
            });
            self.scratch = scratch;
        }
    }

    /// Links the unit with the names that it stands for: `Misha` with `Mikhail`.
    fn look_up_equivalents(&mut self, index: &Index, unit: usize, every: bool) {
        let mut folded = std::mem::take(&mut self.folded);
        for name in equivalents(&self.text[self.units[unit].forms[0].0.range()]) {
            fold(name, &mut folded);
            let shape = WordShape { letters: name, folded: &folded };
            self.compare_all(index, unit, shape, method::EQUIVALENT, every);
        }
        self.folded = folded;
    }

    /// Links the unit in one of its forms with a word that it is like. `most` is what they can be alike: less than 1
    /// where the form is not what is written, and then the word has to be the form but for its spelling.
    fn compare(&mut self, index: &Index, unit: usize, shape: WordShape<'_>, most: f32, word: WordId) {
        if std::mem::replace(&mut self.met[word as usize], self.lookups) == self.lookups {
            return;
        }
        let single = self.units[unit].length == 1 && index.vocabulary.entries(word) > 0;
        let other = index.vocabulary.shape(word);
        if is_abjad(shape.letters) != is_abjad(other.letters) && !self.agrees(other.letters) {
            return;
        }
        let mut similarity = similarity(shape, other);
        if similarity < 1.0 && (self.units[unit].syllabic || (!single && is_short(shape, other))) {
            return;
        }
        if self.units[unit].syllabic {
            similarity = method::SYLLABLES;
        }
        let is_disguised = self.units[unit].disguised && most < 1.0;
        if most < 1.0 && !is_disguised && similarity < method::SAME_SPELLING {
            return;
        }
        similarity = similarity.min(most);
        if similarity >= if single { method::SAME_WORD } else { method::SAME_JOINED } {
            self.link(unit, word, similarity);
            self.reading.notes.look_alike |= is_disguised;
        }
        if similarity >= 1.0 {
            let short = shape.letters.len() <= method::SHORT_WORD;
            let mined = if short { method::MINED_SHORT } else { method::MINED };
            for variant in index.variants.of(word) {
                self.link(unit, variant, mined);
            }
        }
    }

    /// Tests that the current word shares a consonant skeleton with a word of the other kind of script.
    fn agrees(&self, other: &[u8]) -> bool {
        let mut agrees = false;
        if is_abjad(other) {
            abjad::skeletons(other, |skeleton| agrees |= self.skeletons.contains(&skeleton));
        } else {
            agrees =
                abjad::skeletons_of_romanised(other).iter().any(|skeleton| self.skeletons.contains(skeleton));
        }
        agrees
    }

    fn link(&mut self, unit: usize, word: WordId, similarity: f32) {
        let unit = u8::try_from(unit).unwrap_or(u8::MAX);
        let head = &mut self.heads[word as usize];
        if head.0 != self.round {
            *head = (self.round, END);
            self.linked.push(word);
        }
        if let Some(link) = self.links.get_mut(head.1 as usize)
            && link.unit == unit
        {
            link.similarity = link.similarity.max(similarity);
            return;
        }
        let at = u32::try_from(self.links.len()).unwrap_or(END);
        self.links.push(Link { unit, similarity, next: head.1 });
        head.1 = at;
    }
}

/// Returns the sum of the weights of the query's words in `mask`, in a family.
pub fn weight_of(question: &PreparedQuery, family: Family, mut mask: u64) -> f32 {
    let mut weight = 0.0;
    while mask != 0 {
        let at = mask.trailing_zeros() as usize;
        weight += question.asked.get(at).map_or(0.0, |asked| asked.weights[family as usize].weight);
        mask &= mask - 1;
    }
    weight
}
