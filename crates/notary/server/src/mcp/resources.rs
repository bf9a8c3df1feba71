//! The resources: the guides as Markdown, and the short text for agents.

use serde_json::{Value, json};

use super::reply;
use super::revision::Revision;
use crate::app::App;
use crate::discovery::llms_text;
use crate::json_rpc::RpcError;
use crate::pages::{at, guides};

const MARKDOWN: &str = "text/markdown";

/// The list of the resources.
pub(super) fn list(base_url: &str) -> Vec<Value> {
    let text = json!({
        "uri": format!("{base_url}/llms.txt"),
        "name": "llms",
        "title": "What an agent needs, in one short text",
        "mimeType": "text/plain",
    });
    let guides = guides().map(|guide| {
        json!({
            "uri": format!("{base_url}{}", guide.markdown_path()),
            "name": guide.name,
            "title": guide.title(),
            "description": guide.about,
            "mimeType": MARKDOWN,
        })
    });
    std::iter::once(text).chain(guides).collect()
}

/// Reads a resource.
///
/// # Errors
/// No resource has the address.
pub(super) fn read(app: &App, uri: Option<&str>, revision: Revision) -> Result<Value, RpcError> {
    let missing = || reply::no_resource(revision);
    let uri = uri.ok_or_else(missing)?;
    let path = uri.strip_prefix(app.base_url()).ok_or_else(missing)?;
    let (kind, text) = if path == "/llms.txt" {
        ("text/plain", llms_text(app))
    } else {
        let guide = guides().find(|guide| guide.markdown_path() == path).ok_or_else(missing)?;
        (MARKDOWN, at(guide.markdown, app.base_url()))
    };
    Ok(json!({"contents": [{"uri": uri, "mimeType": kind, "text": text}]}))
}
