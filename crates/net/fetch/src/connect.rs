//! Opening of a connection: TCP to a permitted address, then TLS under the name of the URL.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use url::Host;

use crate::error::FetchError;
use crate::policy::Cleared;
use crate::roots::Roots;
use crate::slots::{ConnectionPlace, HostPlace};
use crate::target::Target;

/// The TLS session of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsInfo {
    /// The protocol version: `TLSv1.2` or `TLSv1.3`.
    pub version: &'static str,
}

/// A stream of bytes that is read from and written to.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// An open connection.
pub(crate) struct Connection {
    pub(crate) stream: Box<dyn ByteStream>,
    pub(crate) peer: SocketAddr,
    pub(crate) tls: Option<TlsInfo>,
    /// To be held for as long as the connection.
    pub(crate) place: ConnectionPlace,
}

/// TLS as every fetch uses it: HTTP/1.1 only, no session kept between fetches.
pub(crate) fn tls(roots: Roots) -> TlsConnector {
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default versions of TLS")
        .with_root_certificates(roots.into_store())
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    TlsConnector::from(Arc::new(config))
}

/// Opens a connection to the first of `addresses` that takes it, within `budget`, handshake included. Waiting
/// for places is not counted: a source must not seem slow because we are busy.
pub(crate) async fn open(
    addresses: &[Cleared],
    target: &Target,
    connector: &TlsConnector,
    mut budget: Duration,
    host: &mut HostPlace,
) -> Result<Connection, FetchError> {
    let (tcp, peer, place) = dial(addresses, target.port(), &mut budget, host).await?;
    if !target.is_https() {
        return Ok(Connection { stream: Box::new(tcp), peer, tls: None, place });
    }
    let handshake = timeout(budget, connector.connect(server_name(target)?, tcp)).await;
    let tls = handshake.map_err(|_| FetchError::ConnectTimeout)?.map_err(FetchError::Tls)?;
    let version = match tls.get_ref().1.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => "TLSv1.3",
        _ => "TLSv1.2",
    };
    Ok(Connection { stream: Box::new(tls), peer, tls: Some(TlsInfo { version }), place })
}

/// Tries the addresses in turn. Each has an equal share of the time that is left, so that one which does
/// not answer leaves time for the next, and a place of its own network: a first address that refuses must not
/// be a way around the bound on the network of the second. It is refused only where every address refuses: one that
/// could not be reached might have taken the connection.
pub(crate) async fn dial(
    addresses: &[Cleared],
    port: u16,
    budget: &mut Duration,
    host: &mut HostPlace,
) -> Result<(TcpStream, SocketAddr, ConnectionPlace), FetchError> {
    let mut failure = None;
    for (address, left) in addresses.iter().zip((1..=addresses.len()).rev()) {
        let place = host.connection(address.delivered()).await?;
        let peer = SocketAddr::new(address.get(), port);
        let share = *budget / u32::try_from(left).unwrap_or(u32::MAX);
        let started = Instant::now();
        let connected = timeout(share, TcpStream::connect(peer)).await;
        *budget = budget.saturating_sub(started.elapsed());
        match connected {
            Ok(Ok(stream)) => {
                // One small request: it should not wait for an acknowledgement. Failing that, it still works.
                let _ = stream.set_nodelay(true);
                return Ok((stream, peer, place));
            }
            Ok(Err(error)) => {
                tracing::debug!(%peer, %error, "connection failed");
                let is_refusal = error.kind() == io::ErrorKind::ConnectionRefused;
                if failure.is_none() || !is_refusal {
                    failure = Some(FetchError::Connect(error));
                }
            }
            Err(_) => {
                tracing::debug!(%peer, "connection timed out");
                failure = Some(FetchError::ConnectTimeout);
            }
        }
    }
    Err(failure.unwrap_or_else(|| FetchError::Connect(io::ErrorKind::AddrNotAvailable.into())))
}

fn server_name(target: &Target) -> Result<ServerName<'static>, FetchError> {
    match target.host() {
        Host::Domain(domain) => ServerName::try_from(domain.clone())
            .map_err(|error| FetchError::Tls(io::Error::new(io::ErrorKind::InvalidInput, error))),
        Host::Ipv4(address) => Ok(ServerName::from(IpAddr::V4(*address))),
        Host::Ipv6(address) => Ok(ServerName::from(IpAddr::V6(*address))),
    }
}
