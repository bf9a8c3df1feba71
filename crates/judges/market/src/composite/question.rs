//! The question of `/composite`, parsed once with its bounds.

use std::collections::BTreeSet;

use jiff::civil::{Date, date};
use receipt::json::{Json, Path, Segment};
use serde_json::{Value, json};
use stress_composite::{Component, Direction, MAX_COMPONENTS, Series, SeriesError};
use verdict::{Array, Field, FieldError, Fields, Question, Raw, Reason, Table, Text, Words};

/// The fewest series of a caller's composite: with fewer there is no reading.
pub const LEAST_COMPONENTS: usize = 4;
/// Most observations of a series.
pub const MAX_OBSERVATIONS: usize = 12_000;
/// Largest weight; the smallest is its reciprocal.
const MAX_WEIGHT: f64 = 1000.0;
/// The first day of a reading: the VIX is published from it on.
pub const FIRST_DAY: Date = date(1990, 1, 2);

/// The question of `/composite`.
#[derive(Clone, PartialEq, Debug)]
pub struct CompositeQuestion {
    /// The series to read.
    pub kind: CompositeKind,
    /// The day of the reading; `None` for the day of the judgement.
    pub as_of: Option<Date>,
}

/// The series of a composite.
#[derive(Clone, PartialEq, Debug)]
pub enum CompositeKind {
    /// The published ones, with a price series of the caller whose drawdown counts.
    BuiltIn {
        /// The prices.
        price: Option<Series>,
    },
    /// Those of the caller.
    Own(Vec<Component>),
}

pub(super) const AS_OF: Field<Text> = Field::text("as_of", 10..=10)
    .form(
        "^(19[9]|20[0-9]|21[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        "must be a day from 1990-01-02 on, such as 2026-03-31",
    )
    .describe(
        "The day of the reading; no later observation counts. The day of the question where it is left out.",
    )
    .synonyms("date day");

const COMPONENTS: Field<Array> =
    Field::array("components", LEAST_COMPONENTS..=MAX_COMPONENTS, component_schema)
        .describe("Series of your own in place of the built-in ones.")
        .synonyms("series inputs")
        .of(&COMPONENT);

const PRICE: Field<Raw> = Field::raw("price", series_schema)
    .describe("Prices of your own, whose drawdown counts beside the built-in series.")
    .synonyms("prices drawdown");

const NAME: Field<Text> =
    Field::text("name", 1..=60).plain().describe("The name of the series, unique in the question.");
const SERIES: Field<Raw> = Field::raw("series", series_schema)
    .describe("The observations: a day and a value each, in rising order of the days.")
    .synonyms("observations values data");
const WEIGHT: Field<Raw> =
    Field::raw("weight", || json!({"type": "number", "minimum": 0.001, "maximum": 1000, "default": 1}))
        .describe("The weight; all are 1 where none is given.");
const DIRECTION: Field<Words<Direction>> = Field::words(
    "direction",
    &[("high_is_stress", Direction::HighIsStress), ("low_is_stress", Direction::LowIsStress)],
)
.describe("What a high value says.");

const COMPONENT: Table = Table::new("", &[&NAME, &SERIES, &DIRECTION], &[&WEIGHT]);

impl Question for CompositeQuestion {
    const TABLE: Table = Table::new("CompositeQuestion", &[], &[&COMPONENTS, &PRICE, &AS_OF])
        .describe("The built-in composite of market stress, or one of your own series.")
        .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let as_of = fields
            .optional_parse(&AS_OF, |text| text.parse::<Date>().ok().filter(|day| *day >= FIRST_DAY))?;
        let price =
            fields.value(PRICE.name).map(|value| series(value, Path::root(), PRICE.name)).transpose()?;
        let Some(components) = fields.array(&COMPONENTS, "components")? else {
            return Ok(Self { kind: CompositeKind::BuiltIn { price }, as_of });
        };
        if price.is_some() {
            let detail = "must not be there beside `components`: send the drawdown as a component";
            return Err(fields.error(PRICE.name, Reason::Contradictory, detail));
        }
        if components.len() < LEAST_COMPONENTS {
            let detail = format!("must have at least {LEAST_COMPONENTS} components: fewer give no reading");
            return Err(fields.error(COMPONENTS.name, Reason::OutOfRange, detail));
        }
        let (mut own, mut names) = (Vec::with_capacity(components.len()), BTreeSet::new());
        for (at, element) in components.iter().enumerate() {
            let mut path = Path::root();
            path.push_name(COMPONENTS.name);
            path.push_index(at);
            let read = component(element, &path)?;
            if !names.insert(read.name.clone()) {
                path.push_name(NAME.name);
                return Err(FieldError {
                    path,
                    reason: Reason::Duplicate,
                    detail: "must be unique".to_owned(),
                });
            }
            own.push(read);
        }
        Ok(Self { kind: CompositeKind::Own(own), as_of })
    }

    fn cost(&self) -> verdict::Cost {
        match &self.kind {
            // It waits for its sources, and computes on a thread of its own.
            CompositeKind::BuiltIn { .. } => verdict::Cost::None,
            CompositeKind::Own(components) => {
                let observations: usize =
                    components.iter().map(|component| component.series.days().len()).sum();
                verdict::Cost::micros(observations as u64 / 2)
            }
        }
    }
}

fn component(element: &Json, path: &Path) -> Result<Component, FieldError> {
    let Some(object) = element.as_object() else {
        let detail = "must be an object with name, series and direction".to_owned();
        return Err(FieldError { path: path.clone(), reason: Reason::WrongType, detail });
    };
    let below = |error: FieldError| {
        let mut whole = path.clone();
        error.path.segments().iter().cloned().for_each(|segment: Segment| whole.push(segment));
        FieldError { path: whole, ..error }
    };
    let fields = Fields::root(object);
    let name = fields.text(&NAME).map_err(below)?.to_owned();
    let direction = fields.choice(&DIRECTION).map_err(below)?;
    let weight = match fields.value(WEIGHT.name) {
        None => 1.0,
        Some(Json::Number(number)) => number.as_f64(),
        Some(_) => return Err(below(fields.error(WEIGHT.name, Reason::WrongType, "must be a number"))),
    };
    if !(1.0 / MAX_WEIGHT..=MAX_WEIGHT).contains(&weight) {
        let detail = format!("must be from {} to {MAX_WEIGHT}", 1.0 / MAX_WEIGHT);
        return Err(below(fields.error(WEIGHT.name, Reason::OutOfRange, detail)));
    }
    let observations = fields.value(SERIES.name).ok_or_else(|| below(fields.missing(SERIES.name)))?;
    let series = series(observations, path.clone(), SERIES.name)?;
    Ok(Component { name, series, weight, direction })
}

/// Reads pairs of a day and a value.
fn series(value: &Json, mut path: Path, name: &str) -> Result<Series, FieldError> {
    path.push_name(name);
    let error = |at: Option<usize>, reason, detail: &str| {
        let mut path = path.clone();
        at.into_iter().for_each(|at| path.push_index(at));
        FieldError { path, reason, detail: detail.to_owned() }
    };
    let Some(pairs) = value.as_array() else {
        return Err(error(
            None,
            Reason::WrongType,
            "must be an array of pairs such as [\"2026-03-31\", 4.25]",
        ));
    };
    if pairs.is_empty() {
        return Err(error(None, Reason::Empty, "must not be empty"));
    }
    if pairs.len() > MAX_OBSERVATIONS {
        let detail = format!("must have at most {MAX_OBSERVATIONS} observations");
        return Err(error(None, Reason::TooLong, &detail));
    }
    let mut observations = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let [day, value] = pair.as_array().unwrap_or_default() else {
            return Err(error(Some(at), Reason::WrongType, "must be a pair such as [\"2026-03-31\", 4.25]"));
        };
        let day = day.as_str().filter(|text| text.len() == 10).and_then(|text| text.parse::<Date>().ok());
        let day = day
            .ok_or_else(|| error(Some(at), Reason::Malformed, "must begin with a day such as 2026-03-31"))?;
        let number = match value {
            Json::Number(number) => Some(number.as_f64()),
            Json::String(text) => decimal(text),
            _ => None,
        };
        let number = number.ok_or_else(|| {
            error(Some(at), Reason::Malformed, "must end with a number or a decimal string")
        })?;
        observations.push((day, number));
    }
    Series::new(observations).map_err(|problem| match problem {
        SeriesError::NotRising { at } => {
            error(Some(at), Reason::Contradictory, "must be after the day before it")
        }
        SeriesError::NoValue { at } => error(Some(at), Reason::OutOfRange, "must have a value within ±10^12"),
        SeriesError::TooLong => error(None, Reason::TooLong, "must have fewer observations"),
    })
}

/// The double nearest to a decimal such as `-4.25`.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits =
        |part: &str| (1..=18).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits(whole) && is_digits(fraction)).then(|| text.parse().ok()).flatten()
}

fn series_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_OBSERVATIONS,
        "items": {
            "type": "array",
            "prefixItems": [
                {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},
                {"anyOf": [
                    {"type": "number", "minimum": -1e12, "maximum": 1e12},
                    {"type": "string", "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,18})?$"},
                ]},
            ],
            "minItems": 2,
            "maxItems": 2,
        },
    })
}

fn component_schema() -> Value {
    COMPONENT.schema()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<CompositeQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        CompositeQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    fn four(last: &str) -> String {
        let one = |name: &str| {
            format!(
                r#"{{"name":"{name}","series":[["2026-01-02",1],["2026-01-05","2.5"]],"direction":"high_is_stress"}}"#
            )
        };
        format!(r#"{{"components":[{},{},{},{last}]}}"#, one("a"), one("b"), one("c"))
    }

    #[test]
    fn the_built_in_and_own_series_are_read() {
        assert_eq!(
            read("{}").unwrap(),
            CompositeQuestion { kind: CompositeKind::BuiltIn { price: None }, as_of: None }
        );
        let dated =
            read(r#"{"as_of":"2020-03-16","price":[["2020-03-13",10],["2020-03-16","9.5"]]}"#).unwrap();
        assert_eq!(dated.as_of, Some(date(2020, 3, 16)));
        let last = r#"{"name":"d","series":[["2026-01-02",-1]],"direction":"low_is_stress","weight":2}"#;
        let CompositeKind::Own(own) = read(&four(last)).unwrap().kind else { panic!("own series") };
        assert_eq!(
            (own[3].weight, own[3].direction, own[0].series.values()),
            (2.0, Direction::LowIsStress, &[1.0, 2.5][..])
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        let with =
            |series: &str| four(&format!(r#"{{"name":"d","series":{series},"direction":"low_is_stress"}}"#));
        for (body, field, code) in [
            (r#"{"as_of":"1989-12-31"}"#.to_owned(), "as_of", "malformed"),
            (r#"{"as_of":"2026-02-30"}"#.to_owned(), "as_of", "malformed"),
            (r#"{"components":[]}"#.to_owned(), "components", "empty"),
            (r#"{"price":5}"#.to_owned(), "price", "wrong_type"),
            (r#"{"price":[["2020-03-13",10,1]]}"#.to_owned(), "price.0", "wrong_type"),
            (with(r#"[["2026-01-02",1],["2026-01-02",2]]"#), "components.3.series.1", "contradictory"),
            (with(r#"[["2026-01-02","1e5"]]"#), "components.3.series.0", "malformed"),
            (with(r#"[["2026-13-02",1]]"#), "components.3.series.0", "malformed"),
            (with(r#"[["2026-01-02",1e13]]"#), "components.3.series.0", "out_of_range"),
            (with("[]"), "components.3.series", "empty"),
            (
                four(r#"{"name":"a","series":[["2026-01-02",1]],"direction":"low_is_stress"}"#),
                "components.3.name",
                "duplicate",
            ),
            (four(r#"{"name":"d","series":[["2026-01-02",1]]}"#), "components.3.direction", "missing"),
            (
                four(r#"{"name":"d","series":[["2026-01-02",1]],"direction":"low_is_stress","weight":0}"#),
                "components.3.weight",
                "out_of_range",
            ),
            (four("7"), "components.3", "wrong_type"),
        ] {
            let found = read(&body).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{body}");
        }
    }
}
