//! The one place of every weight and threshold. A change of any of them is a new [`METHOD`].

/// The name and version of the rules.
pub const METHOD: &str = "names/3";

/// At least this is a `MATCH`, where a strong name carries it.
pub const MATCH: f32 = 0.92;
/// At least this is a `POSSIBLE_MATCH`.
pub const POSSIBLE: f32 = 0.705;
/// The score of the same name, of which nothing else is known: what agrees besides raises it towards 1.
pub const NAMES_ALONE: f32 = 0.98;
/// Where nothing is a hit, this many of the likeliest names are scored all the same, for the best score among them.
pub const LIKELIEST: usize = 16;

/// Two words are the same name from this similarity on.
pub const SAME_WORD: f32 = 0.68;
/// Joined words are the same name from this similarity on.
pub const SAME_JOINED: f32 = 0.86;

/// A word that only one of the list's entries has weighs 1. These are the shares of rarity in a word's weight.
pub const PERSON_BASE: f32 = 0.4;
/// The least weight of a word in an organisation's or a ship's name.
pub const ENTITY_LEAST: f32 = 0.12;

/// What a word of the question that has no partner costs, against its weight.
pub const UNMATCHED_QUERY: f32 = 1.0;
/// What it costs that both names have words without a partner: they contradict each other.
pub const CONTRADICTION: f32 = 1.2;
/// What a listed word without a partner costs: an organisation's.
pub const UNMATCHED_ENTITY: f32 = 0.6;
/// A person's surname, where another part of it has a partner.
pub const UNMATCHED_SURNAME_PART: f32 = 0.35;
/// A person's whole surname.
pub const UNMATCHED_SURNAME: f32 = 1.2;
/// A person's first given name.
pub const UNMATCHED_GIVEN: f32 = 0.9;
/// A person's further names.
pub const UNMATCHED_MIDDLE: f32 = 0.22;
/// A word of a name whose parts the list does not tell apart.
pub const UNMATCHED_PART: f32 = 0.4;
/// The rarity that an incomplete match should rest on; what is missing of it makes what is left cost more.
pub const RARITY_WANTED: f32 = 1.4;
/// How much more.
pub const RARITY_PRICE: f32 = 1.5;
/// What dissimilarity costs, against the weight of the word.
pub const DISSIMILARITY: f32 = 1.0;
/// The similarity of words that the list itself uses for one another.
pub const MINED: f32 = 0.94;
/// A word of the question that is at least this like a common word of the list is that word misspelt.
pub const MISSPELT: f32 = 0.85;
/// A word that this many entries have is common.
pub const COMMON_ENTRIES: u32 = 60;
/// The most that joined words count.
pub const MOST_JOINED: f32 = 1.5;
/// What joining costs in similarity.
pub const JOINED_PRICE: f32 = 0.01;
/// The similarity of an initial to a name.
pub const INITIAL: f32 = 0.9;
/// The most that an initial counts.
pub const INITIAL_WEIGHT: f32 = 0.3;
/// What any pair is worth in an alignment, so that words that weigh nothing find their partners too.
pub const ANY_PAIR: f32 = 0.001;
/// The most steps of one alignment.
pub const MOST_STEPS: u32 = 512;
/// What a particle, a title or a legal form of the listed name costs where it has no partner.
pub const UNMATCHED_LIGHT: f32 = 0.3;
/// The factor for words in another order.
pub const OUT_OF_ORDER: f32 = 0.995;
/// The most by which a match of common words alone is lowered.
pub const COMMON_PRICE: f32 = 0.04;
/// What a contradicting kind of party takes away.
pub const KIND_CONTRADICTS: f32 = 0.2;
/// The most that an agreeing date of birth adds.
pub const BIRTH_AGREES: f32 = 0.06;
/// What a contradicting one takes away.
pub const BIRTH_CONTRADICTS: f32 = 0.15;
/// The most that an agreeing country adds.
pub const COUNTRY_AGREES: f32 = 0.025;
/// What a contradicting one takes away: people have several, and lists know few of them.
pub const COUNTRY_CONTRADICTS: f32 = 0.03;
/// The most that an agreeing number of a document or a ship adds.
pub const NUMBER_AGREES: f32 = 0.4;
/// What a contradicting number of a document takes away: people have several.
pub const ID_NUMBER_CONTRADICTS: f32 = 0.02;
/// What a contradicting IMO number takes away: a ship has one for life.
pub const IMO_CONTRADICTS: f32 = 0.15;
/// A word that weighs no more than this is not looked for: any name may have it.
pub const FREE: f32 = 0.1;
/// What a title of a person weighs.
pub const TITLE: f32 = 0.04;
/// What weighs no more than this is a legal form or noise.
pub const NOTHING: f32 = 0.02;
/// What a word of the question costs that has no partner, where the whole of a listed person's name has.
pub const UNMATCHED_EXTRA: f32 = 0.5;
/// The most that a person's further names cost together.
pub const MOST_MIDDLE: f32 = 0.35;
/// Words at least this alike are one word in two spellings.
pub const SAME_SPELLING: f32 = 0.96;
/// A `MATCH` needs all of its words at least this alike.
pub const SAME_NAME: f32 = 0.94;
/// Syllables read from Chinese characters or Korean ones: others are read the same.
pub const SYLLABLES: f32 = 0.93;
/// The most that words are alike of which one has digits in place of letters.
pub const DISGUISED: f32 = 0.96;
/// What dissimilarity costs more where a single word carries the match.
pub const LONE_PRICE: f32 = 0.4;
/// The score of a name that holds the whole of a listed one, whatever else it holds.
pub const CONTAINED: f32 = 0.72;
/// The rarity of a listed name that is told within a longer one.
pub const CONTAINED_RARITY: f32 = 1.2;
/// Words of up to so many letters have too many look-alikes for a spelling that the list itself uses to be the same name.
pub const SHORT_WORD: usize = 3;
/// The similarity of such words that the list itself uses for one another.
pub const MINED_SHORT: f32 = 0.93;
/// A `MATCH` on a single word needs it at least this alike: the same, or the same joined.
pub const SAME_LONE: f32 = 0.98;
