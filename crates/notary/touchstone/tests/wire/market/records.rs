//! The searches of federal records, from answers that are served locally.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Published, recorded};
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::peer::{Peer, answer};
use crate::support::receipt::{hash, text, verify};
use crate::support::service::Launch;

const DOCUMENTS: &str = "/api/v1/documents.json";
const SEARCH: &str = "/api/v2/search/spending_by_award/";
const COUNT: &str = "/api/v2/search/spending_by_award_count/";
const TYPES: &str = "/api/v2/references/award_types/";
const AGENCIES: &str = "/api/v2/references/toptier_agencies/";
/// A bond.
const BOND: u64 = 1_000_000;

fn document(number: &str, day: &str, kind: &str) -> Value {
    json!({
        "document_number": number, "title": "Standards <for> ozone", "type": kind, "publication_date": day,
        "html_url": format!("https://www.federalregister.gov/documents/{number}"), "page_views": {"count": 7},
        "an_unknown_member": [1, 2.50],
    })
}

fn answered(count: u64, description: &str, documents: &[Value]) -> String {
    json!({"count": count, "description": description, "total_pages": 1, "results": documents}).to_string()
}

#[test]
fn documents_are_found_by_query_and_by_body_with_a_link_a_row() {
    let published = Published::new().with(
        DOCUMENTS,
        answered(
            1,
            "Documents matching 'ozone', and of type Rule",
            &[document("2026-1", "2026-01-02", "Rule")],
        ),
    );
    let service = published.launch().start();
    let receipt = service.get("/federal-register?agent=a&term=ozone&types=RULE").expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["count"], &receipt["next"]),
        ("FOUND", &json!(1), &json!(null))
    );
    let row = &receipt["documents"][0];
    assert_eq!(
        (text(row, "key"), text(row, "link")),
        ("2026-1@2026-01-02", "https://www.federalregister.gov/documents/2026-1")
    );
    assert_eq!(
        (&row["dropped"], &row["other"]["an_unknown_member"]),
        (&json!(["page_views"]), &json!([1, "2.5"]))
    );
    let asked = published.asked();
    assert!(
        asked[0].contains("conditions%5Bterm%5D=ozone")
            && asked[0].contains("conditions%5Btype%5D%5B%5D=RULE"),
        "{asked:?}"
    );
    let body = json!({"agent": "a", "term": "ozone", "types": ["RULE"]});
    let same = service.ask("/federal-register", &body).expect(200).json();
    assert_eq!((&same["documents"], published.asked().len()), (&receipt["documents"], 1));
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(
        page.contains("href=\"https://www.federalregister.gov/documents/2026-1\"") && !page.contains("<for>"),
        "{page}"
    );
    published.set_down(true);
    let dispute = json!({"agent": "a", "receipt_hash": hash(&receipt), "reason": "is it so?"});
    let settled =
        service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND))).expect(200).json();
    assert_eq!(text(&settled, "verdict"), "UPHELD", "{settled:#}");
}

#[test]
fn a_service_that_ignores_a_filter_or_breaks_its_form_gives_no_verdict() {
    let published = Published::new();
    let service = published.launch().start();
    let row = document("2026-1", "2026-01-02", "Notice");
    let mut nameless = row.clone();
    nameless.as_object_mut().unwrap().remove("title");
    for (number, (body, told)) in [
        (answered(1, "All Documents", std::slice::from_ref(&row)), "ignored"),
        (answered(1, "Documents matching 'ozone', and of type Rule", &[row]), "ignored"),
        (answered(1, "Documents matching 'ozone', and of type Rule", &[nameless]), "title"),
        ("<html>maintenance</html>".to_owned(), "a page"),
        (r#"{"count":1,"#.to_owned(), "not whole JSON"),
        (r#"{"errors":["term is too odd"]}"#.to_owned(), "term is too odd"),
    ]
    .into_iter()
    .enumerate()
    {
        // A docket makes each question another one.
        let description = body.replace(
            "Documents matching 'ozone'",
            &format!("Documents matching 'ozone', filed under Agency Docket d{number}"),
        );
        published.put(DOCUMENTS, "200 OK", description);
        let question = json!({"agent": "a", "term": "ozone", "types": ["RULE"], "page": number + 1});
        let problem = service.ask("/federal-register", &question).problem(503);
        assert!(text(&problem, "detail").contains(told), "{told}: {problem}");
        assert_eq!(problem["module"], "market");
    }
    for (status, code) in [("403 Forbidden", "status_403"), ("500 Oops", "rate_used_up")] {
        published.put(DOCUMENTS, status, "no");
        let question = json!({"agent": "a", "term": code});
        let problem = service.ask("/federal-register", &question).problem(503);
        // After a refusal nothing is asked for a while.
        assert!(text(&problem, "detail").contains(code), "{code}: {problem}");
    }
}

#[test]
fn none_is_found_by_a_fresh_answer_alone() {
    let published = Published::new().with(DOCUMENTS, answered(0, "Documents matching 'nothing'", &[]));
    let service = published.launch().start();
    let receipt = service.get("/federal-register?agent=a&term=nothing").expect(200).json();
    assert_eq!((text(&receipt, "verdict"), &receipt["stale"]), ("NONE_FOUND", &json!(false)));
    service.get("/federal-register?agent=a&from=2999-01-01").names("from", "in_future");
    service.get("/federal-register?agent=a&per_page=101").names("per_page", "out_of_range");
    service.get("/federal-register?agent=a&agencies=EPA").names("agencies", "malformed");
    service.get("/federal-register?agent=a&terms=x").names("terms", "misnamed");
}

fn award_types() -> String {
    let groups = ["contracts", "idvs", "grants", "direct_payments", "loans", "other_financial_assistance"];
    let codes = [["A", "B"], ["IDV_A", "IDV_B"], ["02", "03"], ["06", "10"], ["07", "08"], ["09", "11"]];
    let of =
        |(group, codes): (&str, [&str; 2])| (group.to_owned(), json!({codes[0]: "one", codes[1]: "two"}));
    Value::Object(groups.into_iter().zip(codes).map(of).collect()).to_string()
}

fn agencies() -> String {
    let agency = |name: &str, abbreviation: &str, code: &str| {
        json!({"agency_id": 1, "toptier_code": code, "abbreviation": abbreviation, "agency_name": name, "congressional_justification_url": "",
               "active_fy": "2026", "active_fq": "3", "outlay_amount": 1.5, "obligated_amount": 2.5, "budget_authority_amount": 3.5,
               "current_total_budget_authority_amount": 4.5, "percentage_of_total_budget_authority": 0.1, "agency_slug": name.to_lowercase().replace(' ', "-")})
    };
    let list = [
        agency("Department of Energy", "DOE", "089"),
        agency("National Aeronautics and Space Administration", "NASA", "080"),
    ];
    json!({ "results": list }).to_string()
}

fn awards(rows: &[Value]) -> String {
    json!({
        "spending_level": "awards", "limit": 10, "results": rows, "messages": [],
        "page_metadata": {"page": 1, "hasNext": false, "last_record_unique_id": null, "last_record_sort_value": "None"}
    })
    .to_string()
}

fn counts(contracts: u64) -> String {
    json!({"results": {"contracts": contracts, "idvs": 0, "grants": 0, "direct_payments": 0, "loans": 0, "other": 0}, "messages": []})
        .to_string()
}

fn award() -> Value {
    json!({
        "internal_id": 1, "Award ID": "80NSSC1", "Recipient Name": "ACME <Inc>", "Awarding Agency": "Department of Energy",
        "Award Amount": 1250.50, "generated_internal_id": "CONT_AWD_80NSSC1", "agency_slug": "department-of-energy", "awarding_agency_id": 1
    })
}

fn spending() -> Published {
    Published::new()
        .with(TYPES, award_types())
        .with(AGENCIES, agencies())
        .with(SEARCH, awards(&[award()]))
        .with(COUNT, counts(1))
}

#[test]
fn awards_are_found_with_the_services_own_codes_and_names() {
    let published = spending();
    let service = published.launch().start();
    let receipt = service.get("/awards?agent=a&group=contracts&agency=doe").expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["count"], text(&receipt, "agency")),
        ("FOUND", &json!(1), "Department of Energy"),
        "{receipt:#}"
    );
    assert_eq!(receipt["types"], json!(["A", "B"]), "the codes are those of the reference");
    let row = &receipt["awards"][0];
    assert_eq!(
        (text(row, "award_amount"), text(row, "link")),
        ("1250.5", "https://www.usaspending.gov/award/CONT_AWD_80NSSC1/")
    );
    let sent = receipt["evidence"]["sources"]
        .as_array()
        .unwrap()
        .iter()
        .find(|source| source["document"] == "search")
        .unwrap();
    assert!(text(sent, "sent").contains("\"award_type_codes\":[\"A\",\"B\"]"), "{sent}");
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(
        page.contains("href=\"https://www.usaspending.gov/award/CONT_AWD_80NSSC1/\"")
            && !page.contains("<Inc>"),
        "{page}"
    );
    published.set_down(true);
    let dispute = json!({"agent": "a", "receipt_hash": hash(&receipt), "reason": "is it so?"});
    let settled =
        service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND))).expect(200).json();
    assert_eq!(text(&settled, "verdict"), "UPHELD", "{settled:#}");
}

#[test]
fn an_agency_that_is_unknown_is_an_error_with_the_nearest_names() {
    let published = spending();
    let service = published.launch().start();
    let problem = service.get("/awards?agent=a&group=contracts&agency=Departmnt%20of%20Energie").problem(400);
    assert!(
        problem["field"] == "agency" && text(&problem, "detail").contains("Department of Energy"),
        "{problem}"
    );
    service.get("/awards?agent=a&group=contracts&types=02").names("types", "contradictory");
    service.get("/awards?agent=a&types=ZZ").names("types", "unknown_value");
    service.get("/awards?agent=a").names("group", "missing");
    published.put(SEARCH, "200 OK", awards(&[]));
    published.put(COUNT, "200 OK", counts(0));
    let none = service.get("/awards?agent=a&group=contracts&agency=NASA").expect(200).json();
    assert_eq!(text(&none, "verdict"), "NONE_FOUND");
    let doubt = service
        .get("/awards?agent=a&group=contracts&agency=Office%20of%20Enrgy&agency_tier=subtier")
        .problem(400);
    assert!(doubt["field"] == "agency" && text(&doubt, "detail").contains("may be wrong"), "{doubt}");
}

/// The recorded answers, as the service gave them to questions that it does not name: each is either read without loss or
/// refused as an answer to another question.
#[test]
fn recorded_answers_are_served_and_read() {
    let (Some(documents), Some(contracts)) =
        (recorded("fr_documents_search_trim.json"), recorded("usaspending_spending_by_award_contracts.json"))
    else {
        return;
    };
    let published = spending().with(DOCUMENTS, documents).with(SEARCH, contracts).with(COUNT, counts(25_000));
    let service = published.launch().start();
    let found = service.get("/federal-register?agent=a&per_page=100").expect(200).json();
    assert_eq!((text(&found, "verdict"), &found["count"]), ("FOUND", &json!(962)));
    assert_eq!(found["documents"].as_array().unwrap().len(), 30);
    service.get("/federal-register?agent=a&term=ozone").problem(503);
    let found = service.get("/awards?agent=a&group=contracts&limit=100").expect(200).json();
    assert_eq!(text(&found, "verdict"), "FOUND");
    assert!(
        found["awards"]
            .as_array()
            .unwrap()
            .iter()
            .all(|award| text(award, "link").starts_with("https://www.usaspending.gov/award/"))
    );
}

/// A register with so many documents on each day, whose counts stop at 10,000 as the real one's do.
fn register(a_day: i32) -> Peer {
    Peer::http(move |target| {
        let day = |bound: &str| -> Option<Date> {
            let (_, after) = target.split_once(&format!("%5Bpublication_date%5D%5B{bound}%5D="))?;
            after.get(..10)?.parse().ok()
        };
        let written = |day: Date| day.strftime("%m/%d/%Y").to_string();
        let first = day("gte").or(day("is")).unwrap();
        let last = day("lte").unwrap_or(first);
        let count = ((last - first).get_days() + 1) * a_day;
        let description =
            format!("Documents matching 'rule', published from {} to {}", written(first), written(last));
        let rows = [document("2025-1", &last.to_string(), "Rule")];
        answer("200 OK", "", answered(u64::try_from(count.min(10_000)).unwrap(), &description, &rows))
    })
}

#[test]
fn a_search_at_the_cap_is_counted_by_days_and_what_stays_at_the_cap_is_truncated() {
    let asked = |a_day: i32| {
        let register = register(a_day);
        let settings = format!("[market]\nfederal_register = {:?}\n", register.url(""));
        let service = Launch::dev().without_limits().configured(&settings).start();
        let receipt = service
            .get("/federal-register?agent=a&term=rule&from=2025-01-01&to=2025-12-31")
            .expect(200)
            .json();
        (receipt, register.asked().len())
    };
    // A year of 36,500: no half, and no quarter but one of each, is below 10,000.
    let (whole, calls) = asked(100);
    assert_eq!((&whole["count"], &whole["count_is_exact"]), (&json!(36_500), &json!(true)), "{whole:#}");
    let parts = whole["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["count"].as_u64().unwrap()).sum();
    assert_eq!((sum, parts.len(), text(&parts[0], "to")), (36_500, 4, "2025-12-31"));
    assert_eq!(calls, 1 + 6, "two halves and four quarters");
    let (cut, calls) = asked(20_000);
    assert_eq!((&cut["count_is_exact"], &cut["truncated"]), (&json!(false), &json!(true)), "{cut:#}");
    assert!(calls <= 8, "{calls}");
    let (small, calls) = asked(10);
    assert_eq!((&small["count"], &small["parts"], calls), (&json!(3650), &json!([]), 1));
}
