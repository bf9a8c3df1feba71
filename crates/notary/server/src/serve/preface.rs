//! The answer to HTTP/2.
//!
//! A client that speaks HTTP/2 with prior knowledge (RFC 9113, section 3.3) begins with a preface that no HTTP/1.1 request can
//! begin with. HTTP/2 is not offered: its streams, resets and header tables are bounds of their own to keep, and a proxy in
//! front can speak it. So the client is told, in HTTP/1.1, what to use instead.

use axum::http::header;
use http_body_util::BodyExt as _;

use crate::outer;
use crate::refusal::Refusal;

/// 505 as bytes.
pub(super) async fn answer() -> Vec<u8> {
    let request_id = outer::request_id();
    let (head, body) = Refusal::HttpVersion.document(&request_id).into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let mut bytes = format!(
        "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n",
        head.status,
        content_type.unwrap_or_default(),
        body.len(),
    )
    .into_bytes();
    bytes.extend_from_slice(&body);
    tracing::debug!(status = head.status.as_u16(), request_id, "answered HTTP/2");
    bytes
}
