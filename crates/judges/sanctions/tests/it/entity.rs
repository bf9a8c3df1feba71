//! `/screen-entity`: what is found, and how it is shown.

use sanctions::live::Lists;
use serde_json::json;

use crate::common::{HOUR, SDN_XML, at, entity, kept, named, on_demo, real, uids};

#[tokio::test]
async fn a_listed_name_is_a_match_that_explains_itself() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let request = json!({
        "agent": "a", "entity": "Ivan Petrovich Examplov", "type": "person", "birth_date": "1961-03-03",
        "country": "RU", "id_number": "AB 123",
    });
    let finding = entity(&live, &request, at(HOUR)).await.unwrap();
    assert_eq!(finding["verdict"], "MATCH");
    assert_eq!(finding["entity"], request["entity"]);
    let found = &finding["matches"][0];
    assert_eq!((&found["uid"], &found["list"]), (&json!("101"), &json!("OFAC SDN")));
    assert_eq!(found["name"], "EXAMPLOV, Ivan Petrovich");
    assert_eq!(found["matched_name"], json!({"name": "EXAMPLOV, Ivan Petrovich", "quality": "primary"}));
    assert_eq!((&found["type"], &found["programs"]), (&json!("person"), &json!(["TEST-EO1", "TEST-EO2"])));
    assert!(found["remarks"].as_str().unwrap().contains("Linked To"));
    assert_eq!((&found["verdict"], &found["score"]), (&finding["verdict"], &finding["score"]));
    let facts = found["score_parts"]["facts"].as_array().unwrap();
    let facts: Vec<_> =
        facts.iter().map(|fact| (fact["fact"].as_str().unwrap(), fact["agrees"] == true)).collect();
    assert_eq!(facts, [("type", true), ("birth_date", true), ("country", true), ("id_number", true)]);
    assert_eq!(found["ignored_words"], json!([]));
    let asked: Vec<_> =
        found["alignment"].as_array().unwrap().iter().map(|pair| &pair["query_words"]).collect();
    assert_eq!(asked.len(), 3, "{asked:?}");
}

#[tokio::test]
async fn the_list_is_named_with_its_snapshot_and_its_age() {
    let lists = kept();
    let admitted = lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let finding = entity(&live, &named("Nobody Of That Kind"), at(HOUR)).await.unwrap();
    assert_eq!(finding["verdict"], "NO_MATCH");
    assert_eq!(finding["matches"], json!([]));
    assert!(finding["score"].is_number());
    let id = admitted.id.to_string();
    let list = json!({
        "name": "OFAC SDN", "published": "2026-08-20", "snapshot": id, "entries": 4,
        "confirmed_at": at(0), "age_seconds": HOUR, "demo": false, "topic": "sanctions",
    });
    assert_eq!(finding["lists"], json!([list]));
    assert_eq!(finding["evidence"], json!({"screened_at": at(HOUR), "snapshots": [id]}));
}

#[tokio::test]
async fn a_weak_alias_alone_is_a_possible_match_and_says_so() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let finding = entity(&live, &named("Vanya"), at(0)).await.unwrap();
    assert_eq!(finding["verdict"], "POSSIBLE_MATCH");
    assert_eq!(finding["matches"][0]["matched_name"], json!({"name": "VANYA", "quality": "weak"}));
}

#[tokio::test]
async fn a_ships_number_finds_it_under_another_name() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let request = json!({"agent": "a", "entity": "Ocean Renamed", "id_number": "IMO 7406784"});
    let finding = entity(&live, &request, at(0)).await.unwrap();
    assert_eq!((&finding["verdict"], &uids(&finding)[..]), (&json!("POSSIBLE_MATCH"), &["103"][..]));
    assert_eq!(finding["matches"][0]["score_parts"]["facts"][0]["fact"], "imo");
}

#[tokio::test]
async fn all_lists_are_asked_and_the_sdn_list_is_named_first() {
    let lists = kept();
    let other = SDN_XML.replace("EXAMPLOV", "OTHEROV").replace("EXAMPLE", "ZEPHYR");
    lists.import("consolidated.xml", &other, at(0));
    lists.import("sdn.xml", SDN_XML, at(60));
    let live = Lists::open(lists.path()).unwrap();
    let finding = entity(&live, &named("Ivan Petrovich Otherov"), at(60)).await.unwrap();
    assert_eq!(finding["verdict"], "MATCH");
    assert_eq!(finding["matches"][0]["list"], "OFAC Consolidated (non-SDN)");
    let names: Vec<_> = finding["lists"].as_array().unwrap().iter().map(|list| &list["name"]).collect();
    assert_eq!(names, ["OFAC SDN", "OFAC Consolidated (non-SDN)"]);
    assert_eq!(finding["evidence"]["snapshots"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_demo_list_says_that_it_is_none_and_has_no_age() {
    let finding = on_demo(&named("Viktor Anatolyevich Bout")).await;
    assert_eq!(finding["verdict"], "MATCH");
    assert_eq!(finding["lists"][0]["demo"], true);
    assert_eq!(finding["list"].get("age_seconds"), None);
    assert!(finding["scope"].as_str().unwrap().contains("demo list"));
    let none = entity(&Lists::demo(), &named("Nobody Of That Kind"), at(10 * 24 * HOUR)).await.unwrap();
    assert_eq!(none["verdict"], "NO_MATCH");
}

#[tokio::test]
async fn there_are_no_more_matches_than_were_asked_for_and_the_worst_comes_first() {
    let of =
        |limit: usize| json!({"agent": "a", "entity": "Sergei Viktorovich Lavrov Shoigu", "limit": limit});
    let (one, many) = (on_demo(&of(1)).await, on_demo(&of(100)).await);
    assert!(uids(&one).len() <= 1);
    assert_eq!(one["verdict"], many["verdict"]);
    let scores: Vec<f64> =
        many["matches"].as_array().unwrap().iter().map(|found| found["score"].as_f64().unwrap()).collect();
    let same_verdict = many["matches"].as_array().unwrap().chunk_by(|a, b| a["verdict"] == b["verdict"]);
    assert!(same_verdict.map(<[_]>::len).max().unwrap_or(0) < 2 || scores.is_sorted_by(|a, b| a >= b));
}

#[tokio::test]
async fn the_real_list_answers() {
    let Some(lists) = real() else { return };
    let live = Lists::open(lists.path()).unwrap();
    let finding = entity(&live, &named("Yong Cholkim"), at(HOUR)).await.unwrap();
    assert_ne!(finding["verdict"], "NO_MATCH");
    assert!(uids(&finding).contains(&"26592") || uids(&finding).contains(&"12211"), "{:?}", uids(&finding));
    assert_eq!(finding["lists"][0]["entries"], 19_249);
    let none = entity(&live, &named("Zorblax Quuxington Fnordheimer"), at(HOUR)).await.unwrap();
    assert_eq!(none["verdict"], "NO_MATCH");
}
