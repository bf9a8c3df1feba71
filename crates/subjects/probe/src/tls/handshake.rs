//! The whole handshake, by rustls, with a verifier that records.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use fetch::Channel;
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, InvalidMessage, NamedGroup,
    ProtocolVersion, SignatureScheme,
};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use super::observation::{HandshakeOutcome, TlsVersion};

/// Result of a handshake.
#[derive(Debug)]
pub(super) struct Handshake {
    pub(super) outcome: HandshakeOutcome,
    pub(super) alert: Option<u8>,
    pub(super) version: Option<TlsVersion>,
    pub(super) cipher_suite: Option<String>,
    pub(super) key_exchange_group: Option<String>,
    pub(super) served: Served,
}

/// Data that a server sent before the handshake ended, however it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Served {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) ocsp_response: Vec<u8>,
    pub(super) key_is_proven: bool,
}

impl Handshake {
    /// Result of a handshake that ended before it began.
    pub(super) fn none(outcome: HandshakeOutcome) -> Self {
        Self {
            outcome,
            alert: None,
            version: None,
            cipher_suite: None,
            key_exchange_group: None,
            served: Served::default(),
        }
    }

    /// Shakes hands over `channel`, as a server's client of `name`, until the deadline.
    pub(super) async fn over(mut channel: Channel, name: ServerName<'static>, deadline: Instant) -> Self {
        let recorder = Arc::new(ChainRecorder::new());
        let connector = TlsConnector::from(Arc::new(config(Arc::clone(&recorder))));
        let ended = timeout_at(deadline, connector.connect(name, &mut channel)).await;
        // Sessions are not resumed: nothing is ever sent over one whose certificate was not verified.
        let ended = ended.map(|ended| ended.map(|stream| session(stream.get_ref().1)));
        let mut handshake = match ended {
            Ok(Ok((version, cipher_suite, key_exchange_group))) => {
                let answered = Self::none(HandshakeOutcome::Answered);
                Self { version, cipher_suite, key_exchange_group, ..answered }
            }
            Ok(Err(error)) => {
                let (outcome, alert) = meaning(&error);
                Self { alert, ..Self::none(outcome) }
            }
            Err(_) if channel.bytes_read() == 0 => Self::none(HandshakeOutcome::NeverSpoke),
            Err(_) => Self::none(HandshakeOutcome::TimedOut),
        };
        handshake.served = recorder.served();
        handshake
    }
}

fn session(connection: &ClientConnection) -> (Option<TlsVersion>, Option<String>, Option<String>) {
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => Some(TlsVersion::Tls13),
        Some(ProtocolVersion::TLSv1_2) => Some(TlsVersion::Tls12),
        _ => None,
    };
    // IANA's names of the suites of TLS 1.3 do not have the version in them.
    let suite = connection.negotiated_cipher_suite().and_then(|suite| suite.suite().as_str());
    let group = connection.negotiated_key_exchange_group().map(|group| match group.name() {
        NamedGroup::X25519 => "x25519".to_owned(),
        NamedGroup::X448 => "x448".to_owned(),
        other => other.as_str().map_or_else(|| format!("0x{:04x}", u16::from(other)), str::to_owned),
    });
    (version, suite.map(|name| name.replacen("TLS13_", "TLS_", 1)), group)
}

fn config(recorder: Arc<ChainRecorder>) -> ClientConfig {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default versions of TLS")
        .dangerous()
        .with_custom_certificate_verifier(recorder)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    config
}

/// The provider, with the hybrid group (draft-ietf-tls-ecdhe-mlkem) before all others, as browsers offer it: a server
/// that supports it takes it from the first ClientHello. The key share for X25519 is sent beside it.
fn provider() -> Arc<CryptoProvider> {
    let mut provider = aws_lc_rs::default_provider();
    provider.kx_groups.retain(|group| group.name() != NamedGroup::X25519MLKEM768);
    provider.kx_groups.insert(0, aws_lc_rs::kx_group::X25519MLKEM768);
    Arc::new(provider)
}

/// Meaning of the error of a handshake.
fn meaning(error: &io::Error) -> (HandshakeOutcome, Option<u8>) {
    let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        let outcome = match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => HandshakeOutcome::Closed,
            _ => HandshakeOutcome::Broken,
        };
        return (outcome, None);
    };
    match error {
        Error::AlertReceived(alert) => (HandshakeOutcome::Alert, Some((*alert).into())),
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => (HandshakeOutcome::NotTls, None),
        Error::PeerIncompatible(_) => (HandshakeOutcome::Incompatible, None),
        _ => (HandshakeOutcome::Broken, None),
    }
}

/// Takes every certificate and writes down what was served. The signature on the handshake is verified, and its failure
/// written down as well: one that is too weak for us to take is evidence like any other.
#[derive(Debug)]
struct ChainRecorder {
    algorithms: WebPkiSupportedAlgorithms,
    served: Mutex<Served>,
}

impl ChainRecorder {
    fn new() -> Self {
        let algorithms = aws_lc_rs::default_provider().signature_verification_algorithms;
        Self { algorithms, served: Mutex::default() }
    }

    fn served(&self) -> Served {
        self.served.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, change: impl FnOnce(&mut Served)) {
        change(&mut self.served.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn signed(&self, verified: &Result<HandshakeSignatureValid, Error>) -> HandshakeSignatureValid {
        self.record(|served| served.key_is_proven = verified.is_ok());
        HandshakeSignatureValid::assertion()
    }
}

impl ServerCertVerifier for ChainRecorder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = std::iter::once(end_entity).chain(intermediates);
        self.record(|served| {
            served.chain = chain.map(|certificate| certificate.clone().into_owned()).collect();
            served.ocsp_response = ocsp_response.to_vec();
        });
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(self.signed(&verify_tls12_signature(message, cert, dss, &self.algorithms)))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(self.signed(&verify_tls13_signature(message, cert, dss, &self.algorithms)))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
