//! The outermost layer: request ids, problem documents, CORS.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Duration;
use tower_http::cors::{Any, CorsLayer};

use crate::refusal::Refusal;

/// Gives the request an id and turns a refusal into its document; nothing else writes problem documents.
pub async fn finish(request: Request, next: Next) -> Response {
    let request_id = request_id();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let mut response = match refusal_in(&response) {
        Some(refusal) => with_headers_of(refusal.document(&request_id), &response),
        None => response,
    };
    tracing::debug!(%method, path, status = response.status().as_u16(), request_id, "answered");
    if let Ok(value) = HeaderValue::try_from(request_id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

fn refusal_in(response: &Response) -> Option<Refusal> {
    if let Some(refusal) = response.extensions().get::<Refusal>() {
        return Some(refusal.clone());
    }
    let allow = response.headers().get(header::ALLOW)?.clone();
    (response.status() == StatusCode::METHOD_NOT_ALLOWED).then_some(Refusal::Method { allow })
}

/// Keeps what inner layers said about the response that the document replaces (CORS).
fn with_headers_of(mut document: Response, replaced: &Response) -> Response {
    for (name, value) in replaced.headers() {
        if !matches!(*name, header::CONTENT_TYPE | header::CONTENT_LENGTH) && !document.headers().contains_key(name) {
            document.headers_mut().append(name, value.clone());
        }
    }
    document
}

/// 404 for any path that no route has.
pub async fn no_route(State(_): State<std::sync::Arc<crate::App>>) -> Response {
    Refusal::not_found("there is no such route; see /catalog").into_response()
}

/// Any origin may call; the payment and limit headers may be sent and read.
pub fn cors() -> CorsLayer {
    let names = |names: &[&'static str]| names.iter().copied().map(HeaderName::from_static).collect::<Vec<_>>();
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::OPTIONS])
        .allow_headers(names(&["content-type", "x-payment", "payment-signature", "x-accept-payment", "x-request-id"]))
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
