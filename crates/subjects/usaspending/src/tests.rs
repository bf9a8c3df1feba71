//! Rules of searches, bodies, references and answers, on synthetic samples.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use record_search::AnswerError;
use serde_json::{Value, json};

use crate::*;

const TODAY: Date = date(2026, 7, 1);

fn request(value: Value) -> AwardSearchRequest {
    serde_json::from_value(value).unwrap()
}

fn search(value: Value) -> AwardSearch {
    request(value).check(TODAY, &AwardTypes::bundled()).unwrap()
}

fn body(search: &AwardSearch) -> Value {
    serde_json::from_slice(&search.body()).unwrap()
}

fn row(more: Value) -> Value {
    let mut row =
        json!({"generated_internal_id": "CONT_AWD_1_8000_-NONE-_-NONE-", "internal_id": 7, "Award ID": "1"});
    row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    row
}

fn answer(rows: Vec<Value>, page: Value, messages: Value) -> Vec<u8> {
    json!({"spending_level": "awards", "limit": 20, "results": rows, "page_metadata": page, "messages": messages})
        .to_string()
        .into_bytes()
}

fn one_page() -> Value {
    json!({"page": 1, "hasNext": false, "last_record_unique_id": null, "last_record_sort_value": "None"})
}

fn agencies() -> ToptierAgencies {
    let agency = |name: &str, abbreviation: &str, code: &str| {
        json!({"agency_name": name, "abbreviation": abbreviation, "toptier_code": code, "agency_id": 1,
               "agency_slug": name.to_lowercase().replace(' ', "-"), "budget_authority_amount": 1234567890.12})
    };
    let rows = [
        agency("National Aeronautics and Space Administration", "NASA", "080"),
        agency("Department of Energy", "DOE", "089"),
        agency("Department of Education", "ED", "091"),
        agency("Department of Defense", "DOD", "097"),
        agency("Environmental Protection Agency", "EPA", "068"),
    ];
    ToptierAgencies::read(json!({ "results": rows }).to_string().as_bytes()).unwrap()
}

#[test]
fn each_field_that_cannot_be_used_is_named() {
    let cases = [
        (json!({}), "group"),
        (json!({"group": "contract"}), "group"),
        (json!({"types": []}), "types"),
        (json!({"types": ["A", "02"]}), "types"),
        (json!({"types": ["Z"]}), "types"),
        (json!({"group": "grants", "types": ["A"]}), "types"),
        (json!({"group": "grants", "keywords": []}), "keywords"),
        (json!({"group": "grants", "keywords": ["ab"]}), "keywords"),
        (json!({"group": "grants", "recipient": " "}), "recipient"),
        (json!({"group": "grants", "recipient": "x".repeat(MAX_TEXT_CHARS + 1)}), "recipient"),
        (json!({"group": "grants", "agency_role": "funding"}), "agency_role"),
        (json!({"group": "grants", "agency": "NASA", "agency_role": "paying"}), "agency_role"),
        (json!({"group": "grants", "agency": "NASA", "agency_tier": "top"}), "agency_tier"),
        (json!({"group": "grants", "agency": "NASA", "agency_parent": "X"}), "agency_parent"),
        (json!({"group": "contracts", "naics": ["1"]}), "naics"),
        (json!({"group": "contracts", "naics": ["54171A"]}), "naics"),
        (json!({"group": "contracts", "psc": ["AR3"]}), "psc"),
        (json!({"group": "grants", "from": "2007-09-30"}), "from"),
        (json!({"group": "grants", "from": "2026-07-02"}), "from"),
        (json!({"group": "grants", "from": "2026-06-02", "to": "2026-06-01"}), "from"),
        (json!({"group": "grants", "to": "soon"}), "to"),
        (json!({"group": "grants", "since": "2026-07-02"}), "since"),
        (json!({"group": "grants", "since": "2026-06-02", "to": "2026-06-03"}), "since"),
        (json!({"group": "grants", "since": "2026-06-02", "subawards": true}), "since"),
        (json!({"group": "loans", "subawards": true}), "subawards"),
        (json!({"group": "grants", "min_amount": "1e6"}), "min_amount"),
        (json!({"group": "grants", "max_amount": "1.005"}), "max_amount"),
        (json!({"group": "grants", "max_amount": "10000000000000.01"}), "max_amount"),
        (json!({"group": "grants", "min_amount": "5", "max_amount": "4.99"}), "min_amount"),
        (json!({"group": "grants", "limit": 0}), "limit"),
        (json!({"group": "grants", "limit": 101}), "limit"),
        (json!({"group": "grants", "page": 0}), "page"),
        (json!({"group": "grants", "page": 501, "limit": 100}), "page"),
        (json!({"group": "grants", "page": 1, "next": "page:2"}), "next"),
        (json!({"group": "grants", "next": "cursor:x:y"}), "next"),
    ];
    for (value, field) in cases {
        let error = request(value.clone()).check(TODAY, &AwardTypes::bundled()).unwrap_err();
        assert_eq!(error.field, field, "{value}: {error}");
    }
    assert!(serde_json::from_value::<AwardSearchRequest>(json!({"groups": "grants"})).is_err());
}

#[test]
fn the_types_alone_tell_their_group() {
    assert_eq!(search(json!({"types": ["IDV_B_A", "IDV_E"]})).group, AwardGroup::Idvs);
    assert_eq!(search(json!({"group": "other"})).types, ["09", "11", "-1"]);
}

#[test]
fn the_body_has_each_filter_in_the_form_of_the_service() {
    let search = search(json!({
        "types": ["A", "D"], "keywords": ["telescope"], "recipient": "Northrop", "agency": "Goddard", "agency_tier": "subtier",
        "agency_parent": "NASA", "agency_role": "funding", "naics": ["5417"], "psc": ["ar34"], "from": "2020-01-01",
        "to": "2020-12-31", "min_amount": "-5", "max_amount": "1000000.5", "limit": 50, "page": 3
    }));
    let expected = json!({
        "award_type_codes": ["A", "D"],
        "keywords": ["telescope"],
        "recipient_search_text": ["Northrop"],
        "agencies": [{"type": "funding", "tier": "subtier", "name": "Goddard", "toptier_name": "NASA"}],
        "naics_codes": {"require": ["5417"]},
        "psc_codes": ["AR34"],
        "time_period": [{"start_date": "2020-01-01", "end_date": "2020-12-31", "date_type": "action_date"}],
        "award_amounts": [{"lower_bound": -5, "upper_bound": 1000000.5}],
    });
    let body = body(&search);
    assert_eq!(body["filters"], expected);
    assert_eq!((&body["limit"], &body["page"], &body["subawards"]), (&json!(50), &json!(3), &json!(false)));
    assert_eq!((&body["sort"], &body["order"]), (&json!("Award Amount"), &json!("desc")));
    let count: Value = serde_json::from_slice(&search.count_body()).unwrap();
    assert_eq!(count["filters"], expected);
    assert!(count.get("fields").is_none());
}

#[test]
fn rows_are_sorted_by_a_member_that_is_asked_for() {
    let cases = AwardGroup::ALL.into_iter().flat_map(|group| {
        let name = group.name();
        let plain = json!({ "group": name });
        let since = json!({"group": name, "since": "2026-01-01"});
        let subawards = json!({"group": name, "subawards": true});
        [plain, since, subawards]
    });
    let mut checked = 0;
    for value in cases {
        let Ok(search) = request(value).check(TODAY, &AwardTypes::bundled()) else { continue };
        assert!(search.fields().contains(&search.sort()), "{search:?}");
        checked += 1;
    }
    assert_eq!(checked, 15);
}

#[test]
fn open_periods_end_today_and_since_asks_for_changes_after_it() {
    let period = |value: Value| body(&search(value))["filters"]["time_period"][0].clone();
    let expected = json!({"start_date": "2026-01-02", "end_date": "2026-07-01", "date_type": "action_date"});
    assert_eq!(period(json!({"group": "loans", "from": "2026-01-02"})), expected);
    let expected = json!({"start_date": "2007-10-01", "end_date": "2026-01-02", "date_type": "action_date"});
    assert_eq!(period(json!({"group": "loans", "to": "2026-01-02"})), expected);
    let expected =
        json!({"start_date": "2026-01-03", "end_date": "2026-07-01", "date_type": "last_modified_date"});
    assert_eq!(period(json!({"group": "loans", "since": "2026-01-02"})), expected);
    let search = search(json!({"group": "grants", "since": "2026-01-02"}));
    let old = answer(vec![row(json!({"Last Modified Date": "2026-01-02 08:00:00"}))], one_page(), json!([]));
    let error = AwardAnswer::read(&search, &old).unwrap_err();
    assert_eq!(error, AnswerError::Ignored { service: SERVICE, filters: vec!["since"] });
}

#[test]
fn past_the_paged_rows_the_cursor_goes_on() {
    let page = json!({"page": 1, "hasNext": true, "last_record_unique_id": 89966630, "last_record_sort_value": "124838979.94"});
    let rows = || answer(vec![row(json!({}))], page.clone(), json!([]));
    let first = search(json!({"group": "grants", "limit": 100}));
    assert_eq!(AwardAnswer::read(&first, &rows()).unwrap().next, Some(Next::Page(2)));
    let last = search(json!({"group": "grants", "limit": 100, "page": 500}));
    let next = AwardAnswer::read(&last, &rows()).unwrap().next.unwrap();
    assert_eq!(next.to_string(), "cursor:89966630:124838979.94");
    let on = search(json!({"group": "grants", "limit": 100, "next": next.to_string()}));
    let sent = body(&on);
    assert_eq!(sent["last_record_unique_id"], json!(89966630));
    assert_eq!(sent["last_record_sort_value"], json!("124838979.94"));
    assert!(matches!(AwardAnswer::read(&on, &rows()).unwrap().next, Some(Next::Cursor(_))));
    let end =
        json!({"page": 1, "hasNext": true, "last_record_unique_id": null, "last_record_sort_value": "None"});
    let cut = AwardAnswer::read(&on, &answer(vec![], end, json!([]))).unwrap();
    assert_eq!((cut.next, cut.truncated), (None, true));
    let done = AwardAnswer::read(&on, &answer(vec![], one_page(), json!([]))).unwrap();
    assert_eq!((done.next, done.truncated, done.has_next), (None, false, false));
}

#[test]
fn the_codes_of_the_reference_are_held_against_the_bundled_ones() {
    let reference = |edit: fn(&mut Value)| {
        let mut groups = json!({});
        for group in AwardGroup::ALL {
            let codes: serde_json::Map<_, _> =
                group.codes().iter().map(|(code, label)| ((*code).to_owned(), json!(label))).collect();
            groups[group.reference_name()] = Value::Object(codes);
        }
        edit(&mut groups);
        AwardTypes::read(groups.to_string().as_bytes())
    };
    assert_eq!(reference(|_| ()).unwrap().drift(), []);
    let changed = reference(|groups| {
        groups["grants"]["F001"] = json!("Grant");
        groups["other_financial_assistance"].as_object_mut().unwrap().remove("-1");
        groups["tax_credits"] = json!({"T1": "Credit"});
    })
    .unwrap();
    let drift =
        |group: &str, code: &str, is_new| Drift { group: group.to_owned(), code: code.to_owned(), is_new };
    assert_eq!(
        changed.drift(),
        [
            drift("grants", "F001", true),
            drift("other_financial_assistance", "-1", false),
            drift("tax_credits", "T1", true)
        ]
    );
    assert_eq!(changed.group_of("F001"), Some(AwardGroup::Grants));
    let missing = reference(|groups| drop(groups.as_object_mut().unwrap().remove("loans"))).unwrap_err();
    assert!(matches!(missing, AnswerError::Missing { member: "loans", .. }));
    assert!(matches!(reference(|groups| groups["loans"]["07"] = json!(3)), Err(AnswerError::Shape { .. })));
}

#[test]
fn an_agency_is_found_by_name_abbreviation_code_and_slug() {
    let known = agencies();
    for asked in ["department of energy", "DOE", "089", "department-of-energy", " Department  of Energy. "] {
        assert_eq!(known.find(asked).unwrap().name, "Department of Energy", "{asked}");
    }
    let search = search(json!({"group": "grants", "agency": "nasa"})).with_agencies(&known).unwrap();
    assert_eq!(search.agency.unwrap().name, "National Aeronautics and Space Administration");
}

#[test]
fn an_unknown_agency_is_an_error_that_names_the_nearest() {
    let known = agencies();
    for (asked, nearest) in [
        ("Energy Department", "Department of Energy"),
        ("Departmnt of Defence", "Department of Defense"),
        ("NASSA", "National Aeronautics and Space Administration"),
        ("Environment Protection Agency", "Environmental Protection Agency"),
    ] {
        assert_eq!(known.nearest(asked)[0], nearest, "{asked}");
        let error = search(json!({"group": "grants", "agency": asked})).with_agencies(&known).unwrap_err();
        assert_eq!(error.field, "agency");
        assert!(error.reason.contains(nearest), "{error}");
    }
    let parent =
        json!({"group": "grants", "agency": "Goddard", "agency_tier": "subtier", "agency_parent": "NASAA"});
    assert_eq!(search(parent).with_agencies(&known).unwrap_err().field, "agency_parent");
    assert!(matches!(ToptierAgencies::read(br#"{"results": []}"#), Err(AnswerError::Shape { .. })));
    let error = ToptierAgencies::read(br#"{"results": [{"name": "x"}]}"#).unwrap_err();
    assert!(matches!(error, AnswerError::Missing { member: "agency_name", .. }));
}

#[test]
fn an_empty_answer_about_an_agency_that_no_reference_has_is_in_doubt() {
    let subtier = search(json!({"group": "grants", "agency": "Goddard", "agency_tier": "subtier"}));
    let subtier = subtier.with_agencies(&agencies()).unwrap();
    let unchecked = search(json!({"group": "grants", "agency": "NASSA"}));
    assert!(
        AwardAnswer::read(&unchecked, &answer(vec![], one_page(), json!([]))).unwrap().is_agency_in_doubt
    );
    let known = search(json!({"group": "grants", "agency": "NASA"})).with_agencies(&agencies()).unwrap();
    assert!(!AwardAnswer::read(&known, &answer(vec![], one_page(), json!([]))).unwrap().is_agency_in_doubt);
    assert!(AwardAnswer::read(&subtier, &answer(vec![], one_page(), json!([]))).unwrap().is_agency_in_doubt);
    let all = search(json!({"group": "grants"}));
    assert!(!AwardAnswer::read(&all, &answer(vec![], one_page(), json!([]))).unwrap().is_agency_in_doubt);
}

#[test]
fn a_filter_that_the_service_did_not_use_is_an_error_of_the_service() {
    let all = search(json!({"group": "grants"}));
    let unused = json!(["The following filters from the request were not used: {'recipient_id'}."]);
    let ignored = AwardAnswer::read(&all, &answer(vec![], one_page(), unused)).unwrap_err();
    assert!(matches!(ignored, AnswerError::Ignored { .. }));
    let by_agency = search(json!({"group": "grants", "agency": "Department of Energy"}));
    let other = answer(vec![row(json!({"Awarding Agency": "Department of Defense"}))], one_page(), json!([]));
    let ignored = AwardAnswer::read(&by_agency, &other).unwrap_err();
    assert_eq!(ignored, AnswerError::Ignored { service: SERVICE, filters: vec!["agency"] });
    let warning = json!(["dates are limited"]);
    let kept = AwardAnswer::read(&all, &answer(vec![], one_page(), warning)).unwrap();
    assert_eq!(kept.messages, ["dates are limited"]);
}

#[test]
fn amounts_are_decimal_text_and_links_are_escaped() {
    let rows = vec![
        row(json!({"Award Amount": 4345585999.01, "Total Outlays": "12.50", "COVID-19 Outlays": 0})),
        row(
            json!({"generated_internal_id": "ASST_NON_A/B C_080", "Award Amount": null, "brand_new": {"x": 0.1}}),
        ),
    ];
    let read =
        AwardAnswer::read(&search(json!({"group": "grants"})), &answer(rows, one_page(), json!([]))).unwrap();
    let first = &read.awards[0];
    assert_eq!(first.row.text("award_amount"), Some("4345585999.01"));
    assert_eq!(first.row.text("total_outlays"), Some("12.50"));
    assert_eq!(first.row.text("covid_19_outlays"), Some("0"));
    assert_eq!(
        first.link.as_deref(),
        Some("https://www.usaspending.gov/award/CONT_AWD_1_8000_-NONE-_-NONE-/")
    );
    let second = &read.awards[1];
    assert_eq!(second.link.as_deref(), Some("https://www.usaspending.gov/award/ASST_NON_A%2FB%20C_080/"));
    assert!(second.row.other.contains("brand_new"));
    assert!(second.to_json().contains("link"));
}

#[test]
fn what_is_no_answer_is_named_as_what_it_is() {
    let all = search(json!({"group": "grants"}));
    let error = |body: &str| AwardAnswer::read(&all, body.as_bytes()).unwrap_err();
    assert!(matches!(error("<html><body>503</body></html>"), AnswerError::Html { .. }));
    assert!(matches!(error(r#"{"results": [{"generated"#), AnswerError::Broken { .. }));
    assert!(matches!(error("[]"), AnswerError::Shape { .. }));
    assert!(matches!(error("{}"), AnswerError::Missing { member: "results", .. }));
    assert!(matches!(error(r#"{"results": []}"#), AnswerError::Missing { member: "page_metadata", .. }));
    let no_next = error(r#"{"results": [], "page_metadata": {"page": 1}}"#);
    assert!(matches!(no_next, AnswerError::Missing { member: "hasNext", .. }));
    let no_id = error(r#"{"results": [{"Award ID": "1"}], "page_metadata": {"hasNext": false}}"#);
    assert!(no_id.to_string().contains("USAspending") && no_id.to_string().contains("generated_internal_id"));
    let refused = error(r#"{"detail": "Missing value: 'filters|award_type_codes' is a required field"}"#);
    assert!(refused.to_string().starts_with("USAspending refused the request: Missing value"));
}

#[test]
fn counts_are_of_each_group_and_a_missing_group_is_named() {
    let body = r#"{"results": {"contracts": 5, "idvs": "7", "grants": 0, "direct_payments": 1, "loans": 2, "other": 3}}"#;
    let counts = AwardCounts::read(body.as_bytes()).unwrap();
    assert_eq!((counts.of(AwardGroup::Idvs), counts.of(AwardGroup::Other)), (7, 3));
    let error = AwardCounts::read(body.replace("loans", "lent").as_bytes()).unwrap_err();
    assert!(matches!(error, AnswerError::Missing { member: "loans", .. }));
}

#[test]
fn a_query_string_has_comma_joined_arrays_with_escapes() {
    let pairs = [("types", "02,05"), ("keywords", r"sun\, moon,stars"), ("agency", "NASA"), ("limit", "5")];
    let search = AwardSearchRequest::from_query(pairs).unwrap().check(TODAY, &AwardTypes::bundled()).unwrap();
    assert_eq!(search.keywords, ["sun, moon", "stars"]);
    assert_eq!((search.group, search.limit), (AwardGroup::Grants, 5));
    let field =
        |pairs: &[(&str, &str)]| AwardSearchRequest::from_query(pairs.iter().copied()).unwrap_err().field;
    assert_eq!(field(&[("group", "a"), ("group", "b")]), "group");
    assert_eq!(field(&[("typos", "a")]), "query");
    assert_eq!(field(&[("limit", "many")]), "limit");
    assert_eq!(field(&[("naics", "1,,2")]), "naics");
}

proptest! {
    #[test]
    fn amounts_are_read_back_from_their_text(cents in -1_000_000_000_000_000_i64..1_000_000_000_000_000) {
        let sign = if cents < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
        prop_assert_eq!(Amount::parse("min_amount", &text).unwrap().to_string(), text);
    }

    #[test]
    fn any_amount_text_is_read_or_refused(text in "\\PC{0,30}") {
        let _ = Amount::parse("min_amount", &text);
    }

    #[test]
    fn any_body_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = AwardAnswer::read(&search(json!({"group": "grants"})), &bytes);
        let _ = check_lossless(&bytes);
        let _ = ToptierAgencies::read(&bytes);
        let _ = AwardTypes::read(&bytes);
    }

    #[test]
    fn how_to_go_on_is_read_back_from_its_text(page in any::<u32>(), id in any::<u64>(), sort_value in "[ -~]{1,40}") {
        for next in [Next::Page(page), Next::Cursor(Cursor { id, sort_value })] {
            prop_assert_eq!(next.to_string().parse(), Ok(next));
        }
    }

    #[test]
    fn any_name_has_suggestions(asked in "\\PC{0,40}") {
        prop_assert_eq!(agencies().nearest(&asked).len(), MAX_SUGGESTIONS);
    }
}

#[test]
fn normalised_names_are_there_once_and_none_is_a_name_of_the_row_itself() {
    use crate::tables::*;
    for table in
        [SEARCH_AWARD, SUBAWARD, AWARD, TRANSACTION, FUNDING, IDV_AWARD, AGENCY, CATEGORY, LIST_ANSWER, PAGE]
    {
        assert_eq!(table.clash(&["link"]), None, "{}", table.kind);
    }
}
