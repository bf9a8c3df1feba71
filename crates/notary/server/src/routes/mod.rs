//! The routes that sign nothing.

pub mod agents;
pub(crate) mod cosigned;
pub mod export;
pub mod health;
pub mod keys;
pub mod log;
pub mod ready;
pub mod receipts;
pub mod registers;
pub mod sla;
pub(crate) mod stamped;
pub mod stats;
pub mod trial;
pub mod verify;
pub mod watch;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use module::terms::UNSIGNED;
use receipt::hash::ReceiptHash;
use serde_json::Value;
use verdict::Reason;

use crate::app::App;
use crate::pipeline::{self, Client};
use crate::refusal::{Quota, Refusal};

/// The policy of a page: its own style, and nothing else.
pub(crate) const NO_SCRIPT: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// A path's one parameter, decoded; 400 `path` where it is no UTF-8.
pub(crate) struct PathParameter(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathParameter {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(text)) => Ok(Self(text)),
            Err(_) => Err(Refusal::field("path", Reason::Malformed, "must be percent-encoded UTF-8")),
        }
    }
}

/// Counts a hit that asks nothing against the route's published rate.
pub(crate) async fn hit(app: &App, client: &Client, path: &str) -> Result<Option<Quota>, Refusal> {
    let ((), quota) = visit_asking(app, client, path, Ok(())).await?;
    Ok(quota)
}

/// Counts a hit to an unsigned route, for what was `asked`, against the route's published rate.
pub(crate) async fn visit_asking<T>(
    app: &App,
    client: &Client,
    path: &str,
    asked: Result<T, Refusal>,
) -> Result<(T, Option<Quota>), Refusal> {
    let hit =
        ledger::RateLimitHit::of_network("visitor", client.network().narrow, path, published_rate(path));
    let policy = path.trim_start_matches('/').replace(['{', '}'], "");
    pipeline::admit_asking(app, hit, &policy, asked).await
}

/// The address's limit of a route that can refuse what is asked: such a refusal does not wait for the published rate.
pub(crate) async fn flood(app: &App, client: &Client, path: &str) -> Result<(), Refusal> {
    pipeline::flood(app, client, path, published_rate(path)).await
}

/// The rate of an unsigned route that has one.
pub(crate) fn published_rate(path: &str) -> u32 {
    let route = UNSIGNED.iter().find(|route| route.path == path);
    route.and_then(|route| route.rate_per_minute).expect("only routes with a rate in the table are counted")
}

/// Names the page of a receipt in the `Link` header (RFC 8288).
pub(crate) fn link_page(headers: &mut HeaderMap, hash: &ReceiptHash) {
    let link = format!("</r/{hash}>; rel=\"alternate\"; type=\"text/html\"");
    if let Ok(link) = HeaderValue::try_from(link) {
        headers.insert(header::LINK, link);
    }
}

/// A JSON answer with its limit's headers.
pub(crate) fn json(value: &Value, quota: Option<Quota>) -> Response {
    typed("application/json", value.to_string(), quota)
}

/// An answer of any type with its limit's headers.
pub(crate) fn typed(content_type: &'static str, body: impl IntoResponse, quota: Option<Quota>) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(quota) = quota {
        quota.write(response.headers_mut());
    }
    response
}

/// A text as a segment of a path, all of it percent-encoded that is not a letter, a digit or one of `*-._`.
pub(crate) fn path_segment(text: &str) -> String {
    // A form's text has `+` for a space and `%2B` for a plus; a path's segment has the plus as it is.
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}
