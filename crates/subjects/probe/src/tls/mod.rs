//! TLS of a host, and its certificate.
//!
//! A [`TlsProbe`] makes a complete handshake, and sends a ClientHello for each older version, of which it reads the
//! server's first answer. The result is a [`TlsObservation`], plain data that is kept as evidence.
//!
//! The handshake accepts any certificate, since an invalid certificate is evidence too. [`verify`] decides afterwards if
//! the certificate is valid.
//!
//! # Invariants
//!
//! - Every connection goes through `fetch`'s guard.
//! - No application data is sent over a session, because its certificate was not verified.
//! - The probe does not panic, whatever a server sends.
//! - The probe ends within [`MAX_LOOK`].
//! - A part that could not be observed never counts as good.
//!
//! # Modules
//!
//! | module or type | holds |
//! |---|---|
//! | [`TlsProbe`] | the connections, all concurrent |
//! | `handshake` | the complete handshake, by rustls |
//! | `hello`, `answer` | one version's ClientHello, and a server's answer to it (RFC 5246, RFC 4346, RFC 2246) |
//! | [`verify`] | the validity of a chain for a name (RFC 5280, RFC 9525), pure |
//! | [`CertificateFacts`] | the facts that are read from a certificate |
//! | [`OcspStaple`] | the statement of a stapled OCSP response (RFC 6960), pure |
//!
//! # Example
//!
//! ```no_run
//! use fetch::{Fetcher, Limits, Policy, Roots};
//! use domain_name::DomainName;
//! use probe::tls::TlsProbe;
//!
//! # async fn example(at: receipt::Timestamp) -> Result<(), Box<dyn std::error::Error>> {
//! let probe = TlsProbe::new(Fetcher::system(Policy::production(), Limits::default())?, Roots::webpki(), 443);
//! let name = DomainName::parse("example.com")?;
//! let seen = probe.look(&name, at).await;
//! println!("{:?}: {:?}", seen.outcome, seen.trust);
//! # Ok(())
//! # }
//! ```

mod answer;
mod certificate;
mod handshake;
mod hello;
mod observation;
mod ocsp;
mod probe;
mod verify;

pub use answer::{HelloAnswer, read_answer};
pub use certificate::{CertificateFacts, CertificateKey, KeyAlgorithm, SubjectValidation, sct_logs};
pub use observation::{
    Acceptance, ChainTrust, HandshakeOutcome, MAX_CHAIN_BYTES, MAX_CHAIN_CERTIFICATES, MAX_OCSP_BYTES,
    RootsUsed, Scts, TlsObservation, TlsVersion, Verification, Versions,
};
pub use ocsp::{OcspStaple, RevocationStatus};
pub use probe::{CONNECTIONS, MAX_LOOK, TlsProbe};
pub use verify::verify;
