//! One request and its response over one connection, which is closed afterwards.

use std::error::Error;
use std::io;
use std::pin::pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, select};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, CONTENT_TYPE, HOST, LOCATION, ORIGIN,
    USER_AGENT,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::ask::{PageAsk, Post, Validators};
use crate::body::{self, Coding};
use crate::connect::ByteStream;
use crate::error::{FetchError, ResponsePart};
use crate::limits::Limits;
use crate::metered::{Metered, Overrun};
use crate::target::{RedirectRefusal, Target};

/// The `User-Agent` of every request.
const AGENT: &str = concat!("touchstone-fetch/", env!("CARGO_PKG_VERSION"));

/// The longest `Content-Type` that is kept.
const MAX_CONTENT_TYPE: usize = 256;

/// The request to a source.
pub(crate) enum Ask<'a> {
    Get,
    /// A document of an endpoint, with the header fields that it asks for.
    Document(HeaderMap),
    Post(Post),
    /// A request whose answer is its status alone: the body is not read.
    Tell(Post),
    /// A document, unless it is the version that is known; the body of a 200 goes to the sink.
    Download {
        known: &'a Validators,
        sink: &'a mut (dyn AsyncWrite + Send + Unpin),
    },
    /// A page for its fields, of whose body the beginning is enough.
    Page {
        ask: &'a PageAsk,
        /// Time limit for the connection.
        connect: Duration,
    },
}

impl Ask<'_> {
    /// The time limit for opening a connection.
    pub(crate) fn connect(&self, limits: &Limits) -> Duration {
        match self {
            Self::Page { connect, .. } => limits.connect.min(*connect),
            Self::Get | Self::Document(_) | Self::Post(_) | Self::Tell(_) | Self::Download { .. } => {
                limits.connect
            }
        }
    }
}

/// The answer of a source.
pub(crate) enum Reply {
    /// A redirect, whose body was not read.
    Redirect { status: u16, location: HeaderValue, headers: HeaderMap },
    /// Anything else, body included where there is no sink for it.
    Answer {
        status: u16,
        headers: HeaderMap,
        content_type: Option<String>,
        validators: Validators,
        body: Bytes,
        /// True if the body continues past the bound. It occurs only for a page.
        is_cut: bool,
        wire_bytes: u64,
    },
}

/// Asks `target` over `stream` and reads the answer.
pub(crate) async fn exchange(
    stream: Box<dyn ByteStream>,
    target: &Target,
    ask: &mut Ask<'_>,
    limits: &Limits,
) -> Result<Reply, FetchError> {
    // Twice what a response may hold leaves room for its framing and none for a flood of it.
    let bytes = limits.head_bytes.saturating_add(limits.wire_bytes).saturating_mul(2);
    let io = TokioIo::new(Metered::new(stream, bytes));
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(limits.head_bytes.max(8192)) // hyper's minimum
        .max_header_size(limits.head_bytes)
        .max_headers(limits.head_fields)
        .handshake(io)
        .await
        .map_err(failure)?;
    let request = request(target, ask);
    let reading = pin!(async move {
        let response = sender.send_request(request).await.map_err(failure)?;
        read(response, ask, limits).await
    });
    // The response and its connection are driven here, not in a task of its own: dropping the fetch closes the
    // connection.
    match select(reading, pin!(connection)).await {
        Either::Left((reply, _)) => reply,
        Either::Right((_, reading)) => reading.await,
    }
}

fn request(target: &Target, ask: &Ask<'_>) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::default());
    *request.uri_mut() = Uri::from(target.path().clone());
    let host = HeaderValue::from_str(target.authority());
    let headers = request.headers_mut();
    headers.insert(HOST, host.expect("a parsed URL's host and port are visible ASCII"));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Ask::Post(Post { json, headers: own }) | Ask::Tell(Post { json, headers: own }) = ask {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.extend(own.clone());
        *request.method_mut() = Method::POST;
        *request.body_mut() = Full::new(json.clone());
    } else if let Ask::Document(own) = ask {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/csv;q=0.9"));
        headers.extend(own.clone());
    } else if let Ask::Download { known, .. } = ask {
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        known.write(headers);
    } else if let Ask::Page { ask: PageAsk { accept, preflight_from, .. }, .. } = ask {
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(origin) = preflight_from {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
            headers.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("GET"));
            *request.method_mut() = Method::OPTIONS;
        }
    }
    request
}

async fn read(response: Response<Incoming>, ask: &mut Ask<'_>, limits: &Limits) -> Result<Reply, FetchError> {
    let (head, body) = response.into_parts();
    let status = head.status.as_u16();
    if head.status.is_informational() {
        // 101 alone gets here: an upgrade that was not asked for.
        return Err(FetchError::Malformed(None));
    }
    if let Ask::Tell(_) = ask {
        return Ok(Reply::Answer {
            status,
            headers: head.headers,
            content_type: None,
            validators: Validators::default(),
            body: Bytes::new(),
            is_cut: false,
            wire_bytes: 0,
        });
    }
    body::framing(&head.headers)?;
    if let Some(location) = location(head.status, &head.headers)? {
        return Ok(Reply::Redirect { status, location, headers: head.headers });
    }
    let (content_type, validators) = (content_type(&head.headers), Validators::of(&head.headers));
    let headers = head.headers;
    if let Ask::Page { ask, .. } = ask {
        let (body, is_cut, wire_bytes) = beginning(body, status, &headers, ask.body_bytes, limits).await?;
        return Ok(Reply::Answer { status, headers, content_type, validators, body, is_cut, wire_bytes });
    }
    let (is_cut, coding) = (false, body::coding(&headers)?);
    if let Ask::Download { sink, .. } = ask {
        let is_whole = head.status == StatusCode::OK;
        let wire_bytes = if is_whole { pass_on(body, limits.wire_bytes, *sink).await? } else { 0 };
        let body = Bytes::new();
        return Ok(Reply::Answer { status, headers, content_type, validators, body, is_cut, wire_bytes });
    }
    let wire = collect(body, limits.wire_bytes).await?;
    let wire_bytes = wire.len() as u64;
    let body = match coding {
        Coding::Identity => wire,
        // These have no body, whatever their fields say of it.
        Coding::Gzip if matches!(status, 204 | 304) => wire,
        Coding::Gzip => body::gunzip(&wire, limits.decoded_bytes)?.into(),
    };
    if body.len() > limits.decoded_bytes {
        return Err(FetchError::TooLarge(ResponsePart::Decoded));
    }
    Ok(Reply::Answer { status, headers, content_type, validators, body, is_cut, wire_bytes })
}

/// The beginning of a body, decoded: at most so many bytes, whether there are more, and how many were read. The bytes
/// that are read must be sound; only the bound may cut them short.
async fn beginning(
    mut body: Incoming,
    status: u16,
    headers: &HeaderMap,
    bytes: usize,
    limits: &Limits,
) -> Result<(Bytes, bool, u64), FetchError> {
    if bytes == 0 {
        return Ok((Bytes::new(), !body.is_end_stream(), 0));
    }
    let coding = body::coding(headers)?;
    let (wire_limit, limit) = (bytes.min(limits.wire_bytes), bytes.min(limits.decoded_bytes));
    let (mut wire, mut is_cut) = (BytesMut::new(), false);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(failure)?.into_data() else { continue };
        let room = wire_limit - wire.len();
        wire.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            is_cut = true;
            break;
        }
    }
    let (wire_bytes, wire) = (wire.len() as u64, wire.freeze());
    if coding == Coding::Identity || matches!(status, 204 | 304) {
        return Ok((wire, is_cut, wire_bytes));
    }
    let (decoded, is_cut) = body::gunzip_beginning(&wire, is_cut, limit)?;
    Ok((decoded.into(), is_cut, wire_bytes))
}

/// Returns the target of a redirect (RFC 9110 section 15.4). One without a `Location` is an answer like any other.
fn location(status: StatusCode, headers: &HeaderMap) -> Result<Option<HeaderValue>, FetchError> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let mut values = headers.get_all(LOCATION).iter();
    let first = values.next().cloned();
    if values.next().is_some() {
        return Err(RedirectRefusal::Location.into());
    }
    Ok(first)
}

async fn collect(mut body: Incoming, limit: usize) -> Result<Bytes, FetchError> {
    if body.size_hint().lower() > limit as u64 {
        return Err(FetchError::TooLarge(ResponsePart::Wire));
    }
    let mut wire = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(failure)?.into_data() else { continue };
        if wire.len() + data.len() > limit {
            return Err(FetchError::TooLarge(ResponsePart::Wire));
        }
        wire.extend_from_slice(&data);
    }
    Ok(wire.freeze())
}

/// Writes a body to where it goes, coded as it is.
async fn pass_on(
    mut body: Incoming,
    limit: usize,
    sink: &mut (dyn AsyncWrite + Send + Unpin),
) -> Result<u64, FetchError> {
    let limit = limit as u64;
    if body.size_hint().lower() > limit {
        return Err(FetchError::TooLarge(ResponsePart::Wire));
    }
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(failure)?.into_data() else { continue };
        bytes += data.len() as u64;
        if bytes > limit {
            return Err(FetchError::TooLarge(ResponsePart::Wire));
        }
        sink.write_all(&data).await.map_err(FetchError::Sink)?;
    }
    sink.flush().await.map_err(FetchError::Sink)?;
    Ok(bytes)
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    (value.len() <= MAX_CONTENT_TYPE).then(|| value.to_owned())
}

/// Maps a failure of the HTTP layer to an error of the fetch.
fn failure(error: hyper::Error) -> FetchError {
    let mut cause = error.source();
    let mut invalid = false;
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            if io.get_ref().is_some_and(|inner| inner.is::<Overrun>()) {
                return FetchError::TooLarge(ResponsePart::Wire);
            }
            invalid |= matches!(io.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData);
        }
        cause = inner.source();
    }
    if error.is_parse_too_large() {
        FetchError::TooLarge(ResponsePart::Head)
    } else if error.is_parse() || invalid {
        FetchError::Malformed(Some(error))
    } else {
        FetchError::Interrupted(error)
    }
}
