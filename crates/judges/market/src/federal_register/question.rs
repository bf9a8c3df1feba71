//! The question of `/federal-register`, parsed once with its bounds.

use federal_register::{
    DEFAULT_PER_PAGE, DocumentType, MAX_AGENCIES, MAX_DOCKET_CHARS, MAX_PAGE, MAX_PER_PAGE, MAX_TERM_CHARS,
    Search, SearchRequest,
};
use jiff::civil::Date;
use serde_json::json;
use verdict::{Field, FieldError, Fields, Question, Raw, Table};

use crate::records::{self, day_schema, flag_schema, list_schema, text_schema, whole_schema};

/// The question of `/federal-register`: a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisterQuestion {
    /// The search as it was sent.
    pub request: SearchRequest,
}

const TERM: Field<Raw> = Field::raw("term", || text_schema(MAX_TERM_CHARS))
    .describe("Words to search for.")
    .synonyms("query keyword text");
const AGENCIES: Field<Raw> =
    Field::raw("agencies", || list_schema(MAX_AGENCIES, "[a-z0-9]{1,20}(-[a-z0-9]{1,20}){0,6}"))
        .describe("Slugs of agencies, of which a document has one: environmental-protection-agency.")
        .synonyms("agency");
const TYPES: Field<Raw> = Field::raw("types", || {
    let codes: Vec<&str> = DocumentType::ALL.iter().map(|kind| kind.code()).collect();
    list_schema(DocumentType::ALL.len(), &format!("({})", codes.join("|")))
})
.describe("Types of documents: rules, proposed rules, notices, documents of the President.")
.synonyms("type");
const FROM: Field<Raw> =
    Field::raw("from", day_schema).describe("The first day of publication.").synonyms("start");
const TO: Field<Raw> =
    Field::raw("to", day_schema).describe("The last day of publication.").synonyms("end until");
const DOCKET: Field<Raw> = Field::raw("docket", || text_schema(MAX_DOCKET_CHARS))
    .describe("The docket of the agency, such as EPA-HQ-OAR-2021-0317.");
const SIGNIFICANT: Field<Raw> = Field::raw("significant", flag_schema)
    .describe("True for documents that are significant under Executive Order 12866, false for others.");
const SINCE: Field<Raw> =
    Field::raw("since", day_schema).describe("Only documents published after this day.");
const PAGE: Field<Raw> =
    Field::raw("page", || whole_schema(1, MAX_PAGE, 1)).describe("The page, from 1 to 50.");
const PER_PAGE: Field<Raw> = Field::raw("per_page", || whole_schema(1, MAX_PER_PAGE, DEFAULT_PER_PAGE))
    .describe("The rows of a page.")
    .synonyms("limit");
const NEXT: Field<Raw> = Field::raw(
    "next",
    || json!({"type": "string", "pattern": r"^(page:[1-9][0-9]?|before:[0-9]{4}-[0-9]{2}-[0-9]{2})$"}),
)
.describe("`next` of an earlier answer, in place of `page`.");

impl Question for RegisterQuestion {
    const TABLE: Table = Table::new(
        "RegisterQuestion",
        &[],
        &[&TERM, &AGENCIES, &TYPES, &FROM, &TO, &DOCKET, &SIGNIFICANT, &SINCE, &PAGE, &PER_PAGE, &NEXT],
    )
    .describe("A search of the Federal Register. In a query, the elements of an array are joined by commas.")
    .refusing_misnamed()
    .with(|| json!({"not": {"required": [PAGE.name, NEXT.name]}}));

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let request = SearchRequest {
            term: records::text(fields, &TERM)?,
            agencies: records::list(fields, &AGENCIES)?,
            types: records::list(fields, &TYPES)?,
            from: records::text(fields, &FROM)?,
            to: records::text(fields, &TO)?,
            docket: records::text(fields, &DOCKET)?,
            significant: records::flag(fields, &SIGNIFICANT)?,
            since: records::text(fields, &SINCE)?,
            page: records::whole(fields, &PAGE)?,
            per_page: records::whole(fields, &PER_PAGE)?,
            next: records::text(fields, &NEXT)?,
        };
        // All but what depends on the day is known now.
        request.check(Date::MAX).map_err(|error| records::refusal(fields, &error))?;
        Ok(Self { request })
    }
}

impl RegisterQuestion {
    /// The search on a day.
    pub(super) fn search(&self, today: Date) -> Result<Search, record_search::FieldError> {
        self.request.check(today)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<RegisterQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        RegisterQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn a_query_and_a_body_ask_the_same() {
        let body = r#"{"term":"ozone","agencies":["a-b","c"],"types":["RULE"],"significant":true,"page":2,"per_page":50}"#;
        let query = r#"{"term":"ozone","agencies":"a-b,c","types":"RULE","significant":"true","page":"2","per_page":"50"}"#;
        assert_eq!(read(body).unwrap(), read(query).unwrap());
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        for (body, field, code) in [
            (r#"{"page":0}"#, "page", "out_of_range"),
            (r#"{"page":1.5}"#, "page", "out_of_range"),
            (r#"{"page":"x"}"#, "page", "malformed"),
            (r#"{"per_page":101}"#, "per_page", "out_of_range"),
            (r#"{"agencies":["EPA"]}"#, "agencies", "malformed"),
            (r#"{"agencies":[1]}"#, "agencies", "wrong_type"),
            (r#"{"agencies":"a,,b"}"#, "agencies", "malformed"),
            (r#"{"term":""}"#, "term", "empty"),
            (r#"{"term":7}"#, "term", "wrong_type"),
            (r#"{"significant":"maybe"}"#, "significant", "malformed"),
            (r#"{"from":"2026-02-30"}"#, "from", "malformed"),
        ] {
            let found = read(body).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{body}");
        }
    }
}
