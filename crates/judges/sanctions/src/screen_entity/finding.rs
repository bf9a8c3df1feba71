//! The finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use name_match::{ComparisonSide, Fact, Hit, IgnoredCategory, IgnoredSpan, ScoreEffect, method};
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use watchlist::{EntityKind, Entry, Quality, Topic};

use super::question::EntityQuestion;
use crate::live::LiveList;
use crate::screen::{
    AskedLists, CombinedScreen, DismissedEntry, ListEvidence, NameVerdict, Party, QueryNote, ScreenEvidence,
    ScreenHit, ScreenSubject, ScreenedList, entry_sha256, name_explanation, party, rounded, screen,
};

/// Name and version of the rules in this module. The finding names the rules of the name comparison separately.
pub const METHOD: &str = "screen-entity/3";

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
    /// The further names as they were asked; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub names: Vec<String>,
    /// Score of the best candidate, 0 to 1, on `NO_MATCH` too.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// Entries that the name may belong to, the best first.
    pub matches: Vec<EntityMatch>,
    /// Minimum score of a match.
    pub min_score: f64,
    /// Facts besides the name that the question lacks and that would clear or confirm a match which counts.
    pub would_help: Vec<FactName>,
    /// What came of each dismissed entry; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub dismissed: Vec<DismissedEntry>,
    /// Notes about the text of the name.
    pub query_notes: Vec<QueryNote>,
    /// All lists that were screened.
    pub lists: Vec<ScreenedList>,
    /// Evidence: the time of the screen and the snapshots.
    pub evidence: ScreenEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict, and its limits.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// Listed entry that the name may belong to.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EntityMatch {
    /// The listed party.
    #[serde(flatten)]
    pub party: Party,
    /// Name of the entry that matches.
    pub matched_name: MatchedName,
    /// The question's name that matches; absent where the question has one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_name: Option<String>,
    /// Why parties are on the list. Only a list of sanctions makes a `MATCH`.
    pub topic: Topic,
    /// Entries of the other lists that are the same party, by the reference numbers that lists state of one another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub also_listed: Vec<ListedElsewhere>,
    /// Verdict of this match alone.
    pub verdict: NameVerdict,
    /// Set where the question dismisses the entry, so that the match does not count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub is_dismissed: bool,
    /// SHA-256 of the entry as the snapshot has it: a dismissal that names it ends when the entry changes.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub entry_sha256: String,
    /// Score of this match, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// Parts that the score is computed from.
    pub score_parts: ScoreParts,
    /// Pairs of words of the query and words of the listed name.
    pub alignment: Vec<AlignedWords>,
    /// Facts that the entry has and the question lacks.
    pub would_help: Vec<FactName>,
    /// Words of either side that do not identify a party and weigh next to nothing: legal forms, titles, prefixes, noise.
    pub ignored_words: Vec<IgnoredWords>,
}

/// The most entries of other lists that a match names.
const MOST_ELSEWHERE: usize = 16;

/// An entry of another list that is the same party.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ListedElsewhere {
    /// The publisher's own key of the entry.
    pub uid: String,
    /// The list that it is on.
    pub list: String,
    /// Why parties are on the list.
    pub topic: Topic,
    /// The name that it is listed under.
    pub name: String,
    /// SHA-256 of the entry as the snapshot has it, for a dismissal.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub entry_sha256: String,
}

/// A name of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct MatchedName {
    /// Name as the list writes it.
    pub name: String,
    /// Quality of the name, as its publisher judges it. A weak alias alone is at most a `POSSIBLE_MATCH`.
    pub quality: Quality,
}

/// Parts that a score is computed from. A word weighs by its rarity.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// The score of the names alone, before the facts.
    pub name_score: f64,
    /// How much the matched words tell about who bears them, in bits: little where many people have these names.
    pub bits: f64,
    /// Weight of the query's words that have a partner in the listed name.
    pub matched_words: f64,
    /// Sum of the matched words' weights, each times its similarity.
    pub matched_similarity: f64,
    /// Weight of the query's words without a partner.
    pub unmatched_query_words: f64,
    /// Cost of the listed words without a partner.
    pub unmatched_listed_words: f64,
    /// Set where the words come in the same order.
    pub in_order: bool,
    /// Effects of the other facts that both sides know.
    pub facts: Vec<FactEffect>,
}

/// Effect of a fact on a score.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct FactEffect {
    /// The fact.
    pub fact: FactName,
    /// Set where query and entry agree on the fact.
    pub agrees: bool,
    /// Change of the score, negative where they contradict each other.
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
    /// Words of the query.
    pub query_words: String,
    /// Words of the listed name, in the form that is compared.
    pub listed_words: String,
    /// Similarity of the two sides, 0 to 1.
    pub similarity: f64,
}

/// Words of a name that do not identify its party.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct IgnoredWords {
    /// The words, as they are written.
    pub words: String,
    /// Side of the comparison that has the words.
    pub side: NameSide,
    /// Sense of the words.
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

/// Sense of ignored words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredSense {
    /// A legal form.
    LegalForm,
    /// A person's title.
    Title,
    /// Prefix of a ship's name, such as `M/V`.
    ShipPrefix,
    /// Word of payments and addresses.
    Noise,
}

/// Makes the finding on lists that cover names; `None` where there is none.
pub(super) fn find(
    question: &EntityQuestion,
    asked: &AskedLists<'_>,
    at: Timestamp,
) -> Option<EntityFinding> {
    let looked = ListEvidence::of(&asked.lists, at)?;
    let CombinedScreen { verdict, score, hits, dismissed, query_notes } =
        screen(asked, &question.subject, question.limit, at);
    let matches: Vec<EntityMatch> = hits.iter().filter_map(|hit| matched(hit, &question.subject)).collect();
    let best = matches.iter().find(|found| !found.is_dismissed);
    let best = best.map(|found| (&*found.party.name, &*found.party.list));
    Some(EntityFinding {
        verdict,
        explanation: name_explanation(
            &question.subject,
            verdict,
            score,
            best,
            dismissed.len(),
            &looked.lists,
        ),
        entity: question.subject.name.clone(),
        names: question.subject.names.clone(),
        score: rounded(score),
        min_score: question.subject.min_score(),
        would_help: would_help(&matches),
        matches,
        dismissed,
        query_notes,
        scope: looked.scope(SCOPE),
        lists: looked.lists,
        evidence: looked.evidence,
        method: format!("{METHOD}, {}", method::METHOD).into(),
    })
}

/// A hit, as a finding shows it.
pub(crate) fn matched(found: &ScreenHit<'_>, subject: &ScreenSubject) -> Option<EntityMatch> {
    let (entry, hit) = (found.entry()?, &found.hit);
    let aligned = hit.alignment.iter().map(|pair| AlignedWords {
        query_words: pair.query_words.clone(),
        listed_words: pair.listed_words.clone(),
        similarity: rounded(pair.similarity),
    });
    Some(EntityMatch {
        party: party(entry),
        matched_name: matched_name(entry, hit),
        query_name: query_name(found, subject),
        topic: found.list.topic(),
        also_listed: found
            .elsewhere
            .iter()
            .take(MOST_ELSEWHERE)
            .map(|(list, entry)| elsewhere(list, entry))
            .collect(),
        verdict: found.verdict,
        is_dismissed: found.is_dismissed,
        entry_sha256: entry_sha256(entry),
        score: rounded(hit.score),
        score_parts: ScoreParts {
            name_score: rounded(hit.name_score),
            bits: rounded(hit.tally.bits),
            matched_words: rounded(hit.tally.matched_words),
            matched_similarity: rounded(hit.tally.matched_similarity),
            unmatched_query_words: rounded(hit.tally.unmatched_query_words),
            unmatched_listed_words: rounded(hit.tally.unmatched_listed_words),
            in_order: hit.tally.in_order,
            facts: hit.effects.iter().map(effect).collect(),
        },
        alignment: aligned.collect(),
        would_help: lacking(entry, subject),
        ignored_words: hit.ignored_words.iter().map(ignored_words).collect(),
    })
}

/// The name that matches, where the question has several.
pub(crate) fn query_name(found: &ScreenHit<'_>, subject: &ScreenSubject) -> Option<String> {
    let names = || std::iter::once(&subject.name).chain(&subject.names);
    if subject.names.is_empty() { None } else { names().nth(found.name).cloned() }
}

fn elsewhere(list: &LiveList, entry: &Entry) -> ListedElsewhere {
    ListedElsewhere {
        uid: entry.uid.to_string(),
        list: entry.list.to_string(),
        topic: list.topic(),
        name: entry.primary().to_owned(),
        entry_sha256: entry_sha256(entry),
    }
}

/// The facts that an entry has and the question lacks.
fn lacking(entry: &Entry, subject: &ScreenSubject) -> Vec<FactName> {
    let has_number = !entry.identifiers.is_empty() || entry.imo.is_some();
    let facts = [
        (FactName::Type, entry.kind != EntityKind::Unknown && subject.kind.is_none()),
        (FactName::BirthDate, !entry.births.is_empty() && subject.birth.is_none()),
        (FactName::Country, !entry.countries.is_empty() && subject.country.is_none()),
        (FactName::IdNumber, has_number && subject.id_numbers.is_empty() && subject.imo.is_none()),
    ];
    facts.into_iter().filter_map(|(fact, helps)| helps.then_some(fact)).collect()
}

/// The facts that would help with any match that counts.
fn would_help(matches: &[EntityMatch]) -> Vec<FactName> {
    let counting = || matches.iter().filter(|found| !found.is_dismissed);
    let all = [FactName::Type, FactName::BirthDate, FactName::Country, FactName::IdNumber];
    all.into_iter().filter(|fact| counting().any(|found| found.would_help.contains(fact))).collect()
}

/// The name that a hit is on.
pub(crate) fn matched_name(entry: &Entry, hit: &Hit) -> MatchedName {
    let name = entry.names.get(hit.name).map_or(entry.primary(), |name| &name.text);
    MatchedName { name: name.to_owned(), quality: hit.quality }
}

fn ignored_words(words: &IgnoredSpan) -> IgnoredWords {
    let side = match words.side {
        ComparisonSide::Query => NameSide::Query,
        ComparisonSide::Listed => NameSide::Listed,
    };
    let sense = match words.category {
        IgnoredCategory::LegalForm => IgnoredSense::LegalForm,
        IgnoredCategory::Title => IgnoredSense::Title,
        IgnoredCategory::ShipPrefix => IgnoredSense::ShipPrefix,
        IgnoredCategory::Noise => IgnoredSense::Noise,
    };
    IgnoredWords { words: words.words.clone(), side, sense }
}

fn effect(effect: &ScoreEffect) -> FactEffect {
    let fact = match effect.fact {
        Fact::Kind => FactName::Type,
        Fact::Birth => FactName::BirthDate,
        Fact::Country => FactName::Country,
        Fact::IdNumber => FactName::IdNumber,
        Fact::Imo => FactName::Imo,
    };
    FactEffect { fact, agrees: effect.agrees, change: rounded(effect.change) }
}
