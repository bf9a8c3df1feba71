//! HTTP on one connection, from its first request to its end.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::Service as _;

use super::activity::Activity;
use super::slots::ConnectionSlot;
use super::stream::ClientStream;
use super::{HEAD_TIMEOUT, Http2Answer, MAX_HEAD_BYTES, Peer, preface};

/// The longest that a client is waited for to close its side, once ours is closed.
pub const CLOSING_TIMEOUT: Duration = Duration::from_secs(2);
/// The most bytes that are read while waiting for the client to close its side.
const CLOSING_BYTES: u64 = 1 << 20;

/// The most bytes of a head after which the connection is kept: the server's buffer stays as large as the largest head was, and
/// thousands of connections that wait must not hold tens of kilobytes each.
pub const KEPT_HEAD_BYTES: usize = 16 << 10;

/// Serves a connection to its end. `stop` changes when the service stops.
pub(super) async fn run(
    stream: TcpStream,
    peer: Peer,
    place: ConnectionSlot,
    router: Router,
    http2: Http2Answer,
    mut stop: watch::Receiver<()>,
) {
    let activity = Arc::clone(place.activity());
    let bounds = *place.bounds();
    let stream = TokioIo::new(ClientStream::new(stream, Arc::clone(&activity)));
    let handling = Arc::clone(&activity);
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let (mut router, activity) = (router.clone(), Arc::clone(&handling));
        async move {
            if !activity.begin() {
                // The connection is being closed to make room; the request has not begun.
                return std::future::pending().await;
            }
            let is_large = head_bytes(&request) > KEPT_HEAD_BYTES;
            let answering = Answering(activity);
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            let mut response = router.call(request).await.unwrap_or_else(|never| match never {});
            if answering.0.is_last_request(bounds.requests, bounds.lifetime) || is_large {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| ResponseBody { body, _answering: answering }))
        }
    });
    let mut connection = http1().serve_connection(stream, service);
    let mut is_stopping = false;
    let ended = loop {
        tokio::select! {
            ended = &mut connection => break ended,
            _ = stop.changed(), if !is_stopping => {
                is_stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    activity.ended();
    let mut stream = connection.into_parts().io.into_inner();
    let is_answered = match &ended {
        Ok(()) => true,
        Err(error) if error.is_parse_version_h2() => {
            stream.write_all(&preface::bytes(http2()).await).await.is_ok()
        }
        Err(error) => {
            tracing::debug!(%error, "a connection ended early");
            error.is_parse()
        }
    };
    if is_answered && !is_stopping {
        close(stream).await;
    }
}

/// The bytes of a head, but for the few of its punctuation.
fn head_bytes<B>(request: &hyper::Request<B>) -> usize {
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    let query = request.uri().query().map_or(0, str::len);
    request.uri().path().len() + query + fields.sum::<usize>()
}

fn http1() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    // A client that has said all that it has to say still waits for its answer; and one that goes away stops no call,
    // so that what was fetched and counted ends in a receipt.
    builder.half_close(true);
    builder
}

/// Closes our side, and takes in what the client still sends until it closes its own (RFC 9112, section 9.6): a connection
/// that is closed over unread bytes is reset, and the reset may overtake the last answer.
async fn close(mut stream: ClientStream) {
    if stream.shutdown().await.is_ok() {
        let (mut rest, mut nowhere) = (stream.take(CLOSING_BYTES), tokio::io::sink());
        // Whoever goes on is cut off.
        drop(tokio::time::timeout(CLOSING_TIMEOUT, tokio::io::copy(&mut rest, &mut nowhere)).await);
    }
}

/// Marks a connection as busy, until it is dropped.
struct Answering(Arc<Activity>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answered();
    }
}

/// An answer's body, which is dropped when the server has taken all of it to write.
struct ResponseBody {
    body: Body,
    _answering: Answering,
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
