//! `/`: what the notary is, a box that finds a receipt, the first call.

use askama::Template;
use module::Route;

use crate::app::App;
use crate::discovery::offer::FirstCall;
use crate::discovery::{DESCRIPTION, NAME};
use crate::pages;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    name: &'a str,
    description: &'a str,
    notice: Option<&'a str>,
    base_url: &'a str,
    first: Option<FirstCall>,
    lines: Vec<RouteLine>,
}

struct RouteLine {
    path: String,
    summary: &'static str,
    verdicts: String,
}

/// Renders the page.
pub(crate) fn home(app: &App) -> String {
    let line = |route: &Route| RouteLine {
        path: route.terms.path(),
        summary: route.terms.summary,
        verdicts: route.terms.verdicts.join(", "),
    };
    let template = Home {
        name: NAME,
        description: DESCRIPTION,
        notice: pages::notice(app),
        base_url: app.base_url(),
        first: FirstCall::of(&app.route_table),
        lines: app.route_table.offered().map(|route| line(route)).collect(),
    };
    template.render().expect("writing to a string does not fail")
}
