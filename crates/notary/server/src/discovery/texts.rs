//! The documents that are texts: for agents, for people, for robots, for those who found a flaw.

use std::time::Duration;

use askama::Template;
use module::Route;

use super::offer::{self, FirstCall, Offered};
use super::{DESCRIPTION, NAME};
use crate::app::App;
use crate::pages;

/// The lifetime of a `security.txt`: RFC 9116 advises less than a year.
const SECURITY_TEXT_LIFE: Duration = Duration::from_secs(180 * 24 * 60 * 60);

#[derive(Template)]
#[template(path = "llms.txt")]
struct Llms<'a> {
    name: &'a str,
    description: &'a str,
    notice: Option<&'a str>,
    base_url: &'a str,
    first: Option<FirstCall>,
    lines: Vec<RouteLine>,
    payment: Option<&'a payment::Terms>,
    guides: Vec<(String, &'a str)>,
}

struct RouteLine {
    methods: String,
    path: String,
    summary: &'static str,
    verdicts: String,
    offer: String,
}

/// `/llms.txt`
pub(crate) fn llms(app: &App) -> String {
    let offered = Offered::from(app);
    let template = Llms {
        name: NAME,
        description: DESCRIPTION,
        notice: pages::notice(app),
        base_url: app.base_url(),
        first: FirstCall::of(&app.route_table),
        lines: app.route_table.offered().map(|route| line(&offered, route)).collect(),
        payment: app.gate.as_ref().map(|gate| &gate.terms),
        guides: pages::guides().map(|guide| (guide.markdown_path(), guide.about)).collect(),
    };
    template.render().expect("writing to a string does not fail") + "\n"
}

/// `/llms-full.txt`: the short text, and all guides.
pub(super) fn llms_full(app: &App) -> String {
    let guides = pages::guides().map(|guide| {
        format!(
            "\nSource: {}{}\n\n{}",
            app.base_url(),
            guide.markdown_path(),
            pages::at(guide.markdown, app.base_url())
        )
    });
    std::iter::once(llms(app)).chain(guides).collect()
}

fn line(offered: &Offered<'_>, route: &Route) -> RouteLine {
    let terms = &route.terms;
    let offer = match terms.price {
        Some(_) => format!("{}, {}", offer::free_words(terms.free), offered.price_words(terms)),
        None => offer::free_words(terms.free),
    };
    RouteLine {
        methods: terms.methods().join(", "),
        path: terms.path(),
        summary: terms.summary,
        verdicts: terms.verdicts.join(" | "),
        offer,
    }
}

/// `/robots.txt` (RFC 9309).
pub(super) fn robots(app: &App) -> String {
    format!("# Agents are welcome: start at {}/llms.txt\nUser-agent: *\nAllow: /\n", app.base_url())
}

/// `/.well-known/security.txt` (RFC 9116). `Canonical` must be an https address (section 2.5.2), so a
/// service at another has none.
pub(super) fn security(app: &App) -> String {
    let life = i64::try_from(SECURITY_TEXT_LIFE.as_millis()).unwrap_or(i64::MAX);
    let expires = app.notary.clock.now().saturating_add_millis(life);
    let mut text =
        format!("Contact: {}\nExpires: {expires}\nPreferred-Languages: en\n", app.security_contact);
    if app.base_url().starts_with("https://") {
        text.push_str(&format!("Canonical: {}/.well-known/security.txt\n", app.base_url()));
    }
    text
}
