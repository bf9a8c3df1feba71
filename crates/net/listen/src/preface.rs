//! The answer to HTTP/2.
//!
//! A client that speaks HTTP/2 with prior knowledge (RFC 9113, section 3.3) begins with a preface that no HTTP/1.1
//! request can begin with. HTTP/2 is not offered: its streams, resets and header tables are bounds of their own to
//! keep, and a proxy in front can speak it. So the answer, in HTTP/1.1, tells the client to use HTTP/1.1.

use axum::http::HeaderMap;
use axum::response::Response;
use http_body_util::BodyExt as _;

/// The bytes of the answer.
pub(super) async fn bytes(answer: Response) -> Vec<u8> {
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let (content_type, request_id) =
        (text(&head.headers, "content-type"), text(&head.headers, "x-request-id"));
    let mut bytes = format!(
        "HTTP/1.1 {}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n",
        head.status,
        body.len(),
    )
    .into_bytes();
    bytes.extend_from_slice(&body);
    tracing::debug!(status = head.status.as_u16(), request_id, "answered HTTP/2");
    bytes
}

/// A header's text; empty where it is not there.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
