//! What the judge found, member by member as it stands in the receipt.

use std::borrow::Cow;

use name_match::{Effect, Fact, Hit, IgnoredCategory, IgnoredSpan, Side, method};
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use watchlist::{Entry, Quality};

use super::question::EntityQuestion;
use crate::live::LiveList;
use crate::screen::{
    CombinedScreen, ListEvidence, NameVerdict, Party, QueryNote, ScreenEvidence, ScreenedList, party,
    rounded, screen,
};

/// The name and version of the rules in this module; those of the comparison of names are named after it.
pub const METHOD: &str = "screen-entity/2";

const SCOPE: &str = "A screen of the name against the snapshots of the sanctions lists named here: it says which \
    listed names are like it, and does not say that the party is the listed one, that it is on no list under another \
    name, or who owns it.";

/// The finding of `POST /screen-entity`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EntityFinding {
    /// The worst of the matches' verdicts.
    pub verdict: NameVerdict,
    /// The name as it was asked.
    pub entity: String,
    /// The best candidate's score, whether or not it is a match.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The entries that the name may be, the best first.
    pub matches: Vec<EntityMatch>,
    /// What was noticed about the text of the name.
    pub query_notes: Vec<QueryNote>,
    /// The list that was looked at; the first of `lists`.
    pub list: ScreenedList,
    /// All lists that were looked at.
    pub lists: Vec<ScreenedList>,
    /// What was looked at.
    pub evidence: ScreenEvidence,
    /// What this verdict says and what it does not.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// An entry that the name may be.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EntityMatch {
    /// The listed party.
    #[serde(flatten)]
    pub party: Party,
    /// Which of its names.
    pub matched_name: MatchedName,
    /// What this match alone amounts to.
    pub verdict: NameVerdict,
    /// Its score.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// What the score is made of.
    pub score_parts: ScoreParts,
    /// Which words of the question are which words of the listed name.
    pub alignment: Vec<AlignedWords>,
    /// The words on either side that say nothing of whose name it is, and so count for next to nothing.
    pub ignored_words: Vec<IgnoredWords>,
}

/// A name of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct MatchedName {
    /// As the list writes it.
    pub name: String,
    /// How well it identifies the entry. A weak alias alone is at most a `POSSIBLE_MATCH`.
    pub quality: Quality,
}

/// What a score is made of. Weights count words by how rare they are.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// The score of the names alone, before the facts.
    pub name_score: f64,
    /// The weight of the words that have partners.
    pub matched_words: f64,
    /// The same, by how alike they are.
    pub matched_similarity: f64,
    /// The weight of the question's words that have none.
    pub unmatched_query_words: f64,
    /// What the listed words that have none cost.
    pub unmatched_listed_words: f64,
    /// Whether the words come in the same order.
    pub in_order: bool,
    /// What the other facts did, where both sides know them.
    pub facts: Vec<FactEffect>,
}

/// What a fact did to a score.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct FactEffect {
    /// The fact.
    pub fact: FactName,
    /// Whether both sides agree on it.
    pub agrees: bool,
    /// What was added to the score.
    pub change: f64,
}

/// A fact besides the name, by the field that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactName {
    /// The kind of party.
    Type,
    /// The date of birth.
    BirthDate,
    /// The country.
    Country,
    /// The number of a document or a registration.
    IdNumber,
    /// A ship's number.
    Imo,
}

/// A pair of an alignment.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AlignedWords {
    /// The words of the question.
    pub query_words: String,
    /// The words of the listed name, as they are compared.
    pub listed_words: String,
    /// How alike they are.
    pub similarity: f64,
}

/// Words of a name that say nothing of whose it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct IgnoredWords {
    /// The words, as they are written.
    pub words: String,
    /// Whose they are.
    pub side: NameSide,
    /// What they are.
    pub sense: IgnoredSense,
}

/// A side of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameSide {
    /// The query.
    Query,
    /// The listed name.
    Listed,
}

/// What words are that say nothing of whose name it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredSense {
    /// A legal form.
    LegalForm,
    /// A person's title.
    Title,
    /// What stands before a ship's name.
    ShipPrefix,
    /// A word of payments and addresses.
    Noise,
}

/// Finds on lists that answer names; nothing where there is none.
pub(super) fn find(question: &EntityQuestion, lists: &[LiveList], at: Timestamp) -> Option<EntityFinding> {
    let looked = ListEvidence::of(lists, at)?;
    let CombinedScreen { verdict, score, hits, query_notes } =
        screen(lists, &question.subject, question.limit);
    Some(EntityFinding {
        verdict,
        entity: question.subject.name.clone(),
        score: rounded(score),
        matches: hits.iter().filter_map(|(list, hit)| matched(list, hit)).collect(),
        query_notes,
        scope: looked.scope(SCOPE),
        list: looked.list,
        lists: looked.lists,
        evidence: looked.evidence,
        method: format!("{METHOD}, {}", method::METHOD).into(),
    })
}

/// A hit, as a finding shows it.
pub(crate) fn matched(list: &LiveList, hit: &Hit) -> Option<EntityMatch> {
    let entry = list.indexed.list().entries.get(hit.entry)?;
    let aligned = hit.alignment.iter().map(|pair| AlignedWords {
        query_words: pair.query_words.clone(),
        listed_words: pair.listed_words.clone(),
        similarity: rounded(pair.similarity),
    });
    Some(EntityMatch {
        party: party(entry),
        matched_name: matched_name(entry, hit),
        verdict: hit.verdict.into(),
        score: rounded(hit.score),
        score_parts: ScoreParts {
            name_score: rounded(hit.name_score),
            matched_words: rounded(hit.tally.matched_words),
            matched_similarity: rounded(hit.tally.matched_similarity),
            unmatched_query_words: rounded(hit.tally.unmatched_query_words),
            unmatched_listed_words: rounded(hit.tally.unmatched_listed_words),
            in_order: hit.tally.in_order,
            facts: hit.effects.iter().map(effect).collect(),
        },
        alignment: aligned.collect(),
        ignored_words: hit.ignored_words.iter().map(ignored_words).collect(),
    })
}

/// The name that a hit is on.
pub(crate) fn matched_name(entry: &Entry, hit: &Hit) -> MatchedName {
    let name = entry.names.get(hit.name).map_or(entry.primary(), |name| &name.text);
    MatchedName { name: name.to_owned(), quality: hit.quality }
}

fn ignored_words(words: &IgnoredSpan) -> IgnoredWords {
    let side = match words.side {
        Side::Query => NameSide::Query,
        Side::Listed => NameSide::Listed,
    };
    let sense = match words.category {
        IgnoredCategory::LegalForm => IgnoredSense::LegalForm,
        IgnoredCategory::Title => IgnoredSense::Title,
        IgnoredCategory::ShipPrefix => IgnoredSense::ShipPrefix,
        IgnoredCategory::Noise => IgnoredSense::Noise,
    };
    IgnoredWords { words: words.words.clone(), side, sense }
}

fn effect(effect: &Effect) -> FactEffect {
    let fact = match effect.fact {
        Fact::Kind => FactName::Type,
        Fact::Birth => FactName::BirthDate,
        Fact::Country => FactName::Country,
        Fact::IdNumber => FactName::IdNumber,
        Fact::Imo => FactName::Imo,
    };
    FactEffect { fact, agrees: effect.agrees, change: rounded(effect.change) }
}
