//! `/.well-known/api-catalog`: the interfaces of the notary and their descriptions, as a linkset (RFC 9727, RFC 9264).

use module::terms::UNSIGNED;
use serde_json::{Value, json};

use crate::a2a;
use crate::app::App;
use crate::mcp;

/// The document.
pub(super) fn render(app: &App) -> String {
    let address = |path: &str| format!("{}{path}", app.base_url());
    let link = |path: &str, kind: &str| json!({"href": address(path), "type": kind});
    let verdicts = app.route_table.offered().map(|route| (route.terms.path(), route.terms.summary));
    // What has a parameter in its path is no address.
    let unsigned = UNSIGNED.iter().filter(|route| !route.path.contains('{'));
    let is_offered =
        |path: &str, module: Option<&str>| module.is_none() || app.route_table.view_at(path).is_some();
    let unsigned = unsigned.filter(|route| is_offered(route.path, route.module));
    let items = verdicts.chain(unsigned.map(|route| (route.path.to_owned(), route.summary)));
    let items: Vec<Value> =
        items.map(|(path, summary)| json!({"href": address(&path), "title": summary})).collect();
    json!({"linkset": [
        {"anchor": address("/.well-known/api-catalog"), "item": items},
        {
            "anchor": address("/"),
            "service-desc": [link("/openapi.json", "application/vnd.oai.openapi+json;version=3.1")],
            "service-doc": [link("/llms.txt", "text/plain"), link("/docs", "text/html")],
            "service-meta": [link("/catalog", "application/json")],
            "status": [link("/health", "application/json")],
        },
        {
            "anchor": address(a2a::PATH),
            "service-desc": [link("/.well-known/agent-card.json", "application/json")],
            "service-doc": [link("/docs/a2a", "text/html")],
        },
        {
            "anchor": address(mcp::PATH),
            "service-doc": [link("/docs/mcp", "text/html")],
        },
    ]})
    .to_string()
}
