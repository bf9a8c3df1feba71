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

/// The longest that the rest of a body that was refused is taken in for.
pub const LINGER: Duration = Duration::from_secs(5);
/// The most bytes of it: a track record of 100,000 trades is 30 MB, and is to be told that it is too large.
pub const LINGER_BYTES: usize = 64 << 20;

/// The whole body.
///
/// # Errors
/// 413 over the limit (before reading, where its length is announced); 400 `body` where it does not arrive.
pub async fn read_body(parts: &Parts, mut body: Body, limit_bytes: usize) -> Result<Bytes, Refusal> {
    let announced =
        parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit_bytes as u64) {
        linger(parts, body);
        return Err(Refusal::TooLarge { limit_bytes });
    }
    let incomplete =
        || Refusal::field("body", Reason::Json("incomplete"), "did not arrive whole and in time");
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(&mut body, limit_bytes).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            linger(parts, body);
            Err(Refusal::TooLarge { limit_bytes })
        }
        Ok(Err(_)) | Err(_) => Err(incomplete()),
    }
}

/// Takes in, beside the answer, what is still being sent of a body that was too large: a connection that is closed
/// over unread bytes is reset, and a client that is still writing would not get to read why. A client that waits to
/// be told to go on sends nothing, and is not told to.
fn linger(parts: &Parts, mut body: Body) {
    if parts.headers.contains_key(header::EXPECT) {
        return;
    }
    let rest = async move {
        let mut left = LINGER_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let taken = frame.data_ref().map_or(0, Bytes::len);
            let Some(fewer) = left.checked_sub(taken) else { break };
            left = fewer;
        }
    };
    tokio::spawn(tokio::time::timeout(LINGER, rest));
}
