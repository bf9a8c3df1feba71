//! Several names and several numbers of one party.

use sanctions::screen_entity::EntityQuestion;
use serde_json::{Value, json};

use crate::common::{on_demo, read, uids};

#[tokio::test]
async fn each_name_of_the_party_is_screened_and_an_entry_told_once() {
    let request = json!({
        "agent": "a", "entity": "Nobody Whoever",
        "names": ["Viktor Anatolyevich Bout", "Evil Corp", "Viktor Bout"],
    });
    let found = on_demo(&request).await;
    assert_eq!(found["verdict"], "MATCH");
    assert_eq!(uids(&found).iter().filter(|uid| **uid == "demo-13").count(), 1);
    let bout = found["matches"].as_array().unwrap().iter().find(|found| found["uid"] == "demo-13").unwrap();
    assert_eq!(bout["query_name"], "Viktor Anatolyevich Bout");
    assert!(uids(&found).contains(&"demo-52"));
    assert_eq!(found["names"].as_array().unwrap().len(), 3);
    let one = on_demo(&json!({"agent": "a", "entity": "Viktor Bout"})).await;
    assert_eq!((one.get("names"), one["matches"][0].get("query_name")), (None, None));
}

#[tokio::test]
async fn any_of_several_numbers_finds_its_party() {
    let request = json!({"agent": "a", "entity": "Ocean Renamed", "identifiers": ["X-1", "IMO 7406784"]});
    let found = on_demo(&request).await;
    let by = json!({"agent": "a", "entity": "Ocean Renamed", "id_number": "IMO 7406784"});
    assert_eq!(uids(&found), uids(&on_demo(&by).await));
}

#[test]
fn names_and_numbers_that_hold_nothing_are_refused_where_they_stand() {
    let refused = |member: &str, value: Value| {
        let request = json!({"agent": "a", "entity": "Viktor Bout", member: value});
        read::<EntityQuestion>(&request).unwrap_err()
    };
    for (member, value, field, reason) in [
        ("names", json!(["Viktor", ""]), "names.1", "empty"),
        ("names", json!(["..."]), "names.0", "empty"),
        ("names", json!(["GmbH"]), "names.0", "empty"),
        ("names", json!("Viktor"), "names", "wrong_type"),
        ("names", json!([7]), "names.0", "wrong_type"),
        ("names", json!(vec!["A B"; 9]), "names", "too_long"),
        ("names", json!(["x".repeat(4097)]), "names.0", "too_long"),
        ("identifiers", json!([" "]), "identifiers.0", "empty"),
        ("identifiers", json!(["1\u{0}2"]), "identifiers.0", "malformed"),
        ("identifiers", json!(["1".repeat(129)]), "identifiers.0", "too_long"),
        ("identifiers", json!([{"number": "1"}]), "identifiers.0", "wrong_type"),
        ("lists", json!([]), "lists", "empty"),
        ("lists", json!(["un", 1]), "lists.1", "wrong_type"),
        ("lists", json!(vec!["un"; 33]), "lists", "too_long"),
    ] {
        assert_eq!(refused(member, value.clone()), (field.to_owned(), reason), "{member} {value}");
    }
}
