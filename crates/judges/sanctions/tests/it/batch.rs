//! `/screen-batch`: every entity, in order, and the worst of all.

use sanctions::live::Lists;
use sanctions::screen_batch::BatchQuestion;
use serde_json::{Value, json};
use verdict::Question as _;

use crate::common::{HOUR, SDN_XML, at, batch, entity, kept, objected, read, unavailable};

fn of(entities: Value) -> Value {
    json!({"agent": "a", "entities": entities})
}

#[tokio::test]
async fn each_entity_has_its_result_and_the_verdict_is_the_worst() {
    let asked = of(json!(["Nobody Of That Kind", {"entity": "Evil Corp", "type": "entity"}, "EL CHAPO"]));
    let finding = batch(&Lists::demo(), &asked, at(0)).await.unwrap();
    assert_eq!(finding["verdict"], "MATCH");
    assert_eq!(finding["counts"], json!({"NO_MATCH": 1, "POSSIBLE_MATCH": 1, "MATCH": 1}));
    let results = finding["results"].as_array().unwrap();
    assert_eq!(results[0]["entity"], "Nobody Of That Kind");
    assert_eq!(results[0].get("match"), None);
    assert_eq!(results[1]["match"]["name"], "EVIL CORP");
    assert_eq!(results[2]["match"]["matched_name"], json!({"name": "EL CHAPO", "quality": "weak"}));
    assert!(results.iter().all(|result| result["score"].is_number()));
}

#[tokio::test]
async fn an_entity_has_the_verdict_and_the_score_that_it_has_alone() {
    let names = ["Vladimir Putin", "Putin Vladimr", "Usama bin Laden", "Joseph Smith", "Lazarus Group"];
    let together = batch(&Lists::demo(), &of(json!(names)), at(0)).await.unwrap();
    for (name, result) in names.iter().zip(together["results"].as_array().unwrap()) {
        let alone = entity(&Lists::demo(), &json!({"agent": "a", "entity": name}), at(0)).await.unwrap();
        assert_eq!((&result["verdict"], &result["score"]), (&alone["verdict"], &alone["score"]), "{name}");
        assert_eq!(result["match"]["uid"], alone["matches"][0]["uid"], "{name}");
    }
}

#[tokio::test]
async fn a_full_batch_is_judged_and_costs_a_unit_for_each() {
    let names: Vec<String> = (0..1_000).map(|n| format!("Person Number {n} Example")).collect();
    let asked = of(json!(names));
    assert_eq!(read::<BatchQuestion>(&asked).unwrap().units(), 1_000);
    let finding = batch(&Lists::demo(), &asked, at(0)).await.unwrap();
    assert_eq!(finding["results"].as_array().unwrap().len(), 1_000);
}

#[tokio::test]
async fn nobody_is_cleared_by_a_stale_list_within_a_batch_either() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let late = at(24 * HOUR + 1);
    let mixed = of(json!(["Ivan Petrovich Examplov", "Nobody Of That Kind"]));
    assert!(unavailable(batch(&live, &mixed, late).await).starts_with("list_stale"));
    let listed = of(json!(["Ivan Petrovich Examplov", "Vanya"]));
    assert_eq!(batch(&live, &listed, late).await.unwrap()["verdict"], "MATCH");
    assert_eq!(batch(&live, &mixed, at(HOUR)).await.unwrap()["counts"]["NO_MATCH"], 1);
}

#[test]
fn a_wrong_entity_is_named_by_its_place() {
    let refused = |entities: Value, field: &str, reason: &str| {
        let error = read::<BatchQuestion>(&of(entities.clone())).unwrap_err();
        assert_eq!(error, (field.to_owned(), error.1), "{entities}");
        assert_eq!(error.1, reason, "{entities}");
    };
    refused(json!("Evil Corp"), "entities", "wrong_type");
    refused(json!([]), "entities", "empty");
    refused(json!(vec!["Evil Corp"; 1_001]), "entities", "too_long");
    refused(json!(["Evil Corp", 7]), "entities.1", "wrong_type");
    refused(json!(["Evil Corp", ""]), "entities.1", "empty");
    refused(json!(["Evil Corp", "..."]), "entities.1", "empty");
    refused(json!([{"entity": "Evil Corp", "country": "Ruritania"}]), "entities.0.country", "unknown_value");
    refused(json!(["Evil Corp", "x".repeat(4_097)]), "entities.1", "too_long");
    refused(json!([{}]), "entities.0.entity", "missing");
    refused(json!([{"entity": "Evil Corp", "birth_date": "5 May"}]), "entities.0.birth_date", "malformed");
    refused(json!([{"entity": "Evil Corp", "type": "ship"}]), "entities.0.type", "unknown_value");
    assert_eq!(
        read::<BatchQuestion>(&json!({"agent": "a"})).unwrap_err(),
        ("entities".to_owned(), "missing")
    );
}

#[tokio::test]
async fn an_entity_of_legal_forms_alone_is_named_by_its_place() {
    for (entities, field) in [
        (json!(["Evil Corp", "Ltd."]), "entities.1"),
        (json!(["Evil Corp", {"entity": "ООО"}, "PJSC"]), "entities.1.entity"),
    ] {
        let refused = batch(&Lists::demo(), &of(entities), at(0)).await;
        assert_eq!(objected(refused), (field.to_owned(), "empty"));
    }
}
