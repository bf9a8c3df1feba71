//! Listening: bounded connections, slow clients cut off, and a shutdown that loses nothing.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tower::Service as _;

use crate::desk::Peer;
use crate::network::ClientNetwork;

/// The most connections at once; further ones wait in the system's queue.
pub const MAX_CONNECTIONS: usize = 4096;
/// The longest that a request's head may take to arrive, and an idle connection is kept.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a request's head.
pub const MAX_HEAD_BYTES: usize = 64 << 10;
/// The longest that requests in flight are waited for at shutdown.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// The most connections of one client address (of a /64 of IPv6), so that no single one holds all places.
pub const MAX_PER_ADDRESS: u32 = 256;
/// The longest that a client may let an answer wait without reading any of it.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Serves until `stop` is ready, then lets what is in flight finish. `proxies` speak for many clients, and have no
/// limit of their own.
pub async fn serve(listener: TcpListener, router: Router, proxies: &[IpNet], stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let addresses = Arc::new(Addresses::default());
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut stop => break,
        };
        let Some((stream, peer, place)) = accepted else { continue };
        let is_proxy = proxies.iter().any(|net| net.contains(&peer.0.ip().to_canonical()));
        let seat = if is_proxy { None } else { addresses.enter(peer.0.ip()) };
        if seat.is_none() && !is_proxy {
            // Closed without an answer, as a full machine would.
            tracing::debug!(address = %peer.0, "too many connections of one address");
            continue;
        }
        connection(&graceful, stream, peer, (place, seat), router.clone());
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
    place: (OwnedSemaphorePermit, Option<Seat>),
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
    // A client that has said all that it has to say still waits for its answer; and one that goes away stops no call,
    // so that what was fetched and counted ends in a receipt. A dispute most of all: its judge runs before its bond is
    // taken, and were it dropped with the connection, whoever goes away in between would hold the receipt's one open
    // dispute for nothing, again and again.
    builder.half_close(true);
    let watched = graceful.watch(builder.serve_connection(TokioIo::new(patient(stream)), service));
    tokio::spawn(async move {
        let _place = place;
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
}

/// The stream, which fails where the other end reads nothing for [`WRITE_TIMEOUT`].
fn patient(stream: TcpStream) -> Pin<Box<TimeoutStream<TcpStream>>> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    Box::pin(stream)
}

/// How many connections each client address has.
#[derive(Default)]
struct Addresses(Mutex<HashMap<IpNet, u32>>);

impl Addresses {
    /// A place for one more connection of an address; `None` where it has all that it may have.
    fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Seat> {
        let network = ClientNetwork::of(address).narrow;
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(network).or_default();
        if *count >= MAX_PER_ADDRESS {
            return None;
        }
        *count += 1;
        Some(Seat { addresses: Arc::clone(self), network })
    }
}

/// A connection's place among those of its address, given back when it is dropped.
struct Seat {
    addresses: Arc<Addresses>,
    network: IpNet,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.addresses.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_places_and_gets_them_back() {
        let addresses = Arc::new(Addresses::default());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut seats: Vec<_> =
            (0..MAX_PER_ADDRESS).map(|_| addresses.enter(address("2001:db8::1")).unwrap()).collect();
        assert!(addresses.enter(address("2001:db8::2")).is_none(), "the same /64");
        assert!(addresses.enter(address("192.0.2.1")).is_some());
        seats.pop();
        assert!(addresses.enter(address("2001:db8::2")).is_some());
        drop(seats);
        assert!(addresses.0.lock().unwrap().is_empty());
    }
}
