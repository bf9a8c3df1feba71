//! The TLS probe: all connections of a look, made concurrently.

use std::io;
use std::time::Duration;

use domain_name::DomainName;
use fetch::resolve::ResolveError;
use fetch::{Channel, FetchError, Fetcher, Roots, Target};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use receipt::Timestamp;
use rustls::pki_types::ServerName;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout_at};

use super::answer::{HelloAnswer, MAX_ANSWER_BYTES, read_answer};
use super::certificate::{CertificateFacts, distinct, sct_logs};
use super::handshake::Handshake;
use super::hello::client_hello;
use super::observation::{
    Acceptance, ChainTrust, HandshakeOutcome, RootsUsed, Scts, TlsObservation, TlsVersion, Verification,
    Versions,
};
use super::verify::verify;

/// Timeout of a look.
pub const MAX_LOOK: Duration = Duration::from_millis(1500);

/// Number of connections of a look, all concurrent.
pub const CONNECTIONS: usize = 4;

/// The TLS probe of a host.
#[derive(Clone, Debug)]
pub struct TlsProbe {
    fetcher: Fetcher,
    roots: Roots,
    used: RootsUsed,
    port: u16,
}

impl TlsProbe {
    /// Builds a probe of one port (443, except in a laboratory) that trusts `roots`.
    #[must_use]
    pub fn new(fetcher: Fetcher, roots: Roots, port: u16) -> Self {
        let (own, mozilla) = (fingerprint(&roots), fingerprint(&Roots::webpki()));
        let used = RootsUsed { is_mozilla: own == mozilla, sha256: own };
        Self { fetcher, roots, used, port }
    }

    /// Observes the host `name` and judges its certificate at the time `at`. It takes at most [`MAX_LOOK`], whatever
    /// the server does.
    pub fn look<'a>(&'a self, name: &'a DomainName, at: Timestamp) -> BoxFuture<'a, TlsObservation> {
        async move {
            let deadline = Instant::now() + MAX_LOOK;
            let target = self.fetcher.check_url(&format!("https://{name}:{}/", self.port));
            let (Ok(target), Ok(server)) = (target, ServerName::try_from(name.to_string())) else {
                let (unseen, handshake) = (HelloResult::Unseen, Handshake::none(HandshakeOutcome::Denied));
                return self.seen(name, at, handshake, [unseen.clone(), unseen.clone(), unseen]);
            };
            let older = |version| self.ask(&target, name, version, deadline);
            let (handshake, tls10, tls11, tls12) = tokio::join!(
                self.shake_hands(&target, server, deadline),
                older(TlsVersion::Tls10),
                older(TlsVersion::Tls11),
                older(TlsVersion::Tls12),
            );
            self.seen(name, at, handshake, [tls10, tls11, tls12])
        }
        .boxed()
    }

    async fn shake_hands(
        &self,
        target: &Target,
        server: ServerName<'static>,
        deadline: Instant,
    ) -> Handshake {
        match self.connect(target, deadline).await {
            Ok(channel) => Handshake::over(channel, server, deadline).await,
            Err(outcome) => Handshake::none(outcome),
        }
    }

    /// Offers one version and reads the server's first answer.
    async fn ask(
        &self,
        target: &Target,
        name: &DomainName,
        version: TlsVersion,
        deadline: Instant,
    ) -> HelloResult {
        let Ok(mut channel) = self.connect(target, deadline).await else { return HelloResult::Unseen };
        let hello = client_hello(name.as_str(), version);
        match timeout_at(deadline, answer(&mut channel, &hello)).await {
            Ok(Ok(answer)) => HelloResult::Answered(answer),
            Ok(Err(_)) => HelloResult::Closed,
            Err(_) => HelloResult::Unseen,
        }
    }

    async fn connect(&self, target: &Target, deadline: Instant) -> Result<Channel, HandshakeOutcome> {
        let opened = timeout_at(deadline, self.fetcher.connect(target)).await;
        opened.map_err(|_| HandshakeOutcome::TimedOut)?.map_err(|error| unopened(&error))
    }

    /// Puts together what the parts saw.
    fn seen(
        &self,
        name: &DomainName,
        at: Timestamp,
        handshake: Handshake,
        older: [HelloResult; 3],
    ) -> TlsObservation {
        let Handshake { outcome, alert, version, cipher_suite, key_exchange_group, served } = handshake;
        let scts = scts(&served.chain, &older);
        let mut seen = TlsObservation {
            observed_at: at,
            outcome,
            alert,
            version,
            cipher_suite,
            key_exchange_group,
            chain: Vec::new(),
            chain_omitted: 0,
            trust: None,
            ocsp_stapled: !served.ocsp_response.is_empty(),
            ocsp_response: None,
            scts,
            versions: versions(outcome, version, &older),
            roots: self.used.clone(),
        };
        seen.keep(&served.chain);
        seen.keep_ocsp(&served.ocsp_response);
        if !served.chain.is_empty() {
            let verification = verify(&served.chain, name, &self.roots, at);
            let by_mozilla = || verify(&served.chain, name, &Roots::webpki(), at);
            let public = if self.used.is_mozilla { verification } else { by_mozilla() };
            let is_public = public == Verification::Valid;
            seen.trust = Some(ChainTrust { verification, is_public, key_is_proven: served.key_is_proven });
        }
        seen
    }
}

/// Result of a hello.
#[derive(Clone, Debug)]
enum HelloResult {
    Answered(HelloAnswer),
    /// The connection ended before an answer.
    Closed,
    Unseen,
}

/// Sends a hello and reads until there is an answer, or more bytes than one has.
async fn answer(channel: &mut Channel, hello: &[u8]) -> io::Result<HelloAnswer> {
    channel.write_all(hello).await?;
    channel.flush().await?;
    let mut bytes = Vec::new();
    while bytes.len() < MAX_ANSWER_BYTES {
        if channel.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer = read_answer(&bytes);
        if answer != HelloAnswer::Partial {
            return Ok(answer);
        }
    }
    Ok(HelloAnswer::NotTls)
}

/// Outcome of a connection that could not be opened.
fn unopened(error: &FetchError) -> HandshakeOutcome {
    match error {
        FetchError::Refused(_) | FetchError::RedirectRefused(_) => HandshakeOutcome::Denied,
        FetchError::Dns(ResolveError::NoAddress) => HandshakeOutcome::NoAddress,
        FetchError::Dns(_) => HandshakeOutcome::DnsFailed,
        FetchError::Connect(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            HandshakeOutcome::ConnectionRefused
        }
        FetchError::ConnectTimeout | FetchError::Timeout => HandshakeOutcome::TimedOut,
        FetchError::Busy => HandshakeOutcome::Busy,
        _ => HandshakeOutcome::Unreachable,
    }
}

/// Versions that the server accepts. The handshake offered 1.2 and 1.3, of which a server takes the newer.
fn versions(
    outcome: HandshakeOutcome,
    shaken: Option<TlsVersion>,
    [tls10, tls11, tls12]: &[HelloResult; 3],
) -> Versions {
    let speaks = outcome == HandshakeOutcome::Answered;
    let older = |version, asked: &HelloResult| match asked {
        HelloResult::Answered(answer) if answer.takes(version) => Acceptance::Accepted,
        HelloResult::Answered(_) => Acceptance::Refused,
        // Some servers close the connection for a version that they refuse. Others close every connection.
        HelloResult::Closed if speaks => Acceptance::Refused,
        HelloResult::Closed | HelloResult::Unseen => Acceptance::Unknown,
    };
    Versions {
        tls10: older(TlsVersion::Tls10, tls10),
        tls11: older(TlsVersion::Tls11, tls11),
        tls12: match shaken {
            Some(TlsVersion::Tls12) => Acceptance::Accepted,
            _ => older(TlsVersion::Tls12, tls12),
        },
        tls13: match (shaken, outcome) {
            (Some(TlsVersion::Tls13), _) => Acceptance::Accepted,
            (Some(_), _) => Acceptance::Refused,
            (None, HandshakeOutcome::Alert | HandshakeOutcome::Incompatible | HandshakeOutcome::NotTls) => {
                Acceptance::Refused
            }
            (None, _) => Acceptance::Unknown,
        },
    }
}

/// The timestamps in the leaf and in the answers to the hellos, of which only that of TLS 1.2 asked for them.
fn scts(chain: &[impl AsRef<[u8]>], older: &[HelloResult; 3]) -> Scts {
    let embedded =
        chain.first().and_then(|leaf| CertificateFacts::read(leaf.as_ref())).map(|facts| facts.sct_logs);
    let embedded = embedded.unwrap_or_default();
    let in_handshake = match &older[2] {
        HelloResult::Answered(HelloAnswer::Hello { scts, .. }) => Some(sct_logs(scts)),
        _ => None,
    };
    let count = in_handshake.as_ref().map(Vec::len);
    let all = [embedded.clone(), in_handshake.unwrap_or_default()].concat();
    Scts { embedded: embedded.len(), in_handshake: count, logs: distinct(&all) }
}

/// The SHA-256 over the roots' names and keys, in hex; the same for the same set, whatever its order.
fn fingerprint(roots: &Roots) -> String {
    let mut anchors: Vec<[u8; 32]> = roots
        .store()
        .roots
        .iter()
        .map(|root| {
            let hash = Sha256::new().chain_update((root.subject.len() as u64).to_be_bytes());
            hash.chain_update(&root.subject).chain_update(&root.subject_public_key_info).finalize().into()
        })
        .collect();
    anchors.sort_unstable();
    hex::encode(Sha256::digest(anchors.concat()))
}
