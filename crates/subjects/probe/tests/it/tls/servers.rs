//! Servers that speak TLS, by rustls.

use std::sync::Arc;

use rcgen::KeyPair;
use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio_rustls::TlsAcceptor;

use super::support::{serve, until_gone};

/// Both versions that rustls speaks.
pub(crate) const MODERN: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

/// Serves one chain with the key that it is given, whether it fits or not.
#[derive(Debug)]
struct Always(Arc<CertifiedKey>);

impl ResolvesServerCert for Always {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

pub(crate) async fn tls(
    chain: Vec<CertificateDer<'static>>,
    key: &KeyPair,
    versions: &[&'static SupportedProtocolVersion],
) -> u16 {
    tls_with(CertifiedKey::new(chain, signing(key)), versions).await
}

pub(crate) async fn tls_with(certified: CertifiedKey, versions: &[&'static SupportedProtocolVersion]) -> u16 {
    serve_tls(certified, versions, aws_lc_rs::default_provider()).await
}

/// A server that supports these groups alone.
pub(crate) async fn tls_in_groups(
    chain: Vec<CertificateDer<'static>>,
    key: &KeyPair,
    version: &'static SupportedProtocolVersion,
    groups: &[&'static dyn SupportedKxGroup],
) -> u16 {
    let provider = CryptoProvider { kx_groups: groups.to_vec(), ..aws_lc_rs::default_provider() };
    serve_tls(CertifiedKey::new(chain, signing(key)), &[version], provider).await
}

async fn serve_tls(
    certified: CertifiedKey,
    versions: &[&'static SupportedProtocolVersion],
    provider: CryptoProvider,
) -> u16 {
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(Always(Arc::new(certified))));
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                until_gone(&mut { stream }.into_inner().0).await;
            }
        }
    })
    .await
}

pub(crate) fn signing(key: &KeyPair) -> Arc<dyn rustls::sign::SigningKey> {
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    aws_lc_rs::sign::any_supported_type(&key.into()).unwrap()
}
