//! `/.well-known/agent-card.json`: the A2A 1.0 agent card, a skill for each verdict route that is offered.
//!
//! The card is signed as its readers verify it: a JWS (RFC 7515) over the canonical form (RFC 8785) of the card without its
//! signatures, of a type of its own, so that no signature of a card is one of a receipt. Readers leave out what has its default
//! before they verify, so no such member and no empty value is in it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use module::Route;
use receipt::json::from_serialize;
use receipt::sign::signing_input;
use serde_json::{Value, json};

use super::offer::{self, Offered};
use super::{DESCRIPTION, NAME};
use crate::a2a;
use crate::app::App;

/// The document. It has the members of the `AgentCard` message and no others: strict readers refuse unknown ones.
pub(super) fn render(app: &App) -> String {
    let (offered, base_url) = (Offered::from(app), app.base_url());
    let mut card = json!({
        "name": NAME,
        "description": description(&offered),
        "version": env!("CARGO_PKG_VERSION"),
        "documentationUrl": format!("{base_url}/llms.txt"),
        "supportedInterfaces": [{
            "url": format!("{base_url}{}", a2a::PATH),
            "protocolBinding": "JSONRPC",
            "protocolVersion": a2a::VERSION,
        }],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extendedAgentCard": false,
            "extensions": [{"uri": a2a::X402, "description": "A skill that costs money is paid for by x402."}],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": app.route_table.offered().map(|route| skill(&offered, route)).collect::<Vec<_>>(),
    });
    let unsigned = from_serialize(&card).expect("texts and truth values have a canonical form");
    card["signatures"] = json!([signature(app, &unsigned.canonical())]);
    card.to_string()
}

/// The signature of a card by the receipt key, under a type of its own.
fn signature(app: &App, card: &[u8]) -> Value {
    let signer = app.notary.keys.signer();
    let header = json!({
        "alg": "EdDSA",
        "jku": format!("{}/.well-known/jwks.json", app.base_url()),
        "kid": signer.kid().as_str(),
        "typ": "agent-card+jws",
    });
    let protected = URL_SAFE_NO_PAD.encode(header.to_string());
    let signed = signer.key().sign(&signing_input(&protected, card));
    json!({"protected": protected, "signature": URL_SAFE_NO_PAD.encode(signed)})
}

fn description(offered: &Offered<'_>) -> String {
    let interface = "A message has one part with data of the form {\"skill\": ..., \"input\": {...}}; the input is what the \
        skill's route takes, as /openapi.json describes it.";
    format!("{DESCRIPTION} {interface} {}", offered.notice()).trim_end().to_owned()
}

fn skill(offered: &Offered<'_>, route: &Route) -> Value {
    let terms = &route.terms;
    let mut skill = json!({
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
    });
    if let Some(example) = offer::example(route) {
        skill["examples"] = json!([json!({"skill": terms.class, "input": example}).to_string()]);
    }
    skill
}

/// `claim-verdict` as `Claim verdict`.
fn name(class: &str) -> String {
    let words = class.replace('-', " ");
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}
