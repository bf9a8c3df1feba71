//! Bodies that are refused, and those that are read in spite of what is unknown in them.

use std::io::Read;

use company_facts::{CompanyFacts, FactsError, MAX_BODY_BYTES, Submissions, Tickers};

use crate::bodies::{Body, FIRST, YEAR};

fn code(body: &str) -> &'static str {
    CompanyFacts::read_slice(body.as_bytes()).unwrap_err().code()
}

fn with_fact(fact: &str) -> String {
    format!(
        r#"{{"cik":1,"entityName":"E","facts":{{"us-gaap":{{"Assets":{{"units":{{"USD":[{fact}]}}}}}}}}}}"#
    )
}

const FACT: &str =
    r#"{"end":"2023-12-31","val":7,"accn":"0000000001-24-000001","form":"10-K","filed":"2024-02-20"}"#;

#[test]
fn bodies_that_are_not_json_are_named() {
    for (body, expected) in [
        ("<!DOCTYPE html><html></html>", "html"),
        (" \n<html>", "html"),
        ("\u{feff}<html>", "html"),
        ("", "incomplete"),
        ("{", "incomplete"),
        ("[]", "wrong_type"),
        ("null", "wrong_type"),
        ("Not found", "not_json"),
        ("{} {}", "not_json"),
        ("{}", "missing"),
    ] {
        assert_eq!(code(body), expected, "{body}");
    }
    assert_eq!(CompanyFacts::read_slice(b"{\"cik\":\xff}"), Err(FactsError::NotUtf8));
    let facts = CompanyFacts::read_slice(format!("\u{feff}{}", with_fact(FACT)).as_bytes()).unwrap();
    assert_eq!(facts.len(), 1);
}

#[test]
fn every_beginning_of_a_body_is_incomplete() {
    let body = Body::default().year(YEAR, FIRST).text();
    for end in 0..body.len() {
        assert_eq!(code(&body[..end]), "incomplete", "{}", &body[..end]);
    }
    assert!(CompanyFacts::read_slice(body.as_bytes()).is_ok());
}

#[test]
fn missing_members_are_named() {
    for (body, member) in [
        (r#"{"entityName":"E","facts":{}}"#.to_owned(), "cik"),
        (r#"{"cik":1,"facts":{}}"#.to_owned(), "entityName"),
        (r#"{"cik":1,"entityName":"E"}"#.to_owned(), "facts"),
        (r#"{"cik":1,"entityName":"E","facts":{"us-gaap":{"Assets":{}}}}"#.to_owned(), "units"),
        (with_fact(&FACT.replace(r#""end":"2023-12-31","#, "")), "end"),
        (with_fact(&FACT.replace(r#""val":7,"#, "")), "val"),
        (with_fact(&FACT.replace("accn", "accession")), "accn"),
        (with_fact(&FACT.replace("form", "Form")), "form"),
        (with_fact(&FACT.replace("filed", "date")), "filed"),
    ] {
        assert_eq!(CompanyFacts::read_slice(body.as_bytes()), Err(FactsError::Missing(member)), "{body}");
    }
}

#[test]
fn members_of_another_type_or_value_are_named() {
    for (from, to, expected) in [
        ("7", "\"7\"", "wrong_type"),
        ("7", "true", "wrong_type"),
        ("7", "[7]", "wrong_type"),
        ("7", "07", "not_json"),
        ("7", "NaN", "not_json"),
        ("\"2023-12-31\"", "20231231", "wrong_type"),
        ("2023-12-31", "2023-02-30", "malformed"),
        ("2023-12-31", "2023-12-31T00:00", "malformed"),
        ("2024-02-20", "", "malformed"),
        ("0000000001-24-000001", "../../x", "malformed"),
        ("\"10-K\"", "null", "wrong_type"),
        ("10-K", "", "malformed"),
        ("10-K", "a form whose name is much too long", "too_long"),
    ] {
        let body = with_fact(&FACT.replacen(from, to, 1));
        assert_eq!(code(&body), expected, "{body}");
    }
    let digits = "9".repeat(65);
    assert_eq!(code(&with_fact(&FACT.replacen('7', &digits, 1))), "too_long");
    for (body, expected) in [
        (r#"{"cik":"x1","entityName":"E","facts":{}}"#, "malformed"),
        (r#"{"cik":1.5,"entityName":"E","facts":{}}"#, "malformed"),
        (r#"{"cik":0,"entityName":"E","facts":{}}"#, "malformed"),
        (r#"{"cik":1,"entityName":null,"facts":{}}"#, "wrong_type"),
        (r#"{"cik":1,"entityName":"E","facts":[]}"#, "wrong_type"),
        (r#"{"cik":1,"entityName":"E","facts":{"us-gaap":{"Assets":{"units":{"USD":{}}}}}}"#, "wrong_type"),
    ] {
        assert_eq!(code(body), expected, "{body}");
    }
}

#[test]
fn a_member_that_stands_twice_has_no_one_meaning() {
    for body in [
        r#"{"cik":1,"cik":2,"entityName":"E","facts":{}}"#.to_owned(),
        r#"{"cik":1,"entityName":"E","facts":{},"facts":{}}"#.to_owned(),
        r#"{"cik":1,"entityName":"E","facts":{"us-gaap":{"A":{}},"us-gaap":{"A":{}}}}"#.to_owned(),
        r#"{"cik":1,"entityName":"E","facts":{"us-gaap":{"Assets":{"units":{}},"Assets":{"units":{}}}}}"#
            .to_owned(),
        r#"{"cik":1,"entityName":"E","facts":{"us-gaap":{"Assets":{"units":{"USD":[],"USD":[]}}}}}"#
            .to_owned(),
        with_fact(&FACT.replace(r#""val":7"#, r#""val":7,"val":8"#)),
    ] {
        assert_eq!(code(&body), "duplicate", "{body}");
    }
}

#[test]
fn unknown_members_and_empty_facts_are_passed_over() {
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let fact = FACT.replace(r#""val""#, &format!(r#""new":{deep},"frame":"CY2023Q4I","val""#));
    let nil = FACT.replace("7", "null");
    let body = with_fact(&format!("{fact},{nil},{fact}")).replacen('{', r#"{"later":{"a":[1]},"#, 1);
    let facts = CompanyFacts::read_slice(body.as_bytes()).unwrap();
    assert_eq!((facts.len(), facts.taxonomies()), (1, &["us-gaap".to_owned()][..]));
    let text = r#"{"cik":"0000320193","entityName":"\u00c4","facts":{"us-gaap":{},"ffd":{"X":1}}}"#;
    let facts = CompanyFacts::read_slice(text.as_bytes()).unwrap();
    assert_eq!((facts.cik(), facts.entity_name(), facts.is_empty()), (320_193, "Ä", true));
    assert_eq!(facts.taxonomies(), ["ffd"]);
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let deep = "[".repeat(1_000_000);
    for body in [
        format!(r#"{{"cik":1,"x":{deep}"#),
        with_fact(&FACT.replace("7", &deep)),
        format!(r#"{{"cik":1,"entityName":"E","facts":{{"ffd":{{"X":{deep}"#),
    ] {
        let code = code(&body);
        assert!(["too_deep", "wrong_type", "incomplete"].contains(&code), "{code}");
    }
    assert!(Submissions::read(deep.as_bytes()).is_err());
    assert!(Tickers::read(format!(r#"{{"0":{{"x":{deep}"#).as_bytes()).is_err());
}

#[test]
fn a_body_past_its_bounds_is_refused() {
    let endless = std::io::repeat(b' ');
    assert_eq!(CompanyFacts::read(endless), Err(FactsError::TooLarge));
    assert_eq!(CompanyFacts::read(with_fact(FACT).as_bytes().take(1 << 20)).unwrap().len(), 1);
    assert_eq!(Tickers::read(&vec![b' '; MAX_BODY_BYTES + 1]), Err(FactsError::TooLarge));
    let facts = vec![FACT; company_facts::MAX_FACTS + 1].join(",");
    assert_eq!(code(&with_fact(&facts)), "too_many_facts");
    let units: Vec<String> = (0..=company_facts::MAX_SERIES).map(|at| format!(r#""{at}":[]"#)).collect();
    let units = units.join(",");
    let body =
        format!(r#"{{"cik":1,"entityName":"E","facts":{{"us-gaap":{{"Assets":{{"units":{{{units}}}}}}}}}}}"#);
    assert_eq!(code(&body), "too_many");
}

#[test]
fn only_canonical_bytes_are_read_as_canonical() {
    let facts = Body::default().year(YEAR, FIRST).read();
    let text = String::from_utf8(facts.to_canonical()).unwrap();
    assert_eq!(CompanyFacts::from_canonical(text.as_bytes()), Ok(facts));
    for other in [
        format!("{text} "),
        text.replace("\"cik\":1", "\"cik\":0"),
        text.replace("2023-12-31", "2023-02-31"),
        text.replace("\"10\"", "\"ten\""),
        text.replace("\"10\"", "\"010\""),
        text.replace("\"taxonomies\"", "\"new\":1,\"taxonomies\""),
        "[]".to_owned(),
    ] {
        assert!(CompanyFacts::from_canonical(other.as_bytes()).is_err(), "{other}");
    }
}
