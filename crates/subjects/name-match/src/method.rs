//! All weights and thresholds of the rules. Every change of one requires a new [`METHOD`].

/// Name and version of the rules of name comparison.
pub const METHOD: &str = "names/4";

/// Minimum score of a [`Verdict::Match`](crate::Verdict::Match), which also requires a strong name; 0 to 1.
pub const MATCH: f32 = 0.92;
/// Minimum score of a [`Verdict::PossibleMatch`](crate::Verdict::PossibleMatch), 0 to 1.
pub const POSSIBLE: f32 = 0.705;
/// Bounds of the minimum score that a query may ask for: below, most hits are chance; above, a [`MATCH`] would be lost.
pub const MIN_SCORE: (f32, f32) = (0.6, MATCH);
/// Score of an equal name without other facts, 0 to 1. Facts that agree raise it towards 1.
pub const NAMES_ALONE: f32 = 0.98;
/// Number of the most similar names that are scored if there is no hit, to report their best score.
pub const LIKELIEST: usize = 16;

/// Minimum similarity of two words that count as the same name, 0 to 1.
pub const SAME_WORD: f32 = 0.68;
/// Minimum similarity of joined words that count as the same name, 0 to 1.
pub const SAME_JOINED: f32 = 0.86;

/// Weight of a word of a person's name independent of its rarity. Rarity adds the rest, up to 1 for a word of one entry
/// alone.
pub const PERSON_BASE: f32 = 0.4;
/// Minimum weight of a word in an organisation's or a ship's name.
pub const ENTITY_LEAST: f32 = 0.12;

/// Cost of an unmatched query word, as a factor of its weight.
pub const UNMATCHED_QUERY: f32 = 1.0;
/// Cost where both names have unmatched words, as a factor of the smaller weight: they contradict each other.
pub const CONTRADICTION: f32 = 1.2;
/// Cost of an unmatched listed word of an organisation or a craft, as a factor of its weight.
pub const UNMATCHED_ENTITY: f32 = 0.6;
/// Cost of an unmatched surname of a person, where another surname matches.
pub const UNMATCHED_SURNAME_PART: f32 = 0.35;
/// Cost of a person's surname where no part of it matches.
pub const UNMATCHED_SURNAME: f32 = 1.2;
/// Cost of a person's unmatched first given name.
pub const UNMATCHED_GIVEN: f32 = 0.9;
/// Cost of a person's unmatched further name.
pub const UNMATCHED_MIDDLE: f32 = 0.22;
/// Cost of an unmatched word of a person's name whose parts the list does not tell apart.
pub const UNMATCHED_PART: f32 = 0.4;
/// Rarity that an incomplete match should have; below it, unmatched words cost more.
pub const RARITY_WANTED: f32 = 1.4;
/// Rarity of a word that names an organisation by itself, whatever its legal form.
pub const RARE_WORD: f32 = 0.95;
/// Factor by which missing rarity raises the cost of unmatched words.
pub const RARITY_PRICE: f32 = 1.5;
/// Cost of dissimilarity, as a factor of the word's weight.
pub const DISSIMILARITY: f32 = 1.0;
/// Similarity of two spellings that the list itself uses for one name.
pub const MINED: f32 = 0.94;
/// Minimum similarity at which a query word that is not in the list counts as a misspelling of a common word of the
/// list.
pub const MISSPELT: f32 = 0.85;
/// Minimum number of entries with a word that counts as common.
pub const COMMON_ENTRIES: u32 = 60;
/// Maximum weight of joined words.
pub const MOST_JOINED: f32 = 1.5;
/// Amount by which joining lowers the similarity.
pub const JOINED_PRICE: f32 = 0.01;
/// Similarity of an initial to a name.
pub const INITIAL: f32 = 0.9;
/// Maximum weight of an initial.
pub const INITIAL_WEIGHT: f32 = 0.3;
/// How much a name tells that is not common in any country, in bits.
pub const RARE_NAME: f32 = 8.0;
/// How much an initial tells, in bits.
pub const INITIAL_BITS: f32 = 2.0;
/// Bits that an incomplete or inexact match of a person's name should have. Each that is missing costs [`BIT_PRICE`].
pub const BITS_WANTED: f32 = 11.0;
/// The same where the query has further names, or joined words only sound alike: then many names that are not this one
/// hold it.
pub const BITS_WANTED_WITHIN: f32 = 17.0;
/// Bits that a [`Verdict::Match`](crate::Verdict::Match) should have if the names are not the same word by word: more
/// than two rare names have, since a name in another spelling or script is as a rule another one's.
pub const BITS_OF_MATCH: f32 = 16.5;
/// What an agreeing date of birth is worth for that, in bits: few namesakes share it.
pub const BIRTH_BITS: f32 = 14.0;
/// What an agreeing country is worth for that, in bits.
pub const COUNTRY_BITS: f32 = 3.0;
/// Cost of a missing bit.
pub const BIT_PRICE: f32 = 0.02;
/// Value of any pair in an alignment, so that words of weight 0 are paired too.
pub const ANY_PAIR: f32 = 0.001;
/// Maximum number of steps of one alignment.
pub const MOST_STEPS: u32 = 512;
/// Cost of an unmatched particle, title or legal form of the listed name.
pub const UNMATCHED_LIGHT: f32 = 0.3;
/// Factor of the score for words in another order.
pub const OUT_OF_ORDER: f32 = 0.995;
/// Maximum share of the score that a match of common words alone loses.
pub const COMMON_PRICE: f32 = 0.04;
/// Amount that a contradicting kind of party subtracts.
pub const KIND_CONTRADICTS: f32 = 0.2;
/// Greatest amount that an agreeing date of birth adds.
pub const BIRTH_AGREES: f32 = 0.06;
/// Amount that a contradicting date of birth subtracts.
pub const BIRTH_CONTRADICTS: f32 = 0.15;
/// Greatest amount that an agreeing country adds.
pub const COUNTRY_AGREES: f32 = 0.025;
/// Amount that a contradicting country subtracts. It is small: people have several countries, and lists know few of
/// them.
pub const COUNTRY_CONTRADICTS: f32 = 0.06;
/// Greatest amount that an agreeing number of a document or a ship adds.
pub const NUMBER_AGREES: f32 = 0.4;
/// Amount that a contradicting document number subtracts. It is small: people have several documents.
pub const ID_NUMBER_CONTRADICTS: f32 = 0.02;
/// Amount that a contradicting IMO number subtracts: a ship has one for life.
pub const IMO_CONTRADICTS: f32 = 0.15;
/// Maximum weight of a word that is not used to search for candidates, because any name may have it.
pub const FREE: f32 = 0.1;
/// Weight of a person's title.
pub const TITLE: f32 = 0.04;
/// Maximum weight of a legal form or noise.
pub const NOTHING: f32 = 0.02;
/// Cost of an unmatched query word if a listed person's whole name matches, as a factor of its weight.
pub const UNMATCHED_EXTRA: f32 = 0.5;
/// The same if a listed organisation's or ship's whole name matches.
pub const UNMATCHED_ENTITY_EXTRA: f32 = 0.75;
/// Maximum cost of all of a person's further names together.
pub const MOST_MIDDLE: f32 = 0.35;
/// Minimum similarity of two words that count as spellings of one word.
pub const SAME_SPELLING: f32 = 0.96;
/// Minimum similarity of every pair of a `MATCH`.
pub const SAME_NAME: f32 = 0.94;
/// Similarity of equal romanised syllables from Chinese or Korean, since different characters have the same
/// romanisation.
pub const SYLLABLES: f32 = 0.93;
/// Maximum similarity of two words if one has digits in place of letters.
pub const DISGUISED: f32 = 0.97;
/// Similarity of two words if one is the other by the customs of another language or romanisation.
pub const OTHER_CUSTOMS: f32 = 0.88;
/// Similarity of a given name to a familiar form of it, or to its form in another language.
pub const EQUIVALENT: f32 = 0.85;
/// Extra cost of dissimilarity where a single word carries the match.
pub const LONE_PRICE: f32 = 0.4;
/// Minimum score of a query that contains the whole of a listed name.
pub const CONTAINED: f32 = 0.72;
/// Minimum rarity of a listed name that is reported within a longer query.
pub const CONTAINED_RARITY: f32 = 1.2;
/// Bits that a person's name has that is reported so: one rare name, and one that is not the commonest.
pub const BITS_CONTAINED: f32 = 9.5;
/// Maximum number of letters of a short word. Two short spellings that the list uses for one name get [`MINED_SHORT`],
/// since short words resemble many others.
pub const SHORT_WORD: usize = 3;
/// Similarity of two short spellings that the list itself uses for one name; below [`SAME_NAME`].
pub const MINED_SHORT: f32 = 0.93;
/// Minimum similarity of a `MATCH` on a single word: the same word, or the same joined.
pub const SAME_LONE: f32 = 0.98;
