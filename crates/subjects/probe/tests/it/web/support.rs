//! Local servers that answer by script, under certificates of an authority of their own.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain_name::DomainName;
use fetch::resolve::BoxFuture;
use fetch::{Fetcher, Limits, Policy, Resolve, ResolveError, Roots};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::FutureExt as _;
use probe::site::{SiteObservation, SiteProbe};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Far more than any test should take: a test that reaches it hangs.
pub(crate) const HANG: Duration = Duration::from_secs(30);
/// The site that is looked at.
pub(crate) const SITE: &str = "site.example.com";

/// What a server does with a request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Sends this and closes.
    Say(Vec<u8>),
    /// Sends this and then nothing more.
    Stall(Vec<u8>),
}

/// A request, as far as scripts look at it.
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) host: &'a str,
    /// The server's own.
    pub(crate) port: u16,
}

/// A whole answer.
pub(crate) fn answer(status: u16, fields: &[(&str, &str)], body: impl AsRef<[u8]>) -> Act {
    let body = body.as_ref();
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} Status\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    Act::Say([head.as_bytes(), body].concat())
}

/// A page of HTML.
pub(crate) fn page(body: &str) -> Act {
    answer(200, &[("Content-Type", "text/html")], body)
}

/// A redirect.
pub(crate) fn to(location: &str) -> Act {
    answer(302, &[("Location", location)], "")
}

/// Nothing there.
pub(crate) fn absent() -> Act {
    answer(404, &[("Content-Type", "text/html")], "no")
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) async fn start(
        tls: Option<TlsAcceptor>,
        script: impl Fn(&Asked<'_>) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (script, kept) = (Arc::new(script), heads.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (script, kept, tls) = (script.clone(), kept.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => act(stream, port, &*script, &kept).await,
                        Some(tls) => act(tls.accept(stream).await.ok()?, port, &*script, &kept).await,
                    }
                });
            }
        });
        Self { port, heads }
    }

    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// `None` where the client went away, as clients here may.
async fn act<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    port: u16,
    script: &(dyn Fn(&Asked<'_>) -> Act + Send + Sync),
    kept: &Mutex<Vec<String>>,
) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    kept.lock().unwrap().push(head.clone());
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let host = field(&head, "host").unwrap();
    let host = host.split(':').next().unwrap();
    match script(&Asked { method, path, host, port }) {
        Act::Say(bytes) => {
            stream.write_all(&bytes).await.ok()?;
            stream.shutdown().await.ok()
        }
        Act::Stall(bytes) => {
            stream.write_all(&bytes).await.ok()?;
            stream.flush().await.ok()?;
            let _ = stream.read_u8().await;
            None
        }
    }
}

/// The value of a field of a head.
pub(crate) fn field<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A port that nobody listens on.
pub(crate) async fn closed() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap().port()
}

/// Every name below `example.com` is this machine, but `private.` and `none.`.
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        let answer = match host.split('.').next() {
            Some("none") => Err(ResolveError::NoAddress),
            Some("lost") => Err(ResolveError::Failed("SERVFAIL".to_owned())),
            Some("private") => Ok(vec![IpAddr::from([10, 0, 0, 1])]),
            _ => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
        };
        async { answer }.boxed()
    }
}

/// An authority, and who trusts it.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A server's side of TLS for names below `example.com`.
    pub(crate) fn tls(&self) -> TlsAcceptor {
        self.tls_for(&["*.example.com", "mta-sts.site.example.com"])
    }

    pub(crate) fn tls_for(&self, names: &[&str]) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.0).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            )
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    pub(crate) fn fetcher(&self) -> Fetcher {
        self.fetcher_within(Limits { per_host: 8, redirects: 5, ..Limits::default() })
    }

    pub(crate) fn fetcher_within(&self, limits: Limits) -> Fetcher {
        let roots = Roots::none().with_pem(self.0.pem().as_bytes()).unwrap();
        Fetcher::new(Policy::dev(), limits, Names, roots)
    }

    /// Looks at [`SITE`].
    pub(crate) async fn look(&self, https: u16, http: u16) -> SiteObservation {
        self.look_at(SITE, https, http).await
    }

    pub(crate) async fn look_at(&self, name: &str, https: u16, http: u16) -> SiteObservation {
        let (probe, name) = (SiteProbe::new(self.fetcher(), https, http), DomainName::parse(name).unwrap());
        let seen = tokio::time::timeout(HANG, probe.look(&name, &name)).await.expect("the look hangs");
        let json = serde_json::to_string(&seen).unwrap();
        assert!(json.len() < 64 << 10, "{} bytes of evidence", json.len());
        assert_eq!(
            serde_json::from_str::<SiteObservation>(&json).unwrap(),
            seen,
            "evidence is read as it was written"
        );
        seen
    }
}

/// Who answers for a port of loopback, as an address that could be looked up.
pub(crate) fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}
