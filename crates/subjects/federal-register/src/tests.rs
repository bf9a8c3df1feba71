//! Rules of searches, descriptions, splitting and answers, on synthetic samples.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use record_search::AnswerError;

use crate::*;

const TODAY: Date = date(2026, 7, 1);

fn request(json: &str) -> SearchRequest {
    serde_json::from_str(json).unwrap()
}

fn search(json: &str) -> Search {
    request(json).check(TODAY).unwrap()
}

fn full() -> Search {
    search(
        r#"{"term": "ozone & lead", "agencies": ["environmental-protection-agency", "veterans-health-office"],
            "types": ["RULE", "PRORULE"], "from": "2026-01-02", "to": "2026-03-04",
            "docket": "EPA-HQ-OAR-2021-0317", "significant": true}"#,
    )
}

const DESCRIPTION: &str = "Documents matching 'ozone & lead', published from 01/02/2026 to 03/04/2026, from Environmental \
                           Protection Agency or Veterans' Health Office, of type Rule or Proposed Rule, filed under agency \
                           docket EPA-HQ-OAR-2021-0317, and whose Associated Unified Agenda Deemed Significant Under EO 12866";

fn document(number: &str, day: &str, more: &str) -> String {
    format!(
        r#"{{"document_number": "{number}", "title": "T", "type": "Rule", "publication_date": "{day}",
            "html_url": "https://www.federalregister.gov/d/{number}"{more}}}"#
    )
}

fn answer(count: u64, description: &str, rows: &[String]) -> String {
    format!(
        r#"{{"count": {count}, "description": "{description}", "total_pages": 1, "results": [{}]}}"#,
        rows.join(",")
    )
}

#[test]
fn each_field_that_cannot_be_used_is_named() {
    let long = format!(r#"{{"term": "{}"}}"#, "x".repeat(MAX_TERM_CHARS + 1));
    let cases = [
        (r#"{"term": "  "}"#, "term"),
        (long.as_str(), "term"),
        (r#"{"agencies": []}"#, "agencies"),
        (r#"{"agencies": ["EPA"]}"#, "agencies"),
        (r#"{"agencies": ["a--b"]}"#, "agencies"),
        (r#"{"types": []}"#, "types"),
        (r#"{"types": ["RULING"]}"#, "types"),
        (r#"{"from": "2026-07-02"}"#, "from"),
        (r#"{"from": "2026-02-30"}"#, "from"),
        (r#"{"from": "+2026-02-3"}"#, "from"),
        (r#"{"from": "2026-05-02", "to": "2026-05-01"}"#, "from"),
        (r#"{"to": "1993-12-31"}"#, "to"),
        (r#"{"since": "2026-07-02"}"#, "since"),
        (r#"{"since": "2026-05-01", "to": "2026-05-01"}"#, "since"),
        (r#"{"page": 0}"#, "page"),
        (r#"{"page": 51}"#, "page"),
        (r#"{"page": 51, "per_page": 100}"#, "page"),
        (r#"{"per_page": 0}"#, "per_page"),
        (r#"{"per_page": 101}"#, "per_page"),
        (r#"{"docket": "a\u0000b"}"#, "docket"),
        (r#"{"next": "page:2", "page": 2}"#, "next"),
        (r#"{"next": "page:x"}"#, "next"),
        (r#"{"next": "page:999"}"#, "page"),
    ];
    for (json, field) in cases {
        assert_eq!(request(json).check(TODAY).unwrap_err().field, field, "{json}");
    }
    assert!(serde_json::from_str::<SearchRequest>(r#"{"terms": "x"}"#).is_err());
}

#[test]
fn a_query_string_has_comma_joined_arrays_and_no_field_twice() {
    let pairs =
        [("agencies", "a-b, c"), ("types", "rule,NOTICE"), ("significant", "false"), ("per_page", "5")];
    let search = SearchRequest::from_query(pairs).unwrap().check(TODAY).unwrap();
    assert_eq!(search.agencies, ["a-b", "c"]);
    assert_eq!(search.types, [DocumentType::Rule, DocumentType::Notice]);
    assert_eq!((search.significant, search.per_page), (Some(false), 5));
    let field = |pairs: &[(&str, &str)]| SearchRequest::from_query(pairs.iter().copied()).unwrap_err().field;
    assert_eq!(field(&[("term", "a"), ("term", "b")]), "term");
    assert_eq!(field(&[("termz", "a")]), "query");
    assert_eq!(field(&[("page", "-1")]), "page");
    assert_eq!(field(&[("types", "RULE,,NOTICE")]), "types");
    assert_eq!(SearchRequest::from_query([("types", "")]).unwrap().check(TODAY).unwrap_err().field, "types");
}

#[test]
fn brackets_and_reserved_characters_of_a_query_are_percent_encoded() {
    let query = full().query();
    let expected = "conditions%5Bterm%5D=ozone%20%26%20lead&conditions%5Bagencies%5D%5B%5D=environmental-protection-agency\
                    &conditions%5Bagencies%5D%5B%5D=veterans-health-office&conditions%5Btype%5D%5B%5D=RULE\
                    &conditions%5Btype%5D%5B%5D=PRORULE&conditions%5Bpublication_date%5D%5Bgte%5D=2026-01-02\
                    &conditions%5Bpublication_date%5D%5Blte%5D=2026-03-04&conditions%5Bdocket_id%5D=EPA-HQ-OAR-2021-0317\
                    &conditions%5Bsignificant%5D=1&fields%5B%5D=abstract&";
    assert!(query.starts_with(expected), "{query}");
    assert!(query.ends_with("&order=newest&per_page=20&page=1"), "{query}");
    assert!(search(r#"{"from": "2026-01-02", "to": "2026-01-02"}"#).query().contains("%5Bis%5D=2026-01-02"));
}

#[test]
fn since_asks_for_the_days_after_it() {
    let search = search(r#"{"since": "2026-01-31", "from": "2025-01-01"}"#);
    assert_eq!(search.days(), (Some(date(2026, 2, 1)), None));
    assert!(search.query().contains("%5Bgte%5D=2026-02-01"));
    let rows = [document("1", "2026-01-31", "")];
    let body = answer(1, "Documents published on or after 02/01/2026", &rows);
    let error = Answer::read(&search, body.as_bytes()).unwrap_err();
    assert_eq!(error, AnswerError::Ignored { service: SERVICE, filters: vec!["from", "since"] });
}

#[test]
fn a_description_that_names_each_filter_is_accepted() {
    assert_eq!(echo_check(&full(), DESCRIPTION), Vec::<&str>::new());
    assert_eq!(
        echo_check(&full(), &DESCRIPTION.replace("01/02/2026 to 03/04/2026", "2026-01-02 to 2026-03-04")),
        [""; 0]
    );
    assert_eq!(echo_check(&search("{}"), "All Documents"), [""; 0]);
    let three = search(r#"{"types": ["RULE", "NOTICE", "PRORULE"]}"#);
    for joined in ["Rule, Proposed Rule, and Notice", "Rule, Proposed Rule, or Notice"] {
        assert_eq!(echo_check(&three, &format!("Documents of type {joined}")), [""; 0]);
    }
    let day = search(r#"{"from": "2026-01-02", "to": "2026-01-02"}"#);
    for clause in ["on 01/02/2026", "on 2026-01-02", "from 01/02/2026 to 01/02/2026"] {
        assert_eq!(echo_check(&day, &format!("Documents published {clause}")), [""; 0]);
    }
}

#[test]
fn each_filter_that_a_description_lacks_is_named() {
    assert_eq!(
        echo_check(&full(), "All Documents"),
        ["term", "agencies", "types", "from", "to", "docket", "significant"]
    );
    let without = |clause: &str| echo_check(&full(), &DESCRIPTION.replace(clause, ""));
    assert_eq!(without("matching 'ozone & lead', "), ["term"]);
    assert_eq!(without("published from 01/02/2026 to 03/04/2026, "), ["from", "to"]);
    assert_eq!(without("from Environmental Protection Agency or Veterans' Health Office, "), ["agencies"]);
    assert_eq!(without(" or Veterans' Health Office"), ["agencies"]);
    assert_eq!(without(" or Proposed Rule"), ["types"]);
    assert_eq!(without("filed under agency docket EPA-HQ-OAR-2021-0317, "), ["docket"]);
    assert_eq!(without("-0317"), ["docket"]);
    assert_eq!(
        without(", and whose Associated Unified Agenda Deemed Significant Under EO 12866"),
        ["significant"]
    );
    let only_proposed = search(r#"{"types": ["RULE"]}"#);
    assert_eq!(echo_check(&only_proposed, "Documents of type Proposed Rule"), ["types"]);
}

#[test]
fn words_of_the_term_do_not_pass_for_clauses() {
    let search = search(
        r#"{"term": "x of type Notice from Labor Department", "types": ["NOTICE"], "agencies": ["labor-department"]}"#,
    );
    let description = "Documents matching 'x of type Notice from Labor Department'";
    assert_eq!(echo_check(&search, description), ["agencies", "types"]);
}

#[test]
fn a_row_of_another_type_day_or_significance_is_an_error_of_the_service() {
    let search = search(r#"{"types": ["NOTICE"], "significant": false, "from": "2026-02-01"}"#);
    let description = "Documents published on or after 02/01/2026, of type Notice, and whose Associated Unified Agenda Deemed \
                       Significant Under EO 12866";
    let body = answer(1, description, &[document("1", "2026-01-31", r#", "significant": true"#)]);
    let error = Answer::read(&search, body.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "Federal Register ignored a part of the query: types, from, significant");
}

#[test]
fn rows_prove_a_filter_of_an_agency_that_is_described_by_another_name() {
    let search = search(r#"{"agencies": ["government-printing-office"]}"#);
    let rows = [document("1", "2026-01-31", r#", "agencies": [{"slug": "government-printing-office"}]"#)];
    let read =
        |description: &str, rows: &[String]| Answer::read(&search, answer(1, description, rows).as_bytes());
    assert!(read("Documents from Government Publishing Office", &rows).is_ok());
    let ignored = AnswerError::Ignored { service: SERVICE, filters: vec!["agencies"] };
    assert_eq!(read("All Documents", &rows).unwrap_err(), ignored);
    assert_eq!(read("Documents from Government Publishing Office", &[]).unwrap_err(), ignored);
    let others = [document("1", "2026-01-31", r#", "agencies": [{"slug": "labor-department"}]"#)];
    assert_eq!(read("Documents from Government Publishing Office", &others).unwrap_err(), ignored);
}

#[test]
fn a_count_at_the_cap_is_truncated_and_names_how_to_go_on() {
    let search = search(r#"{"per_page": 100, "page": 50}"#);
    let rows = [document("1", "2026-01-31", ""), document("2", "2026-01-30", "")];
    let read = Answer::read(&search, answer(10_000, "All Documents", &rows).as_bytes()).unwrap();
    assert!(read.truncated);
    assert_eq!(read.next, Some(Next::Before(date(2026, 1, 30))));
    assert_eq!(search.going_on(read.next.unwrap()).days(), (None, Some(date(2026, 1, 30))));
}

#[test]
fn pages_that_the_service_would_answer_with_the_first_are_never_next() {
    let search = search(r#"{"per_page": 20, "page": 50}"#);
    let rows = [document("1", "2026-01-31", ""), document("2", "2026-01-30", "")];
    let read = Answer::read(&search, answer(3_000, "All Documents", &rows).as_bytes()).unwrap();
    assert_eq!((read.next, read.truncated), (Some(Next::Before(date(2026, 1, 30))), false));
    let one_day = Search { to: Some(date(2026, 1, 30)), ..search };
    let body = answer(3_000, "Documents published on or before 01/30/2026", &rows[1..]);
    let read = Answer::read(&one_day, body.as_bytes()).unwrap();
    assert_eq!((read.next, read.truncated), (None, true));
}

#[test]
fn the_last_page_has_no_next() {
    let rows = [document("1", "2026-01-31", "")];
    let read = Answer::read(&search("{}"), answer(1, "All Documents", &rows).as_bytes()).unwrap();
    assert_eq!((read.count, read.next, read.truncated), (1, None, false));
}

#[test]
fn one_row_a_page_is_asked_for_within_a_page_of_two() {
    let search = search(r#"{"per_page": 1, "page": 4}"#);
    assert!(search.query().ends_with("&per_page=2&page=2"));
    let rows = [document("3", "2026-01-31", ""), document("4", "2026-01-30", "")];
    let read = Answer::read(&search, answer(9, "All Documents", &rows).as_bytes()).unwrap();
    assert_eq!(read.documents.len(), 1);
    assert_eq!(read.documents[0].number, "4");
    assert_eq!(read.next, Some(Next::Page(5)));
}

#[test]
fn an_answer_that_counts_none_may_lack_its_results_and_another_may_not() {
    let body = r#"{"description": "All Documents", "count": 0}"#;
    assert!(Answer::read(&search("{}"), body.as_bytes()).unwrap().documents.is_empty());
    let body = r#"{"description": "All Documents", "count": 3}"#;
    let error = Answer::read(&search("{}"), body.as_bytes()).unwrap_err();
    assert!(matches!(error, AnswerError::Missing { member: "results", .. }));
}

#[test]
fn numbers_that_were_used_again_have_different_keys() {
    let rows = [document("05-123", "2005-01-05", ""), document("05-123", "2005-03-07", "")];
    let read = Answer::read(&search("{}"), answer(2, "All Documents", &rows).as_bytes()).unwrap();
    let keys: Vec<_> = read.documents.iter().map(Document::key).collect();
    assert_eq!(keys, ["05-123@2005-01-05", "05-123@2005-03-07"]);
}

#[test]
fn a_changed_schema_keeps_what_is_new_and_names_what_is_gone() {
    let rows =
        [document("1", "2026-01-31", r#", "volume": "85", "brand_new": [1.50], "page_views": {"count": 3}"#)];
    let read = Answer::read(&search("{}"), answer(1, "All Documents", &rows).as_bytes()).unwrap();
    let row = &read.documents[0].row;
    assert_eq!(row.count("volume"), Some(85));
    assert_eq!(row.other.get("brand_new").unwrap().as_array().unwrap()[0].as_str(), Some("1.50"));
    assert_eq!(row.dropped, ["page_views"]);
    for member in ["document_number", "title", "type", "publication_date", "html_url"] {
        let gone = rows[0].replace(&format!("\"{member}\""), "\"renamed\"");
        let error = Answer::read(&search("{}"), answer(1, "All Documents", &[gone]).as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("Federal Register") && error.to_string().contains(member),
            "{error}"
        );
    }
    let error = Answer::read(&search("{}"), br#"{"count": 1, "results": []}"#).unwrap_err();
    assert!(matches!(error, AnswerError::Missing { member: "description", .. }));
}

#[test]
fn what_is_no_answer_is_named_as_what_it_is() {
    let error = |body: &str| Answer::read(&search("{}"), body.as_bytes()).unwrap_err();
    assert!(matches!(error("<html>"), AnswerError::Html { .. }));
    assert!(matches!(error(r#"{"count": 2, "descri"#), AnswerError::Broken { .. }));
    assert!(matches!(error("[]"), AnswerError::Shape { .. }));
    assert!(matches!(
        error(&answer(0, "All Documents", &[document("1", "2026-01-31", "")])),
        AnswerError::Shape { .. }
    ));
    let refused = error(r#"{"errors": {"agencies": "invalid value"}}"#);
    assert_eq!(refused.to_string(), "Federal Register refused the request: agencies: invalid value");
}

#[test]
fn a_single_document_is_read_as_a_row_of_a_search() {
    let agencies = r#", "agencies": [{"name": "A", "slug": "a"}, {"raw_name": "B"}]"#;
    let read = read_document(document("1", "2026-01-31", agencies).as_bytes()).unwrap();
    assert_eq!(read.agency_slugs, ["a"]);
    assert_eq!(read.link.as_deref(), Some("https://www.federalregister.gov/d/1"));
    let json = read.to_json();
    assert_eq!(json.get("key").unwrap().as_str(), Some("1@2026-01-31"));
    assert!(matches!(read_document(b"{}"), Err(AnswerError::Missing { member: "document_number", .. })));
}

#[test]
fn a_plan_ends_after_its_calls_and_says_that_it_is_not_the_whole() {
    let mut plan = Plan::new(search("{}"), (FIRST_DAY, TODAY), 1_000);
    let mut calls = 0;
    while plan.part().is_some() {
        plan.counted(MAX_RESULTS);
        calls += 1;
    }
    assert_eq!(calls, MAX_PLAN_CALLS);
    assert!(plan.is_truncated());
    let mut one_day =
        Plan::new(search(r#"{"from": "2026-01-02", "to": "2026-01-02"}"#), (FIRST_DAY, TODAY), 8);
    assert!(one_day.part().is_some());
    one_day.counted(MAX_RESULTS);
    assert!(one_day.part().is_none() && one_day.is_truncated());
}

fn day() -> impl Strategy<Value = Date> {
    (0_i32..11_000).prop_map(|days| FIRST_DAY.checked_add(jiff::Span::new().days(days)).unwrap())
}

proptest! {
    #[test]
    fn the_parts_of_a_split_cover_each_day_once(one in day(), other in day()) {
        let (first, last) = (one.min(other), one.max(other));
        let whole = Search { from: Some(first), to: Some(last), page: 3, ..search("{}") };
        let parts = split(&whole, MAX_RESULTS, (FIRST_DAY, TODAY));
        if first == last {
            prop_assert_eq!(&parts, &vec![whole]);
        } else {
            prop_assert_eq!(parts.len(), 2);
            prop_assert_eq!(parts[1].from, Some(first));
            prop_assert_eq!(parts[0].to, Some(last));
            prop_assert_eq!(parts[1].to.unwrap().tomorrow().unwrap(), parts[0].from.unwrap());
            prop_assert!(parts.iter().all(|part| part.page == 1 && part.from <= part.to));
        }
        prop_assert_eq!(split(&parts[0], MAX_RESULTS - 1, (FIRST_DAY, TODAY)), vec![parts[0].clone()]);
    }

    #[test]
    fn a_plan_over_any_counts_has_parts_that_cover_each_day_once(per_day in 1_u64..4_000, days in 1_i32..400) {
        let last = FIRST_DAY.checked_add(jiff::Span::new().days(days)).unwrap();
        let mut plan = Plan::new(search("{}"), (FIRST_DAY, last), MAX_PLAN_CALLS);
        while let Some(part) = plan.part() {
            let (first, to) = part.days();
            let length = first.unwrap_or(FIRST_DAY).until((jiff::Unit::Day, to.unwrap_or(last))).unwrap().get_days() + 1;
            let count = (per_day * u64::try_from(length).unwrap()).min(MAX_RESULTS);
            plan.counted(count);
        }
        if !plan.is_truncated() && plan.parts().len() > 1 {
            let parts: Vec<_> = plan.parts().iter().map(|(part, _)| (part.from.unwrap(), part.to.unwrap())).collect();
            prop_assert_eq!(parts[0].1, last);
            prop_assert_eq!(parts[parts.len() - 1].0, FIRST_DAY);
            for pair in parts.windows(2) {
                prop_assert_eq!(pair[1].1.tomorrow().unwrap(), pair[0].0);
            }
        }
    }

    #[test]
    fn any_term_comes_back_from_its_own_description(term in "[ -~é]{1,40}") {
        if let Ok(search) = (SearchRequest { term: Some(term), ..SearchRequest::default() }).check(TODAY) {
            let term = search.term.clone().unwrap();
            prop_assert_eq!(echo_check(&search, &format!("Documents matching '{term}'")), [""; 0]);
            prop_assert_eq!(echo_check(&search, "All Documents"), ["term"]);
            let query = search.query();
            prop_assert!(query.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%&=".contains(&byte)));
        }
    }

    #[test]
    fn any_description_and_any_body_are_judged(description in "\\PC{0,80}", body in prop::collection::vec(any::<u8>(), 0..120)) {
        echo_check(&full(), &description);
        let _ = Answer::read(&full(), &body);
        let _ = check_lossless(&body);
        let _ = PublicInspection::read(&body);
    }

    #[test]
    fn how_to_go_on_is_read_back_from_its_text(page in any::<u32>(), day in day()) {
        for next in [Next::Page(page), Next::Before(day)] {
            prop_assert_eq!(next.to_string().parse(), Ok(next));
        }
    }
}

#[test]
fn normalised_names_are_there_once_and_none_is_a_name_of_the_row_itself() {
    for table in [
        crate::tables::DOCUMENT,
        crate::tables::INSPECTION,
        crate::tables::SEARCH_ANSWER,
        crate::tables::LIST_ANSWER,
    ] {
        assert_eq!(table.clash(&["key", "link", "agency_slugs"]), None, "{}", table.kind);
    }
}
