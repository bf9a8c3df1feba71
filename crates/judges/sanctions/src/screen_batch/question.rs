//! The question of `/screen-batch`, parsed once with its bounds.

use std::sync::Arc;

use receipt::json::{Json, Path};
use serde_json::json;
use verdict::{AnyField as _, Array, Cost, Field, FieldError, Fields, Question, Reason, Table};

use crate::screen::{ENTITY, ENTITY_CHARS, LISTS, SUBJECT, ScreenSubject, read_lists};

/// Maximum number of entities of a batch.
pub const MOST_ENTITIES: usize = 1_000;

/// Question of a batch: the entities to screen.
///
/// ```
/// use receipt::json::parse;
/// use sanctions::screen_batch::BatchQuestion;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     BatchQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// let question = read(r#"{"entities": ["Viktor Bout", {"entity": "Evil Corp", "type": "entity"}]}"#)?;
/// assert_eq!(question.units(), 2);
///
/// let error = read(r#"{"entities": ["Viktor Bout", {"entity": 7}]}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("entities.1.entity", "wrong_type"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchQuestion {
    /// The entities to screen: 1 to [`MOST_ENTITIES`], in the caller's order.
    pub entities: Arc<[ScreenSubject]>,
    /// Names of the lists to ask; empty for all.
    pub lists: Arc<[String]>,
}

const ENTITIES: Field<Array> =
    Field::array("entities", 1..=MOST_ENTITIES, || json!({"oneOf": [ENTITY.schema(), SUBJECT.schema()]}))
        .describe("Names, or objects with what /screen-entity takes.")
        .of(&SUBJECT)
        .synonyms("entity names parties");

impl Question for BatchQuestion {
    const TABLE: Table = Table::new("BatchQuestion", &[&ENTITIES], &[&LISTS])
        .describe("Names, and what else is known of who bears them. The price is for each name.")
        .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let entities = fields.array(&ENTITIES, "entities")?.ok_or_else(|| fields.missing(ENTITIES.name))?;
        let read = entities.iter().enumerate().map(|(at, entity)| {
            let below = |error: FieldError| FieldError { path: below(at, &error.path), ..error };
            let mut subject = read_entity(entity).map_err(below)?;
            subject.unless_listed = subject.unless_listed.map(below);
            Ok(subject)
        });
        Ok(Self { entities: read.collect::<Result<_, _>>()?, lists: read_lists(fields)?.into() })
    }

    fn units(&self) -> u32 {
        let names: usize = self.entities.iter().map(|subject| 1 + subject.names.len()).sum();
        u32::try_from(names).unwrap_or(u32::MAX)
    }

    fn cost(&self) -> Cost {
        Cost::micros(self.entities.iter().map(ScreenSubject::micros).sum())
    }
}

/// A name alone, or the members that `/screen-entity` takes; an error's path starts at the entity.
fn read_entity(entity: &Json) -> Result<ScreenSubject, FieldError> {
    let error = |reason, detail: String| FieldError { path: Path::root(), reason, detail };
    match entity {
        Json::Object(object) => ScreenSubject::read(&Fields::root(object)),
        Json::String(name) if name.is_empty() => Err(error(Reason::Empty, "must not be empty".to_owned())),
        Json::String(name) if name.chars().nth(ENTITY_CHARS).is_some() => {
            Err(error(Reason::TooLong, format!("must be at most {ENTITY_CHARS} characters")))
        }
        Json::String(name) => {
            ScreenSubject::named(name, None, |(reason, detail)| error(reason, detail.to_owned()))
        }
        _ => Err(error(Reason::WrongType, "must be a string or an object".to_owned())),
    }
}

/// The path within the request of a path within an entity.
fn below(at: usize, path: &Path) -> Path {
    let mut whole = Path::root();
    whole.push_name(ENTITIES.name);
    whole.push_index(at);
    path.segments().iter().for_each(|segment| whole.push(segment.clone()));
    whole
}
