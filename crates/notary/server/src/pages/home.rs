//! `/`: what the notary is, a box that finds a receipt, the first call.

use askama::Template;
use module::Route;

use crate::app::App;
use crate::discovery::{DESCRIPTION, NAME, offer};
use crate::pages;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    name: &'a str,
    description: &'a str,
    notice: Option<&'a str>,
    base_url: &'a str,
    first: Option<First>,
    lines: Vec<RouteLine>,
}

/// The first call: a route that answers, what it costs, and a question for it.
struct First {
    path: String,
    offer: String,
    question: String,
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
    let routes = || app.route_table.routes().filter(|route| route.judge.is_some());
    let template = Home {
        name: NAME,
        description: DESCRIPTION,
        notice: pages::notice(app),
        base_url: app.base_url(),
        first: routes().find_map(|route| first(route)),
        lines: routes().map(|route| line(route)).collect(),
    };
    template.render().expect("writing to a string does not fail")
}

fn first(route: &Route) -> Option<First> {
    let (path, offer) = (route.terms.path(), offer::free_words(route.terms.free));
    Some(First { path, offer, question: offer::shell_example(route)? })
}
