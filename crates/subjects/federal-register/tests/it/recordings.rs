//! Each member of a recorded answer is in the normalised row, under `other` or named in `dropped`.

use std::fs;
use std::path::Path;

use federal_register::{
    Document, PublicInspection, SERVICE, SearchRequest, check_lossless, echo_check, read_document,
};
use record_search::AnswerError;
use serde_json::Value;

fn recording(file: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market").join(file);
    let body = fs::read(&path).ok();
    if body.is_none() {
        println!("passed over: there is no {}", path.display());
    }
    body
}

/// Names that a normalised row has in place of the original's.
const RENAMED: [(&str, &str); 2] = [("docket_numbers", "docket_ids"), ("num_pages", "page_length")];

/// The rows of the original by another parser, and those of the normalising, compared by name.
fn compared(file: &str) -> usize {
    let Some(body) = recording(file) else { return 0 };
    let (rows, dropped) = check_lossless(&body).unwrap();
    let original: Value = serde_json::from_slice(&body).unwrap();
    let originals = match original.get("results") {
        Some(results) => results.as_array().unwrap().clone(),
        None => vec![original],
    };
    assert_eq!(rows.len(), originals.len(), "{file}");
    for (row, original) in rows.iter().zip(&originals) {
        for (name, value) in original.as_object().unwrap() {
            let normal = RENAMED.iter().find(|(from, _)| from == name).map_or(name.as_str(), |(_, to)| to);
            let is_kept = row.members.contains(normal) || row.other.contains(name);
            assert!(is_kept || dropped.contains(name), "{file}: {name} is lost");
            assert!(
                !row.other.contains(name),
                "{file}: {name} is not in the table, or of another type: {value}"
            );
            if let (Some(text), Some(kept)) = (value.as_str(), row.text(normal)) {
                assert_eq!(text, kept, "{file}: {name}");
            }
        }
    }
    rows.len()
}

#[test]
fn no_member_of_a_recorded_search_is_lost() {
    println!("{} rows", compared("fr_documents_search_trim.json"));
}

#[test]
fn no_member_of_a_recorded_document_is_lost() {
    println!("{} rows", compared("fr_document.json"));
}

#[test]
fn no_member_of_recorded_public_inspection_is_lost() {
    println!("{} rows", compared("fr_public_inspection_current_trim.json"));
}

#[test]
fn each_recorded_document_has_a_key_of_its_own_a_link_and_its_agencies() {
    let Some(body) = recording("fr_public_inspection_current_trim.json") else { return };
    let read = PublicInspection::read(&body).unwrap();
    assert_eq!(read.count, 100);
    let mut keys: Vec<_> = read.documents.iter().map(Document::key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), read.documents.len());
    for document in &read.documents {
        assert!(document.link.as_ref().unwrap().starts_with("https://www.federalregister.gov/"));
        assert!(!document.agency_slugs.is_empty());
    }
    let Some(body) = recording("fr_document.json") else { return };
    let document = read_document(&body).unwrap();
    assert_eq!(document.key(), "2020-17469@2020-08-11");
    assert_eq!(document.agency_slugs, ["transportation-department", "federal-aviation-administration"]);
}

#[test]
fn a_recorded_answer_to_another_question_is_not_taken_for_the_asked_one() {
    let Some(body) = recording("fr_documents_search_trim.json") else { return };
    let today = jiff::civil::date(2020, 8, 12);
    let check = |json: &str| serde_json::from_str::<SearchRequest>(json).unwrap().check(today).unwrap();
    let asked = check(r#"{"term": "ozone", "types": ["RULE"]}"#);
    assert_eq!(echo_check(&asked, "Documents signed by Donald Trump"), ["term", "types"]);
    let error = federal_register::Answer::read(&asked, &body).unwrap_err();
    assert_eq!(error, AnswerError::Ignored { service: SERVICE, filters: vec!["term", "types"] });
    let open = federal_register::Answer::read(&check(r#"{"per_page": 100}"#), &body).unwrap();
    assert_eq!((open.count, open.documents.len(), open.truncated), (962, 30, false));
}
