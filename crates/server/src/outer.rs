//! The outermost layer: request ids, problem documents, CORS.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any};
use tower_http::cors::{Any, CorsLayer};

use crate::app::App;
use crate::refusal::Refusal;
use crate::terms::UNSIGNED;

/// Gives the request an id and turns a refusal into its document; nothing else writes problem documents.
pub(crate) async fn finish(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let request_id = request_id();
    let started = app.notary.clock.monotonic();
    let (method, route) = (request.method().clone(), request.extensions().get::<MatchedPath>().cloned());
    let response = next.run(request).await;
    let mut response = match response.extensions().get::<Refusal>() {
        Some(refusal) => with_headers_of(refusal.document(&request_id), &response),
        None => response,
    };
    let took = app.notary.clock.monotonic().saturating_sub(started);
    // The path itself may have a watch's id in it, or a receipt's hash, and who knows them may look.
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    measure(route, response.status(), took);
    tracing::debug!(%method, route, status = response.status().as_u16(), request_id, "answered");
    if let Ok(value) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

/// Counts the answer for `/metrics`; by route and not by path, so that no caller makes up series.
fn measure(route: &str, status: StatusCode, took: Duration) {
    let labels = [("route", route.to_owned()), ("status", status.as_str().to_owned())];
    metrics::counter!("touchstone_http_requests_total", &labels).increment(1);
    metrics::histogram!("touchstone_http_request_seconds", "route" => route.to_owned())
        .record(took.as_secs_f64());
}

/// Keeps what inner layers said about the response that the document replaces (CORS).
fn with_headers_of(mut document: Response, replaced: &Response) -> Response {
    for (name, value) in replaced.headers() {
        if !matches!(*name, header::CONTENT_TYPE | header::CONTENT_LENGTH)
            && !document.headers().contains_key(name)
        {
            document.headers_mut().append(name, value.clone());
        }
    }
    document
}

/// 404 for any path that no route has, and for OPTIONS of it too: the CORS layer would allow what is not there. One of
/// `paths` is named where it differs only in case, in what stands between its words, or by a slash at its end.
pub(crate) fn no_route(paths: Vec<String>) -> MethodRouter {
    let missing = move |uri: Uri| {
        let asked = letters(uri.path());
        let meant = paths.iter().find(|path| !asked.is_empty() && letters(path) == asked);
        let refusal = Refusal::not_found(match meant {
            Some(path) => format!("there is no such route; did you mean {path}?"),
            None => "there is no such route; see /catalog".to_owned(),
        });
        std::future::ready(refusal)
    };
    any(missing.clone()).layer(cors()).options(missing)
}

/// What tells paths apart that callers mistake for each other.
fn letters(path: &str) -> String {
    path.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// 405 for a method that the route does not have; the router adds `Allow`, and only after all that is in here.
pub(crate) async fn no_method(State(app): State<Arc<App>>, path: MatchedPath) -> Refusal {
    let verdicts = app.docket.routes().find(|route| route.terms.path() == path.as_str());
    let unsigned = UNSIGNED.iter().find(|route| route.path == path.as_str());
    // The log and the documents of discovery are read, and nothing else.
    let methods = verdicts.map(|route| route.terms.methods()).or(unsigned.map(|route| route.methods));
    Refusal::Method { methods: methods.unwrap_or(&["GET"]) }
}

/// 500 where a handler panicked: a bug, of which the caller learns nothing but that.
pub(crate) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    let cause = cause
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| cause.downcast_ref::<String>().cloned());
    tracing::error!(cause, "a handler panicked");
    Refusal::Bug.into_response()
}

/// Any origin may call; the payment and limit headers may be sent and read.
pub(crate) fn cors() -> CorsLayer {
    let names =
        |names: &[&'static str]| names.iter().copied().map(HeaderName::from_static).collect::<Vec<_>>();
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS])
        .allow_headers(names(&[
            "content-type",
            "x-payment",
            "payment-signature",
            "x-accept-payment",
            // x402 clients send it with their request, so a browser asks whether they may.
            "access-control-expose-headers",
            "x-request-id",
        ]))
        .expose_headers(names(&[
            "payment-required",
            "payment-response",
            "x-payment-response",
            "ratelimit",
            "ratelimit-policy",
            "retry-after",
            "x-request-id",
        ]))
        .max_age(Duration::from_secs(86_400))
}

/// 64 random bits: enough to find one request in the logs.
fn request_id() -> String {
    let mut id = [0; 8];
    // Without randomness the id is of no use but harmless; the notary refuses to sign on its own account.
    if getrandom::fill(&mut id).is_err() {
        tracing::error!("no randomness for a request id");
    }
    hex::encode(id)
}
