//! Reading a body within its bounds of size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::http::request::Parts;
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use verdict::Reason;

use crate::refusal::Refusal;

/// The longest that a body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// The whole body.
///
/// # Errors
/// 413 over the limit (before reading, where its length is announced); 400 `body` where it does not arrive.
pub async fn read_body(parts: &Parts, body: Body, limit_bytes: usize) -> Result<Bytes, Refusal> {
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit_bytes as u64) {
        return Err(Refusal::TooLarge { limit_bytes });
    }
    let incomplete = || Refusal::field("body", Reason::Json("incomplete"), "did not arrive whole and in time");
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, limit_bytes).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge { limit_bytes }),
        Ok(Err(_)) | Err(_) => Err(incomplete()),
    }
}
