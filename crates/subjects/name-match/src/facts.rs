//! Facts about a party besides its name, and their effects on a score.
//!
//! A fact that is missing on either side has no effect. A fact that agrees raises the score, one that contradicts
//! lowers it, and the explanation names each.

use unicode_normalization::UnicodeNormalization as _;
use watchlist::{Birth, EntityKind, Entry};

use super::country::Country;
use super::method::{
    BIRTH_AGREES, BIRTH_CONTRADICTS, COUNTRY_AGREES, COUNTRY_CONTRADICTS, ID_NUMBER_CONTRADICTS,
    IMO_CONTRADICTS, KIND_CONTRADICTS, NUMBER_AGREES,
};
use super::parse::Family;

/// Facts that a caller knows about the party besides its name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'q> {
    /// The kind of the party; `None` where it is unknown.
    pub kind: Option<EntityKind>,
    /// The date of birth; `None` where it is unknown.
    pub birth: Option<Birth>,
    /// A country to which the party is connected; `None` where it is unknown.
    pub country: Option<Country>,
    /// The numbers of documents and registrations that are known.
    pub id_numbers: &'q [String],
    /// The IMO number of a ship, of seven digits; `None` where it is unknown.
    pub imo: Option<u32>,
}

/// A fact that both the query and the entry have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The kind of party.
    Kind,
    /// The date of birth.
    Birth,
    /// The country.
    Country,
    /// The number of a document or a registration.
    IdNumber,
    /// The IMO number.
    Imo,
}

impl Facts<'_> {
    /// Returns the maximum amount by which these facts raise a score. Numbers are not included, because an entry with
    /// an agreeing number is found anyway.
    pub fn most_raise(&self) -> f32 {
        let birth = if self.birth.is_some() { BIRTH_AGREES } else { 0.0 };
        birth + if self.country.is_some() { COUNTRY_AGREES } else { 0.0 }
    }
}

/// The effect of a fact on a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreEffect {
    /// The fact with the effect.
    pub fact: Fact,
    /// True if the query and the entry agree on the fact.
    pub agrees: bool,
    /// Change of the score, -1 to 1; negative if the query and the entry contradict each other.
    pub change: f32,
}

/// Returns the effects of facts on a score, in the order of [`Fact`]. `countries` are the entry's.
pub fn effects(
    facts: &Facts<'_>,
    entry: &Entry,
    countries: &[Option<Country>],
    name_score: f32,
) -> impl Iterator<Item = ScoreEffect> {
    let known = [
        (Fact::Kind, kind(facts, entry), 0.0, KIND_CONTRADICTS),
        (Fact::Birth, birth(facts, entry), BIRTH_AGREES, BIRTH_CONTRADICTS),
        (Fact::Country, country(facts, countries), COUNTRY_AGREES, COUNTRY_CONTRADICTS),
        (Fact::IdNumber, id_number(facts, entry), NUMBER_AGREES, ID_NUMBER_CONTRADICTS),
        (Fact::Imo, imo(facts, entry), NUMBER_AGREES, IMO_CONTRADICTS),
    ];
    known
        .into_iter()
        .scan(name_score, |score, (fact, agrees, raise, lower)| {
            let change = |agrees| if agrees { raised(*score, raise) } else { -lower.min(*score) };
            let effect = agrees.map(|agrees| ScoreEffect { fact, agrees, change: change(agrees) });
            *score += effect.map_or(0.0, |effect| effect.change);
            Some(effect)
        })
        .flatten()
}

/// Amount that an agreeing fact adds to a score: nearly `most` where the score is far below 1, and always less than
/// what is missing to 1.
fn raised(score: f32, most: f32) -> f32 {
    let missing = 1.0 - score;
    if most > 0.0 { most * missing / (missing + most) } else { 0.0 }
}

/// Families are compared, not kinds: what one list calls an aircraft another calls a vessel.
fn kind(facts: &Facts<'_>, entry: &Entry) -> Option<bool> {
    let known = |kind: EntityKind| (kind != EntityKind::Unknown).then(|| Family::of(kind));
    Some(known(facts.kind?)? == known(entry.kind)?)
}

/// Years by which a date may be off that the list gives as "circa".
const CIRCA_YEARS: i16 = 5;
/// Years by which a date may differ through a clerical error; such a difference neither agrees nor contradicts.
const SLIP_YEARS: i16 = 1;

fn birth(facts: &Facts<'_>, entry: &Entry) -> Option<bool> {
    let asked = facts.birth.filter(|_| !entry.births.is_empty())?;
    let within = |listed: &Birth, years: i16| {
        asked.earliest.year() - years <= listed.latest.year()
            && listed.earliest.year() - years <= asked.latest.year()
    };
    let agrees = entry.births.iter().any(|listed| {
        if listed.circa || asked.circa {
            within(listed, CIRCA_YEARS)
        } else {
            asked.earliest <= listed.latest && listed.earliest <= asked.latest
        }
    });
    let slip = entry.births.iter().any(|listed| within(listed, SLIP_YEARS));
    (agrees || !slip).then_some(agrees)
}

/// Compares the countries. The result is `None` where one of the entry's countries is unknown: it may be the same one.
fn country(facts: &Facts<'_>, listed: &[Option<Country>]) -> Option<bool> {
    let asked = facts.country.filter(|_| !listed.is_empty())?;
    let is_listed = listed.contains(&Some(asked));
    (is_listed || !listed.contains(&None)).then_some(is_listed)
}

fn id_number(facts: &Facts<'_>, entry: &Entry) -> Option<bool> {
    let asked = query_numbers(facts.id_numbers);
    if asked.is_empty() {
        return None;
    }
    let is_listed = listed_numbers(entry).any(|listed| asked.contains(&listed));
    (is_listed || !entry.identifiers.is_empty()).then_some(is_listed)
}

/// Returns the normal forms of an entry's numbers. A ship's number has a form with and one without `IMO`, since queries
/// may have either.
pub fn listed_numbers(entry: &Entry) -> impl Iterator<Item = String> {
    let identifiers = entry.identifiers.iter().map(|one| plain_number(&one.number));
    identifiers
        .chain(entry.imo.map(imo_number))
        .flat_map(|number| {
            let bare = number.strip_prefix(IMO).map(str::to_owned);
            [Some(number), bare]
        })
        .flatten()
}

/// Lists give a ship's number as such, or as an identifier of another kind that says `IMO`.
fn imo(facts: &Facts<'_>, entry: &Entry) -> Option<bool> {
    let asked = imo_number(facts.imo?);
    let is_listed = listed_numbers(entry).any(|listed| listed == asked);
    (is_listed || entry.imo.is_some()).then_some(is_listed)
}

/// Minimum length of a number that is compared, in characters.
pub const FEWEST_SIGNS: usize = 5;

const IMO: &str = "IMO";

/// Returns the normal form of an IMO number among numbers of other kinds.
pub fn imo_number(imo: u32) -> String {
    format!("{IMO}{imo}")
}

/// A number's letters and digits, in upper case.
fn plain_number(number: &str) -> String {
    number.nfkc().filter(|sign| sign.is_alphanumeric()).map(digit).flat_map(char::to_uppercase).collect()
}

/// A digit of the scripts that lists are written in, as one of ours.
fn digit(sign: char) -> char {
    let zero = match sign {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6f0}'..='\u{6f9}' => 0x6f0,
        '\u{966}'..='\u{96f}' => 0x966,
        _ => return sign,
    };
    char::from_digit(u32::from(sign) - zero, 10).unwrap_or(sign)
}

/// Returns the normal forms of a query's numbers: of each the whole text, and the text without the words that have no digit
/// (`Passport No. A1234567 (Iran)`).
pub fn query_numbers(numbers: &[String]) -> Vec<String> {
    let forms = |number: &String| {
        let words = number.split(|sign: char| !sign.is_alphanumeric());
        let with_digits: String = words.filter(|word| word.chars().any(char::is_numeric)).collect();
        [plain_number(number), plain_number(&with_digits)]
    };
    let mut numbers: Vec<String> = numbers.iter().flat_map(forms).collect();
    numbers.retain(|number| number.len() >= FEWEST_SIGNS);
    numbers.dedup();
    numbers
}
