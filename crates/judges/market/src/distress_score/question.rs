//! The question of `/distress-score`, parsed once with its bounds.

use distress::{Financials, InputError, InputProblem, Item};
use receipt::json::{Json, Object};
use serde_json::{Map, Value, json};
use verdict::{Field, FieldError, Fields, Question, Raw, Reason, Table};

/// The question of `/distress-score`: a company's accounts.
#[derive(Clone, Debug)]
pub struct DistressQuestion {
    /// The accounts as they were sent.
    pub financials: Financials,
}

pub(super) const FINANCIALS: Field<Raw> = Field::raw("financials", schema)
    .describe(
        "The accounts of one year: the currency, the last day of the year, and the items that are known, as decimal strings; \
         the year before under `prior`.",
    )
    .synonyms("accounts statements financial_statements");

impl Question for DistressQuestion {
    const TABLE: Table = Table::new("DistressQuestion", &[&FINANCIALS], &[])
        .describe("A company's accounts to score.")
        .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let members = fields.object(FINANCIALS.name)?;
        let object = fields.value(FINANCIALS.name).and_then(Json::as_object);
        let json = object.map(members_of).unwrap_or_default();
        let financials = Financials::from_json(&Value::Object(json)).map_err(|errors| {
            let first = errors.into_iter().next();
            first.map_or_else(|| fields.missing(FINANCIALS.name), |error| of(&members, &error))
        })?;
        Ok(Self { financials })
    }
}

/// The members as the accounts read them. Texts, booleans and whole numbers are kept, and the members of `prior`; anything else
/// becomes an array, which no member may be.
fn members_of(object: &Object) -> Map<String, Value> {
    let value = |value: &Json| match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::String(text) => Value::String(text.clone()),
        Json::Number(number) => number.as_u64().map_or_else(|| json!([]), Value::from),
        Json::Object(object) => Value::Object(members_of(object)),
        Json::Array(_) => json!([]),
    };
    object.iter().map(|(name, member)| (name.to_owned(), value(member))).collect()
}

fn of(members: &Fields<'_>, error: &InputError) -> FieldError {
    let reason = match error.problem {
        InputProblem::Missing => Reason::Missing,
        InputProblem::Unknown => Reason::UnknownValue,
        InputProblem::NotAnObject | InputProblem::NotAString | InputProblem::NotABoolean => Reason::WrongType,
        InputProblem::TooManyMembers => Reason::TooLong,
        InputProblem::Amount(_)
        | InputProblem::NotACurrency
        | InputProblem::NotADay
        | InputProblem::NotASic => Reason::Malformed,
    };
    let detail = format!("is {}", error.problem);
    match (error.member.strip_prefix("prior."), members.object("prior")) {
        (Some(member), Ok(prior)) => prior.error(member, reason, detail),
        _ => members.error(&error.member, reason, detail),
    }
}

fn schema() -> Value {
    let amount = json!({"type": "string", "pattern": r"^-?[0-9]{1,18}(\.[0-9]{1,10})?$"});
    let items = || Item::ALL.iter().map(|item| (item.name().to_owned(), amount.clone()));
    let mut properties: Map<String, Value> = items().collect();
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    properties.insert("currency".to_owned(), text("^[A-Z]{3}$"));
    properties.insert("period_end".to_owned(), text("^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"));
    let sic =
        json!({"anyOf": [text("^[1-9][0-9]{2,3}$"), {"type": "integer", "minimum": 100, "maximum": 9999}]});
    properties.insert("sic".to_owned(), sic);
    properties.insert("is_private".to_owned(), json!({"type": "boolean"}));
    let prior = json!({"type": "object", "properties": items().collect::<Map<_, _>>(), "additionalProperties": false});
    properties.insert("prior".to_owned(), prior);
    json!({
        "type": "object",
        "required": ["currency", "period_end"],
        "properties": properties,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<DistressQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        DistressQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn accounts_are_read_and_what_is_wrong_is_named_by_its_path() {
        let good = r#"{"financials":{"currency":"USD","period_end":"2025-12-31","total_assets":"10.5","sic":3571,
            "prior":{"total_assets":"9"}}}"#;
        assert_eq!(read(good).unwrap().financials.given().count(), 2);
        for (members, field, code) in [
            (r#""period_end":"2025-12-31""#, "financials.currency", "missing"),
            (r#""currency":"USD","period_end":"2025-13-31""#, "financials.period_end", "malformed"),
            (r#""currency":"usd","period_end":"2025-12-31""#, "financials.currency", "malformed"),
            (
                r#""currency":"USD","period_end":"2025-12-31","assets":"1""#,
                "financials.assets",
                "unknown_value",
            ),
            (r#""currency":"USD","period_end":"2025-12-31","cash":1.5"#, "financials.cash", "wrong_type"),
            (r#""currency":"USD","period_end":"2025-12-31","cash":"1e5""#, "financials.cash", "malformed"),
            (
                r#""currency":"USD","period_end":"2025-12-31","prior":{"cash":"x"}"#,
                "financials.prior.cash",
                "malformed",
            ),
            (r#""currency":"USD","period_end":"2025-12-31","prior":[]"#, "financials.prior", "wrong_type"),
        ] {
            let found = read(&format!("{{\"financials\":{{{members}}}}}")).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{members}");
        }
        assert_eq!(read("{}").unwrap_err(), ("financials".to_owned(), "missing"));
        assert_eq!(read(r#"{"financials":"a"}"#).unwrap_err(), ("financials".to_owned(), "wrong_type"));
    }

    #[test]
    fn the_schema_has_every_item_and_its_pattern_takes_what_is_read() {
        let schema = schema();
        for item in Item::ALL {
            assert!(schema["properties"][item.name()].is_object(), "{}", item.name());
            assert!(schema["properties"]["prior"]["properties"][item.name()].is_object());
        }
    }
}
