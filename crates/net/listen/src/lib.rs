//! The listening side of HTTP: bounded connections, time limits for slow clients, and a shutdown that answers all
//! requests in flight.
//!
//! [`listen`] binds an address, and [`serve`] gives each request to a router until it is told to stop. `fetch` is the other
//! direction: requests that go out.
//!
//! | module | contents |
//! |---|---|
//! | `bounds` | the bounds on connections, in all and of one client's networks |
//! | `slots` | which connections are open, and which one is closed to make room for another |
//! | `activity` | the state of a connection: idle, busy or closed |
//! | `connection` | HTTP on one connection, from its first request to its end |
//! | `stream` | the bytes of a connection, with the bounds on writing |
//! | `preface` | the answer to HTTP/2 |
//!
//! # Invariants
//!
//! - A new connection closes one of another network only if that network holds more connections.
//!
//! - A connection that is closed to make room is idle: no request is handled on it, and no answer is written.

mod activity;
mod bounds;
mod connection;
mod preface;
mod slots;
mod stream;

#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use client_network::ClientNetwork;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

pub use bounds::{Bounds, FEW, MAX_CONNECTIONS, MAX_PER_NARROW, MIN_CONNECTIONS};
pub use connection::{CLOSING_TIMEOUT, KEPT_HEAD_BYTES};
pub use stream::{ANSWER_TIMEOUT, WRITE_TIMEOUT};

use self::slots::ConnectionSlots;

/// The longest time for which the head of a request may take to arrive, and for which an idle connection is kept open.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of the head of a request.
pub const MAX_HEAD_BYTES: usize = 64 << 10;
/// The most connections that the system queues until they are accepted, as far as its own limit allows. With the usual
/// queue of 128, a client that opens many connections quickly delays others by a second: their connections are dropped,
/// and they try again.
pub const BACKLOG: u32 = 4096;
/// The size that is set for the kernel's buffer of each direction of a connection, in bytes; Linux doubles it.
pub const KERNEL_BUFFER: u32 = 128 << 10;
/// The longest time that shutdown waits for requests in flight.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// The remote address of a connection, which [`serve`] puts into the extensions of each request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// A function that makes the answer to a client that begins with HTTP/2, which this server does not support. Of its
/// headers, only `content-type` and `x-request-id` are sent.
pub type Http2Answer = fn() -> Response;

/// Listens on an address.
///
/// # Errors
/// The error of the operating system, such as an address that is in use.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of an earlier process that are still being closed do not keep this one from starting.
    socket.set_reuseaddr(true)?;
    // Connections that are accepted have the same. Else the kernel lets an answer that nobody reads grow to megabytes.
    socket.set_send_buffer_size(KERNEL_BUFFER)?;
    socket.set_recv_buffer_size(KERNEL_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` is ready, then lets the requests in flight finish. The connections of `proxies`, each of which
/// forwards for many clients, count towards the total only and towards no network. A connection that begins with HTTP/2
/// gets `http2` and is closed.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    proxies: &[IpNet],
    bounds: Bounds,
    http2: Http2Answer,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(ConnectionSlots::new(bounds));
    let (stopping, stopped) = watch::channel(());
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let address = peer.0.ip();
        let is_proxy = proxies.iter().any(|net| net.contains(&address.to_canonical()));
        let network = (!is_proxy).then(|| ClientNetwork::of(address));
        let Some(place) = places.enter(network) else {
            // Closed without an answer, as a full machine would.
            tracing::debug!(address = %peer.0, "no room for another connection of this network");
            metrics::counter!("touchstone_connections_refused_total").increment(1);
            continue;
        };
        let id = place.id();
        let connection = connection::run(stream, peer, place, router.clone(), http2, stopped.clone());
        places.attach(id, tokio::spawn(connection).abort_handle());
    }
    drop((listener, stopped));
    tracing::info!("stopping: no new connections; waiting for requests in flight");
    stopping.send_replace(());
    // Each connection holds a receiver until it ends.
    if tokio::time::timeout(DRAIN_TIMEOUT, stopping.closed()).await.is_err() {
        tracing::warn!("some connections did not finish in time");
    }
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, Peer(peer)),
            Err(error) => {
                // Out of file descriptors, or a connection gone before it was accepted: neither ends the service.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
