//! `/.well-known/x402.json` and `/.well-known/x402`: the price list in the terms of x402, version 2.
//!
//! An item is one paid route, in the shape in which x402 directories list resources; `accepts` is what the
//! route's own 402 says in its `PAYMENT-REQUIRED` header, with the amount in the token's atomic unit, and `price`
//! the same amount as a decimal.

use serde_json::{Value, json};

use super::{DESCRIPTION, NAME, catalog, offer};
use crate::app::App;
use crate::route::Route;

const NOTE: &str = "The 402 answer of a route decides what a call costs; this list is made from the same terms.";
const NO_SETTLEMENT: &str =
    "No settlement is configured, so nothing can be paid for here: past its free tier a route answers 503.";

/// The document.
pub(super) fn render(app: &App) -> String {
    let items: Vec<Value> = app.docket.routes().filter_map(|route| item(app, route)).collect();
    let resources: Vec<&Value> = items.iter().map(|item| &item["resource"]).collect();
    let unpriced = app.docket.routes().filter(|route| route.terms.price.is_none());
    json!({
        "x402Version": 2,
        "name": NAME,
        "description": DESCRIPTION,
        "note": if app.settlement.is_some() { NOTE } else { NO_SETTLEMENT },
        "payment": app.settlement.as_ref().map(|settlement| catalog::payment(settlement)),
        "resources": resources,
        "items": items,
        "unpriced": unpriced.map(|route| line(app, route)).collect::<Vec<_>>(),
    })
    .to_string()
}

fn item(app: &App, route: &Route) -> Option<Value> {
    let terms = offer::payment_required(app, route)?;
    let mut item = line(app, route);
    item["x402Version"] = json!(2);
    item["price"] = offer::price(app, &route.terms);
    item["accepts"] = terms.v2()["accepts"].take();
    Some(item)
}

fn line(app: &App, route: &Route) -> Value {
    let terms = &route.terms;
    json!({
        "resource": format!("{}{}", app.base_url(), terms.path()),
        "type": "http",
        "method": "POST",
        "methods": offer::methods(terms),
        "class": terms.class,
        "description": terms.summary,
        "mimeType": "application/json",
        "available": route.judge.is_some(),
        "free_tier": offer::free_tier(terms.free),
    })
}
