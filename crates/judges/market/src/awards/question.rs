//! The question of `/awards`, parsed once with its bounds.

use jiff::civil::Date;
use serde_json::{Value, json};
use usaspending::{
    AwardGroup, AwardSearchRequest, AwardTypes, DEFAULT_LIMIT, MAX_CODES, MAX_KEYWORDS, MAX_LIMIT,
    MAX_TEXT_CHARS, MIN_KEYWORD_CHARS,
};
use verdict::{Field, FieldError, Fields, Question, Raw, Table};

use crate::records::{self, flag_schema, list_schema, text_schema, whole_schema};

/// The question of `/awards`: a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AwardsQuestion {
    /// The search as it was sent.
    pub request: AwardSearchRequest,
}

const CONTROLS: &str = r"\u0000-\u001f\u007f-\u009f\\";
/// A first or last character of a keyword.
const KEYWORD_CHAR: &str = r"[^,\s\u0000-\u001f\u007f-\u009f\\]";

const GROUP: Field<Raw> = Field::raw("group", || {
    let names: Vec<&str> = AwardGroup::ALL.iter().map(|group| group.name()).collect();
    json!({"enum": names})
})
.describe("The group of award types. A call searches one.")
.synonyms("award_type category");
const TYPES: Field<Raw> = Field::raw("types", || list_schema(MAX_CODES, "(-1|[A-Z0-9_]{1,20})")).describe(
    "Award type codes, all of one group, such as A, B, C, D; all codes of `group` where it is left out.",
);
const KEYWORDS: Field<Raw> = Field::raw("keywords", || {
    list_schema(
        MAX_KEYWORDS,
        &format!(
            "{KEYWORD_CHAR}[^,{CONTROLS}]{{{},{}}}{KEYWORD_CHAR}",
            MIN_KEYWORD_CHARS - 2,
            MAX_TEXT_CHARS - 2
        ),
    )
})
.describe("Words of which an award has one.")
.synonyms("keyword term query");
const RECIPIENT: Field<Raw> = Field::raw("recipient", || text_schema(MAX_TEXT_CHARS))
    .describe("A part of the recipient's name, or its UEI.")
    .synonyms("company vendor");
const AGENCY: Field<Raw> = Field::raw("agency", || text_schema(MAX_TEXT_CHARS))
    .describe("The agency's name; of a toptier agency also its abbreviation, code or slug.")
    .synonyms("agencies department");
const AGENCY_ROLE: Field<Raw> = Field::raw("agency_role", || json!({"enum": ["awarding", "funding"]}))
    .describe("The agency's role; awarding where it is left out.");
const AGENCY_TIER: Field<Raw> = Field::raw("agency_tier", || json!({"enum": ["toptier", "subtier"]}))
    .describe("The agency's level; toptier where it is left out.");
const AGENCY_PARENT: Field<Raw> = Field::raw("agency_parent", || text_schema(MAX_TEXT_CHARS))
    .describe("The toptier agency above a subtier one.");
const NAICS: Field<Raw> = Field::raw("naics", || list_schema(MAX_CODES, "[0-9]{2,6}"))
    .describe("Codes of industries, of two to six digits.");
const PSC: Field<Raw> = Field::raw("psc", || list_schema(MAX_CODES, "[A-Z0-9]{4}"))
    .describe("Codes of products and services, of four characters.");
const FROM: Field<Raw> = Field::raw("from", action_day_schema)
    .describe("The first day of actions, from 2007-10-01 on.")
    .synonyms("start");
const TO: Field<Raw> =
    Field::raw("to", action_day_schema).describe("The last day of actions.").synonyms("end until");
const MIN_AMOUNT: Field<Raw> =
    Field::raw("min_amount", amount_schema).describe("The least amount, in dollars.");
const MAX_AMOUNT: Field<Raw> =
    Field::raw("max_amount", amount_schema).describe("The greatest amount, in dollars.");
const SINCE: Field<Raw> = Field::raw("since", action_day_schema)
    .describe("Only awards that were changed after this day; in place of `from` and `to`.");
const SUBAWARDS: Field<Raw> =
    Field::raw("subawards", flag_schema).describe("True for awards that recipients gave on to others.");
const LIMIT: Field<Raw> = Field::raw("limit", || whole_schema(1, MAX_LIMIT, DEFAULT_LIMIT))
    .describe("The rows of a page.")
    .synonyms("per_page");
const PAGE: Field<Raw> = Field::raw("page", || whole_schema(1, 50_000, 1)).describe("The page, from 1.");
const NEXT: Field<Raw> = Field::raw(
    "next",
    || json!({"type": "string", "pattern": "^(page:[0-9]{1,9}|cursor:[0-9]{1,19}:.{1,500})$"}),
)
.describe("`next` of an earlier answer, in place of `page`.");

impl Question for AwardsQuestion {
    const TABLE: Table = Table::new(
        "AwardsQuestion",
        &[],
        &[
            &GROUP,
            &TYPES,
            &KEYWORDS,
            &RECIPIENT,
            &AGENCY,
            &AGENCY_ROLE,
            &AGENCY_TIER,
            &AGENCY_PARENT,
            &NAICS,
            &PSC,
            &FROM,
            &TO,
            &MIN_AMOUNT,
            &MAX_AMOUNT,
            &SINCE,
            &SUBAWARDS,
            &LIMIT,
            &PAGE,
            &NEXT,
        ],
    )
    .describe("A search of US federal awards. In a query, the elements of an array are joined by commas.")
    .with(|| {
        json!({
            "anyOf": [{"required": [GROUP.name]}, {"required": [TYPES.name]}],
            "dependentRequired": {
                AGENCY_ROLE.name: [AGENCY.name], AGENCY_TIER.name: [AGENCY.name],
                AGENCY_PARENT.name: [AGENCY.name, AGENCY_TIER.name],
            },
            "allOf": [
                {"not": {"required": [PAGE.name, NEXT.name]}},
                {"not": {"required": [SINCE.name, FROM.name]}},
                {"not": {"required": [SINCE.name, TO.name]}},
            ],
        })
    })
    .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let request = AwardSearchRequest {
            group: records::text(fields, &GROUP)?,
            types: records::list(fields, &TYPES)?,
            keywords: records::list(fields, &KEYWORDS)?,
            recipient: records::text(fields, &RECIPIENT)?,
            agency: records::text(fields, &AGENCY)?,
            agency_role: records::text(fields, &AGENCY_ROLE)?,
            agency_tier: records::text(fields, &AGENCY_TIER)?,
            agency_parent: records::text(fields, &AGENCY_PARENT)?,
            naics: records::list(fields, &NAICS)?,
            psc: records::list(fields, &PSC)?,
            from: records::text(fields, &FROM)?,
            to: records::text(fields, &TO)?,
            min_amount: records::text(fields, &MIN_AMOUNT)?,
            max_amount: records::text(fields, &MAX_AMOUNT)?,
            since: records::text(fields, &SINCE)?,
            subawards: records::flag(fields, &SUBAWARDS)?,
            limit: records::whole(fields, &LIMIT)?,
            page: records::whole(fields, &PAGE)?,
            next: records::text(fields, &NEXT)?,
        };
        // What depends on the day and on the service's own reference is checked when those are known.
        let refused = |error: record_search::FieldError| records::refusal(fields, &error);
        if request.group.is_none() && request.types.is_none() {
            request.check(Date::MAX, &AwardTypes::bundled()).map_err(refused)?;
        }
        // A code that the bundled table lacks may be new to the service, so types count only with the service's own.
        let group = request.group.clone().unwrap_or_else(|| AwardGroup::Contracts.name().to_owned());
        let rest = AwardSearchRequest { types: None, group: Some(group), ..request.clone() };
        rest.check(Date::MAX, &AwardTypes::bundled()).map_err(refused)?;
        Ok(Self { request })
    }
}

/// A day from 2007-10-01 on.
fn action_day_schema() -> Value {
    let months = "(0[1-9]|1[0-2])";
    let year = format!("(2007-1[0-2]|(200[89]|20[1-9][0-9]|2[1-9][0-9]{{2}})-{months})");
    json!({"type": "string", "pattern": format!("^{year}-(0[1-9]|[12][0-9]|3[01])$")})
}

fn amount_schema() -> Value {
    json!({"type": "string", "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,2})?$"})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<AwardsQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        AwardsQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn a_query_and_a_body_ask_the_same() {
        let body = r#"{"group":"contracts","types":["A","B"],"naics":["541715"],"subawards":true,"limit":50,"page":2}"#;
        let query = r#"{"group":"contracts","types":"A,B","naics":"541715","subawards":"true","limit":"50","page":"2"}"#;
        assert_eq!(read(body).unwrap(), read(query).unwrap());
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        for (body, field, code) in [
            ("{}", "group", "missing"),
            (r#"{"group":"gifts"}"#, "group", "unknown_value"),
            (r#"{"group":"grants","limit":101}"#, "limit", "out_of_range"),
            (r#"{"group":"grants","from":"2007-09-30"}"#, "from", "out_of_range"),
            (r#"{"group":"grants","keywords":["ab"]}"#, "keywords", "malformed"),
            (r#"{"group":"grants","min_amount":"2","max_amount":"1"}"#, "min_amount", "contradictory"),
            (r#"{"group":"grants","agency_role":"funding"}"#, "agency_role", "not_applicable"),
            (r#"{"group":"loans","subawards":true}"#, "subawards", "not_applicable"),
            (r#"{"group":7}"#, "group", "wrong_type"),
        ] {
            let found = read(body).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{body}");
        }
    }
}
