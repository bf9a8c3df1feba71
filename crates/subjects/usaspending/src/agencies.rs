//! Agencies of the service's reference.

use receipt::json::Json;
use record_search::{AnswerError, FieldError, Row, parse, rows_of};

use crate::award::whole;
use crate::tables::AGENCY;
use crate::{AgencyTier, AwardSearch, SERVICE};

/// The address of the service's reference of toptier agencies.
pub const AGENCIES_URL: &str = "https://api.usaspending.gov/api/v2/references/toptier_agencies/";

/// The most names in a suggestion.
pub const MAX_SUGGESTIONS: usize = 3;

/// A toptier agency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agency {
    /// Its name, as searches must have it.
    pub name: String,
    /// Its abbreviation, such as `NASA`.
    pub abbreviation: Option<String>,
    /// Its code of three or four digits.
    pub code: Option<String>,
    /// Its slug.
    pub slug: Option<String>,
    /// All its members.
    pub row: Row,
}

/// The toptier agencies that the service knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToptierAgencies {
    agencies: Vec<Agency>,
}

impl ToptierAgencies {
    /// Reads the answer at [`AGENCIES_URL`].
    ///
    /// # Errors
    /// [`AnswerError`]; a list without agencies is [`AnswerError::Shape`], since each name would be unknown to it.
    pub fn read(body: &[u8]) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let Some(rows) = rows_of(SERVICE, whole(&parsed)?, "results")?.filter(|rows| !rows.is_empty()) else {
            return Err(AnswerError::Shape {
                service: SERVICE,
                detail: "a reference without agencies".to_owned(),
            });
        };
        let agency = |row: Row| Agency {
            name: row.text("agency_name").unwrap_or_default().to_owned(),
            abbreviation: row.text("abbreviation").map(str::to_owned),
            code: row.text("toptier_code").map(str::to_owned),
            slug: row.text("agency_slug").map(str::to_owned),
            row,
        };
        let agencies =
            rows.into_iter().map(|row| AGENCY.read_lossless(row).map(agency)).collect::<Result<_, _>>()?;
        Ok(Self { agencies })
    }

    /// The agencies, in the order of the source.
    pub fn agencies(&self) -> &[Agency] {
        &self.agencies
    }

    /// The agency of a name, abbreviation, code or slug; case and punctuation of the name do not count.
    pub fn find(&self, asked: &str) -> Option<&Agency> {
        let plain = plain(asked);
        let by_name =
            self.agencies.iter().find(|agency| !plain.is_empty() && self::plain(&agency.name) == plain);
        by_name.or_else(|| {
            self.agencies.iter().find(|agency| {
                let others = [&agency.abbreviation, &agency.code, &agency.slug];
                others.into_iter().flatten().any(|other| other.eq_ignore_ascii_case(asked.trim()))
            })
        })
    }

    /// The names nearest to an unknown one, the nearest first, at most [`MAX_SUGGESTIONS`].
    pub fn nearest(&self, asked: &str) -> Vec<&str> {
        let asked = Compared::of(asked);
        let mut scored: Vec<(f64, &str)> = Vec::with_capacity(self.agencies.len());
        for agency in &self.agencies {
            let by_name = asked.likeness(&Compared::of(&agency.name));
            let by_abbreviation = agency.abbreviation.as_deref().map_or(0.0, |abbreviation| {
                strsim::normalized_damerau_levenshtein(&asked.plain, &plain(abbreviation))
            });
            scored.push((by_name.max(by_abbreviation), &agency.name));
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
    }

    fn named(&self, field: &'static str, asked: &str) -> Result<String, FieldError> {
        match self.find(asked) {
            Some(agency) => Ok(agency.name.clone()),
            None => {
                let nearest = self.nearest(asked).join("; ");
                let reason =
                    format!("{asked:?} is no toptier agency of {SERVICE}; the nearest are: {nearest}");
                Err(FieldError::new(field, reason))
            }
        }
    }
}

impl AwardSearch {
    /// The search with the agency's name as the service has it. The reference has no subtier agencies, so of a subtier one
    /// only the parent is compared; [`AwardAnswer::is_agency_in_doubt`](crate::AwardAnswer::is_agency_in_doubt) tells of the
    /// rest.
    ///
    /// # Errors
    /// [`FieldError`] with the nearest names where the service knows no such agency.
    pub fn with_agencies(&self, known: &ToptierAgencies) -> Result<Self, FieldError> {
        let mut search = self.clone();
        if let Some(agency) = &mut search.agency {
            match (agency.tier, &agency.parent) {
                (AgencyTier::Toptier, _) => {
                    agency.name = known.named("agency", &agency.name)?;
                    agency.is_known = true;
                }
                (AgencyTier::Subtier, Some(parent)) => {
                    agency.parent = Some(known.named("agency_parent", parent)?);
                }
                (AgencyTier::Subtier, None) => {}
            }
        }
        Ok(search)
    }
}

/// A name in the two forms that are compared.
struct Compared {
    plain: String,
    sorted: String,
}

impl Compared {
    fn of(name: &str) -> Self {
        let plain = plain(name);
        // "Energy Department" and "Department of Energy" have the same words.
        let mut words: Vec<&str> =
            plain.split(' ').filter(|word| !["of", "the", "and", "for"].contains(word)).collect();
        words.sort_unstable();
        let sorted = words.join(" ");
        Self { plain, sorted }
    }

    /// Likeness of two names, 0 to 1: the better of the names as they are and of their sorted words.
    fn likeness(&self, other: &Self) -> f64 {
        let as_it_is = strsim::normalized_damerau_levenshtein(&self.plain, &other.plain);
        let by_words = strsim::normalized_damerau_levenshtein(&self.sorted, &other.sorted);
        as_it_is.max(by_words)
    }
}

/// Lower-case words with one space between, without punctuation.
fn plain(name: &str) -> String {
    let lower = name.to_lowercase().replace(['.', '\'', '\u{2019}'], "");
    let words = lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The name of an awarding agency in a row of an answer.
pub(crate) fn is_named(row: &Row, member: &str, name: &str) -> bool {
    row.members.get(member).and_then(Json::as_str).is_none_or(|found| plain(found) == plain(name))
}
