//! `/catalog` and `/.well-known/service.json`: the authoritative limits and prices of every route.

use module::Route;
use module::plans::{PLANS, Plan};
use module::terms::{BODY_LIMIT, UNSIGNED, Unit, Unsigned};
use receipt::key::{KeyState, LogKey};
use serde_json::{Map, Value, json};

use super::offer::{self, Offered};
use super::{DESCRIPTION, DOCUMENTS, INTERFACE_VERSION, NAME, bounds};
use crate::app::{App, Profile};

/// The retention statement: the data that is kept, and for how long.
const RETENTION: &str = "The service retains what is needed to serve the request and settle payment, plus the signed \
    receipt itself. The request and the evidence behind a receipt are kept so that a dispute can replay them, and are deleted \
    once the hours in `kept` are over. Payments and accounts stay; `kept` has all of it.";

/// The document.
pub(super) fn render(app: &App) -> String {
    let offered = Offered::from(app);
    let verdicts = app.route_table.routes().map(|route| verdict_route(&offered, route));
    let routes: Vec<Value> =
        verdicts.chain(UNSIGNED.iter().map(|route| unsigned_route(app, route))).collect();
    let mut document = json!({
        "name": NAME,
        "description": DESCRIPTION,
        "version": env!("CARGO_PKG_VERSION"),
        "interface_version": INTERFACE_VERSION,
        "profile": app.profile.word(),
        "base_url": app.base_url(),
        "receipts": receipts(app),
        "log": log(app),
        "webhooks": {"scheme": "standard-webhooks v1a", "public_key": app.webhook_key.public()},
        "payment": app.gate.as_ref().map(|gate| payment(&gate.terms)),
        "plans": plans(app),
        "retention": RETENTION,
        "kept": app.retention.shown(&app.route_table),
        "bounds": bounds::bounds(app),
        "routes": routes,
        "documents": documents(app),
    });
    if app.profile == Profile::Dev {
        document["notice"] = json!(offered.notice());
    }
    document.to_string()
}

fn verdict_route(offered: &Offered<'_>, route: &Route) -> Value {
    let terms = &route.terms;
    json!({
        "class": terms.class,
        "path": terms.path(),
        "methods": terms.methods(),
        "signed": true,
        "module": terms.module,
        "available": route.judge.is_some(),
        "summary": terms.summary,
        "verdicts": terms.verdicts,
        "free_tier": offer::free_tier(terms.free),
        "rate_limit": offer::rate_limit(terms.rate_per_minute, "agent"),
        "p95_target_ms": terms.p95_target_ms,
        "price": offered.price(route),
        "max_body_bytes": terms.body_limit,
        "agent_required": !terms.anonymous,
        "example": offer::example(route),
    })
}

fn unsigned_route(app: &App, route: &Unsigned) -> Value {
    json!({
        "path": route.path,
        "methods": route.methods,
        "signed": false,
        "module": route.module,
        "available": route.module.is_none() || app.route_table.view_at(route.path).is_some(),
        "summary": route.summary,
        "free_tier": offer::free_tier(module::terms::Free::Unlimited),
        "rate_limit": route.rate_per_minute.map(|rate| offer::rate_limit(rate, "address")),
        "p95_target_ms": route.p95_target_ms,
        "price": null,
        "max_body_bytes": route.methods.contains(&"POST").then_some(BODY_LIMIT),
    })
}

fn receipts(app: &App) -> Value {
    let keys = app.notary.keys.current();
    let named = |state: KeyState| -> Vec<&str> {
        keys.published.iter().filter(|key| key.state == state).map(|key| key.kid.as_str()).collect()
    };
    json!({
        "algorithm": "Ed25519",
        "key_ids": named(KeyState::Active),
        "retired_key_ids": named(KeyState::Retired),
        "jwks": format!("{}/.well-known/jwks.json", app.base_url()),
        "did": keys.signer.kid().did(),
    })
}

fn log(app: &App) -> Value {
    // The key's name is the log's origin (C2SP tlog-checkpoint); neither holds a plus sign.
    let keys = app.notary.keys.current();
    let newest = keys.log_key();
    let of_key = |key: &LogKey| {
        let mut shown = json!({"log_key": key.key.to_string()});
        if let Some(range) = &key.range {
            shown["leaf_from"] = json!(range.from);
            shown["leaf_until"] = json!(range.until);
        }
        shown
    };
    let mut log = json!({
        "origin": newest.name(),
        "vkey": newest.to_string(),
        "keys": keys.log_keys.iter().map(of_key).collect::<Vec<_>>(),
        "url": format!("{}/log", app.base_url()),
    });
    if app.cosigning.is_some() {
        log["policy"] = json!(format!("{}/log/policy", app.base_url()));
    }
    if app.stamping.is_some() {
        log["timestamps"] = json!(format!("{}/log/timestamps", app.base_url()));
    }
    log
}

/// The terms of payment as JSON, without the price.
pub(super) fn payment(payee: &payment::Terms) -> Value {
    let network = payee.network();
    json!({
        "protocol": "x402",
        "scheme": "exact",
        "network": network.name,
        "caip2": network.caip2(),
        "asset": network.symbol,
        "token": network.token.to_string(),
        "token_name": network.token_name,
        "token_version": network.token_version,
        "payTo": payee.pay_to().to_string(),
        "max_timeout_seconds": payment::terms::MAX_TIMEOUT_SECONDS,
        "headers": payment::Header::ALL.map(payment::Header::name),
    })
}

fn plans(app: &App) -> Value {
    let bonds = app.route_table.routes().filter(|route| route.terms.is_bond()).map(|route| route.terms.class);
    let excludes: Vec<_> = bonds.collect();
    let batches = app.route_table.routes().filter(|route| route.terms.unit == Unit::Entity);
    let per_entity: Vec<_> = batches.map(|route| route.terms.class).collect();
    let plan = |plan: &Plan| {
        json!({
            "name": plan.name,
            "usd_per_month": plan.usd_per_month,
            "calls_per_month": plan.calls_per_month,
            "counted_per_entity": per_entity,
            "unlimited": plan.unlimited,
            "priority": plan.priority,
            "service_level_agreement": plan.service_level_agreement,
            "includes": plan.includes,
            "excludes": excludes,
        })
    };
    PLANS.iter().map(plan).collect()
}

fn documents(app: &App) -> Value {
    let entry = |document: &super::Document| {
        (document.path.to_owned(), json!(format!("{}{}", app.base_url(), document.path)))
    };
    Value::Object(DOCUMENTS.iter().map(entry).collect::<Map<_, _>>())
}
