//! GET /log/checkpoint and /log/tile/...: the public log as C2SP tlog-tiles serves it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tlog::TilePath;
use tlog::tile::TileKind;

use crate::app::App;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter};

/// A full tile never changes, so it may be cached for ever; a partial one of the same width does not either.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const NEVER: HeaderValue = HeaderValue::from_static("no-cache");

/// Serves the newest checkpoint, a tile, or an entry bundle.
pub async fn show(
    State(app): State<Arc<App>>,
    PathParameter(path): PathParameter,
) -> Result<Response, Refusal> {
    if path == "checkpoint" {
        let checkpoint = app.notary.ledger.head().checkpoint.to_string();
        return Ok(cached("text/plain; charset=utf-8", checkpoint, NEVER));
    }
    let missing = Refusal::not_found("the log has no such tile");
    let Ok(path) = path.parse::<TilePath>() else { return Err(missing) };
    let bytes = app.notary.ledger.tile(path).await?.ok_or(missing)?;
    let mut response = cached("application/octet-stream", bytes, IMMUTABLE);
    if path.kind() == TileKind::Entries {
        // An entry bundle is data of callers' making; no browser may take it for a page.
        let name = HeaderName::from_static("x-content-type-options");
        response.headers_mut().insert(name, HeaderValue::from_static("nosniff"));
    }
    Ok(response)
}

fn cached(content_type: &'static str, body: impl IntoResponse, cache: HeaderValue) -> Response {
    let mut response = routes::typed(content_type, body, None);
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}
