//! `/.well-known/x402.json` and `/.well-known/x402`: the price list in the terms of x402, version 2.
//!
//! An item is one paid route, in the form in which x402 directories list resources; `accepts` is the same as in the
//! `PAYMENT-REQUIRED` header of the route's 402, with the amount in the token's atomic unit, and `price` the same
//! amount as a decimal.

use module::Route;
use serde_json::{Value, json};

use super::offer::{self, Offered};
use super::{DESCRIPTION, NAME, catalog};
use crate::app::App;

const NOTE: &str =
    "The 402 answer of a route decides what a call costs; this list is made from the same terms.";
const NO_SETTLEMENT: &str =
    "No settlement is configured, so nothing is for sale here: past its free tier a route answers 503.";

/// The document.
pub(super) fn render(app: &App) -> String {
    let offered = Offered::from(app);
    let items: Vec<Value> = app.route_table.offered().filter_map(|route| item(&offered, route)).collect();
    let resources: Vec<&Value> = items.iter().map(|item| &item["resource"]).collect();
    let unpriced = app.route_table.offered().filter(|route| route.terms.price.is_none());
    json!({
        "x402Version": 2,
        "name": NAME,
        "description": DESCRIPTION,
        "note": if app.gate.is_some() { NOTE } else { NO_SETTLEMENT },
        "payment": app.gate.as_ref().map(|gate| catalog::payment(&gate.terms)),
        "resources": resources,
        "items": items,
        "unpriced": unpriced.map(|route| line(&offered, route)).collect::<Vec<_>>(),
    })
    .to_string()
}

fn item(offered: &Offered<'_>, route: &Route) -> Option<Value> {
    route.terms.price.and(offered.payee)?;
    let mut item = line(offered, route);
    item["x402Version"] = json!(2);
    item["price"] = offered.price(route);
    item["accepts"] = offered.accepts(route);
    Some(item)
}

fn line(offered: &Offered<'_>, route: &Route) -> Value {
    let terms = &route.terms;
    json!({
        "resource": format!("{}{}", offered.base_url, terms.path()),
        "type": "http",
        "method": "POST",
        "methods": terms.methods(),
        "class": terms.class,
        "description": terms.summary,
        "mimeType": "application/json",
        "free_tier": offer::free_tier(terms.free),
    })
}
