//! The question, read once and bounded at the edge.

use receipt::json::Json;
use verdict::{Cost, FieldError, Fields, Member, Question, Reason};

use crate::screen::{ScreenSubject, members_as};

/// The most matches that a caller may ask for.
pub const MOST_MATCHES: usize = 100;
/// Most matches of an answer where the question does not say.
pub(super) const DEFAULT_MATCHES: usize = 10;

/// Question of a name screen: the party, and the most matches.
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
    /// Most matches of the answer: 1 to [`MOST_MATCHES`].
    pub limit: usize,
}

const MEMBERS: [Member; 6] = {
    let [name, kind, birth_date, country, id_number] = members_as("entity");
    [name, kind, birth_date, country, id_number, Member::new("limit", &[])]
};

impl Question for EntityQuestion {
    const MEMBERS: &'static [Member] = &MEMBERS;

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self { subject: ScreenSubject::read(fields)?, limit: read_limit(fields)? })
    }

    fn cost(&self) -> Cost {
        Cost::micros(self.subject.micros())
    }
}

fn read_limit(fields: &Fields<'_>) -> Result<usize, FieldError> {
    let number = match fields.value("limit") {
        None => return Ok(DEFAULT_MATCHES),
        Some(Json::Number(number)) => number,
        Some(_) => return Err(fields.error("limit", Reason::WrongType, "must be a number")),
    };
    let limit = number.as_u64().and_then(|limit| usize::try_from(limit).ok());
    limit.filter(|limit| (1..=MOST_MATCHES).contains(limit)).ok_or_else(|| {
        let detail = format!("must be a whole number from 1 to {MOST_MATCHES}");
        fields.error("limit", Reason::Malformed, detail)
    })
}
