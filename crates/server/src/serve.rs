//! Listening: bounded connections, slow clients cut off, and a shutdown that loses nothing.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service as _;

use crate::desk::Peer;

/// The most connections at once; further ones wait in the system's queue.
pub const MAX_CONNECTIONS: usize = 4096;
/// The longest that a request's head may take to arrive, and an idle connection is kept.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a request's head.
pub const MAX_HEAD_BYTES: usize = 64 << 10;
/// The longest that requests in flight are waited for at shutdown.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// Serves until `stop` is ready, then lets what is in flight finish.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut stop => break,
        };
        if let Some((stream, peer, place)) = accepted {
            connection(&graceful, stream, peer, place, router.clone());
        }
    }
    drop(listener);
    tracing::info!("stopping: no new connections; waiting for requests in flight");
    if tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections did not finish in time");
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, Peer, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, Peer(peer), place)),
        Err(error) => {
            // Out of file descriptors, or a connection gone before it was accepted: neither ends the service.
            tracing::warn!(%error, "a connection was not accepted");
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

fn connection(
    graceful: &GracefulShutdown,
    stream: TcpStream,
    peer: Peer,
    place: OwnedSemaphorePermit,
    router: Router,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was refused");
    }
    let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
        let mut router = router.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        async move { Ok::<_, Infallible>(router.call(request).await.unwrap_or_else(|never| match never {})) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    // A client that has said all that it has to say still waits for its answer.
    builder.half_close(true);
    let watched = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        let _place = place;
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
}
