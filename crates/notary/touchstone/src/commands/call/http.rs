//! HTTP to the one notary that the caller named: a connection for each request, no redirect, no proxy.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use axum::http::header::{ACCEPT, CONNECTION, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// For the connection, TLS included.
const CONNECT: Duration = Duration::from_secs(5);
/// For a whole request: more than any route's target and the notary's wait for a settlement together.
const TOTAL: Duration = Duration::from_secs(60);
/// The longest answer that is read.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// A notary's address.
pub struct Server {
    base: Url,
}

/// What it answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Server {
    pub fn new(base: &str) -> anyhow::Result<Self> {
        let base: Url = base.parse().with_context(|| format!("the server `{base}`"))?;
        ensure!(matches!(base.scheme(), "http" | "https"), "the server `{base}` is not http or https");
        ensure!(base.host().is_some(), "the server `{base}` has no host");
        let is_plain = base.username().is_empty() && base.password().is_none();
        ensure!(is_plain && base.query().is_none(), "the server is an address without a user or a query");
        Ok(Self { base })
    }

    /// Whether nobody on the way can read or change what is said: TLS, or no way at all.
    pub fn is_private(&self) -> bool {
        self.base.scheme() == "https"
            || match self.base.host() {
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                Some(Host::Domain(name)) => name == "localhost",
                None => false,
            }
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Answer> {
        self.send(self.request(Method::GET, path, Bytes::new())?).await
    }

    /// Posts JSON, with a header of payment and its value where they are given.
    pub async fn post(
        &self,
        path: &str,
        json: Bytes,
        proof: Option<(&'static str, &str)>,
    ) -> anyhow::Result<Answer> {
        let mut request = self.request(Method::POST, path, json)?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some((name, proof)) = proof {
            let mut proof = HeaderValue::from_str(proof).context("the proof of payment")?;
            proof.set_sensitive(true);
            request.headers_mut().insert(name, proof);
        }
        self.send(request).await
    }

    fn request(&self, method: Method, path: &str, body: Bytes) -> anyhow::Result<Request<Full<Bytes>>> {
        let target = format!("{}/{path}", self.base.path().trim_end_matches('/'));
        let host = &self.base[url::Position::BeforeHost..url::Position::AfterPort];
        Request::builder()
            .method(method)
            .uri(target)
            .header(HOST, host)
            .header(ACCEPT, "application/json")
            .header(CONNECTION, "close")
            .body(Full::new(body))
            .with_context(|| format!("the route `{path}`"))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<Answer> {
        let exchange = async { exchange(self.connect().await?, request).await };
        let answer = timeout(TOTAL, exchange).await;
        answer.context("no answer in time").flatten().with_context(|| format!("failed to ask {}", self.base))
    }

    async fn connect(&self) -> anyhow::Result<Box<dyn Stream>> {
        let connected = timeout(CONNECT, async {
            let (Some(host), Some(port)) = (self.base.host(), self.base.port_or_known_default()) else {
                bail!("an http address has a host and a port");
            };
            let (tcp, name) = match host {
                Host::Domain(name) => (TcpStream::connect((name, port)).await?, name.to_owned().try_into()?),
                Host::Ipv4(ip) => (TcpStream::connect((ip, port)).await?, ServerName::from(IpAddr::V4(ip))),
                Host::Ipv6(ip) => (TcpStream::connect((ip, port)).await?, ServerName::from(IpAddr::V6(ip))),
            };
            if self.base.scheme() == "http" {
                return Ok(Box::new(tcp) as Box<dyn Stream>);
            }
            Ok(Box::new(tls()?.connect(name, tcp).await?) as Box<dyn Stream>)
        });
        connected.await.context("no connection in time")?
    }
}

/// TLS with the authorities that Mozilla trusts.
fn tls() -> anyhow::Result<TlsConnector> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn exchange(stream: Box<dyn Stream>, request: Request<Full<Bytes>>) -> anyhow::Result<Answer> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the answer, or with the command.
    tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
    let body = body.map_err(|error| anyhow::anyhow!(error)).context("failed to read the answer")?.to_bytes();
    Ok(Answer { status: head.status, headers: head.headers, body })
}
