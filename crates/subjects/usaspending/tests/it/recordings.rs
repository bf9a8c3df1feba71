//! Each member of a recorded answer is in the normalised row, under `other` or named in `dropped`.

use std::fs;
use std::path::Path;

use jiff::civil::date;
use serde_json::{Value, json};
use usaspending::{
    AwardAnswer, AwardSearch, AwardSearchRequest, AwardTypes, Records, check_lossless, read_award,
};

fn recording(file: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market").join(file);
    let body = fs::read(&path).ok();
    if body.is_none() {
        println!("passed over: there is no {}", path.display());
    }
    body
}

/// Names of the normalised row that are not the original's in lower case with underscores.
const RENAMED: [(&str, &str); 3] = [
    ("generated_unique_award_id", "generated_internal_id"),
    ("id", "internal_id"),
    ("award_id", "internal_id"),
];

/// The rows of the original by another parser, and those of the normalising, compared by name.
fn compared(file: &str) {
    let Some(body) = recording(file) else { return };
    let (rows, dropped) = check_lossless(&body).unwrap();
    let original: Value = serde_json::from_slice(&body).unwrap();
    let originals = match original.get("results") {
        Some(results) => results.as_array().unwrap().clone(),
        None => vec![original],
    };
    assert_eq!(rows.len(), originals.len(), "{file}");
    for (row, original) in rows.iter().zip(&originals) {
        assert_ne!(row.kind, "record", "{file}: no table knows these rows");
        assert!(row.mistyped.is_empty(), "{file}: {:?}", row.mistyped);
        for (name, value) in original.as_object().unwrap() {
            let plain = name.to_lowercase().replace([' ', '-'], "_");
            let other = RENAMED.iter().find(|(from, _)| from == name).map_or(plain.as_str(), |(_, to)| to);
            let kept = row.members.get(&plain).or_else(|| row.members.get(other));
            assert!(kept.is_some() || dropped.contains(name), "{file}: {name} is lost, or no table knows it");
            if let (Some(number), Some(kept)) = (value.as_f64(), kept.and_then(|kept| kept.as_str())) {
                assert_eq!(number, kept.parse::<f64>().unwrap(), "{file}: {name}");
            }
        }
    }
    println!("{file}: {} rows, dropped {dropped:?}", rows.len());
}

#[test]
fn no_member_of_a_recorded_answer_is_lost() {
    for file in [
        "usaspending_award_funding_grant.json",
        "usaspending_awards_grant.json",
        "usaspending_awards_idv.json",
        "usaspending_awards_search_results_grants.json",
        "usaspending_awards_search_results_subawards.json",
        "usaspending_awards_transactions.json",
        "usaspending_idv_awards.json",
        "usaspending_spending_by_award_contracts.json",
        "usaspending_spending_by_state.json",
    ] {
        compared(file);
    }
}

fn search(value: Value) -> AwardSearch {
    let request: AwardSearchRequest = serde_json::from_value(value).unwrap();
    request.check(date(2026, 7, 1), &AwardTypes::bundled()).unwrap()
}

#[test]
fn recorded_searches_have_links_amounts_and_a_way_on() {
    let cases = [
        (
            "usaspending_spending_by_award_contracts.json",
            json!({"group": "contracts", "limit": 2, "agency": "National Aeronautics and Space Administration"}),
        ),
        ("usaspending_awards_search_results_grants.json", json!({"group": "grants", "limit": 3})),
        (
            "usaspending_awards_search_results_subawards.json",
            json!({"group": "contracts", "limit": 3, "subawards": true}),
        ),
    ];
    for (file, value) in cases {
        let Some(body) = recording(file) else { return };
        let read = AwardAnswer::read(&search(value), &body).unwrap();
        assert!(read.has_next && read.next.is_some() && !read.truncated, "{file}");
        assert_eq!(read.messages.len(), 1, "{file}");
        for award in &read.awards {
            let link = award.link.as_ref().unwrap();
            assert!(link.starts_with("https://www.usaspending.gov/award/") && link.ends_with('/'), "{link}");
            let amount =
                award.row.text("award_amount").or_else(|| award.row.text("sub_award_amount")).unwrap();
            assert!(String::from_utf8_lossy(&body).contains(amount), "{file}: {amount}");
        }
    }
}

#[test]
fn recorded_lists_and_single_awards_are_read() {
    for file in ["usaspending_awards_grant.json", "usaspending_awards_idv.json"] {
        let Some(body) = recording(file) else { return };
        let award = read_award(&body).unwrap();
        assert!(award.link.is_some() && award.row.text("total_obligation").is_some(), "{file}");
    }
    for file in [
        "usaspending_awards_transactions.json",
        "usaspending_award_funding_grant.json",
        "usaspending_idv_awards.json",
    ] {
        let Some(body) = recording(file) else { return };
        let read = Records::read(&body).unwrap();
        assert!(read.has_next && !read.rows.is_empty(), "{file}");
    }
}
