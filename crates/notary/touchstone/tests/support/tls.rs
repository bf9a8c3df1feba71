//! Certificates for peers: an authority of the tests' own.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivatePkcs8KeyDer;

pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// Its certificate.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A peer's side of TLS, with a certificate for this name that is good now.
    pub fn serves(&self, name: &str) -> Arc<ServerConfig> {
        self.certified(CertificateParams::new([name.to_owned()]).unwrap())
    }

    /// The same with a certificate that expired long ago.
    pub fn served(&self, name: &str) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        self.certified(params)
    }

    fn certified(&self, params: CertificateParams) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let private = PrivatePkcs8KeyDer::from(key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private.into());
        Arc::new(config.unwrap())
    }
}
