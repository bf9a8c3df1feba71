//! `/agents/{name}` for browsers: what is left of a name's free calls.

use askama::Template;
use axum::response::Response;

use crate::app::App;
use crate::discovery::offer;
use crate::pages;
use crate::refusal::{Quota, Refusal};
use crate::reputation;
use crate::routes::agents::{Allowance, GrantAllowance};

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
    grants: Vec<GrantLine<'a>>,
}

struct GrantLine<'a> {
    name: &'a str,
    class: &'a str,
    left: u64,
    calls: u32,
    per: &'static str,
    until: String,
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
    let grants = allowance.grants.iter().map(|GrantAllowance { terms, left }| GrantLine {
        name: &terms.name,
        class: terms.class.as_deref().unwrap_or("all classes with a price"),
        left: *left,
        calls: terms.calls,
        per: terms.period.as_str(),
        until: terms.until.to_string(),
    });
    let page = Agent {
        notice: pages::notice(app),
        agent: allowance.agent.as_str(),
        network: allowance.network.narrow.to_string(),
        resets_at: allowance.resets_at().to_string(),
        bonus: allowance.bonus,
        rule: reputation::RULE,
        lines: lines.collect(),
        grants: grants.collect(),
    };
    Ok(pages::page(page.render().map_err(|_| Refusal::Bug)?, quota))
}
