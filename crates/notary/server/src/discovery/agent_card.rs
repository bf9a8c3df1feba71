//! `/.well-known/agent-card.json`: the A2A 1.0 agent card, a skill for each verdict route that is offered.
//!
//! The card claims no more than there is. A2A's own operations are not served, so the one interface that it
//! names has none of A2A's core bindings: `protocolBinding` is an open string, which a custom binding fills with a
//! URI of its own (A2A 1.0, "Custom Protocol Bindings"), and here that URI leads to the OpenAPI description.

use module::Route;
use serde_json::{Value, json};

use super::offer::{self, Offered};
use super::{DESCRIPTION, NAME};
use crate::app::App;

/// The version of A2A that the card is written in.
const A2A_VERSION: &str = "1.0";

/// The document. It has the members of the `AgentCard` message and no others: strict readers refuse unknown ones.
pub(super) fn render(app: &App) -> String {
    let (offered, base_url) = (Offered::from(app), app.base_url());
    json!({
        "name": NAME,
        "description": description(&offered),
        "version": env!("CARGO_PKG_VERSION"),
        "documentationUrl": format!("{base_url}/llms.txt"),
        "supportedInterfaces": [{
            "url": base_url,
            "protocolBinding": format!("{base_url}/openapi.json"),
            "protocolVersion": A2A_VERSION,
        }],
        "capabilities": {"streaming": false, "pushNotifications": false, "extendedAgentCard": false},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": app.route_table.offered().map(|route| skill(&offered, route)).collect::<Vec<_>>(),
    })
    .to_string()
}

fn description(offered: &Offered<'_>) -> String {
    let interface = "The interface is plain HTTP and JSON, one route for each skill, described by /openapi.json; the \
        operations of A2A itself are not served.";
    format!("{DESCRIPTION} {interface} {}", offered.notice()).trim_end().to_owned()
}

fn skill(offered: &Offered<'_>, route: &Route) -> Value {
    let terms = &route.terms;
    json!({
        "id": terms.class,
        "name": name(terms.class),
        "description": format!(
            "{} {} {}. Verdicts: {}. Price: {}; {}.",
            terms.summary,
            terms.methods().join(" or "),
            terms.path(),
            terms.verdicts.join(", "),
            offered.price_words(terms),
            offer::free_words(terms.free),
        ),
        "tags": [terms.module, "verdict", "signed-receipt"],
        "examples": offer::example(route).map(|example| example.to_string()).into_iter().collect::<Vec<_>>(),
    })
}

/// `claim-verdict` as `Claim verdict`.
fn name(class: &str) -> String {
    let words = class.replace('-', " ");
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}
