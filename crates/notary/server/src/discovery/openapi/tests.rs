//! Drift: the OpenAPI document, the price table and the judges say the same.

use std::collections::BTreeSet;

use module::terms::{self, RouteTerms, UNSIGNED};
use serde_json::{Value, json};

use crate::discovery::DOCUMENTS;
use crate::discovery::offer::{self, Offered};
use crate::discovery::tests::keys;
use crate::testing::{QUESTION, Service, local};

fn methods(terms: &RouteTerms) -> BTreeSet<&'static str> {
    if terms.get { ["get", "post"].into() } else { ["post"].into() }
}

#[tokio::test]
async fn openapi_has_an_operation_for_every_method_of_every_route() {
    let service = Service::offering_all(local);
    let document = service.get("/openapi.json").await.json();
    let paths = &document["paths"];
    for terms in terms::table() {
        let path = &paths[terms.path()];
        assert_eq!(keys(path), methods(&terms), "{}", terms.path());
        let operation = &path["post"];
        let text = operation["description"].as_str().unwrap();
        assert!(text.contains(&format!("At most {} calls", terms.rate_per_minute)));
        assert!(
            text.contains(&Offered::from(&*service.app).price_words(&terms))
                && text.contains(&offer::free_words(terms.free))
        );
        let offered = operation["responses"].get("402");
        assert_eq!(offered.is_some(), terms.price.is_some());
        if let (Some(offered), Some(price)) = (offered, terms.price) {
            let example = &offered["content"]["application/problem+json"]["example"];
            assert_eq!(example["accepts"][0]["amount"], price.to_string());
        }
    }
    // Files, and messages that another document describes.
    let is_elsewhere = |path: &str| path.starts_with("/log/") || ["/r/{hash}", "/a2a"].contains(&path);
    for route in UNSIGNED.iter().filter(|route| !is_elsewhere(route.path)) {
        let methods: BTreeSet<String> = route.methods.iter().map(|method| method.to_lowercase()).collect();
        assert_eq!(keys(&paths[route.path]), methods.iter().map(String::as_str).collect(), "{}", route.path);
        for operation in paths[route.path].as_object().unwrap().values() {
            let is_limited = operation["responses"].get("429").is_some();
            assert_eq!(is_limited, route.rate_per_minute.is_some(), "{}", route.path);
            assert_eq!(operation["summary"], route.summary);
        }
    }
    let others = UNSIGNED.iter().map(|route| route.path).filter(|path| is_elsewhere(path));
    for path in others.chain(DOCUMENTS.iter().map(|document| document.path)) {
        assert_eq!(paths.get(path), None, "{path} is described elsewhere");
    }
    // Directories of agents warn of more.
    let operations: usize = paths.as_object().unwrap().values().map(|path| keys(path).len()).sum();
    assert!(operations <= 40, "{operations}");
}

#[tokio::test]
async fn what_openapi_describes_is_in_the_catalog() {
    let service = Service::new();
    let catalog = service.get("/catalog").await.json();
    let routes = catalog["routes"].as_array().unwrap().iter().map(|route| route["path"].as_str().unwrap());
    let known: BTreeSet<&str> = routes.chain(keys(&catalog["documents"])).collect();
    let document = service.get("/openapi.json").await.json();
    for path in keys(&document["paths"]) {
        let form = [".svg", ".{form}"].iter().find_map(|form| path.strip_suffix(form));
        assert!(known.contains(form.unwrap_or(path)), "{path}");
    }
}

#[tokio::test]
async fn openapi_has_no_dangling_reference_and_no_name_twice() {
    let service = Service::new();
    let document = service.get("/openapi.json").await.json();
    let (mut references, mut ids) = (Vec::new(), Vec::new());
    collect(&document, &mut references, &mut ids);
    assert!(references.len() > 100);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads outside"));
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
}

/// Every reference and operation id below a value.
fn collect(value: &Value, references: &mut Vec<String>, ids: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("$ref", Value::String(reference)) => references.push(reference.clone()),
                    ("operationId", Value::String(id)) => ids.push(id.clone()),
                    _ => collect(member, references, ids),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references, ids)),
        _ => {}
    }
}

#[tokio::test]
async fn a_judged_question_has_the_judges_fields_and_the_agent() {
    let service = Service::offering_all(local);
    let document = service.get("/openapi.json").await.json();
    let schemas = &document["components"]["schemas"];
    let question = &schemas["ClaimVerdictRequest"];
    assert_eq!(keys(&question["properties"]), ["agent", "claim", "resolver"].into());
    assert_eq!(question["required"], json!(["agent", "claim", "resolver"]));
    assert_eq!(schemas["TrustScoreRequest"]["required"], json!(["claim", "resolver"]), "it answers anybody");
    assert_eq!(schemas["ClaimVerdictReceipt"]["allOf"][1]["$ref"], "#/components/schemas/ClaimFinding");
    let asked: Value = serde_json::from_str(QUESTION).unwrap();
    let media = &document["paths"]["/claim-verdict"]["post"]["requestBody"]["content"]["application/json"];
    assert_eq!(media["examples"]["question"]["value"], asked);
}

#[tokio::test]
async fn a_judged_route_has_an_example_of_its_receipt_that_its_schema_takes() {
    let service = Service::new();
    let document = service.get("/openapi.json").await.json();
    for route in service.app.route_table.routes().filter(|route| route.judge.is_some()) {
        let answer =
            &document["paths"][route.terms.path()]["post"]["responses"]["200"]["content"]["application/json"];
        let mut schema = answer["schema"].clone();
        schema["components"] = document["components"].clone();
        let schema = jsonschema::validator_for(&schema).unwrap();
        let example = &answer["example"];
        assert!(schema.is_valid(example), "{}: {:?}", route.terms.class, schema.validate(example));
        let mut other = example.clone();
        other["verdict"] = json!("PERHAPS");
        assert!(!schema.is_valid(&other), "{}: the schema takes anything", route.terms.class);
    }
}
