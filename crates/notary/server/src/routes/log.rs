//! GET /log/checkpoint, /log/tile/..., /log/policy and /log/timestamps: the public log as C2SP tlog-tiles serves it, the policy
//! of its witnesses (C2SP tlog-policy), and the tokens over its checkpoints (RFC 3161).

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use tlog::TilePath;
use tlog::tile::TileKind;

use crate::app::App;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter, cosigned, stamped};

/// A full tile never changes, so it may be cached for ever; a partial one of the same width does not either.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const TEXT: &str = "text/plain; charset=utf-8";
const NEVER: HeaderValue = HeaderValue::from_static("no-cache");

/// Serves the newest checkpoint, a tile, an entry bundle, or the policy.
pub async fn show(
    State(app): State<Arc<App>>,
    PathParameter(path): PathParameter,
) -> Result<Response, Refusal> {
    if path == "checkpoint" {
        return Ok(cached(TEXT, cosigned::checkpoint(&app).await?, NEVER));
    }
    if path == "policy" {
        return Ok(cached(TEXT, cosigned::policy(&app)?, NEVER));
    }
    if let Some(what) = path.strip_prefix(stamped::PART) {
        let (content_type, body) = stamped::file(&app, what).await?;
        let is_fixed = !matches!(what, "" | stamped::ROOTS);
        return Ok(cached(content_type, body, if is_fixed { IMMUTABLE } else { NEVER }));
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
