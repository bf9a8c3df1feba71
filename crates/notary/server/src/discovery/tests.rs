//! Drift: the price table, the router and every document say the same.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use module::plans::PLANS;
use module::terms::{self, Free, UNSIGNED};
use receipt::key::parse_jwks;
use receipt::time::Timestamp;
use serde_json::{Value, json};

use super::DOCUMENTS;
use super::offer::{self, Offered};
use crate::refusal::Refusal;
use crate::testing::{BASE_URL, QUESTION, Service, local};

/// The x402 header's published bound: proxies cut longer ones off.
const MAX_TERMS_HEADER: usize = 3 * 1024;

/// The member of `list` whose `name` is `value`.
fn one<'a>(list: &'a Value, name: &str, value: &str) -> &'a Value {
    let mut found = list.as_array().unwrap().iter().filter(|item| item[name] == value);
    let first = found.next().unwrap_or_else(|| panic!("no item has {name} {value}"));
    assert!(found.next().is_none(), "two items have {name} {value}");
    first
}

pub(super) fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn every_verdict_route_is_in_the_router_with_its_methods_and_no_others() {
    let service = Service::new();
    for terms in terms::table() {
        let posted = service.post(&terms.path(), "{}").await.status;
        assert!(!matches!(posted.as_u16(), 404 | 405 | 500), "POST {}: {posted}", terms.path());
        let gotten = service.get(&terms.path()).await.status;
        assert_eq!(gotten == StatusCode::METHOD_NOT_ALLOWED, !terms.get, "GET {}: {gotten}", terms.path());
        let deleted = service.ask(Method::DELETE, &terms.path(), "").await;
        assert_eq!(deleted.status, StatusCode::METHOD_NOT_ALLOWED);
        assert!(deleted.header("allow").contains("POST"));
    }
}

/// The path with a value for each parameter.
fn filled(path: &str) -> String {
    path.replace("{hash}", &"0".repeat(64))
        .replace("{level}", "0")
        .replace("{index}", "000")
        .replace("{id}", "1")
}

#[tokio::test]
async fn every_unsigned_route_is_in_the_router_with_its_methods_and_the_tables_rate() {
    let service = Service::new();
    for route in UNSIGNED {
        let path = filled(route.path);
        let put = service.ask(Method::PUT, &path, "").await;
        let allowed: BTreeSet<&str> =
            put.header("allow").split(',').filter(|&method| method != "HEAD").collect();
        assert_eq!(allowed, route.methods.iter().copied().collect(), "{path}");
        let answer = if route.methods.contains(&"GET") {
            service.get(&path).await
        } else {
            service.post(&path, r#"{"agent": "a"}"#).await
        };
        // An answer that is a refusal says nothing of the limit but that it was not reached.
        if answer.status == StatusCode::OK {
            let quota = route.rate_per_minute.map(|rate| format!("q={rate};w=60"));
            assert!(answer.header("ratelimit-policy").ends_with(quota.as_deref().unwrap_or("")), "{path}");
            assert_eq!(answer.headers.contains_key("ratelimit-policy"), quota.is_some(), "{path}");
        }
    }
}

#[tokio::test]
async fn the_catalog_has_every_route_with_the_tables_limits_and_prices() {
    let service = Service::offering_all(local);
    let catalog = service.get("/catalog").await.json();
    let table = terms::table();
    assert_eq!(catalog["routes"].as_array().unwrap().len(), table.len() + UNSIGNED.len());
    for terms in &table {
        let route = one(&catalog["routes"], "class", terms.class);
        assert_eq!(route["path"], terms.path());
        assert_eq!(route["available"], true);
        assert_eq!(route["verdicts"], json!(terms.verdicts));
        assert_eq!(route["rate_limit"]["requests"], terms.rate_per_minute);
        assert_eq!(route["p95_target_ms"], terms.p95_target_ms);
        assert_eq!(route["max_body_bytes"], terms.body_limit);
        let amount = terms.price.map(|price| price.to_string());
        assert_eq!(
            route["price"].get("amount").cloned().unwrap_or_default(),
            json!(amount),
            "{}",
            terms.class
        );
        let (per_day, unlimited) = match terms.free {
            Free::None => (json!(0), false),
            Free::PerDay(calls) | Free::PerDayAndBonus(calls) => (json!(calls), false),
            Free::Unlimited => (Value::Null, true),
        };
        assert_eq!(
            (&route["free_tier"]["per_day"], &route["free_tier"]["unlimited"]),
            (&per_day, &json!(unlimited))
        );
        assert_eq!(route["free_tier"]["bonus"].is_string(), matches!(terms.free, Free::PerDayAndBonus(_)));
    }
    for unsigned in UNSIGNED {
        let route = one(&catalog["routes"], "path", unsigned.path);
        assert_eq!(route["rate_limit"].get("requests"), unsigned.rate_per_minute.map(Value::from).as_ref());
        assert_eq!(route["methods"], json!(unsigned.methods));
        assert_eq!(route["available"], unsigned.module.is_none());
    }
}

#[tokio::test]
async fn the_catalog_has_the_plans_and_no_plan_pays_a_bond() {
    let plans = Service::new().get("/catalog").await.json()["plans"].take();
    let plans = plans.as_array().unwrap();
    assert_eq!(plans.len(), PLANS.len());
    for (listed, plan) in plans.iter().zip(&PLANS) {
        assert_eq!(
            (&listed["name"], &listed["usd_per_month"]),
            (&json!(plan.name), &json!(plan.usd_per_month))
        );
        assert_eq!(listed["calls_per_month"], plan.calls_per_month);
        assert_eq!(
            (&listed["unlimited"], &listed["priority"]),
            (&json!(plan.unlimited), &json!(plan.priority))
        );
        assert_eq!(listed["service_level_agreement"], plan.service_level_agreement);
        assert_eq!(listed["excludes"], json!(["dispute"]));
        assert_eq!(listed["counted_per_entity"], json!(["screen-batch"]));
    }
}

#[tokio::test]
async fn the_service_document_is_the_catalog_and_names_keys_log_and_bounds() {
    let service = Service::new();
    let catalog = service.get("/catalog").await;
    assert!(catalog.header("ratelimit").starts_with("\"catalog\";r=59"));
    let document = service.get("/.well-known/service.json").await;
    assert_eq!(document.header("ratelimit"), "");
    assert_eq!(document.body, catalog.body);
    let document = document.json();
    assert_eq!(document["receipts"]["key_ids"], json!([service.app.notary.keys.signer().kid().as_str()]));
    assert_eq!(document["log"]["origin"], "notary.example/log");
    assert_eq!(document["log"]["vkey"], service.app.log_vkey());
    assert_eq!(document["bounds"]["requests"]["json_depth"], 64);
    assert_eq!(document["bounds"]["fetch"]["per_host"], 4);
    assert_eq!(document["bounds"]["fetch"]["redirects"], 3);
    let payouts = json!({
        "round_ms": 5_000, "lease_ms": 30_000, "at_once": 16, "default_usdc_per_day": "100.00",
    });
    assert_eq!(document["bounds"]["payouts"], payouts);
    assert_eq!(document["bounds"]["grants"]["in_force_per_agent"], 64);
    assert_eq!(document["notice"], crate::DEV_NOTICE);
}

#[tokio::test]
async fn the_x402_list_says_of_each_paid_route_what_its_402_says() {
    let service = Service::offering_all(local);
    let list = service.get("/.well-known/x402.json").await;
    assert_eq!(list.body, service.get("/.well-known/x402").await.body);
    let list = list.json();
    for route in service.app.route_table.routes() {
        let (class, terms) = (route.terms.class, Offered::from(&*service.app).payment_required(route));
        let Some(terms) = terms else {
            assert_eq!(one(&list["unpriced"], "class", class)["free_tier"]["unlimited"], true);
            continue;
        };
        let item = one(&list["items"], "class", class);
        assert_eq!(item["resource"], format!("{BASE_URL}/{class}"));
        let price = route.terms.price.unwrap();
        assert_eq!(item["price"]["amount"], price.to_string());
        assert_eq!(item["accepts"][0]["amount"], price.atomic().to_string());
        let refusal = Refusal::PaymentRequired(Box::new(terms)).document("id");
        let header = refusal.headers()["payment-required"].to_str().unwrap();
        assert!(header.len() < MAX_TERMS_HEADER, "{class}: {} bytes", header.len());
        assert_eq!(decoded(header)["accepts"], item["accepts"], "{class}");
        assert_eq!(decoded(header)["resource"]["url"], item["resource"]);
    }
}

fn decoded(header: &str) -> Value {
    use base64::Engine as _;
    serde_json::from_slice(&base64::engine::general_purpose::STANDARD.decode(header).unwrap()).unwrap()
}

#[tokio::test]
async fn a_402_that_is_answered_says_what_the_documents_say() {
    let service = Service::offering_all(local);
    let list = service.get("/.well-known/x402.json").await.json();
    let same = |class: &str, answer: &crate::testing::Answer| {
        assert_eq!(answer.status, StatusCode::PAYMENT_REQUIRED, "{class}: {}", answer.text());
        let item = one(&list["items"], "class", class);
        assert_eq!(decoded(answer.header("payment-required"))["accepts"], item["accepts"]);
        assert_eq!(answer.json()["accepts"][0]["amount"], item["price"]["amount"]);
        assert_eq!(answer.json()["accepts"][0]["network"], item["price"]["network"]);
    };
    for terms in terms::table().iter().filter(|terms| terms.is_paid_only()) {
        same(terms.class, &service.post(&terms.path(), "{}").await);
    }
    for _ in 0..3 {
        let answer = service.post("/claim-verdict", QUESTION).await;
        assert_eq!((answer.status, &answer.json()["verdict"]), (StatusCode::OK, &json!("CONFIRMED")));
    }
    same("claim-verdict", &service.post("/claim-verdict", QUESTION).await);
}

#[tokio::test]
async fn without_a_settlement_nothing_is_offered_for_money() {
    let service = Service::offering_all(|_| None);
    let list = service.get("/.well-known/x402.json").await.json();
    assert_eq!(
        (&list["payment"], &list["items"], &list["resources"]),
        (&Value::Null, &json!([]), &json!([]))
    );
    assert!(list["note"].as_str().unwrap().contains("503"));
    let catalog = service.get("/catalog").await.json();
    assert_eq!(catalog["payment"], Value::Null);
    for route in catalog["routes"].as_array().unwrap() {
        assert_eq!(route["price"], Value::Null, "{route}");
    }
    for path in ["/llms.txt", "/openapi.json", "/.well-known/agent-card.json", "/pricing"] {
        let answer = service.get(path).await;
        assert!(!answer.text().contains("USDC per"), "{path} names a price");
    }
    assert!(service.get("/llms.txt").await.text().contains("Nothing can be paid for here"));
}

#[tokio::test]
async fn a_route_that_is_not_offered_is_a_501_and_in_no_document_but_the_catalog() {
    let service = Service::new();
    for terms in terms::table().iter().filter(|terms| terms.class != "claim-verdict") {
        let (class, path) = (terms.class, terms.path());
        let answer = service.post(&path, r#"{"agent": "a"}"#).await;
        let problem = answer.json();
        assert_eq!((answer.status, &problem["module"]), (StatusCode::NOT_IMPLEMENTED, &json!(terms.module)));
        assert_eq!((&problem["code"], answer.header("retry-after")), (&json!("not_offered"), ""));
        let catalog = service.get("/catalog").await.json();
        let listed = one(&catalog["routes"], "class", class);
        assert_eq!((&listed["available"], &listed["price"]), (&json!(false), &Value::Null));
        for document in DOCUMENTS.iter().filter(|document| !document.path.ends_with("service.json")) {
            let text = service.get(document.path).await;
            let own = [format!("{path}\""), format!(" {path}:"), format!("{path}<")];
            assert!(own.iter().all(|own| !text.text().contains(own)), "{class} is in {}", document.path);
        }
    }
    assert_eq!(service.get("/snapshots").await.status, StatusCode::NOT_IMPLEMENTED);
}

#[tokio::test]
async fn every_list_of_routes_has_each_route_that_is_offered_and_nothing_else() {
    let service = Service::offering_all(local);
    let classes: BTreeSet<String> = terms::table().iter().map(|terms| terms.class.to_owned()).collect();
    let texts = |list: &Value, name: &str| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
    };
    let card = service.get("/.well-known/agent-card.json").await.json();
    assert_eq!(texts(&card["skills"], "id"), classes);
    let list = service.get("/.well-known/x402.json").await.json();
    let (priced, unpriced) = (texts(&list["items"], "class"), texts(&list["unpriced"], "class"));
    assert_eq!(&priced | &unpriced, classes);
    let linkset = service.get("/.well-known/api-catalog").await.json();
    let addresses = texts(&linkset["linkset"][0]["item"], "href");
    let paths = terms::table().iter().map(|terms| terms.path()).collect::<Vec<_>>();
    let unsigned = UNSIGNED.iter().filter(|route| route.module.is_none() && !route.path.contains('{'));
    let expected = paths.iter().cloned().chain(unsigned.map(|route| route.path.to_owned()));
    assert_eq!(addresses, expected.map(|path| format!("{BASE_URL}{path}")).collect());
    let llms = service.get("/llms.txt").await;
    for path in &paths {
        assert!(llms.text().contains(&format!(" {path}: ")), "{path}");
    }
    let description = service.get("/openapi.json").await;
    assert_eq!(service.get("/.well-known/openapi.json").await.text(), description.text());
}

#[tokio::test]
async fn the_agent_card_has_a_skill_for_each_verdict_route_and_claims_none_that_is_not_there() {
    let service = Service::offering_all(local);
    let card = service.get("/.well-known/agent-card.json").await.json();
    for member in ["name", "description", "version"] {
        assert_ne!(card[member], "", "{member}");
    }
    assert_eq!(card["skills"].as_array().unwrap().len(), terms::table().len());
    for terms in terms::table() {
        let skill = one(&card["skills"], "id", terms.class);
        let text = skill["description"].as_str().unwrap();
        assert!(
            text.contains(&Offered::from(&*service.app).price_words(&terms))
                && text.contains(&offer::free_words(terms.free))
        );
    }
    let interface = &card["supportedInterfaces"][0];
    assert_eq!(
        (&interface["url"], &interface["protocolBinding"]),
        (&json!(format!("{BASE_URL}/a2a")), &json!("JSONRPC"))
    );
}

#[tokio::test]
async fn llms_text_is_short_and_has_every_route_with_its_price() {
    let service = Service::offering_all(local);
    let answer = service.get("/llms.txt").await;
    let text = answer.text();
    assert!(text.lines().count() < 100, "{} lines", text.lines().count());
    for terms in terms::table() {
        let line = text.lines().find(|line| line.contains(&format!(" {}: ", terms.path()))).unwrap();
        assert!(line.contains(&offer::free_words(terms.free)), "{line}");
        assert!(terms.price.is_none_or(|price| line.contains(&format!("{price} USDC per"))), "{line}");
    }
    assert!(
        text.contains(&format!("curl -s {BASE_URL}/claim-verdict -H")),
        "the first call is one that answers"
    );
}

#[tokio::test]
async fn stats_count_every_class_and_no_other() {
    let service = Service::new();
    let stats = service.get("/stats").await.json();
    let table = terms::table();
    assert_eq!(keys(&stats["by_class"]), table.iter().map(|terms| terms.class).collect());
}

#[tokio::test]
async fn every_document_is_served_with_its_type_and_may_be_cached() {
    let service = Service::new();
    for document in DOCUMENTS {
        let answer = service.get(document.path).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", document.path);
        assert_eq!(answer.header("content-type"), document.media_type);
        assert_eq!(answer.header("cache-control"), "public, max-age=60");
        assert!(!answer.header("x-request-id").is_empty());
    }
}

#[tokio::test]
async fn the_key_documents_hold_the_key_that_signs() {
    let service = Service::new();
    let keys = parse_jwks(&service.get("/.well-known/jwks.json").await.body).unwrap();
    assert_eq!(keys, service.app.notary.keys.current().published);
    let did = service.get("/.well-known/did.json").await.json();
    assert_eq!(did["id"], "did:web:notary.example");
    let signer = service.app.notary.keys.signer();
    let multikey = signer.kid().multikey(&signer.key().public_key());
    assert_eq!(did["assertionMethod"], json!([signer.kid().as_str(), multikey]));
}

#[tokio::test]
async fn the_security_text_names_a_contact_and_expires_within_a_year() {
    let service = Service::new();
    let answer = service.get("/.well-known/security.txt").await;
    let field = |name: &str| {
        answer.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap()
    };
    assert_eq!(field("Contact"), "mailto:security@notary.example");
    assert_eq!(field("Canonical"), format!("{BASE_URL}/.well-known/security.txt"));
    let expires: Timestamp = field("Expires").parse().unwrap();
    let days = expires.millis_since(service.app.notary.clock.now()) / 86_400_000;
    assert!((170..=180).contains(&days), "{days}");
}
