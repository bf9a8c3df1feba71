//! `/pricing`: what each route costs, from the same table as `/catalog`.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;

use crate::app::App;
use crate::discovery::{Offered, offer};
use crate::pages;
use crate::refusal::Refusal;

#[derive(Template)]
#[template(path = "pricing.html")]
struct Pricing<'a> {
    notice: Option<&'a str>,
    lines: Vec<PriceLine>,
    network: Option<&'a str>,
}

struct PriceLine {
    path: String,
    summary: &'static str,
    free: String,
    price: String,
    rate: u32,
}

/// Shows the page.
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Response, Refusal> {
    let offered = Offered::from(&*app);
    let lines = app.route_table.offered().map(|route| PriceLine {
        path: route.terms.path(),
        summary: route.terms.summary,
        free: offer::free_words(route.terms.free),
        price: offered.price_words(&route.terms),
        rate: route.terms.rate_per_minute,
    });
    let network = app.gate.as_ref().map(|gate| &*gate.terms.network().name);
    let page = Pricing { notice: pages::notice(&app), lines: lines.collect(), network };
    Ok(pages::shared(page.render().map_err(|_| Refusal::Bug)?))
}
