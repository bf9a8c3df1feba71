//! The question of `/screen-entity`, parsed once with its bounds.

use verdict::{Cost, Field, FieldError, Fields, Question, Table, Whole};

use crate::screen::{
    BIRTH_DATE, COUNTRY, DISMISSED, ENTITY, ID_NUMBER, IDENTIFIERS, KIND, LISTS, MIN_SCORE, NAMES,
    NOT_COMPARED, ScreenSubject, read_lists,
};

/// Maximum number of matches that a caller may ask for.
pub const MOST_MATCHES: usize = 100;
/// Most matches of an answer where the question does not say.
const DEFAULT_MATCHES: usize = 10;

/// The question of a name screen: the party, and the maximum number of matches.
///
/// ```
/// use receipt::json::parse;
/// use sanctions::screen_entity::EntityQuestion;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     EntityQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// assert_eq!(read(r#"{"entity": "Viktor Bout"}"#)?.limit, 10);
///
/// let error = read(r#"{"entity": "..."}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("entity", "empty"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityQuestion {
    /// Party to screen.
    pub subject: ScreenSubject,
    /// Names of the lists to ask; empty for all.
    pub lists: Vec<String>,
    /// Maximum number of matches in the answer: 1 to [`MOST_MATCHES`].
    pub limit: usize,
}

const LIMIT: Field<Whole> = Field::whole("limit", 1..=MOST_MATCHES, DEFAULT_MATCHES)
    .describe("How many matches are given at most, the best first.");

impl Question for EntityQuestion {
    const TABLE: Table = Table::new(
        "EntityQuestion",
        &[&ENTITY],
        &[
            &NAMES,
            &KIND,
            &BIRTH_DATE,
            &COUNTRY,
            &ID_NUMBER,
            &IDENTIFIERS,
            &LISTS,
            &MIN_SCORE,
            &DISMISSED,
            &LIMIT,
        ],
    )
    .describe("A name, and what else is known of who bears it. What is not known changes nothing.")
    .not_taking(&NOT_COMPARED)
    .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {
            subject: ScreenSubject::read(fields)?,
            lists: read_lists(fields)?,
            limit: fields.whole(&LIMIT)?,
        })
    }

    fn cost(&self) -> Cost {
        Cost::micros(self.subject.micros())
    }
}
