//! Authorities, certificates, servers and a probe that trusts one of the authorities.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use domain_name::DomainName;
use fetch::resolve::BoxFuture;
use fetch::{Fetcher, Limits, Policy, Resolve, ResolveError, Roots};
use probe::tls::{TlsObservation, TlsProbe};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use receipt::Timestamp;
use rustls::pki_types::CertificateDer;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

pub(crate) const HOST: &str = "shop.example.com";

/// Far more than any look may take: a test that reaches it hangs.
const HANG: Duration = Duration::from_secs(30);

/// The time of every look.
pub(crate) fn now() -> Timestamp {
    "2026-11-21T02:00:00.000Z".parse().unwrap()
}

pub(crate) fn host() -> DomainName {
    DomainName::parse(HOST).unwrap()
}

/// An authority, and what it signs.
pub(crate) struct Authority(pub(crate) CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn root() -> Self {
        Self::named("Root")
    }

    pub(crate) fn named(name: &str) -> Self {
        Self(CertifiedIssuer::self_signed(Self::params(name), KeyPair::generate().unwrap()).unwrap())
    }

    /// One that this one vouches for.
    pub(crate) fn below(&self) -> Self {
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::signed_by(Self::params("Intermediate"), key, &self.0).unwrap())
    }

    fn params(name: &str) -> CertificateParams {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::none().with_der(self.der()).unwrap()
    }

    pub(crate) fn der(&self) -> &CertificateDer<'static> {
        self.0.der()
    }

    /// A certificate for `key`, made as `change` says.
    pub(crate) fn issue(
        &self,
        key: &KeyPair,
        change: impl FnOnce(&mut CertificateParams),
    ) -> CertificateDer<'static> {
        let mut params = leaf();
        change(&mut params);
        params.signed_by(key, &self.0).unwrap().der().clone()
    }
}

/// A certificate for [`HOST`] that holds for another year.
pub(crate) fn leaf() -> CertificateParams {
    let mut params = CertificateParams::new([HOST.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, HOST);
    params.not_before = rcgen::date_time_ymd(2026, 1, 1);
    params.not_after = rcgen::date_time_ymd(2027, 11, 21);
    params
}

/// Answers every connection to a port of its own.
pub(crate) async fn serve<F>(answer: impl Fn(TcpStream) -> F + Send + 'static) -> u16
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    port
}

/// Says these bytes to everybody, whatever they say, and waits until they go.
pub(crate) async fn say(bytes: &'static [u8]) -> u16 {
    serve(move |mut stream| async move {
        if stream.write_all(bytes).await.is_ok() {
            until_gone(&mut stream).await;
        }
    })
    .await
}

/// Reads until the client has gone away.
pub(crate) async fn until_gone(stream: &mut TcpStream) {
    let _ = tokio::io::copy(stream, &mut tokio::io::sink()).await;
}

/// Every name is on 127.0.0.1, except those that begin with `nowhere` or `broken`.
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(async move {
            match host {
                _ if host.starts_with("nowhere") => Err(ResolveError::NoAddress),
                _ if host.starts_with("broken") => Err(ResolveError::Failed("SERVFAIL".to_owned())),
                _ => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
            }
        })
    }
}

pub(crate) fn fetcher(policy: Policy) -> Fetcher {
    Fetcher::new(policy, Limits::default(), Names, Roots::none())
}

/// Looks at `name` on this port, trusting `roots`.
pub(crate) async fn look_at(name: &str, port: u16, roots: Roots) -> TlsObservation {
    let probe = TlsProbe::new(fetcher(Policy::dev()), roots, port);
    let name = DomainName::parse(name).unwrap();
    timeout(HANG, probe.look(&name, now())).await.expect("the look hangs")
}

pub(crate) async fn look(port: u16, roots: Roots) -> TlsObservation {
    look_at(HOST, port, roots).await
}
