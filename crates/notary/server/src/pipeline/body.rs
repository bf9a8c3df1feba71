//! Reading a body within its bounds of size and time.

use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use capacity::inflow::Hold;
use http_body_util::BodyExt as _;
use tracing::Instrument as _;
use verdict::Reason;

use crate::refusal::Refusal;

/// Timeout for the arrival of a body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum time for which the rest of a refused body is still received.
pub const LINGER: Duration = Duration::from_secs(5);
/// Maximum number of bytes of a refused body that are still received. A track record of 100,000 trades is 30 MB, and
/// its sender must receive the answer that it is too large.
pub const LINGER_BYTES: usize = 64 << 20;

/// A complete body, with its share of the bytes in memory.
#[derive(Debug)]
pub struct WholeBody {
    /// The bytes of the body.
    pub bytes: Bytes,
    /// The share of the bytes in memory, which is held as long as this value.
    pub hold: Hold,
}

/// Reads the complete body.
///
/// # Errors
/// 413 over the limit, before reading if its length is announced; 400 `body` if it does not arrive completely; 503 if
/// the bodies of the network, or of all networks, are at their bound in memory.
pub async fn read_body(
    mut hold: Hold,
    parts: &Parts,
    mut body: Body,
    limit_bytes: usize,
) -> Result<WholeBody, Refusal> {
    let announced =
        parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit_bytes as u64) {
        linger(parts, body);
        return Err(Refusal::TooLarge { limit_bytes });
    }
    match tokio::time::timeout(BODY_TIMEOUT, collect(&mut hold, &mut body, limit_bytes)).await {
        Ok(Ok(bytes)) => Ok(WholeBody { bytes, hold }),
        Ok(Err(refusal @ (Refusal::TooLarge { .. } | Refusal::Unavailable(_)))) => {
            linger(parts, body);
            Err(refusal)
        }
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(incomplete()),
    }
}

/// The bytes as they arrive, counted before they are kept.
async fn collect(hold: &mut Hold, body: &mut Body, limit_bytes: usize) -> Result<Bytes, Refusal> {
    let mut whole = Bytes::new();
    let mut more = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| incomplete())?.into_data() else { continue };
        if whole.len() + more.len() + data.len() > limit_bytes {
            return Err(Refusal::TooLarge { limit_bytes });
        }
        if !hold.grow(data.len()) {
            return Err(Refusal::unavailable(
                "bodies",
                2,
                "too many bytes of bodies are in memory at the moment",
            ));
        }
        // Most bodies come in one piece, which is kept as it is.
        if whole.is_empty() && more.is_empty() {
            whole = data;
            continue;
        }
        more.extend_from_slice(&std::mem::take(&mut whole));
        more.extend_from_slice(&data);
    }
    Ok(if more.is_empty() { whole } else { more.freeze() })
}

fn incomplete() -> Refusal {
    Refusal::field("body", Reason::Json("incomplete"), "did not arrive whole and in time")
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
    tokio::spawn(tokio::time::timeout(LINGER, rest).in_current_span());
}
