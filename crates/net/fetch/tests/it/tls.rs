//! Certificates that hold and those that do not.

use std::sync::Arc;
use std::time::Duration;

use fetch::{Fetcher, Limits, Policy, Roots};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

use crate::support::{Names, Server, Step, code, get, ok, redirect, say};

const HOST: &str = "source.example.com";

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A fetcher that trusts this authority alone.
    fn fetcher(&self, limits: Limits) -> Fetcher {
        let names =
            Names::default().with(HOST, &[&["127.0.0.1"]]).with("other.example.com", &[&["127.0.0.1"]]);
        Fetcher::new(Policy::dev(), limits, names, Roots::none().with_pem(self.0.pem().as_bytes()).unwrap())
    }

    /// A server's side of TLS with a certificate for `names`, changed by `change`.
    fn acceptor(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let mut params = params(names);
        change(&mut params);
        let certificate = params.signed_by(&key, &self.0).unwrap();
        acceptor(certificate.der().clone(), &key)
    }
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}

fn acceptor(certificate: CertificateDer<'static>, key: &KeyPair) -> TlsAcceptor {
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(acceptor: TlsAcceptor, script: Vec<Step>) -> Server {
    Server::listen("127.0.0.1:0".parse().unwrap(), Some(acceptor), move |_| script.clone()).await
}

fn url(host: &str, server: &Server) -> String {
    format!("https://{host}:{}/", server.port())
}

#[tokio::test]
async fn a_certificate_of_a_trusted_authority_holds_and_sni_and_host_are_the_original() {
    let authority = Authority::new();
    let server = serve(authority.acceptor(&[HOST], |_| ()), ok("{}")).await;
    let fetched = get(&authority.fetcher(Limits::default()), &url(HOST, &server)).await.unwrap();
    assert_eq!(fetched.tls.unwrap().version, "TLSv1.3");
    assert_eq!(fetched.peer, server.address);
    let requests = server.requests();
    assert_eq!(requests[0], format!("SNI {HOST}"));
    assert!(requests[1].to_ascii_lowercase().contains(&format!("host: {HOST}:{}\r\n", server.port())));
}

#[tokio::test]
async fn an_address_holds_by_its_own_certificate() {
    let authority = Authority::new();
    let server = serve(authority.acceptor(&["127.0.0.1"], |_| ()), ok("{}")).await;
    let fetcher = authority.fetcher(Limits::default());
    assert!(get(&fetcher, &url("127.0.0.1", &server)).await.is_ok());
    assert_eq!(code(&fetcher, &url(HOST, &server)).await, "tls_failed");
}

#[tokio::test]
async fn a_certificate_that_does_not_hold_fails() {
    let authority = Authority::new();
    let fetcher = authority.fetcher(Limits::default());
    let expired = authority.acceptor(&[HOST], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let early = authority.acceptor(&[HOST], |params| params.not_before = date_time_ymd(2100, 1, 1));
    let wrong_host = authority.acceptor(&["other.example.com"], |_| ());
    let stranger = Authority::new().acceptor(&[HOST], |_| ());
    let key = KeyPair::generate().unwrap();
    let self_signed = acceptor(params(&[HOST]).self_signed(&key).unwrap().der().clone(), &key);
    for (why, acceptor) in [
        ("expired", expired),
        ("not yet valid", early),
        ("wrong host", wrong_host),
        ("unknown authority", stranger),
        ("self-signed", self_signed),
    ] {
        let server = serve(acceptor, ok("{}")).await;
        assert_eq!(code(&fetcher, &url(HOST, &server)).await, "tls_failed", "{why}");
        assert!(server.requests().iter().all(|line| !line.starts_with("GET")), "{why}: a request was sent");
    }
}

#[tokio::test]
async fn a_wrong_certificate_is_told_from_a_handshake_that_fails_otherwise() {
    let authority = Authority::new();
    let fetcher = authority.fetcher(Limits::default());
    let server = serve(authority.acceptor(&["other.example.com"], |_| ()), ok("{}")).await;
    let error = get(&fetcher, &url(HOST, &server)).await.unwrap_err();
    assert!(error.is_invalid_certificate(), "{error:?}");
    let error = get(&fetcher, &rude().await).await.unwrap_err();
    assert!(error.code() == "tls_failed" && !error.is_invalid_certificate(), "{error:?}");
}

#[tokio::test]
async fn mozillas_roots_do_not_vouch_for_the_tests() {
    let authority = Authority::new();
    let server = serve(authority.acceptor(&[HOST], |_| ()), ok("{}")).await;
    let names = Names::default().with(HOST, &[&["127.0.0.1"]]);
    let fetcher = Fetcher::new(Policy::dev(), Limits::default(), names, Roots::webpki());
    assert_eq!(code(&fetcher, &url(HOST, &server)).await, "tls_failed");
}

#[tokio::test]
async fn https_is_never_left_for_http() {
    let authority = Authority::new();
    let plain = Server::start(|_| ok("{}")).await;
    let to = format!("http://{HOST}:{}/", plain.port());
    let server = serve(authority.acceptor(&[HOST], |_| ()), redirect(302, &to)).await;
    assert_eq!(code(&authority.fetcher(Limits::default()), &url(HOST, &server)).await, "redirect_refused");
    assert_eq!(plain.connections(), 0);
}

#[tokio::test]
async fn http_may_be_left_for_https() {
    let authority = Authority::new();
    let server = serve(authority.acceptor(&[HOST], |_| ()), ok("{}")).await;
    let to = url(HOST, &server);
    let plain = Server::start(move |_| redirect(301, &to)).await;
    let fetched = get(&authority.fetcher(Limits::default()), &format!("http://{HOST}:{}/", plain.port()))
        .await
        .unwrap();
    assert!(fetched.tls.is_some() && fetched.hops.len() == 1);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_fails_and_a_silent_one_times_out() {
    let authority = Authority::new();
    let limits = Limits { connect: Duration::from_millis(200), ..Limits::default() };
    let (hasty, fetcher) = (authority.fetcher(limits), authority.fetcher(Limits::default()));
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = silent.local_addr().map(|address| (silent, address)).unwrap();
    assert_eq!(code(&hasty, &format!("https://{HOST}:{}/", silent.1.port())).await, "connect_timeout");
    assert_eq!(code(&fetcher, &rude().await).await, "tls_failed");
}

/// A URL whose server answers a TLS handshake with HTTP, once.
async fn rude() -> String {
    use tokio::io::AsyncWriteExt;
    let rude = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = rude.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = rude.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    });
    format!("https://{HOST}:{port}/")
}

#[tokio::test]
async fn a_tls_session_cut_off_without_a_word_is_no_end_of_a_body() {
    let authority = Authority::new();
    // The body has no announced length, so its end is the session's: close_notify, not the end of TCP.
    let script = vec![say("HTTP/1.1 200 OK\r\n\r\n[1, 2").remove(0), Step::Cut];
    let server = serve(authority.acceptor(&[HOST], |_| ()), script).await;
    assert_eq!(code(&authority.fetcher(Limits::default()), &url(HOST, &server)).await, "interrupted");
    let whole = serve(authority.acceptor(&[HOST], |_| ()), say("HTTP/1.1 200 OK\r\n\r\n[1, 2]")).await;
    let fetched = get(&authority.fetcher(Limits::default()), &url(HOST, &whole)).await.unwrap();
    assert_eq!(&fetched.body[..], b"[1, 2]");
}
