//! The tools: each verdict route, the public views, and `verify`, all made from the declared routes.

use std::sync::Arc;

use module::Route;
use module::terms::UNSIGNED;
use serde_json::{Value, json};
use verdict::EffectKind;

use crate::app::App;
use crate::discovery::{Offered, offer, receipt_members, request_schema, view_schemas};

/// All tools, and their list as JSON.
pub(super) struct Tools {
    tools: Vec<Tool>,
    listed: String,
}

/// A tool.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) target: Target,
}

/// What a tool calls.
#[derive(Clone)]
pub(super) enum Target {
    /// A verdict route, by POST.
    Verdict(Arc<Route>),
    /// `/verify`: by GET with a hash, by POST with a whole receipt.
    Verify,
    /// A public view, by GET.
    View(&'static str),
}

impl Tools {
    /// Makes the tools of a service.
    pub(super) fn of(app: &App) -> Self {
        let offered = Offered::from(app);
        let mut tools = Vec::new();
        let mut listed = Vec::new();
        for route in app.route_table.offered() {
            listed.push(of_route(&offered, route));
            tools.push(Tool {
                name: route.terms.class.to_owned(),
                target: Target::Verdict(Arc::clone(route)),
            });
        }
        listed.push(of_verify());
        tools.push(Tool { name: "verify".to_owned(), target: Target::Verify });
        for route in UNSIGNED {
            let Some((question, entry)) = view_schemas(&app.route_table, route.path) else { continue };
            let name = route.name();
            let hints = json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false});
            listed.push(described(
                &name,
                &format!("{} Free.", route.summary),
                question,
                alternatives(entry),
                hints,
            ));
            tools.push(Tool { name, target: Target::View(route.path) });
        }
        Self { tools, listed: Value::Array(listed).to_string() }
    }

    /// The list, as JSON.
    pub(super) fn listed(&self) -> &str {
        &self.listed
    }

    /// The tool with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Maximum size of the arguments of any tool, in bytes.
    pub(super) fn body_limit(&self) -> usize {
        let limits = self.tools.iter().filter_map(|tool| match &tool.target {
            Target::Verdict(route) => Some(route.terms.body_limit),
            Target::Verify | Target::View(_) => None,
        });
        limits.max().unwrap_or_default()
    }
}

fn of_route(offered: &Offered<'_>, route: &Route) -> Value {
    let terms = &route.terms;
    let mut question = request_schema(route).unwrap_or_else(|| json!({"type": "object"}));
    question["examples"] = offer::example(route).into_iter().collect();
    let about = format!(
        "{} Verdicts: {}. Price: {}; {}. The answer is a signed receipt.",
        terms.summary,
        terms.verdicts.join(", "),
        offered.price_words(terms),
        offer::free_words(terms.free),
    );
    let effect = route.effect_kind();
    // What always costs money is nothing to be called unasked, nor is what begins something.
    let is_read = !matches!(effect, EffectKind::OpenWatch | EffectKind::EndDispute) && !terms.is_paid_only();
    let hints = json!({
        "readOnlyHint": is_read,
        "destructiveHint": false,
        "idempotentHint": effect != EffectKind::OpenWatch,
        "openWorldHint": true,
    });
    let mut members = receipt_members(route);
    members.insert("class".to_owned(), json!({"const": terms.class}));
    members.insert("verdict".to_owned(), json!({"enum": terms.verdicts}));
    let receipt = json!({"required": ["class", "verdict", "receipt_hash", "signature", "proof"], "properties": members});
    described(terms.class, &about, question, alternatives(receipt), hints)
}

fn of_verify() -> Value {
    let question = json!({
        "type": "object",
        "properties": {
            "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "The `receipt_hash` of a receipt of this notary."},
            "receipt": {"type": "object", "description": "A whole receipt, of any issuer, in place of `hash`."},
        },
        "oneOf": [{"required": ["hash"]}, {"required": ["receipt"]}],
        "examples": [{"hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}],
    });
    let report = json!({"required": ["valid", "checks"], "properties": {
        "valid": {"type": "boolean", "description": "Whether every check holds."},
        "checks": {"type": "object"},
        "receipt": {"type": "object"},
        "disputes": {"type": "array"},
        "superseded_by": {},
    }});
    let hints = json!({"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false});
    let summary = UNSIGNED.iter().find(|route| route.path == "/verify").map_or("", |route| route.summary);
    let about = format!("{summary} Free.");
    described("verify", &about, question, alternatives(report), hints)
}

fn described(name: &str, about: &str, question: Value, answer: Value, hints: Value) -> Value {
    let title = titled(name);
    let mut hints = hints;
    hints["title"] = json!(title);
    json!({
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": question,
        "outputSchema": answer,
        "annotations": hints,
    })
}

/// The schema of all that a call may end in: the answer, terms of payment, or a problem.
fn alternatives(answer: Value) -> Value {
    json!({
        "type": "object",
        "anyOf": [
            answer,
            {"required": ["x402Version", "accepts"], "description": "Payment is required, by the terms of x402."},
            {"required": ["status", "code", "detail"], "description": "A problem (RFC 9457); `detail` says what to send instead."},
        ],
    })
}

/// `scan-text` as `Scan text`.
fn titled(name: &str) -> String {
    let words = name.replace('-', " ");
    let (first, rest) = words.split_at(words.len().min(1));
    first.to_uppercase() + rest
}
