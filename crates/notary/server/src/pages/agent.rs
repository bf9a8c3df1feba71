//! `/agents/{name}` for browsers: what is left of a name's free calls.

use askama::Template;
use axum::response::Response;

use crate::app::App;
use crate::discovery::offer;
use crate::pages;
use crate::refusal::{Quota, Refusal};
use crate::reputation;
use crate::routes::agents::Allowance;

#[derive(Template)]
#[template(path = "agent.html")]
struct Agent<'a> {
    notice: Option<&'a str>,
    agent: &'a str,
    network: String,
    resets_at: String,
    bonus: u32,
    rule: &'a str,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    path: &'a str,
    free: String,
    used: String,
    left: String,
    rate: u32,
}

/// Renders the page.
pub(crate) fn agent(app: &App, allowance: &Allowance, quota: Option<Quota>) -> Result<Response, Refusal> {
    let lines = allowance.routes.iter().map(|route| {
        let counted = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
        Line {
            path: &route.path,
            free: match route.per_day {
                Some(calls) => format!("{calls} a day"),
                None => offer::free_words(route.free),
            },
            used: counted(route.calls.map(|calls| calls.used)),
            left: counted(route.calls.map(|calls| calls.left)),
            rate: route.rate_per_minute,
        }
    });
    let page = Agent {
        notice: pages::notice(app),
        agent: allowance.agent.as_str(),
        network: allowance.network.narrow.to_string(),
        resets_at: allowance.resets_at().to_string(),
        bonus: allowance.bonus,
        rule: reputation::RULE,
        lines: lines.collect(),
    };
    Ok(pages::page(page.render().map_err(|_| Refusal::Bug)?, quota))
}
